"""A node's view of what is around it: the network, and time."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from typing import Protocol

from nodes.arrays import Floats
from nodes.wire import Frame


class Port(Protocol):
    """A node's whole view of the network. Frames may be lost, late, doubled or out of order."""

    @property
    def neighbours(self) -> Mapping[int, int]:
        """Each neighbour's number of neighbours, as of this slot."""
        ...

    def send(self, frame: Frame, to: Sequence[int]) -> None:
        """Give a frame to the network for these neighbours; never waits, like a datagram socket."""
        ...

    def drain(self) -> list[tuple[int, bytes]]:
        """(sender, data) of all that has come in by now: the newest round of each sender, in order of sender."""
        ...

    def refuse(self, sender: int) -> None:
        """Report that a frame of this sender could not be read."""
        ...


class Schedule(Protocol):
    """When a node's rounds end."""

    @property
    def rounds(self) -> int:
        """How many there are."""
        ...

    @property
    def recorded(self) -> frozenset[int]:
        """The numbers of completed rounds after which ``tell`` is wanted; 0 is the start."""
        ...

    def slot_end(self, k: int) -> Awaitable[None]:
        """Returns at the end of slot k."""
        ...


class Tell(Protocol):
    """Where a node's parameters go for evaluation: out of band, never part of the traffic."""

    def __call__(self, completed: int, estimate: Floats) -> None:
        """What the node predicts with (P,), and then what it measures, after this many completed rounds."""
        ...
