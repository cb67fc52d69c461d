"""What all transports share: how they are called, and what they give back."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from netsim.edges import Acted
from netsim.traffic import Traffic
from netsim.world import World
from nodes.arrays import Floats


class DivergedError(ArithmeticError):
    """An observer found parameters that make no sense after this many completed rounds; the run is over."""

    def __init__(self, completed: int) -> None:
        super().__init__(f"parameters are too large after {completed} rounds")
        self.completed = completed


class TransportError(RuntimeError):
    """A transport could not bring a world to life, or not to the end; the message says what is missing."""


class Observer(Protocol):
    """Where a running world's parameters go; in the coordinating process."""

    def tell(self, node: int, completed: int, estimate: Floats, traffic: Traffic) -> None:
        """A node's parameters (P,) after this many completed rounds, and its traffic up to then.

        Raises ``DivergedError`` to end the run as diverged.
        """
        ...

    def lose(self, nodes: Collection[int]) -> None:
        """These nodes will tell nothing any more."""
        ...


@dataclass(frozen=True)
class Death:
    """A worker that ended, or fell silent, before the run was over."""

    worker: str
    nodes: tuple[int, ...]
    slot: int
    """The first slot of which nobody has heard anything of its nodes."""
    reason: str


@dataclass(frozen=True)
class Outcome:
    """How a run ended: the traffic of each directed edge (source, target), and the round in which it diverged."""

    edges: Mapping[tuple[int, int], Traffic]
    """Where a run diverged, what was known of it by then."""
    diverged: int | None = None
    deaths: tuple[Death, ...] = ()
    """The numbers of a run with deaths cannot be had again."""
    acted: tuple[Acted, ...] = ()
    """What link elements have done."""
    transport: Mapping[str, int] = field(default_factory=dict)
    """What the transport counted of its own doings, which are no part of the scenario."""


class Transport(Protocol):
    """A scenario's choice of transport; frozen."""

    def run(self, world: World, observer: Observer) -> Outcome:
        """Run all rounds.

        ``nodes.node.NodeError`` if a node fails, ``TimeLimitError`` past the world's limit, ``TransportError`` if the
        transport itself does.
        """
        ...
