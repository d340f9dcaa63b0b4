"""JSON of 1 KiB in a service's envelope, opened by Errand's normaliser; wrk reads the same bytes and looks at the status alone."""

from rounds import Case

CONNECTIONS = 64


def run(bench):
    url, clients = bench.nginx.envelope, bench.clients
    runs = {
        "errand": lambda: clients.errand(url, CONNECTIONS, "--envelope", "code-msg-data"),
        "wrk": lambda: clients.wrk(url, CONNECTIONS),
    }
    bench.compare("envelope", [Case(" of 1 KiB envelopes", runs)])
