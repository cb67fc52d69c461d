"""Measuring: runs scenarios, picks quantities from their records, and judges them against references."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from netsim.compare import flatten
from netsim.jobs import Job, JobResult
from netsim.results import Record, Run, open_run
from netsim.runs import Summary, execute, plan, prepare
from netsim.scenario.load import load
from nodes.arrays import Floats


@dataclass(frozen=True)
class Number:
    """One number: what was asked of it, what was measured, and whether that is good."""

    name: str
    asked: str
    measured: str
    good: bool


SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
"""Where published data are, on machines that have them."""


def data(file: str) -> tuple[str, ...]:
    """The setting that reads a file of published data; ``NoDataError`` where they are not there."""
    if not (SHARED / file).exists():
        raise NoDataError(f"{SHARED / file} is not there")
    return (f"data.path={SHARED / file}",)


class NoDataError(LookupError):
    """Published data are not on this machine."""


class Runs:
    """Runs scenarios into one folder and gives their records."""

    def __init__(self, folder: Path, processes: int) -> None:
        self.folder, self._processes = folder, processes

    def records(self, reference: str, *settings: str) -> list[Record]:
        """All records of a scenario with these settings."""
        return list(self.run(reference, *settings).records)

    def run(self, reference: str, *settings: str) -> Run:
        """The run directory of a scenario with these settings, complete."""
        loaded = load(reference, settings)
        folder = prepare(loaded, self.folder, fresh=False)
        summary = Summary(folder)
        execute(plan(loaded, folder), summary, _Lines(), self._processes)
        if summary.failed:
            raise RuntimeError("\n".join(summary.failed))
        return open_run(folder)


class _Lines:
    """Says what is being run, a dot for each job."""

    def begin(self, jobs: list[Job], done: int) -> None:
        if jobs:
            print(f"  {jobs[0].resolved['name']}: {len(jobs)} jobs ", end="", file=sys.stderr, flush=True)

    def progress(self, job: Job, completed: int) -> None:
        pass

    def end(self, job: Job, result: JobResult) -> None:
        print(".", end="", file=sys.stderr, flush=True)


def at(
    records: Sequence[Record],
    method: str,
    quantity: str,
    round_: int | None = None,
    point: Mapping[str, Any] | None = None,
) -> Floats:
    """A quantity of one method over repeats, in order of repeat: at a round, or the last recorded one.

    Quantities have the names of a table (``mae``, ``accuracy.worst``, ``theory.gap``). ``point`` picks sweep points by
    the last segment of a path.
    """
    chosen = []
    for record in sorted(records, key=lambda record: record.repeat):
        settings = {path.split(".")[-1]: value for path, value in record.point.items()}
        if record.method == method and (point or {}).items() <= settings.items():
            told = [dict(flatten(row)) for row in record.rows if round_ is None or row.get("round") == round_]
            chosen += [row[quantity] for row in told[-1:] if quantity in row]
    return np.array(chosen, dtype=np.float64)


def near(name: str, sample: Floats, mean: float, std: float, seeds: int = 10) -> Number:
    """Whether a sample's mean is within three standard errors of the difference to a reference."""
    error = math.sqrt(sample.var(ddof=1) / len(sample) + std**2 / seeds)
    asked = f"{mean:.4f} ± {std:.4f}"
    measured = f"{sample.mean():.4f} ± {sample.std(ddof=1):.4f}"
    return Number(name, asked, measured, bool(abs(sample.mean() - mean) <= 3 * error + 5e-5))


def bound(name: str, value: float, most: float | None = None, least: float | None = None) -> Number:
    """Whether a value is on the right side of a bound."""
    asked = f"<= {most:g}" if most is not None else f">= {least:g}"
    good = value <= most if most is not None else value >= (least or 0)
    return Number(name, asked, f"{value:.4f}", bool(good))


def paired(name: str, difference: Floats, expected: float) -> Number:
    """Whether paired differences are within three standard errors of an expected one, to a rounded digit."""
    error = float(difference.std(ddof=1)) / math.sqrt(len(difference))
    measured = f"{difference.mean():+.4f} ± {error:.4f} (standard error)"
    # The reference gives its means to three digits, and no spread of the difference: taken as ours.
    good = abs(difference.mean() - expected) <= 3 * math.sqrt(2) * error + 1e-3
    return Number(name, f"{expected:+.3f}", measured, bool(good))


def ratio(name: str, measured: float, expected: float) -> Number:
    """Whether a ratio is within a quarter of an expected one."""
    return Number(name, f"{expected:.3g} within a quarter", f"{measured:.3g}", abs(measured / expected - 1) <= 0.25)
