"""Directed edges: where a frame's fate is decided and where traffic is counted."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from netsim.links import LOST, Chance, Place, Window
from netsim.links.harms import flipped
from netsim.traffic import RECEIVED, SENT, Traffic
from netsim.units import LONGEST
from nodes.arrays import Floats

GONE = -1
"""The fate of a lost frame."""

_FIRST_BLOCK, _LARGEST_BLOCK = 64, 256
_WITHIN = 31
"""The bit of the first element's window, and as many elements as can stand on an edge."""


class Standing(NamedTuple):
    """A link element on an edge: its name in the scenario, the key of its draws, and what it is."""

    name: str
    key: int
    link: object
    window: Window | None = None

    def acts(self, times: Any) -> Any:
        """Whether it acts on a frame sent at a time, or at each of an array of them."""
        if self.window is None:
            return times == times
        after = times >= self.window.begin
        return after if self.window.end is None else after & (times < self.window.end)


class Acted(NamedTuple):
    """On how many of so many frames an element acted; ``rate`` is the share that it was expected to, if known."""

    name: str
    rate: float | None
    frames: int
    acted: int


def summed(parts: Iterable[Acted]) -> tuple[Acted, ...]:
    """The same over many edges, in order of name; elements of one name that differ in their rate stay apart."""
    counts: dict[tuple[str, float], list[int]] = {}
    for name, rate, frames, acted in parts:
        found = counts.setdefault((name, -1.0 if rate is None else rate), [0, 0])
        found[0] += frames
        found[1] += acted
    return tuple(Acted(name, None if rate < 0 else rate, *counts[name, rate]) for name, rate in sorted(counts))


class Channel:
    """The fates of the frames of one directed edge, each a pure function of (seed, element, edge, slot, n, copy).

    Slot k starts at ``phase + k * period`` nanoseconds; n counts the frames that the edge is given within a slot. What
    elements do is in up to four methods: ``delays`` (delay or lose), ``copies`` (double), ``passes`` (queue) and
    ``chance_of_flip`` (corrupt). The delays of each slot's first frame are worked out for a block of slots at a time,
    which the draws' counters make equal to working them out singly.
    """

    __slots__ = (
        "_acted", "_block", "_copying", "_corrupting", "_delaying", "_edge", "_masks", "_period", "_phase",
        "_queueing", "_standing", "_start", "_tally", "perfect", "simple",
    )  # fmt: skip

    def __init__(self, standing: Sequence[Standing], place: Place, period: int, phase: int = 0) -> None:
        if len(standing) > _WITHIN:
            raise ValueError(f"{len(standing)} link elements on one edge are more than {_WITHIN}; take fewer")
        ready = [(i, each, opened(each.link, place)) for i, each in enumerate(standing)]
        self._delaying, self._copying, self._queueing, self._corrupting = (
            [each for each in ready if hasattr(each[2], does)]
            for does in ("delays", "copies", "passes", "chance_of_flip")
        )
        self.perfect = not standing
        """Whether nothing stands on the edge, so that all arrives at once."""
        self.simple = not (self._copying or self._queueing or self._corrupting)
        """Whether frames are delayed and lost only."""
        self._standing, self._period, self._phase = standing, period, phase
        self._edge = place.source << 32 | place.target
        self._start, self._block, self._masks = 0, array("q"), array("q")
        self._acted = [0] * len(standing)
        self._tally: defaultdict[int, int] = defaultdict(int)

    def fate(self, slot: int, n: int, copy: int = 0) -> int:
        """The delay in nanoseconds of the n-th frame of a slot, or ``GONE``; counts whose doing it is."""
        if n or copy:
            fates, masks = self._fates(slot, 1, n, copy)
            self._tally[masks[0]] += 1
            return fates[0]
        place = slot - self._start
        if not 0 <= place < len(self._block):
            count = min(max(_FIRST_BLOCK, 2 * len(self._block)), _LARGEST_BLOCK)
            self._block, self._masks = self._fates(slot, count, 0, 0)
            self._start, place = slot, 0
        self._tally[self._masks[place]] += 1
        return self._block[place]

    def copies(self, slot: int, n: int) -> int:
        """How many more copies of a frame there are."""
        copies = 0
        times = self._times(slot, 1)
        for i, each, element in self._copying:
            if each.acts(times[0]):
                more = int(element.copies(times, Chance(each.key, self._edge, slot, 1, n))[0])
                self._acted[i] += more > 0
                copies += more
        return copies

    def queued(self, slot: int, size: int) -> float:
        """How long a frame of these bytes waits for those before it, or ``LOST``."""
        delay = 0.0
        time = self._phase + self._period * slot
        for i, each, element in self._queueing:
            if each.acts(time):
                wait = element.passes(time, size)
                self._acted[i] += wait > 0
                delay += wait
        return delay

    def corrupted(self, slot: int, n: int, copy: int, data: bytes) -> tuple[bytes, bool]:
        """What becomes of a frame's bytes, and whether a checksum tells that they have changed."""
        noticed = False
        time = self._phase + self._period * slot
        for i, each, element in self._corrupting:
            draws = Chance(each.key, self._edge, slot, 1, n, copy)()[0]
            if each.acts(time) and draws[0] < element.chance_of_flip(len(data)):
                data = flipped(data, float(draws[1]))
                noticed |= element.checksum
                self._acted[i] += 1
        return data, noticed

    def acted(self) -> Iterator[Acted]:
        """What each element has done so far."""
        for i, each in enumerate(self._standing):
            delayed = sum(count for mask, count in self._tally.items() if mask >> i & 1)
            always = each.window is None
            within = sum(count for mask, count in self._tally.items() if always or mask >> _WITHIN + i & 1)
            yield Acted(each.name, getattr(each.link, "rate", None), within, self._acted[i] + delayed)

    def _times(self, slot: int, count: int) -> Any:
        return self._phase + self._period * np.arange(slot, slot + count)

    def _fates(self, slot: int, count: int, n: int, copy: int) -> tuple[array[int], array[int]]:
        """The delays of frames of slots in a row, and for each a bit for every element that delayed or lost it.

        Higher bits tell within the windows of which elements it is.
        """
        times = self._times(slot, count)
        delays, masks = np.zeros(count), np.zeros(count, dtype=np.int64)
        for i, each in enumerate(self._standing):
            if each.window is not None:
                masks |= each.acts(times).astype(np.int64) << _WITHIN + i
        for i, each, element in self._delaying:
            own = _checked(element, element.delays(times, Chance(each.key, self._edge, slot, count, n, copy)), count)
            if each.window is not None:
                own = np.where(each.acts(times), own, 0.0)
            masks |= (own != 0).astype(np.int64) << i
            delays += own
        fates = np.where(delays == LOST, GONE, np.minimum(delays, LONGEST)).astype(np.int64)
        return array("q", fates.tobytes()), array("q", masks.tobytes())


