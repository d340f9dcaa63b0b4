"""A new TLS connection for every request, 64 at a time, where the server resumes sessions and where it does not.

The server's log tells whose sessions it did resume: each client asks under its own path.
"""

import time
from collections import Counter

from rounds import Case

AT_A_TIME = 64


def run(bench):
    cases = [
        case(bench, " with a resumed TLS session each", bench.nginx.resumed),
        case(bench, " with a full TLS handshake each", bench.nginx.full),
    ]
    bench.compare("handshakes", cases)
    # The server writes its log every 100 ms.
    time.sleep(0.3)
    seen = Counter(bench.nginx.handshakes.read_text().splitlines())
    for each, kind in zip(cases, ("resumed", "full")):
        for client in each.runs:
            resumed, full = seen[f"/{kind}/{client} r"], seen[f"/{kind}/{client} ."]
            share = resumed / max(1, resumed + full)
            print(f"  {client}: the server resumed {100 * share:.1f} % of its sessions{each.name}")
            bench.figures.add(f"share of resumed sessions{each.name}", share, "share", client)


def case(bench, name, url):
    url, ca, clients = url + ("resumed/" if url == bench.nginx.resumed else "full/"), bench.nginx.ca, bench.clients
    runs = {
        "errand": lambda: clients.errand(url + "errand", AT_A_TIME, "--ca", ca, "--json-expected"),
        "libcurl": lambda: clients.libcurl(url + "libcurl", AT_A_TIME, "--ca", ca),
    }
    return Case(name, runs)
