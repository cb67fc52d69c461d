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
    """Other link elements on some directed edges, each ``[source, target]``.

    A mapping without a kind changes single parameters of the network's element of that name.
    """

    edges: tuple[tuple[Index, Index], ...]
    links: LinkMap


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
]
