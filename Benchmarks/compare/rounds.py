"""The one way in which everything is measured, and what is made of it."""

import dataclasses
import statistics


@dataclasses.dataclass
class Case:
    """Clients at the same work. Its name ends the names of its figures: "throughput" + " at 64"."""

    name: str
    clients: dict  # name → a call that is one run; our own comes first
    core: tuple = ()  # those of them that a quick run keeps
    runs: dict = dataclasses.field(default_factory=dict)  # name → one result for each round


def measure(cases, rounds, takes_part, progress):
    """Runs the clients of all cases that take part in turn (A B C, A B C, ...), so that a change in the machine meets them alike."""
    for turn in range(rounds):
        progress(f"round {turn + 1} of {rounds}")
        for case in cases:
            for client, run in case.clients.items():
                if takes_part(case, client):
                    case.runs.setdefault(client, []).append(run())


def family(client):
    """ "libcurl 512K" is libcurl in one of its settings."""
    return client.split(" ")[0]


# Of one run. None where it makes no sense, as when nothing was answered.


def rate(run):
    return run["requests"] / run["seconds"]


def cpu_per_request(run):
    return run["cpu_seconds"] / run["requests"] * 1e6 if run["requests"] else None


def peak_memory(run):
    return run["peak_kb"]


# Of runs over the rounds.


def median(values):
    values = [value for value in values if value is not None]
    return statistics.median(values) if values else None


def ratio(of_run, ours, theirs):
    """The median of the ratios within a round."""
    pairs = [(of_run(a), of_run(b)) for a, b in zip(ours, theirs)]
    return median(a / b for a, b in pairs if a is not None and b)
