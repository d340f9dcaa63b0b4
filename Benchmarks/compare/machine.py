"""The machine that is measured on: its cores, its limits, and whether others keep it busy."""

import os
import pathlib
import resource
import sys
import time


def say(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


class Cores:
    """Clients on one core, servers on another, if the machine has two."""

    def __init__(self):
        allowed = sorted(os.sched_getaffinity(0))
        self.client = allowed[0]
        self.server = allowed[1] if len(allowed) > 1 else allowed[0]
        if len(allowed) < 2:
            say("only one core: clients and servers share it, the figures say little")
        else:
            os.sched_setaffinity(0, {self.server})

    def on_client(self, command):
        return ["taskset", "-c", str(self.client), *map(str, command)]

    def on_server(self, command):
        return ["taskset", "-c", str(self.server), *map(str, command)]


def raise_file_limit():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def file_limit():
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def warn_if_busy():
    def cpu_times():
        fields = [int(field) for field in pathlib.Path("/proc/stat").read_text().split("\n")[0].split()[1:9]]
        return sum(fields), fields[3] + fields[4]

    total, idle = cpu_times()
    time.sleep(0.5)
    total, idle = (after - before for after, before in zip(cpu_times(), (total, idle)))
    if total and idle / total < 0.9:
        say(f"others keep this machine {100 - 100 * idle / total:.0f} % busy: expect noise, in throughput above all")
