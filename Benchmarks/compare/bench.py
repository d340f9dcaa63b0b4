"""What every measure is given."""

import dataclasses
import pathlib

import rounds
from clients import Clients
from figures import Figures
from machine import Cores, say
from servers import Nginx


@dataclasses.dataclass
class Bench:
    selected: list  # clients
    rounds: int
    core_only: bool  # without the clients that a quick run leaves out
    cores: Cores
    programs: pathlib.Path  # the folder of our own
    nginx: Nginx
    clients: Clients
    figures: Figures

    def measure(self, what, cases):
        rounds.measure(cases, self.rounds, self.takes_part, lambda progress: say(f"{what}, {progress}"))

    def takes_part(self, case, client):
        return rounds.family(client) in self.selected and (client in case.core or not self.core_only)

    def compare(self, what, cases):
        """Measures clients at the same work, and shows and keeps what each case gives."""
        self.measure(what, cases)
        for case in cases:
            self.figures.add_case(case)
