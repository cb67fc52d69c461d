"""A few worker processes that do jobs side by side, and stop at once when asked."""

from __future__ import annotations

import signal
import traceback
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, NamedTuple, TypeVar

from netsim.processes import end, ending, started, uninterrupted

Job = TypeVar("Job")
Result = TypeVar("Result")
Work = Callable[[Job, Callable[[int], None]], Result]
"""What is done with a job, a function that can be imported by name; its second argument takes reports of progress."""


class WorkerError(RuntimeError):
    """A worker's process ended in the middle of a job, or its job raised what nobody expected."""


class News(NamedTuple, Generic[Result]):
    """Word of the job with this number: its progress, or its end with a result or an error."""

    number: int
    progress: int | None = None
    result: Result | None = None
    error: WorkerError | None = None


def side_by_side(work: Work[Job, Result], jobs: Sequence[Job], count: int) -> Generator[News[Result], None, None]:
    """Do all jobs in at most ``count`` processes. A process that dies costs its own job only.

    Closing the generator ends all processes at once.
    """
    waiting = list(enumerate(jobs))[::-1]
    idle: list[_Worker[Job, Result]] = []
    busy: list[_Worker[Job, Result]] = []
    try:
        while waiting or busy:
            while waiting and len(busy) < count:
                while idle and idle[-1].pipe.poll():  # an idle worker has nothing to say: this one is dead
                    idle.pop().stop()
                with uninterrupted():
                    worker = idle.pop() if idle else _Worker(work)
                    busy.append(worker)
                worker.begin(*waiting.pop())
            readable = wait([worker.pipe for worker in busy])
            for worker in [worker for worker in busy if worker.pipe in readable]:
                news = worker.read()
                if news.progress is None:
                    busy.remove(worker)
                    if worker.alive:
                        idle.append(worker)
                yield news
    finally:
        for worker in idle + busy:
            worker.stop()


class _Worker(Generic[Job, Result]):
    """One process that does one job after another."""

    def __init__(self, work: Work[Job, Result]) -> None:
        self.pipe: Connection[Any, Any]
        self.pipe, theirs = Pipe()
        self._process = started(_serve, work, theirs)
        theirs.close()
        self._number = -1
        self.alive = True

    def begin(self, number: int, job: Job) -> None:
        self._number = number
        with suppress(ConnectionError):  # of a process that died just now; reading tells
            self.pipe.send(job)

    def read(self) -> News[Result]:
        try:
            what, value = self.pipe.recv()
        except (EOFError, OSError):
            self.stop()
            return News(self._number, error=WorkerError(ending(self._process)))
        if what == "error":
            return News(self._number, error=WorkerError(value))
        return News(self._number, **{what: value})

    def stop(self) -> None:
        self.alive = False
        end(self._process)
        self.pipe.close()


def _serve(work: Work[Job, Result], pipe: Connection[Any, Any]) -> None:
    """A worker's life. An interrupt from the keyboard goes to all processes; the parent decides what it means."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(EOFError, ConnectionError):  # the parent is gone
        while True:
            job = pipe.recv()
            try:
                pipe.send(("result", work(job, lambda done: pipe.send(("progress", done)))))
            except ConnectionError:
                raise
            except Exception:
                pipe.send(("error", traceback.format_exc()))
