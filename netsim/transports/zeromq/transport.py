"""Nodes as processes that talk over ZeroMQ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from netsim.pacing import SECOND
from netsim.processes import processors
from netsim.transports.base import Observer, Outcome
from netsim.transports.zeromq.coordinator import Coordinator
from netsim.transports.zeromq.crew import Crew, local_crew
from netsim.units import Period, written
from netsim.world import World
from nodes.quantities import Count

FEW = 16
"""Up to so many nodes, each has a process of its own by default."""


@dataclass(frozen=True, kw_only=True)
class ZeroMQ:
    """Nodes in processes of their own, which talk over ZeroMQ.

    There are ``workers`` processes, by default one a node up to 16 nodes, and one a processor beyond. On ``virtual``
    time they go in lockstep, and the numbers are those of one process. On ``real`` time each sleeps for its slots,
    frames travel singly, and those that come after the drain they were due for are counted as overrun. A worker of
    which nothing is heard for ``patience`` is taken for dead; ``on_death`` says whether the others go on.
    """

    kind: Literal["zeromq"] = "zeromq"
    time: Literal["virtual", "real"] = "virtual"
    workers: Count | None = None
    patience: Period = 60 * SECOND
    on_death: Literal["continue", "stop"] = "continue"

    def __post_init__(self) -> None:
        if self.patience < SECOND:
            raise ValueError(
                f"patience {written(self.patience)} is shorter than signs of life take to come; make it 1s or more"
            )

    def run(self, world: World, observer: Observer) -> Outcome:
        """Run all rounds, in processes of this machine."""
        nodes = world.task.nodes
        with local_crew(min(self.workers or (nodes if nodes <= FEW else processors()), nodes)) as crew:
            return self.by(crew).run(world, observer)

    def by(self, crew: Crew) -> ByCrew:
        """The same by workers that are there already, or will be."""
        return ByCrew(self, crew)


@dataclass(frozen=True)
class ByCrew:
    """The transport by the workers of a crew, whatever number it would have by itself."""

    transport: ZeroMQ
    crew: Crew

    def run(self, world: World, observer: Observer) -> Outcome:
        """Run all rounds."""
        return Coordinator(
            crew=self.crew,
            world=world,
            observer=observer,
            clock=self.transport.time,
            patience=self.transport.patience / SECOND,
            on_death=self.transport.on_death,
        ).run()
