"""Link elements: what happens to a frame on its way along one directed edge.

A scenario's ``links`` maps names of the user's choosing to elements. On an edge all of them act on each frame: their
delays add up, and a frame that any of them loses is lost.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Protocol

import numpy as np

from netsim.units import Duration, written
from nodes.arrays import Floats, Integers
from nodes.pieces import Slot
from nodes.quantities import Fraction, Index, Written

LOST = np.inf
"""The delay of a frame that never arrives."""


class Link(Protocol):
    """One kind of link element; frozen."""

    def delays(self, times: Integers, chance: Callable[[], Floats]) -> Floats:
        """The delay in nanoseconds, or ``LOST``, of a frame sent at each of ``times`` (n,; nanoseconds, increasing).

        ``chance()`` gives uniform draws in [0, 1) of shape (n, 4), one row a frame. They belong to this element, edge
        and slot alone, so the answer must depend on nothing else: it may be asked for more slots than are used.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class Delay:
    """A delay of ``time``, or uniform within ``jitter`` of it."""

    kind: Literal["delay"] = "delay"
    time: Duration
    jitter: Duration = 0

    def __post_init__(self) -> None:
        if self.jitter > self.time:
            raise ValueError(
                f"jitter {written(self.jitter)} is longer than time {written(self.time)}, so that frames would arrive "
                "before they are sent; make it at most the time"
            )

    def delays(self, times: Integers, chance: Callable[[], Floats]) -> Floats:
        """Whole nanoseconds."""
        if self.jitter == 0:
            return np.full(len(times), float(self.time))
        return np.rint(self.time + (2 * chance()[:, 0] - 1) * self.jitter)

    @property
    def mean_delay(self) -> float:
        """In nanoseconds."""
        return float(self.time)


@dataclass(frozen=True, kw_only=True)
class Loss:
    """Each frame is lost with probability ``p``, whatever became of others."""

    kind: Literal["loss"] = "loss"
    p: Fraction

    def delays(self, times: Integers, chance: Callable[[], Floats]) -> Floats:
        """Nothing or everything."""
        if self.p == 0:
            return np.zeros(len(times))
        return np.where(chance()[:, 0] < self.p, LOST, 0.0)


Links = Annotated[Delay | Loss, Slot("link element")]


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
