"""Bodies of 100 KiB of text that come in gzip, against zlib's inflate on the same bytes: how much of a request's CPU time is the decoding
that can't be had for less."""

from rounds import Case, cpu_per_request, ratio
from servers import TEXT_BYTES

CONNECTIONS = 16


def run(bench):
    nginx, clients = bench.nginx, bench.clients
    runs = {
        "errand": lambda: clients.errand(nginx.text, CONNECTIONS, "--body-bytes", TEXT_BYTES),
        "zlib": lambda: clients.zlib(nginx.text_file),
    }
    case = Case(" of 100 KiB in gzip", runs)
    bench.compare("gzip", [case])
    if len(case.runs) == 2:
        speed = ratio(cpu_per_request, case.runs["zlib"], case.runs["errand"])
        bench.figures.add("speed of decoding 100 KiB of gzip / zlib", speed, "ratio", "zlib")
