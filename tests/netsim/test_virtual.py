from __future__ import annotations

import asyncio
import math
import os
import signal
import socket
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from netsim import virtual
from netsim.virtual import DeadlockError, OutsideError, TimeLimitError, VirtualLoop


def run(coroutine: Coroutine[Any, Any, Any], limit: float = math.inf) -> Any:
    """The coroutine's result on a fresh virtual loop."""
    with asyncio.Runner(loop_factory=lambda: VirtualLoop(limit)) as runner:
        return runner.run(coroutine)


def now() -> float:
    """Virtual time."""
    return asyncio.get_running_loop().time()


def test_time_jumps_to_the_next_timer() -> None:
    """Sleeping takes exactly the virtual time asked for; computing takes none."""

    async def script() -> list[float]:
        times = [now()]
        for delay in (1e6, 0.25, 0):
            await asyncio.sleep(delay)
            sum(range(1000))
            times.append(now())
        return times

    assert run(script()) == [0, 1e6, 1e6 + 0.25, 1e6 + 0.25]


def test_timers_fire_in_order_of_time_and_then_of_asking() -> None:
    """At equal times first asked is first called; a time in the past is now, and never turns time back."""

    async def script() -> list[tuple[str, float]]:
        loop, fired = asyncio.get_running_loop(), list[tuple[str, float]]()

        def note(name: str) -> None:
            fired.append((name, now()))

        for name, when in (("c", 2.0), ("a", 1.0), ("d", 2.0), ("b", 1.0), ("e", 2.0)):
            loop.call_at(when, note, name)
        await asyncio.sleep(2)
        loop.call_at(0.5, note, "past")
        loop.call_later(0, note, "now")
        await asyncio.sleep(1)
        return fired

    fired = [("a", 1.0), ("b", 1.0), ("c", 2.0), ("d", 2.0), ("e", 2.0), ("past", 2.0), ("now", 2.0)]
    assert run(script()) == fired


def test_cancelled_timers_are_passed_over() -> None:
    """They neither fire nor make time go on to where they were."""

    async def script() -> tuple[list[str], float]:
        loop, fired = asyncio.get_running_loop(), list[str]()
        timers = {name: loop.call_later(delay, fired.append, name) for name, delay in (("a", 1), ("b", 2), ("c", 3))}
        timers["a"].cancel()
        loop.call_later(2, timers["c"].cancel)
        await asyncio.sleep(2)
        await asyncio.sleep(0)
        return fired, now()

    assert run(script()) == (["b"], 2.0)


def test_a_timer_cancelled_at_its_own_instant_does_not_fire() -> None:
    """One timer may cancel another of the same instant."""

    async def script() -> list[str]:
        loop, fired = asyncio.get_running_loop(), list[str]()
        timers: list[asyncio.TimerHandle] = []
        loop.call_at(1, lambda: timers[0].cancel())
        timers.append(loop.call_at(1, fired.append, "second"))
        await asyncio.sleep(1)
        await asyncio.sleep(1)
        return fired

    assert run(script()) == []


def test_times_that_are_no_numbers_are_refused() -> None:
    """A timer at NaN would break the order of the heap."""

    async def script() -> None:
        asyncio.get_running_loop().call_at(math.nan, print)

    with pytest.raises(ValueError, match="not a number"):
        run(script())


async def wait_for_nothing() -> None:
    """Waits for ever."""
    await asyncio.get_running_loop().create_future()


async def live() -> None:
    """A task's coroutine that waits inside another one."""
    await asyncio.sleep(1)
    await wait_for_nothing()


def test_a_deadlock_names_who_waits_and_where() -> None:
    """The error tells the time, every waiting task and the function that its innermost coroutine is in."""

    async def script() -> None:
        await asyncio.sleep(3)
        tasks = [asyncio.create_task(live(), name=f"node {m}") for m in range(2)]
        await asyncio.gather(*tasks)

    with pytest.raises(DeadlockError) as error:
        run(script())
    message = str(error.value)
    assert "nothing is left that could wake anyone; at 4 s 3 tasks wait" in message
    line = wait_for_nothing.__code__.co_firstlineno + 2
    for m in range(2):
        assert f"node {m} at wait_for_nothing, line {line}" in message
    assert "script" in message


def test_a_deadlock_of_many_names_the_first_and_counts_the_rest() -> None:
    """The message stays short."""

    async def script() -> None:
        await asyncio.gather(*(asyncio.create_task(wait_for_nothing(), name=f"node {m}") for m in range(99)))

    with pytest.raises(DeadlockError, match=r"100 tasks wait: .* and 92 more$"):
        run(script())