def opened(link: object, place: Place) -> Any:
    """What acts on an edge for an element: what it opens there, or itself."""
    return link.open(place) if hasattr(link, "open") else link


def _checked(element: Any, delays: Floats, count: int) -> Floats:
    """The delays that an element gave; one of the user's own may give anything."""
    if np.shape(delays) != (count,) or not (np.asarray(delays) >= 0).all():
        raise ValueError(
            f"{type(element).__name__}.delays gave {delays!r} for {count} times; it must give an array with a delay "
            "of 0 or more nanoseconds, or LOST, for each"
        )
    return delays


class Outgoing:
    """The source's end of a directed edge: its channel, and the count of all that was sent along it."""

    __slots__ = ("_last_slot", "_within_slot", "channel", "perfect", *SENT)

    def __init__(self, channel: Channel) -> None:
        self.channel, self.perfect = channel, channel.perfect
        self.sent = self.lost = self.duplicated = self.corrupted = self.flipped = self.overrun = 0
        self.sent_bytes = self.positions = self.values = self.envelope = self.zmtp = 0
        self._last_slot, self._within_slot = -1, 0

    def count(self, size: int, positions: int, values: int) -> None:
        """Count a frame of these many bytes that is sent."""
        self.sent += 1
        self.sent_bytes += size
        self.positions += positions
        self.values += values

    def carry(self, slot: int, data: bytes) -> Sequence[tuple[int, bytes]]:
        """Delay and bytes of each copy that will arrive of a frame that is sent in this slot."""
        if slot == self._last_slot:
            self._within_slot += 1
        else:
            self._last_slot, self._within_slot = slot, 0
        if not self.channel.simple:
            return list(self._copies(slot, self._within_slot, data))
        fate = self.channel.fate(slot, self._within_slot)
        if fate == GONE:
            self.lost += 1
            return ()
        return ((fate, data),)

    def _copies(self, slot: int, n: int, data: bytes) -> Iterator[tuple[int, bytes]]:
        channel = self.channel
        more = channel.copies(slot, n)
        self.duplicated += more
        for copy in range(1 + more):
            # A frame that is lost on its way was sent all the same, so that it was in the queue.
            wait, fate = channel.queued(slot, len(data)), channel.fate(slot, n, copy)
            if wait == LOST or fate == GONE:
                self.lost += 1
                continue
            content, noticed = channel.corrupted(slot, n, copy, data)
            if noticed:
                self.corrupted += 1
                continue
            self.flipped += content is not data
            yield min(int(wait) + fate, LONGEST), content

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
        self.delivered = self.late = self.stale = self.refused = self.waiting = self.overrun = self.delivered_bytes = 0
        self.newest, self.heard = -1, list[int]()

    @property
    def traffic(self) -> Traffic:
        """What this end has counted."""
        return Traffic(**{name: getattr(self, name) for name in RECEIVED})
