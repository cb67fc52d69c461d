"""Slots: when nodes wake, in scheduled time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

SECOND = 1_000_000_000


class SlotClock:
    """The nodes that wait for instants of scheduled time, whole nanoseconds from the start.

    It runs on any event loop: on a virtual one time jumps, on a real one the loop sleeps. ``before`` is called with
    each instant before anyone wakes for it. Scheduled time begins at ``start`` on the loop's clock, by default now.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        before: Callable[[int], object] = lambda time: None,
        start: float | None = None,
    ) -> None:
        self._loop, self._before = loop, before
        self._start = loop.time() if start is None else start
        self._waiting: dict[int, list[asyncio.Future[None]]] = {}

    def until(self, time: int) -> asyncio.Future[None]:
        """Done at an instant; all who wait for the same one wake in the order in which they asked."""
        waiting = self._waiting.get(time)
        if waiting is None:
            waiting = self._waiting[time] = []
            self._loop.call_at(self._start + time / SECOND, self._wake, time)
        future = self._loop.create_future()
        waiting.append(future)
        return future

    def _wake(self, time: int) -> None:
        self._before(time)
        for future in self._waiting.pop(time):
            if not future.done():
                future.set_result(None)


class Slots:
    """The slots of one node: slot k runs from ``phase + k * period`` to ``phase + (k + 1) * period``.

    ``now`` is the instant that the node was last scheduled for. A node that wakes late acts as of that instant, so
    that late wake-ups on a real clock change no number.
    """

    __slots__ = ("_clock", "now", "period", "phase", "recorded", "rounds")

    def __init__(self, clock: SlotClock, period: int, rounds: int, recorded: frozenset[int], phase: int = 0) -> None:
        self._clock, self.period, self.rounds, self.recorded, self.phase = clock, period, rounds, recorded, phase
        self.now = phase

    def slot_end(self, k: int) -> asyncio.Future[None]:
        """Done at the end of slot k, which is ``now`` from here on."""
        self.now = self.phase + (k + 1) * self.period
        return self._clock.until(self.now)

    def current(self) -> int:
        """The slot that is running now."""
        return (self.now - self.phase) // self.period
