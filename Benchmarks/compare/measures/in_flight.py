"""10,000 requests that get no answer: the memory each takes, and cancelling them all against closing as many sockets."""

from building import BUILT
from machine import file_limit, say
from processes import run_json
from rounds import median
from servers import hold_server

IN_FLIGHT = 10_000


def run(bench):
    count = min(IN_FLIGHT, file_limit() - 500)
    if count < IN_FLIGHT:
        say(f"the limit on open files allows only {count} requests in flight")
    lines = []
    if "errand" in bench.selected:
        lines.append(errand(bench, count))
    if "libcurl" in bench.selected:
        lines.append(libcurl(bench, count))
    if lines:
        print(f"\n{count:,} in flight   bytes/request   cancel ms   close of sockets ms", *lines, sep="\n")


def errand(bench, count):
    say(f"{count} requests in flight: errand")
    # A port for each opening of the many sockets: those of the time before may linger in TIME_WAIT.
    with hold_server(bench.cores, 2 * bench.rounds) as (control, ports):
        command = [bench.programs / "errand-bench", "inflight", "--count", count, "--control", control]
        run = run_json(bench.cores.on_client([*command, "--ports", ",".join(map(str, ports))]))
    cancel = median(turn["cancel_ns"] for turn in run["rounds"])
    close = median(turn["close_ns"] for turn in run["rounds"])
    bench.figures.add("memory per request in flight", run["bytes_per_request"], "bytes")
    bench.figures.add("cancel of those in flight", cancel / 1e6, "ms", "errand")
    bench.figures.add("close of as many sockets", close / 1e6, "ms", "close")
    quotient = median(turn["cancel_ns"] / turn["close_ns"] for turn in run["rounds"])
    bench.figures.add("cancel of those in flight / close", quotient, "ratio", "close")
    return f"  errand{run['bytes_per_request']:>23,.0f}{cancel / 1e6:>12.1f}{close / 1e6:>20.1f}"


def libcurl(bench, count):
    say(f"{count} requests in flight: libcurl")
    with hold_server(bench.cores, 1) as (control, ports):
        command = [BUILT / "curl-multi", "inflight", "--url", f"http://127.0.0.1:{ports[0]}/", "--count", count, "--control", control]
        run = run_json(bench.cores.on_client(command))
    bench.figures.add("memory per request in flight, libcurl", run["bytes_per_request"], "bytes", "libcurl")
    bench.figures.add("cancel of those in flight, libcurl", run["cancel_ns"] / 1e6, "ms", "libcurl")
    return f"  libcurl{run['bytes_per_request']:>22,.0f}{run['cancel_ns'] / 1e6:>12.1f}"
