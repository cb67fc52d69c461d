"""Link elements: what happens to a frame on its way along one directed edge.

A scenario's ``links`` maps names of the user's choosing to elements. On an edge all of them act on each frame: their
delays add up, and a frame that any of them loses is lost.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Any

from netsim.links.delays import Delay, DelayTable, Reorder
from netsim.links.element import LOST, Chance, Link, Place
from netsim.links.harms import Corrupt, Duplicate
from netsim.links.losses import BurstLoss, DistanceLoss, GilbertElliott, Loss
from netsim.links.queues import Rate
from netsim.units import Duration, Period, written
from nodes.pieces import Slot
from nodes.quantities import Index, Written

Links = Annotated[
    Delay | DelayTable | Reorder | Loss | GilbertElliott | BurstLoss | DistanceLoss | Duplicate | Corrupt | Rate,
    Slot("link element"),
]


def _word(value: Any) -> str:
    if not isinstance(value, str) or re.fullmatch(r"[A-Za-z0-9_-]+", value) is None:
        raise ValueError(f"{value!r} cannot name a link element; use letters, digits, dashes and underscores")
    return value


LinkMap = dict[Annotated[str, Written(_word)], Links]
"""Link elements by names of the user's choosing, which are the segments of their paths."""


@dataclass(frozen=True, kw_only=True)
class Override:
    """Other link elements on some directed edges, each ``[source, target]``; or on all ``from`` and ``to`` some nodes.

    A mapping without a kind changes single parameters of the network's element of that name.
    """

    edges: tuple[tuple[Index, Index], ...] = ()
    from_: tuple[Index, ...] = ()
    to: tuple[Index, ...] = ()
    links: LinkMap

    def __post_init__(self) -> None:
        if not self.edges and not self.from_ and not self.to:
            raise ValueError("it names no edges; add edges: [[source, target]], or from: or to: with nodes")

    def names(self, source: int, target: int) -> bool:
        """Whether it is about this directed edge."""
        between = bool(self.from_ or self.to)
        between &= (not self.from_ or source in self.from_) and (not self.to or target in self.to)
        return between or (source, target) in self.edges


@dataclass(frozen=True, kw_only=True)
class Window:
    """When an element acts: on frames sent from ``begin`` up to, but not at, ``end`` (none: to the end of the run)."""

    begin: Duration = 0
    end: Period | None = None

    def __post_init__(self) -> None:
        if self.end is not None and self.end <= self.begin:
            raise ValueError(f"end: {written(self.end)} is not after begin: {written(self.begin)}; move one of them")


Windows = dict[Annotated[str, Written(_word)], Window]
"""Windows by the names of elements."""


__all__ = [
    "LOST",
    "BurstLoss",
    "Chance",
    "Corrupt",
    "Delay",
    "DelayTable",
    "DistanceLoss",
    "Duplicate",
    "GilbertElliott",
    "Link",
    "LinkMap",
    "Links",
    "Loss",
    "Override",
    "Place",
    "Rate",
    "Reorder",
    "Window",
    "Windows",
]
