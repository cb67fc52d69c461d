"""Processes of one's own: started ready to work, and how they ended."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker, util
from multiprocessing.context import ForkServerProcess
from typing import Any

SECONDS = 5.0
"""Seconds in which the end of a process becomes known."""


def started(target: Callable[..., object], *arguments: Any) -> ForkServerProcess:
    """A process that calls a function which can be imported by name, forked from one that has imported all it needs."""
    util.get_temp_dir()  # made here, it is that of all processes below this one, and goes when this one ends
    context = multiprocessing.get_context("forkserver")
    # Each new process imports the main module again, so what that needs should be there.
    loaded = [name for name in sys.modules if name.partition(".")[0] in ("netsim", "nodes")]
    context.set_forkserver_preload(["netsim.preload", target.__module__, *loaded])
    process = context.Process(target=target, args=arguments)
    with uninterrupted():  # also for the server that forks, which would print where the interrupt struck it
        process.start()
    return process


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Holds back interrupts from the keyboard, so that who starts processes knows of all that were started."""
    resource_tracker.ensure_running()  # whose start would let them through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def end(process: ForkServerProcess) -> None:
    """End a process at once."""
    process.kill()  # a stopped process would not hear anything softer
    process.join(SECONDS)  # not for ever: the server that tells of its end may be stopped itself


def ending(process: ForkServerProcess) -> str:
    """How an ended process did end, in words."""
    code = process.exitcode
    signals = {-number: f"signal {number.name}" for number in signal.Signals}
    return f"its process ended by itself, with {signals.get(code or 0, f'exit code {code}')}"


def processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
