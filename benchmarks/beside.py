"""Work in a process beside the one that measures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

from netsim.processes import end, started

PATIENCE = 30_000
"""Milliseconds without a message after which a measurement has failed."""


@contextmanager
def beside(work: Callable[..., object], *arguments: object) -> Iterator[Connection[Any, Any]]:
    """Work in a process of its own, and our end of the pipe that is the first of its arguments."""
    ours, theirs = Pipe()
    process = started(work, theirs, *arguments)
    theirs.close()
    try:
        with ours:
            yield ours
    finally:
        end(process)
        process.close()


def awaited(pipe: Connection[Any, Any]) -> Any:
    """What the process at the other end says next; ``RuntimeError`` if it says nothing."""
    if not pipe.poll(PATIENCE / 1000):
        raise RuntimeError("the process at the other end of a pipe says nothing")
    return pipe.recv()
