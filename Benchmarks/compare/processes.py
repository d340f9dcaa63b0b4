"""Starting programs, waiting for them, ending them, and reading what they used."""

import contextlib
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import time

from machine import say


def run_quietly(command, **options):
    """Its output, which is shown only if it fails, and then the bench ends."""
    done = subprocess.run([str(part) for part in command], stdin=subprocess.DEVNULL, text=True, capture_output=True, **options)
    if done.returncode != 0:
        sys.stderr.write(done.stdout + done.stderr)
        sys.exit(f"bench: {' '.join(map(str, command))} failed")
    return done.stdout


@contextlib.contextmanager
def process(command, **options):
    """A program that runs as long as the block."""
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, **options)
    try:
        yield child
    finally:
        child.terminate()
        try:
            child.wait(10)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def comes_up(ready, child, what):
    """Waits until it is ready; false if it ended instead."""
    give_up = time.monotonic() + 10
    while not ready():
        if child.poll() is not None:
            return False
        if time.monotonic() > give_up:
            sys.exit(f"bench: {what} does not come up")
        time.sleep(0.01)
    return True


def accepts(family, address):
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        return probe.connect_ex(address) == 0


def free_ports(count):
    """Ports of 127.0.0.1 that nobody listens on now."""
    with contextlib.ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]


def run_json(command, seconds=0):
    """The JSON that one of our own programs, or a peer of ours, prints in the end."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, timeout=seconds + 120)
    try:
        answer = json.loads(done.stdout)
    except json.JSONDecodeError:
        sys.exit(f"bench: {' '.join(command)} ended with status {done.returncode} and printed {done.stdout!r}")
    if answer.get("failed"):
        say(f"{pathlib.Path(command[3]).name}: {answer['failed']} requests failed")
    return answer


def run_watched(command, seconds):
    """The output of a foreign program that runs for that long, its CPU time in seconds and its peak memory in KB."""
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    # Its memory is steady once it runs; after its end only ru_maxrss is left, which counts the process that started it too.
    time.sleep(seconds * 0.7)
    status = pathlib.Path(f"/proc/{child.pid}/status").read_text()
    text = child.stdout.read()
    _, wait_status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(wait_status)
    peak = re.search(r"VmHWM:\s*(\d+)", status)
    if child.returncode != 0 or not peak:
        sys.exit(f"bench: {' '.join(command)} ended with status {child.returncode} and printed {text!r}")
    return text, usage.ru_utime + usage.ru_stime, int(peak.group(1))
