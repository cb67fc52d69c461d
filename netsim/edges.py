"""Directed edges: where a frame's fate is decided and where traffic is counted."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np

from netsim.links import LOST, Link
from netsim.traffic import RECEIVED, SENT, Traffic
from netsim.units import LONGEST
from nodes.arrays import Floats
from nodes.draws import generator

GONE = -1
"""The fate of a lost frame."""

_FIRST_BLOCK, _LARGEST_BLOCK = 64, 256


class Channel:
    """The fates of the frames of one directed edge, each a pure function of (seed, element, edge, slot, n).

    ``elements`` are the edge's link elements, each with the key of its draws. Slot k starts at ``phase + k * period``
    nanoseconds; n counts the frames that the edge is given within a slot. The fates of each slot's first frame are
    worked out for a block of slots at a time, which the draws' counters make equal to working them out singly.
    """

    __slots__ = ("_block", "_edge", "_elements", "_period", "_phase", "_start")

    def __init__(
        self, elements: Sequence[tuple[int, Link]], source: int, target: int, period: int, phase: int = 0
    ) -> None:
        self._elements, self._period, self._phase = elements, period, phase
        self._edge = source << 32 | target
        self._start, self._block = 0, array("q")

    @property
    def perfect(self) -> bool:
        """Whether nothing stands on the edge, so that all arrives at once."""
        return not self._elements

    def fate(self, slot: int, n: int) -> int:
        """The delay in nanoseconds of the n-th frame of a slot, or ``GONE``."""
        if self.perfect:
            return 0
        if n:
            return self._fates(slot, 1, n)[0]
        place = slot - self._start
        if not 0 <= place < len(self._block):
            self._block = self._fates(slot, min(max(_FIRST_BLOCK, 2 * len(self._block)), _LARGEST_BLOCK), 0)
            self._start, place = slot, 0
        return self._block[place]

    def _fates(self, slot: int, count: int, n: int) -> array[int]:
        times = self._phase + self._period * np.arange(slot, slot + count)
        delays = np.zeros(count)
        for key, element in self._elements:

            def chance(key: int = key) -> Floats:
                return generator(key, slot, n, self._edge).random((count, 4))

            delays += _checked(element, element.delays(times, chance), count)
        fates = np.where(delays == LOST, GONE, np.minimum(delays, LONGEST)).astype(np.int64)
        return array("q", fates.tobytes())


def _checked(element: Link, delays: Floats, count: int) -> Floats:
    """The delays that an element gave; one of the user's own may give anything."""
    if np.shape(delays) != (count,) or not (np.asarray(delays) >= 0).all():
        raise ValueError(
            f"{type(element).__name__}.delays gave {delays!r} for {count} times; it must give an array with a delay "
            "of 0 or more nanoseconds, or LOST, for each"
        )
    return delays


class Outgoing:
    """The source's end of a directed edge: its channel, and the count of all that was sent along it."""

    __slots__ = ("_last_slot", "_perfect", "_within_slot", "channel", *SENT)

    def __init__(self, channel: Channel) -> None:
        self.channel, self._perfect = channel, channel.perfect
        self.sent = self.lost = self.overrun = 0
        self.sent_bytes = self.positions = self.values = self.envelope = self.zmtp = 0
        self._last_slot, self._within_slot = -1, 0

    def carry(self, slot: int, size: int, positions: int, values: int) -> int:
        """Count a frame of these many bytes that is sent in this slot, and give its fate."""
        self.sent += 1
        self.sent_bytes += size
        self.positions += positions
        self.values += values
        if self._perfect:
            return 0
        if slot == self._last_slot:
            self._within_slot += 1
        else:
            self._last_slot, self._within_slot = slot, 0
        fate = self.channel.fate(slot, self._within_slot)
        if fate == GONE:
            self.lost += 1
        return fate

    @property
    def traffic(self) -> Traffic:
        """What this end has counted."""
        return Traffic(**{name: getattr(self, name) for name in SENT})


class Incoming:
    """The target's end of a directed edge: the count of all that came out of it.

    ``newest`` is the latest slot that anything was heard of, ``heard`` the numbers of its frames.
    """

    __slots__ = ("heard", "newest", *RECEIVED)

    def __init__(self) -> None:
        self.delivered = self.late = self.stale = self.refused = self.overrun = self.delivered_bytes = 0
        self.newest, self.heard = -1, list[int]()

    @property
    def traffic(self) -> Traffic:
        """What this end has counted."""
        return Traffic(**{name: getattr(self, name) for name in RECEIVED})
