"""Runs: a scenario's jobs, what of them is already there, and the run directory they fill."""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

from netsim import __version__
from netsim.data import find, fingerprint
from netsim.diagnostics import logger
from netsim.jobs import Job, JobResult, do
from netsim.methods import relevant
from netsim.results import is_whole
from netsim.scenario.load import Loaded, Point, yaml_text
from netsim.scenario.paths import get, parse
from netsim.transports.zeromq.crew import Crew
from netsim.workers import side_by_side

log = logger(__name__)


class Watcher(Protocol):
    """Who is told how a run goes on."""

    def begin(self, jobs: list[Job], done: int) -> None:
        """These jobs are to be done; so many results are there already."""
        ...

    def progress(self, job: Job, completed: int) -> None:
        """A job has completed so many rounds."""
        ...

    def end(self, job: Job, result: JobResult) -> None:
        """A job has ended."""
        ...


@dataclass
class Summary:
    """A run directory, and what was done in it now."""

    folder: Path
    started: float = field(default_factory=time.time)
    results: list[tuple[Job, JobResult]] = field(default_factory=list)
    found: int = 0
    """Results that were already there."""

    @property
    def failed(self) -> list[str]:
        """Each failed job with its reason."""
        return [f"{job.what}: {result.reason}" for job, result in self.results if result.end == "failed"]

    def write(self, loaded: Loaded, diverged: list[str], warnings: list[str]) -> None:
        """Leave the summary in the run directory."""
        content = {
            "name": loaded.name,
            "version": __version__,
            "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.started)),
            "seconds": round(time.time() - self.started, 3),
            "runs": len(self.results),
            "found": self.found,
            "diverged": diverged,
            "failed": self.failed,
            "warnings": warnings,
        }
        (self.folder / "summary.json").write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def run_folder(loaded: Loaded, out: Path) -> Path:
    """OUT/NAME-HASH; the hash is over all that results depend on, but for repeats and sweep."""
    text = json.dumps([__version__, loaded.base, list(_inputs(loaded))], sort_keys=True)
    return out / f"{loaded.name}-{sha256(text.encode()).hexdigest()[:8]}"


def _inputs(loaded: Loaded) -> Iterator[str]:
    """Fingerprints of the files that a scenario reads: whatever it names as a path, and classes of the user's own."""
    paths = {path for point in loaded.points for path in _paths(point.resolved)}
    files = [find(path, loaded.folder, directory=True) for path in sorted(paths)]
    for file in [*files, *loaded.own_files]:
        yield fingerprint(file)


def _paths(resolved: Any) -> Iterator[str]:
    if isinstance(resolved, Mapping):
        for name, value in resolved.items():
            if name in ("path", "test-path") and isinstance(value, str):
                yield value
            else:
                yield from _paths(value)


def prepare(loaded: Loaded, out: Path, fresh: bool) -> Path:
    """Make the run directory and leave the resolved scenario in it."""
    folder = run_folder(loaded, out)
    if fresh and folder.exists():
        shutil.rmtree(folder)
    (folder / "results").mkdir(parents=True, exist_ok=True)
    resolved, text = folder / "scenario.yaml", yaml_text(loaded.resolved)
    if not resolved.exists() or resolved.read_text(encoding="utf-8") != text:
        resolved.write_text(text, encoding="utf-8")
    return folder


def plan(loaded: Loaded, folder: Path) -> list[Job]:
    """All jobs of a scenario: for each repeat the network at every point, and each baseline once per distinct input."""
    jobs: dict[str, Job] = {}
    swept = list(dict.fromkeys(path for point in loaded.points for path in point.settings))
    for repeat in range(loaded.repeats):
        for point in loaded.points:
            settings = _settings(point, swept)
            for method in ("network", *point.scenario.baselines):
                inputs = json.dumps([method, repeat, relevant(method, point.resolved)], sort_keys=True)
                target = (_file(folder, settings, method, repeat), settings)
                job = jobs.get(inputs) or Job(method, repeat, point.resolved, loaded.folder, ())
                jobs[inputs] = replace(job, targets=(*job.targets, target))
    return list(jobs.values())


def _settings(point: Point, swept: Sequence[str]) -> dict[str, Any]:
    """The point's value of every path that any point sets: its own, or else what the scenario has there."""
    values = {path: point.settings.get(path, get(point.resolved, parse(path))) for path in swept}
    return {path: value for path, value in values.items() if value is not None or path in point.settings}


def _file(folder: Path, settings: Mapping[str, Any], method: str, repeat: int) -> Path:
    written = ",".join(f"{path}={value}" for path, value in settings.items()) or "all"
    label = re.sub(r"[^A-Za-z0-9._=,-]+", "_", written)[:100]
    if label != written or any(set(",=") & set(str(value)) for value in settings.values()):
        # So that two points never share a folder.
        label += f"-{sha256(written.encode()).hexdigest()[:8]}"
    suffix = "" if method == "network" else f".{method}"
    return folder / "results" / label / f"{repeat}{suffix}.jsonl"


def execute(
    jobs: list[Job],
    summary: Summary,
    watcher: Watcher,
    processes: int,
    crew: Callable[[], Crew] | None = None,
) -> None:
    """Do what is missing; results go to ``summary`` as they come, so that an interrupt loses none of them.

    With a crew, which is called for if a network is to be run, jobs are done one after the other.
    """
    missing = [rest for rest in map(_unfinished, jobs) if rest is not None]
    summary.found = sum(len(job.targets) for job in jobs) - sum(len(job.targets) for job in missing)
    watcher.begin(missing, summary.found)

    def ended(job: Job, result: JobResult) -> None:
        summary.results.append((job, result))
        log.debug("job ended", job=job.what, end=result.end, seconds=result.seconds)
        watcher.end(job, result)

    if crew is not None and any(job.method == "network" for job in missing):
        workers = crew()
        for job in missing:
            ended(job, do(job, _reporter(watcher, job), workers))
        return
    if processes == 1 or len(missing) <= 1:
        for job in missing:
            ended(job, do(job, _reporter(watcher, job)))
        return
    news = side_by_side(do, missing, processes)
    try:
        for word in news:
            job = missing[word.number]
            if word.progress is not None:
                watcher.progress(job, word.progress)
            else:
                ended(job, word.result or JobResult("failed", str(word.error)))
    finally:
        news.close()


def _reporter(watcher: Watcher, job: Job) -> Callable[[int], None]:
    return lambda completed: watcher.progress(job, completed)


def _unfinished(job: Job) -> Job | None:
    """The job with the targets that are not there yet, or damaged; None if all are whole."""
    targets = tuple((path, point) for path, point in job.targets if not is_whole(path))
    return replace(job, targets=targets) if targets else None
