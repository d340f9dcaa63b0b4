"""What the journal costs: errandd with requests that are on disk before they are answered, beside those that stay in memory."""

import contextlib

from building import ROOT
from machine import say
from processes import run_json
from rounds import Case, median
from servers import daemon, hold_server

WAITING = 100_000
SINGLE = 2_000


def run(bench):
    if "errandd" not in bench.selected:
        return
    with contextlib.ExitStack() as stack:
        running = stack.enter_context(daemon(bench.cores, bench.programs / "errandd"))
        requests = 10_000 if bench.core_only else 50_000

        def load(durability, count=requests, *options):
            return bench.clients.errandd(bench.nginx.plain, running, count, "--durability", durability, *options)

        clients = {"errandd journaled": lambda: load("journaled"), "errandd volatile": lambda: load("volatile")}
        bench.compare("journal", [Case(" of requests through errandd", clients, core=tuple(clients))])
        for durability in ("journaled", "volatile"):
            single = [load(durability, SINGLE, "--singly") for _ in range(bench.rounds)]
            middle, late = (median(turn[name] for turn in single) for name in ("median_us", "p99_us"))
            print(f"  one {durability} submission: {middle:,.0f} µs at the median, {late:,.0f} µs at the 99th percentile")
            bench.figures.add(f"time of a {durability} submission", middle, "us", "errandd")
            bench.figures.add(f"time of a {durability} submission, 99th percentile", late, "us", "errandd")
    restart(bench)


def restart(bench):
    say(f"restart with {WAITING} requests")
    with hold_server(bench.cores, 1) as (_, ports):
        command = [ROOT / "Benchmarks" / "daemon-restart", "--errandd", bench.programs / "errandd", "--requests", WAITING]
        run = run_json(bench.cores.on_client([*command, "--url", f"http://127.0.0.1:{ports[0]}/"]))
    print(
        f"  {WAITING:,} journaled requests that wait: {run['bytes_per_request']:,.0f} bytes of memory each, "
        f"{run['journal_bytes'] / WAITING:,.0f} on disk, ready {run['ready_seconds']:.2f} s after a kill"
    )
    bench.figures.add("memory per waiting request of errandd", run["bytes_per_request"], "bytes", "errandd")
    bench.figures.add("restart of errandd with 100000 journaled", run["ready_seconds"], "s")
