from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from netsim.workers import News, WorkerError, side_by_side

JOBS = """
import os, signal, sys, threading, time

def square(job, progress):
    progress(10 * job)
    if job < 0:
        raise LookupError(f"no square of {job}")
    return job * job

def process(job, progress):
    return os.getpid()

def end_at(job, progress):
    if job == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if job == "exit":
        os._exit(7)
    if job == "leave":
        sys.exit(5)
    return job

def unsendable(job, progress):
    return threading.Lock() if job else "fine"

def die_after(job, progress):
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    return os.getpid()

def die_while_sending(job, progress):
    if job == 1:
        progress(0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        return bytes(10_000_000)
    return job

def endless(job, progress):
    progress(1)
    time.sleep(600)

def interrupted(job, progress):
    os.kill(os.getpid(), signal.SIGINT)
    return job
"""


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Work that worker processes can import by name."""
    folder = tmp_path_factory.mktemp("work")
    (folder / "jobs_for_workers.py").write_text(JOBS)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        yield import_module("jobs_for_workers")


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    """After every test all workers are gone."""
    yield
    assert multiprocessing.active_children() == []


def done(work: Callable[..., Any], jobs: list[Any], count: int) -> dict[int, News[Any]]:
    """The end of each job, by its number; each must end once."""
    ends: dict[int, News[Any]] = {}
    for news in side_by_side(work, jobs, count):
        if news.progress is None:
            assert news.number not in ends
            ends[news.number] = news
    assert sorted(ends) == list(range(len(jobs)))
    return ends


@pytest.mark.parametrize("count", [1, 2, 9])
def test_every_job_has_its_result(work: Any, count: int) -> None:
    """Whatever the number of workers, above that of the jobs too."""
    ends = done(work.square, [3, 0, 5, 2, 4], count)
    assert [ends[number].result for number in range(5)] == [9, 0, 25, 4, 16]
    assert all(news.error is None for news in ends.values())


def test_no_jobs() -> None:
    """Nothing to do ends at once, and starts no process."""
    assert list(side_by_side(len, [], 2)) == []  # type: ignore[arg-type]


def test_jobs_begin_in_order_and_tell_their_progress(work: Any) -> None:
    """One worker does one job after another; each report names its job, before the job's end."""
    news = list(side_by_side(work.square, [3, 0], 1))
    assert news == [News(0, progress=30), News(0, result=9), News(1, progress=0), News(1, result=0)]


def test_no_more_workers_than_asked_for(work: Any) -> None:
    """Two workers do six jobs in at most two processes, and not in this one."""
    processes = {news.result for news in done(work.process, [0] * 6, 2).values()}
    assert 1 <= len(processes) <= 2
    assert multiprocessing.current_process().pid not in processes


@pytest.mark.parametrize("count", [1, 2])
def test_a_job_that_raises_costs_only_itself(work: Any, count: int) -> None:
    """Its error holds the traceback; the others have their results."""
    ends = done(work.square, [2, -1, 3], count)
    assert (ends[0].result, ends[2].result) == (4, 9)
    assert isinstance(ends[1].error, WorkerError)
    assert "LookupError: no square of -1" in str(ends[1].error)
    assert ends[1].result is None


@pytest.mark.parametrize("count", [1, 2])
def test_a_worker_that_dies_costs_only_its_job(work: Any, count: int) -> None:
    """The error names the signal or the exit code, and another process goes on with the rest."""
    ends = done(work.end_at, ["a", "kill", "exit", "leave", "b"], count)
    assert (ends[0].result, ends[4].result) == ("a", "b")
    for number, cause in ((1, "signal SIGKILL"), (2, "exit code 7"), (3, "exit code 5")):
        assert str(ends[number].error) == f"its process ended by itself, with {cause}"


def test_a_result_that_cannot_be_sent_costs_only_its_job(work: Any) -> None:
    """What pickle refuses is the job's error."""
    ends = done(work.unsendable, [True, False], 1)
    assert "cannot pickle" in str(ends[0].error)
    assert ends[1].result == "fine"


def wait_for_children() -> None:
    """Until all worker processes have ended by themselves."""
    for child in multiprocessing.active_children():
        child.join(10)
        assert child.exitcode is not None


def test_a_worker_that_dies_between_jobs_costs_none(work: Any) -> None:
    """A process that ends while it has nothing to do is replaced."""
    results = []
    for news in side_by_side(work.die_after, [0, 1], 1):
        assert news.error is None
        results.append(news.result)
        wait_for_children()
    assert len(set(results)) == 2


def test_a_worker_that_dies_while_it_sends_costs_only_its_job(work: Any) -> None:
    """Half a result is no result."""
    ends = []
    for news in side_by_side(work.die_while_sending, [1, 2], 1):
        if news.progress is not None:
            wait_for_children()
        else:
            ends.append(news)
    assert str(ends[0].error) == "its process ended by itself, with signal SIGALRM"
    assert ends[1].result == 2


def test_closing_early_ends_all_workers(work: Any) -> None:
    """Jobs that would go on for ten minutes are stopped at once."""
    iterator = side_by_side(work.endless, [0, 1, 2], 2)
    assert next(iterator).progress == 1
    children = multiprocessing.active_children()
    assert len(children) == 2
    iterator.close()  # type: ignore[attr-defined]
    assert [child.exitcode for child in children] == [-signal.SIGKILL] * 2


def test_an_interrupt_is_left_to_the_parent(work: Any) -> None:
    """Ctrl-C reaches all processes of a terminal; a worker goes on with its job."""
    assert done(work.interrupted, ["kept"], 1)[0].result == "kept"


def test_work_is_imported_by_name(work: Any) -> None:
    """The module written for these tests is the one that was imported."""
    assert Path(work.__file__).parent.name.startswith("work")
