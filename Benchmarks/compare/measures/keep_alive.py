"""Small JSON answers over HTTP/1.1 in the clear, and what errandd adds to the library."""

import contextlib

from rounds import Case, cpu_per_request, median, peak_memory, rate, ratio
from servers import daemon

CONNECTIONS = [64, 1000]


def run(bench):
    with contextlib.ExitStack() as stack:
        cases = [case(bench, connections) for connections in CONNECTIONS]
        through_daemon = Case(" through errandd", {}, core=("errandd",))
        if "errandd" in bench.selected:
            running = stack.enter_context(daemon(bench.cores, bench.programs / "errandd"))
            bench.clients.errandd(bench.nginx.plain, running, 2_000)
            requests = 10_000 if bench.core_only else 50_000
            through_daemon.clients["errandd"] = lambda: bench.clients.errandd(bench.nginx.plain, running, requests)
        bench.measure("keep-alive", [*cases, through_daemon])
    for each in cases:
        bench.figures.add_case(each)
    if through_daemon.runs:
        show_daemon(bench.figures, through_daemon.runs["errandd"], cases[0].runs.get("errand", []))


def case(bench, connections):
    url, clients = bench.nginx.plain, bench.clients
    runs = {
        "errand": lambda: clients.errand(url, connections, "--json-expected"),
        "libcurl": lambda: clients.libcurl(url, connections),
        "libcurl-tuned": lambda: clients.libcurl(url, connections, "--tuned"),
        "urlsession": lambda: clients.urlsession(url, connections),
        "wrk": lambda: clients.wrk(url, connections),
    }
    # URLSession is the slowest to measure, and one figure says enough.
    core = ("errand", "libcurl", "wrk", "urlsession") if connections == CONNECTIONS[0] else ("errand", "libcurl", "wrk")
    return Case(f" at {connections}", runs, core)


def show_daemon(figures, runs, of_library):
    cpu, peak = median(map(cpu_per_request, runs)), peak_memory(runs[-1])
    print(f"\nerrandd, NDJSON in batches of 100, followed over SSE: {median(map(rate, runs)):,.0f} requests/s, ", end="")
    print(f"{cpu:.2f} µs CPU per request, {peak / 1024:.1f} MB")
    figures.add("errandd CPU per request", cpu, "us")
    figures.add("errandd peak memory", peak, "KB")
    figures.add("errandd CPU per request / library", ratio(cpu_per_request, runs, of_library), "ratio", "errand")
