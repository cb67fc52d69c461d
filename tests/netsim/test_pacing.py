from __future__ import annotations

import asyncio
import time
from typing import Any

from netsim.pacing import SlotClock, Slots

YEAR = 365 * 86_400 * 10**9


async def order_of_waking(clock: SlotClock, times: list[int]) -> list[tuple[int, int]]:
    """(number, time) of waiters for these times, in the order in which they woke."""
    woken: list[tuple[int, int]] = []

    async def wait(number: int, until: int) -> None:
        await clock.until(until)
        woken.append((number, until))

    async with asyncio.TaskGroup() as group:
        for number, until in enumerate(times):
            group.create_task(wait(number, until))
    return woken


def test_waiters_wake_in_order_of_time_and_of_asking(virtually: Any) -> None:
    """All who wait for the same instant wake in the order in which they asked, at that instant of scheduled time."""

    async def script() -> list[tuple[int, int]]:
        return await order_of_waking(SlotClock(asyncio.get_running_loop()), [300, 100, 300, 200, 100])

    assert virtually(script()) == [(1, 100), (4, 100), (3, 200), (0, 300), (2, 300)]


async def test_the_same_on_a_real_loop() -> None:
    """On the stock loop the order is the same, although wake-ups are late."""
    clock = SlotClock(asyncio.get_running_loop())
    found = await order_of_waking(clock, [3_000_000, 1_000_000, 3_000_000, 2_000_000])
    assert found == [(1, 1_000_000), (3, 2_000_000), (0, 3_000_000), (2, 3_000_000)]


async def test_real_slots_take_real_time() -> None:
    """Three slots of 5 ms end no earlier than 15 ms after the start, and a late loop catches up with the schedule."""
    start = time.monotonic()
    slots = Slots(SlotClock(asyncio.get_running_loop()), 5_000_000, 3, frozenset())
    for k in range(3):
        await slots.slot_end(k)
        assert slots.now == (k + 1) * 5_000_000
    assert time.monotonic() - start >= 0.0149


def test_slots_run_from_phase_by_multiples_of_the_period(virtually: Any) -> None:
    """Slot k ends at phase + (k + 1) * period; that instant belongs to slot k + 1."""

    async def script() -> None:
        clock = SlotClock(asyncio.get_running_loop())
        slots = Slots(clock, period=100, rounds=3, recorded=frozenset({0}), phase=30)
        for k in range(3):
            await slots.slot_end(k)
            assert slots.now == 30 + (k + 1) * 100
            assert slots.current() == k + 1
        slots.now = 429
        assert slots.current() == 3

    virtually(script())


def test_one_who_gives_up_does_not_hold_up_others(virtually: Any) -> None:
    """A waiter that is cancelled is passed over."""

    async def script() -> float:
        loop = asyncio.get_running_loop()
        clock = SlotClock(loop)
        first, second = clock.until(10**9), clock.until(10**9)
        first.cancel()
        await second
        return loop.time()

    assert virtually(script()) == 1.0


def test_slots_end_exactly_after_years(virtually: Any) -> None:
    """Slots of 20 ms around ten years from the start keep whole nanoseconds and their order."""

    async def script() -> list[tuple[int, int]]:
        clock = SlotClock(asyncio.get_running_loop())
        times = [10 * YEAR + k * 20_000_000 for k in range(4)]
        return await order_of_waking(clock, times[::-1])

    assert virtually(script()) == [(3 - k, 10 * YEAR + k * 20_000_000) for k in range(4)]


def test_the_clock_starts_at_zero_on_a_loop_that_runs_already(virtually: Any) -> None:
    """Scheduled time counts from when the clock was made."""

    async def script() -> None:
        loop = asyncio.get_running_loop()
        await asyncio.sleep(5)
        clock = SlotClock(loop)
        await clock.until(10**9)
        assert loop.time() == 6.0

    virtually(script())
