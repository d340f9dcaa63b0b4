"""Measures Errand against wrk, h2load, libcurl, URLSession and zlib, and errandd against the library.

usage: scripts/bench [--quick] [--json FILE] [--measures LIST] [--clients LIST] [--rounds N] [--seconds S]

Builds what it compares. A local nginx serves from one core, the clients run on another, one after the other in rounds
(A B C D, A B C D, ...). A ratio is taken within a round; what is printed is the median over the rounds.
  --quick          the core figures against the fastest peers, within 50 seconds once all is built
  --json FILE      also writes every figure: [{"name", "value", "unit", "peer", "target", "reached"}, ...]
  --measures LIST  only these, of keep-alive,tls,http2,handshakes,bodies,gzip,envelope,queue,in-flight
  --clients LIST   only these, of errand,libcurl,libcurl-tuned,urlsession,wrk,h2load,zlib,errandd
  --rounds N       how often each is measured (default 5; quick: 3)
  --seconds S      how long each throughput run takes, in whole seconds (default 3; quick: 1)
A missed target is printed, not a failure.
"""

import argparse
import json
import pathlib
import signal
import sys
import time

import clients
import measures
from bench import Bench
from building import build
from figures import Figures
from machine import Cores, raise_file_limit, say, warn_if_busy
from servers import nginx


def main():
    if sys.argv[1:] in (["--help"], ["-h"]):
        print(__doc__.strip())
        return
    options = read_options()
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    raise_file_limit()
    programs = build(options.clients)
    cores, figures, started = Cores(), Figures(), time.monotonic()
    warn_if_busy()
    with nginx(cores) as server:
        each = clients.Clients(cores, programs, options.seconds)
        bench = Bench(options.clients, options.rounds, options.core_only, cores, programs, server, each, figures)
        for name in options.measures:
            measures.ALL[name](bench)
    figures.print_ratios()
    say(f"measured in {time.monotonic() - started:.0f} s")
    if options.json:
        options.json.write_text(json.dumps(figures.all, indent=1) + "\n")


def read_options():
    parser = argparse.ArgumentParser(add_help=False, usage=__doc__.split("usage: ")[1].split("\n")[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--measures", type=some_of(measures.ALL))
    parser.add_argument("--clients", type=some_of(clients.ALL), default=clients.ALL)
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--seconds", type=int)
    options = parser.parse_args()
    options.core_only = options.quick and not options.measures
    options.measures = options.measures or (measures.QUICK if options.quick else list(measures.ALL))
    options.rounds = options.rounds or (3 if options.quick else 5)
    options.seconds = options.seconds or (1 if options.quick else 3)
    return options


def some_of(known):
    """Reads a list with commas into one in the order of those known."""

    def read(text):
        unknown = set(text.split(",")) - set(known)
        if unknown:
            raise argparse.ArgumentTypeError(f"no such thing: {', '.join(sorted(unknown))}; there is {', '.join(known)}")
        return [name for name in known if name in text.split(",")]

    return read


if __name__ == "__main__":
    main()
