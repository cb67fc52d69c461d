"""Slots: when nodes wake, in scheduled time."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

SECOND = 1_000_000_000


class SlotClock:
    """Scheduled time in whole nanoseconds, and the nodes that wait for instants of it.

    It runs on any event loop: on a virtual one time jumps, on a real one the loop sleeps. ``now`` is the instant that
    the waking nodes were scheduled for, not the loop's own time, so that a late wake-up changes no number.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.now = 0
        self._loop, self._start = loop, loop.time()
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
        self.now = time
        for future in self._waiting.pop(time):
            if not future.done():
                future.set_result(None)


@dataclass(frozen=True)
class Slots:
    """The slots of one node: slot k runs from ``phase + k * period`` to ``phase + (k + 1) * period``."""

    clock: SlotClock
    period: int
    rounds: int
    recorded: frozenset[int]
    phase: int = 0

    def slot_end(self, k: int) -> asyncio.Future[None]:
        """Done at the end of slot k."""
        return self.clock.until(self.phase + (k + 1) * self.period)

    def current(self) -> int:
        """The slot that is running now."""
        return (self.clock.now - self.phase) // self.period
