"""Bodies of 1 MiB over HTTP/1.1 in the clear. Errand hands each over whole, in memory; wrk and libcurl's callback look at pieces and
drop them."""

from rounds import Case, median, rate

CONNECTIONS = 64
# libcurl's default, and larger ones up to its limit.
BUFFERS = {"libcurl 16K": 16_384, "libcurl 128K": 131_072, "libcurl 512K": 524_288}


def run(bench):
    url, clients = bench.nginx.large, bench.clients
    runs = {"errand": lambda: clients.errand(url, CONNECTIONS), "wrk": lambda: clients.wrk(url, CONNECTIONS)}
    for name, size in BUFFERS.items():
        runs[name] = lambda size=size: clients.libcurl(url, CONNECTIONS, "--buffer", size)
    case = Case(" of 1 MiB bodies", runs)
    bench.compare("1 MiB bodies", [case])
    best = max(BUFFERS, key=lambda name: median(map(rate, case.runs.get(name, []))) or 0)
    bench.figures.add_ratios(case, best, "best libcurl")
