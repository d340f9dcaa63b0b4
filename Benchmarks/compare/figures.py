"""The figures: collected by name, set against their targets, shown as tables and as JSON."""

from rounds import cpu_per_request, median, peak_memory, rate, ratio
from targets import TARGETS

# What is shown of every case: name, of a run, unit.
SHOWN = [("throughput", rate, "requests/s"), ("CPU per request", cpu_per_request, "us"), ("peak memory", peak_memory, "KB")]


class Figures:
    def __init__(self):
        self.all = []

    def add(self, name, value, unit, peer=None):
        if value is None:
            return
        sign, bound = TARGETS.get(name, (None, None))
        reached = None if sign is None else (value >= bound if sign == ">=" else value <= bound)
        target = None if sign is None else f"{sign} {bound:g}"
        self.all.append({"name": name, "value": value, "unit": unit, "peer": peer, "target": target, "reached": reached})

    def add_case(self, case):
        """Its clients' figures, with a table, and the ratios of the first of them, ours, to each other."""
        if not case.runs:
            return
        print(f"\n{case.name.strip():<26} requests/s   CPU µs/request   peak MB")
        for client, runs in case.runs.items():
            speed, cpu, peak = (median(map(of_run, runs)) for _, of_run, _ in SHOWN)
            print(f"  {client:<16}{speed:>20,.0f}{'-' if cpu is None else f'{cpu:.2f}':>17}{peak / 1024:>10.1f}")
            for (what, _, unit), value in zip(SHOWN, (speed, cpu, peak)):
                self.add(what + case.name, value, unit, client)
        for peer in case.clients:
            self.add_ratios(case, peer, peer)

    def add_ratios(self, case, peer, called):
        ours = next(iter(case.clients))
        if peer != ours and ours in case.runs and peer in case.runs:
            for what, of_run, _ in SHOWN:
                self.add(f"{what}{case.name} / {called}", ratio(of_run, case.runs[ours], case.runs[peer]), "ratio", peer)

    def print_ratios(self):
        print("\nErrand's ratios and targets (median of the ratios within a round)")
        for figure in self.all:
            if figure["target"] is None and figure["unit"] != "ratio":
                continue
            unit = figure["unit"]
            value = f"{figure['value']:.0f} {unit}" if unit == "bytes" else f"{figure['value']:.2f} {'x' if unit == 'ratio' else unit}"
            verdict = "" if figure["target"] is None else f"{figure['target']:>8}  {'reached' if figure['reached'] else 'NOT REACHED'}"
            print(f"  {figure['name']:<52}{value:>12}  {verdict}".rstrip())
