"""Requests queued behind 64 connections that are all in use: what each costs as the queue grows.

"CPU per request" is of its whole life, from submission to outcome. "admission" is the part in which it is submitted and queued, the loop
doing nothing else: it grows somewhat where 100,000 requests no longer fit the processor's caches. The target is on the former.
"""

from rounds import Case, cpu_per_request, median, ratio

LIMIT = 64
QUEUED = [1_000, 10_000, 100_000]
TOTAL = 200_000


def run(bench):
    cases = [case(bench, count) for count in QUEUED]
    bench.compare("queue", cases)
    first = cases[0].runs.get("errand", [])
    for count, each in zip(QUEUED, cases):
        runs = each.runs.get("errand", [])
        if runs:
            admission = median(map(admission_per_request, runs))
            print(f"  admission behind {count:,} queued: {admission:.2f} µs per request")
            bench.figures.add(f"admission{each.name}", admission, "us", "errand")
        if each is not cases[0]:
            for what, of_run in (("CPU per request", cpu_per_request), ("admission", admission_per_request)):
                bench.figures.add(f"{what}{each.name} / {QUEUED[0]}", ratio(of_run, runs, first), "ratio", "errand")


def case(bench, count):
    return Case(f" at {count} queued", {"errand": lambda: bench.clients.queue(bench.nginx.plain, LIMIT, count, TOTAL)})


def admission_per_request(run):
    return run["admission_seconds"] / run["requests"] * 1e6 if run["requests"] else None
