"""Small JSON answers over HTTP/1.1 on TLS connections that stay open. Errand and libcurl verify the server, wrk does not."""

from rounds import Case

CONNECTIONS = 64


def run(bench):
    url, ca, clients = bench.nginx.tls, bench.nginx.ca, bench.clients
    runs = {
        "errand": lambda: clients.errand(url, CONNECTIONS, "--ca", ca, "--json-expected"),
        "libcurl": lambda: clients.libcurl(url, CONNECTIONS, "--ca", ca),
        "libcurl-tuned": lambda: clients.libcurl(url, CONNECTIONS, "--ca", ca, "--tuned"),
        "wrk": lambda: clients.wrk(url, CONNECTIONS),
    }
    bench.compare("TLS", [Case(f" over TLS at {CONNECTIONS}", runs, core=("errand", "wrk"))])
