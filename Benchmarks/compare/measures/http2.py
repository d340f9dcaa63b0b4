"""Small JSON answers over HTTP/2 and TLS, on as few connections as the server's limit of streams allows: Errand finds that number
itself, the others are told."""

from clients import connections_for
from rounds import Case

IN_FLIGHT = [64, 1000]


def run(bench):
    bench.compare("HTTP/2", [case(bench, in_flight) for in_flight in IN_FLIGHT])


def case(bench, in_flight):
    url, ca, clients = bench.nginx.http2, bench.nginx.ca, bench.clients
    runs = {
        "errand": lambda: clients.errand(url, in_flight, "--ca", ca, "--http2", "--json-expected"),
        "libcurl": lambda: clients.libcurl(url, in_flight, "--ca", ca, "--http2", "--connections", connections_for(in_flight)),
        "h2load": lambda: clients.h2load(url, in_flight),
    }
    return Case(f" over HTTP/2 at {in_flight}", runs, core=("errand", "h2load") if in_flight == IN_FLIGHT[0] else ())