def test_a_cancelled_timer_does_not_hide_a_deadlock() -> None:
    """Nobody is woken by what was cancelled."""

    async def script() -> None:
        asyncio.get_running_loop().call_later(1, print).cancel()
        await wait_for_nothing()

    with pytest.raises(DeadlockError, match="at 0 s"):
        run(script())


def test_going_round_in_circles_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Callbacks without end within one instant are stopped, and the message names the task."""
    monkeypatch.setattr(virtual, "LIVELOCK", 1000)

    async def spin() -> None:
        while True:
            await asyncio.sleep(0)

    async def script() -> None:
        await asyncio.sleep(1)
        await asyncio.create_task(spin(), name="node 7")

    with pytest.raises(DeadlockError, match=r"callbacks without time going on; at 1 s .*node 7 at "):
        run(script())


def test_many_callbacks_over_time_are_no_livelock(monkeypatch: pytest.MonkeyPatch) -> None:
    """The count starts anew whenever time goes on."""
    monkeypatch.setattr(virtual, "LIVELOCK", 100)

    async def script() -> float:
        for _ in range(500):
            await asyncio.sleep(1)
        return now()

    assert run(script()) == 500


def test_time_has_a_limit() -> None:
    """The first timer past it ends the run; the limit itself may be reached."""
    assert run(asyncio.sleep(2, "done"), limit=2) == "done"
    with pytest.raises(TimeLimitError, match=r"its limit of 2 s; at 1 s 1 tasks wait: .*sleep"):
        run(sleep_twice(1, 1.5), limit=2)


async def sleep_twice(first: float, second: float) -> None:
    """Two sleeps."""
    await asyncio.sleep(first)
    await asyncio.sleep(second)


def reader() -> None:
    """Would be called for input."""


FENCED: dict[str, Callable[[asyncio.AbstractEventLoop, socket.socket], Any]] = {
    "to_thread": lambda loop, sock: asyncio.to_thread(reader),
    "executor": lambda loop, sock: loop.run_in_executor(None, reader),
    "getaddrinfo": lambda loop, sock: loop.getaddrinfo("localhost", 80),
    "open_connection": lambda loop, sock: asyncio.open_connection("127.0.0.1", 9),
    "start_server": lambda loop, sock: asyncio.start_server(lambda *streams: None, "127.0.0.1", 0),
    "unix": lambda loop, sock: asyncio.open_unix_connection("/nowhere"),
    "unix server": lambda loop, sock: asyncio.start_unix_server(lambda *streams: None, "/nowhere"),
    "datagrams": lambda loop, sock: loop.create_datagram_endpoint(asyncio.DatagramProtocol, ("127.0.0.1", 0)),
    "recv": lambda loop, sock: loop.sock_recv(sock, 1),
    "recvfrom": lambda loop, sock: loop.sock_recvfrom(sock, 1),
    "recvfrom into": lambda loop, sock: loop.sock_recvfrom_into(sock, bytearray(1)),
    "recv into": lambda loop, sock: loop.sock_recv_into(sock, bytearray(1)),
    "sendto": lambda loop, sock: loop.sock_sendto(sock, b"x", ("127.0.0.1", 9)),
    "sendall": lambda loop, sock: loop.sock_sendall(sock, b"x"),
    "connect": lambda loop, sock: loop.sock_connect(sock, ("127.0.0.1", 9)),
    "accept": lambda loop, sock: loop.sock_accept(sock),
    "reader": lambda loop, sock: loop.add_reader(sock, reader),
    "writer": lambda loop, sock: loop.add_writer(sock, reader),
    "signal": lambda loop, sock: loop.add_signal_handler(signal.SIGUSR1, reader),
    "subprocess": lambda loop, sock: asyncio.create_subprocess_exec("true"),
    "shell": lambda loop, sock: asyncio.create_subprocess_shell("true"),
    "read pipe": lambda loop, sock: loop.connect_read_pipe(asyncio.Protocol, sock),
    "write pipe": lambda loop, sock: loop.connect_write_pipe(asyncio.BaseProtocol, sock),
}


@pytest.mark.parametrize("use", FENCED.values(), ids=FENCED)
def test_the_world_outside_is_fenced_off(use: Callable[[Any, Any], Any]) -> None:
    """Sockets, pipes, processes, signals and executors raise a clear error instead of blocking virtual time."""

    async def script() -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            sock.setblocking(False)
            result = use(asyncio.get_running_loop(), sock)
            if asyncio.iscoroutine(result):
                await result

    with pytest.raises(OutsideError, match="cannot be used inside virtual time"):
        run(script())


def test_other_threads_cannot_call_in() -> None:
    """A thread that schedules a callback gets the error itself, and nothing is scheduled; the own thread may."""

    async def script() -> tuple[list[str], list[str]]:
        loop, called, errors = asyncio.get_running_loop(), list[str](), list[str]()

        def call_in() -> None:
            try:
                loop.call_soon_threadsafe(called.append, "from a thread")
            except OutsideError as error:
                errors.append(str(error))

        thread = threading.Thread(target=call_in)
        thread.start()
        thread.join()
        loop.call_soon_threadsafe(called.append, "from within")
        await asyncio.sleep(0)
        return called, errors

    assert run(script()) == (["from within"], ["a thread called into virtual time; do its work in the node itself"])


def test_the_tools_of_asyncio_work() -> None:
    """timeout, wait_for, TaskGroup, Event, Queue, Lock and Condition do on virtual time what they do on real time."""

    async def script() -> list[Any]:
        event, queue, condition = asyncio.Event(), asyncio.Queue[int](1), asyncio.Condition()
        log: list[Any] = []

        async def produce() -> None:
            for i in range(3):
                await asyncio.sleep(1)
                await queue.put(i)
            event.set()
            async with condition:
                condition.notify_all()

        async def consume() -> None:
            for _ in range(3):
                log.append((await queue.get(), now()))
            await event.wait()

        async def watch() -> None:
            async with condition:
                await condition.wait()
            log.append(("notified", now()))

        async with asyncio.TaskGroup() as group:
            for part in (produce, consume, watch):
                group.create_task(part())
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(2):
                await asyncio.sleep(5)
        log.append(now())
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asyncio.Event().wait(), 1)
        log.append(now())
        return log

    assert run(script()) == [(0, 1.0), (1, 2.0), (2, 3.0), ("notified", 3.0), 5.0, 6.0]


def test_a_failing_task_of_a_group_cancels_the_others() -> None:
    """The group ends at the instant of the failure, and the others may clean up."""
    cleaned: list[float] = []

    async def stay() -> None:
        try:
            await asyncio.sleep(100)
        finally:
            cleaned.append(now())

    async def fail() -> None:
        await asyncio.sleep(1)
        raise LookupError

    async def script() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(stay())
            group.create_task(fail())

    with pytest.raises(ExceptionGroup) as group:
        run(script())
    assert group.group_contains(LookupError)
    assert cleaned == [1.0]


def test_an_error_in_a_callback_ends_the_run() -> None:
    """What the stock loop only logs is raised, with its own type."""

    async def script() -> None:
        asyncio.get_running_loop().call_later(1, [].pop)
        await asyncio.sleep(5)

    with pytest.raises(IndexError):
        run(script())


def test_large_times_keep_their_order() -> None:
    """A century from the start, milliseconds are still told apart."""
    century = 100 * 365 * 86_400.0

    async def script() -> list[float]:
        loop, fired = asyncio.get_running_loop(), list[float]()
        for after in (0.003, 0.001, 0.002):
            loop.call_at(century + after, lambda after=after: fired.append(after))  # type: ignore[misc]
        await asyncio.sleep(century + 1)
        assert now() == century + 1
        return fired

    assert run(script()) == [0.001, 0.002, 0.003]


def test_an_interrupt_leaves_cleanly() -> None:
    """Ctrl-C cancels the run as on the stock loop: tasks clean up, the loop is closed, and the next run works."""
    left: list[float] = []

    async def script() -> None:
        try:
            await asyncio.sleep(1)
            signal.raise_signal(signal.SIGINT)
            await asyncio.sleep(1000)
        finally:
            left.append(now())

    loops: list[VirtualLoop] = []

    def factory() -> VirtualLoop:
        loops.append(VirtualLoop())
        return loops[-1]

    with pytest.raises(KeyboardInterrupt), asyncio.Runner(loop_factory=factory) as runner:
        runner.run(script())
    assert left == [1.0]
    assert loops[0].is_closed()
    assert run(asyncio.sleep(1, "again")) == "again"


def test_an_interrupt_inside_a_callback_is_raised() -> None:
    """KeyboardInterrupt and SystemExit pass through callbacks and tasks."""

    async def script() -> None:
        await asyncio.sleep(1)
        raise SystemExit(3)

    with pytest.raises(SystemExit):
        run(script())


def test_loops_leave_no_file_descriptors() -> None:
    """Three thousand runs leave as many descriptors open as before, and none is open during a run."""
    folder = Path("/proc/self/fd")
    if not folder.is_dir():
        pytest.skip("needs /proc to count open files")

    async def count() -> int:
        await asyncio.sleep(1)
        return len(os.listdir(folder))

    before = len(os.listdir(folder))
    assert {run(count()) for _ in range(3000)} == {before}
    assert len(os.listdir(folder)) == before


def test_two_loops_do_not_share_time() -> None:
    """Each loop starts at zero, whatever others did before."""

    async def script() -> float:
        start = now()
        await asyncio.sleep(7)
        return start

    assert [run(script()) for _ in range(2)] == [0.0, 0.0]
