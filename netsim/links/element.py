"""What a link element is, and what it is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from nodes.arrays import Floats, Integers
from nodes.draws import generator

LOST = np.inf
"""The delay of a frame that never arrives."""


@dataclass(frozen=True)
class Place:
    """Where an element stands: the directed edge from ``source`` to ``target``.

    ``distance`` between the two is that of the topology's positions, None where it has none.
    """

    source: int
    target: int
    distance: float | None = None


class Chance:
    """Draws of one element for the n-th frames (and copy) of ``count`` slots in a row; none is made before it is asked.

    A draw is a pure function of (element's key, edge, slot, n, copy).
    """

    __slots__ = ("_copy", "_edge", "_key", "_n", "count", "first")

    def __init__(self, key: int, edge: int, first: int, count: int, n: int, copy: int = 0) -> None:
        self._key, self._edge, self._n, self._copy = key, edge, n, copy
        self.first, self.count = first, count

    def __call__(self) -> Floats:
        """Uniform draws in [0, 1), four for each of these frames (count, 4)."""
        return generator(self._key, self.first, self._n, self._edge, self._copy).random((self.count, 4))

    def of_slots(self, first: int, count: int) -> Floats:
        """Uniform draws of other slots in a row (count, 4): what the channel itself does, whether frames come or not.

        They are those of the slots' first frames: an element takes its channel's draws and a frame's from different
        columns.
        """
        return generator(self._key, first, 0, self._edge).random((count, 4))


class Link(Protocol):
    """One kind of link element; frozen.

    An element that needs to know where it stands, or has memory, has ``open(place: Place)``, which gives what acts in
    its place on that edge; :mod:`netsim.edges` says what else it may do to frames than delay or lose them. ``rate``
    is the share of frames that it is expected to act on, if that is one number: an element that should have acted and
    never did is told of.
    """

    def delays(self, times: Integers, chance: Callable[[], Floats]) -> Floats:
        """The delay in nanoseconds, or ``LOST``, of a frame sent at each of ``times`` (n,; nanoseconds, increasing).

        ``chance()`` gives uniform draws in [0, 1) of shape (n, 4), one row a frame. They belong to this element, edge
        and slot alone, so the answer must depend on nothing else: it may be asked for more slots than are used.
        """
        ...
