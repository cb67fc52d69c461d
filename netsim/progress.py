"""Progress on a terminal: a bar with what is being run."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from netsim.jobs import Job, JobResult


class Bar:
    """A progress bar over the jobs of a run, moved by their rounds. Shows nothing where there is no terminal."""

    def __init__(self, console: Console, name: str, quiet: bool) -> None:
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=quiet or not console.is_terminal,
        )
        self._name, self._task = name, self._progress.add_task(name, total=None)
        self._parts: dict[str, float] = {}
        self._ended = 0

    def __enter__(self) -> Bar:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def begin(self, jobs: list[Job], done: int) -> None:
        """Set the bar's length."""
        self._progress.update(self._task, total=len(jobs))

    def progress(self, job: Job, completed: int) -> None:
        """Name the job, and move by the part of it that is done."""
        self._parts[job.what] = completed / max(job.rounds or completed, 1)
        self._show(job)

    def end(self, job: Job, result: JobResult) -> None:
        """Count a job that has ended."""
        self._parts.pop(job.what, None)
        self._ended += 1
        self._show(job)

    def _show(self, job: Job) -> None:
        done = self._ended + min(sum(self._parts.values()), len(self._parts))
        self._progress.update(self._task, completed=done, description=f"{self._name}: {job.what}")
