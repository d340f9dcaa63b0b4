"""How each client is run: for some seconds with so many requests in flight, each outcome starting the next.

Every method is one run and gives requests, seconds, cpu_seconds and peak_kb.
"""

import re
import sys

from building import BUILT, ROOT
from machine import say
from processes import run_json, run_watched
from servers import Nginx

ALL = ["errand", "libcurl", "libcurl-tuned", "urlsession", "wrk", "h2load", "zlib", "errandd"]


def connections_for(streams):
    """As few HTTP/2 connections as the server's limit of streams allows."""
    return -(-streams // Nginx.STREAMS)


class Clients:
    def __init__(self, cores, programs, seconds):
        self.cores = cores
        self.programs = programs
        self.seconds = seconds

    def errand(self, url, in_flight, *options):
        return self._own([self.programs / "errand-bench", "throughput", *self._load(url, in_flight), *options])

    def libcurl(self, url, in_flight, *options):
        return self._own([BUILT / "curl-multi", "throughput", *self._load(url, in_flight), *options])

    def urlsession(self, url, in_flight):
        return self._own([BUILT / "urlsession", url, in_flight, self.seconds])

    def wrk(self, url, in_flight):
        text, cpu, peak = self._foreign(["wrk", "-t1", f"-c{in_flight}", f"-d{self.seconds}s", url])
        errors = re.search(r"Non-2xx.*|Socket errors.*", text)
        if errors:
            say(f"wrk: {errors.group(0)}")
        requests = int(re.search(r"(\d+) requests in", text).group(1))
        seconds = requests / float(re.search(r"Requests/sec:\s*([\d.]+)", text).group(1))
        return {"requests": requests, "seconds": seconds, "cpu_seconds": cpu, "peak_kb": peak}

    def h2load(self, url, in_flight):
        connections = connections_for(in_flight)
        load = [f"-c{connections}", f"-m{in_flight // connections}", f"-D{self.seconds}"]
        text, cpu, peak = self._foreign(["h2load", "-t1", *load, url])
        failed = int(re.search(r"(\d+) failed,", text).group(1))
        if failed:
            say(f"h2load: {failed} requests failed")
        requests = int(re.search(r"(\d+) succeeded", text).group(1))
        seconds = requests / float(re.search(r"([\d.]+) req/s", text).group(1))
        return {"requests": requests, "seconds": seconds, "cpu_seconds": cpu, "peak_kb": peak}

    def zlib(self, file):
        """No client at all: zlib inflates the file time and again; a request is a body."""
        return self._own([BUILT / "inflate", file, self.seconds])

    def queue(self, url, limit, count, total):
        """Errand with `count` requests queued behind `limit` slots, time and again, `total` of them; also gives admission_seconds."""
        load = ["--url", url, "--limit", limit, "--count", count, "--total", total]
        return self._own([self.programs / "errand-bench", "queue", *load])

    def errandd(self, url, daemon, requests, *options):
        """NDJSON batches of 100 to the daemon, its events over SSE; cpu_seconds and peak_kb are the daemon's. Volatile, if no option says otherwise."""
        path, pid = daemon
        load = ["--socket", path, "--pid", pid, "--url", url, "--requests", requests, *options]
        return run_json(self.cores.on_server([sys.executable, ROOT / "Benchmarks" / "daemon-load", *load]))

    def _load(self, url, in_flight):
        return ["--url", url, "--in-flight", in_flight, "--seconds", self.seconds]

    def _own(self, command):
        return run_json(self.cores.on_client(command), self.seconds)

    def _foreign(self, command):
        return run_watched(self.cores.on_client(command), self.seconds)
