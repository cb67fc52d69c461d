"""An asyncio event loop on virtual time: its clock jumps to the next timer when no task can run."""

from __future__ import annotations

import asyncio
import heapq
import math
import threading
from asyncio import events
from collections.abc import Callable
from contextvars import Context
from typing import TYPE_CHECKING, Any, NoReturn, TypeVarTuple

Ts = TypeVarTuple("Ts")

LIVELOCK = 10_000_000
"""Callbacks within one instant after which a run is taken to go round in circles."""


class DeadlockError(RuntimeError):
    """Every task waits, and nothing is left that could wake one; the message says who waits where."""


class OutsideError(RuntimeError):
    """Real input or output, a thread or an executor was used inside virtual time."""


class TimeLimitError(RuntimeError):
    """Virtual time would have run past its limit."""


class VirtualLoop(asyncio.BaseEventLoop):
    """No selector, no file descriptor, no wall clock; timers fire in order of (time, order of asking).

    ``limit`` is the virtual time in seconds past which the run ends with an error.
    """

    def __init__(self, limit: float = math.inf) -> None:
        super().__init__()
        self._now, self._asked, self._limit = 0.0, 0, limit
        self._timers: list[tuple[float, int, asyncio.TimerHandle]] = []
        self._failure: BaseException | None = None
        self.set_exception_handler(self._fail)

    def time(self) -> float:
        """Virtual seconds since the start."""
        return self._now

    def call_at(
        self, when: float, callback: Callable[[*Ts], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.TimerHandle:
        """Call back at a virtual time."""
        if math.isnan(when):
            raise ValueError("timer at a time that is not a number")
        handle = events.TimerHandle(when, callback, args, self, context)
        self._asked += 1
        heapq.heappush(self._timers, (when, self._asked, handle))
        return handle

    def call_later(
        self, delay: float, callback: Callable[[*Ts], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.TimerHandle:
        """Call back after some virtual time."""
        return self.call_at(self._now + delay, callback, *args, context=context)

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """Cancelled timers stay in the heap and are passed over."""

    def _run_once(self) -> None:
        # BaseEventLoop.run_forever calls this in a loop; all of a run stays in one call, which is faster.
        ready: Any = self._ready  # type: ignore[attr-defined]
        while self._failure is None:
            called = 0
            while ready and self._failure is None:
                handle = ready.popleft()
                if not handle._cancelled:
                    handle._run()
                called += 1
                if called > LIVELOCK:
                    raise DeadlockError(f"{called} callbacks without time going on; {self._who_waits()}")
            if self._stopping or self._failure is not None:  # type: ignore[attr-defined]
                break
            self._advance(ready)
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure

    def _advance(self, ready: Any) -> None:
        timers = self._timers
        while timers and timers[0][2]._cancelled:
            heapq.heappop(timers)
        if not timers:
            raise DeadlockError(f"nothing is left that could wake anyone; {self._who_waits()}")
        when = timers[0][0]
        if when > self._limit:
            raise TimeLimitError(f"virtual time would pass its limit of {self._limit:g} s; {self._who_waits()}")
        self._now = max(self._now, when)
        while timers and timers[0][0] <= self._now:
            ready.append(heapq.heappop(timers)[2])

    def _fail(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        self._failure = context.get("exception") or RuntimeError(context["message"])

    def _who_waits(self, most: int = 8) -> str:
        waiting = sorted((task for task in asyncio.all_tasks(self) if not task.done()), key=asyncio.Task.get_name)
        places = [f"{task.get_name()} at {_innermost(task)}" for task in waiting[:most]]
        more = f" and {len(waiting) - most} more" if len(waiting) > most else ""
        return f"at {self._now:g} s {len(waiting)} tasks wait: {', '.join(places)}{more}"

    def _process_events(self, event_list: list[Any]) -> None:
        """There are none."""

    def _write_to_self(self) -> None:
        """Nobody outside could need to wake this loop."""

    def call_soon_threadsafe(
        self, callback: Callable[[*Ts], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.Handle:
        """As ``call_soon``; refused to other threads."""
        if self._thread_id not in (None, threading.get_ident()):  # type: ignore[attr-defined]
            raise OutsideError("a thread called into virtual time; do its work in the node itself")
        return self.call_soon(callback, *args, context=context)

    def _outside(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise OutsideError("real input, output, signals or executors cannot be used inside virtual time")

    if not TYPE_CHECKING:  # the fences do not have the signatures of what they close off
        run_in_executor = add_reader = add_writer = add_signal_handler = _outside
        sock_recv = sock_recv_into = sock_recvfrom = sock_recvfrom_into = _outside
        sock_sendall = sock_sendto = sock_connect = sock_accept = _outside
        create_connection = create_server = create_datagram_endpoint = _outside
        create_unix_connection = create_unix_server = connect_read_pipe = connect_write_pipe = _outside
        subprocess_exec = subprocess_shell = _outside


def _innermost(task: asyncio.Task[Any]) -> str:
    """Where a waiting task's innermost coroutine stands."""
    place: str = "its start"
    coroutine: Any = task.get_coro()
    while coroutine is not None and getattr(coroutine, "cr_frame", None) is not None:
        place = f"{coroutine.cr_code.co_qualname}, line {coroutine.cr_frame.f_lineno}"
        coroutine = coroutine.cr_await
    return place
