"""The worlds that are timed: random 4-regular graphs, D = 200, dense float64 frames."""

from __future__ import annotations

import time
from collections.abc import Collection
from pathlib import Path
from typing import Literal

from netsim.data import Rings
from netsim.links import Delay, Links, Loss
from netsim.scenario.schema import Model, Network, Record, Scenario
from netsim.topology import RandomRegular
from netsim.traffic import Traffic, total
from netsim.transports.inprocess import InProcess
from netsim.world import World, build
from nodes.arrays import Floats
from nodes.diffusion import Diffusion
from nodes.fourier import Fourier
from nodes.losses import Losses, OrdinalHinge, Squared
from nodes.steps import Diminishing

FAULTS: dict[str, Links] = {
    "delay": Delay(time=35_000_000, jitter=25_000_000),
    "loss": Loss(p=0.1),
}
"""A uniform delay of 10 to 60 ms in a slot of 100 ms, and a loss of 10 %, on every link."""


def world(nodes: int, loss: Literal["squared", "ordinal"], samples: int, rounds: int, faults: bool = False) -> World:
    """A world of so many nodes with so many samples each."""
    losses: dict[str, Losses] = {"squared": Squared(), "ordinal": OrdinalHinge()}
    scenario = Scenario(
        name="bench",
        rounds=rounds,
        slot=100_000_000,
        record=Record(every=rounds),
        data=Rings(train=nodes * samples, test=10),
        network=Network(topology=RandomRegular(nodes=nodes, degree=4), links=FAULTS if faults else {}),
        model=Model(features=Fourier(size=200), loss=losses[loss]),
        algorithm=Diffusion(order="consensus", step=Diminishing(first=0.1 if loss == "ordinal" else 0.01)),
    )
    return build(scenario, 0, Path())


class Stopwatch:
    """An observer that only takes the CPU time between all nodes' start and the end of their last round."""

    def __init__(self, world: World) -> None:
        self._rounds, self._left = world.rounds, world.task.nodes
        self.start = self.end = 0.0
        self.final: dict[int, Floats] = {}

    def tell(self, node: int, completed: int, estimate: Floats, traffic: Traffic) -> None:
        """Note the time."""
        if completed == 0:
            self.start = time.process_time()
        else:
            self.end = time.process_time()
            self.final[node] = estimate

    def lose(self, nodes: Collection[int]) -> None:
        """No node is lost in one process."""


def simulate(world: World) -> tuple[float, int, Stopwatch]:
    """CPU seconds and delivered frames of a whole run, and the stopwatch that holds the final parameters."""
    watch = Stopwatch(world)
    outcome = InProcess().run(world, watch)
    return watch.end - watch.start, total(outcome.edges.values()).delivered, watch
