"""A job: one method on one world, from a plain description to complete files."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from netsim import __version__
from netsim.methods import perform
from netsim.mixing import combination_matrix, spectral_radius
from netsim.scenario.load import ScenarioError, from_resolved
from netsim.transports.base import Transport, TransportError
from netsim.transports.zeromq.crew import Crew
from netsim.transports.zeromq.transport import ZeroMQ
from netsim.virtual import DeadlockError, TimeLimitError
from netsim.world import World, build
from nodes.node import NodeError, told

Row = dict[str, Any]
FORMAT = 1
"""Version of the layout of results files."""


@dataclass(frozen=True)
class Job:
    """Plain data only, so that it can go to another process.

    ``resolved`` is the scenario of one sweep point, ``folder`` where its paths are looked up. The record is written to
    each of ``targets``, a file with the point that it is the result of; points share a record where they cannot differ.
    """

    method: str
    repeat: int
    resolved: Mapping[str, Any]
    folder: Path
    targets: tuple[tuple[Path, Mapping[str, Any]], ...]

    @property
    def rounds(self) -> int | None:
        """How many it will take, where the scenario says so outright."""
        return self.resolved.get("rounds")

    @property
    def what(self) -> str:
        """The job in words."""
        point = ", ".join(f"{path.split('.')[-1]}={value}" for path, value in self.targets[0][1].items())
        return " ".join(filter(None, (self.method, point, f"repeat {self.repeat}")))


@dataclass(frozen=True)
class JobResult:
    """How a job ended: ``end`` is completed, diverged, absent or failed, with the reason of the last two."""

    end: str
    reason: str = ""
    seconds: float = 0.0


def do(job: Job, progress: Callable[[int], None], crew: Crew | None = None) -> JobResult:
    """Run a job and write its files; they appear under their names only when they are complete.

    Where the transport needs workers it starts its own, or takes those of ``crew``.
    """
    start = time.perf_counter()
    try:
        with threadpool_limits(1):
            lines = _run(job, progress, crew)
        for target, point in job.targets:
            _write(target, [{**lines[0], "point": point}, *lines[1:]])
    except (NodeError, TimeLimitError, DeadlockError, TransportError, ScenarioError, OSError) as error:
        return JobResult("failed", str(error), time.perf_counter() - start)
    except Exception as error:  # of anybody's code: told as this job's failure, so that the others go on
        return JobResult("failed", told(error), time.perf_counter() - start)
    end = lines[-1]
    return JobResult(end["end"], end.get("reason", ""), time.perf_counter() - start)


def _run(job: Job, progress: Callable[[int], None], crew: Crew | None) -> list[Row]:
    """The lines of the job's record, the first without a point."""
    scenario = from_resolved(job.resolved, job.folder)
    world = build(scenario, job.repeat, job.folder, job.resolved)
    transport: Transport = scenario.transport
    if crew is not None and isinstance(transport, ZeroMQ):
        transport = transport.by(crew)
    rows: list[Row] = []
    end = perform(job.method, world, transport, rows.append, progress)
    header = {
        "format": FORMAT,
        "netsim": __version__,
        "name": scenario.name,
        "method": job.method,
        "repeat": job.repeat,
        "seed": scenario.seed + job.repeat,
        "versions": {"python": platform.python_version(), "numpy": np.__version__},
        "world": describe(world),
    }
    return [header, *rows, {**end, "rows": len(rows)}]


def _write(target: Path, lines: Sequence[Mapping[str, Any]]) -> None:
    """Write a file of JSON lines, which appears under its name when it is complete."""
    part = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        part.write_text("".join(f"{json.dumps(line, allow_nan=False)}\n" for line in lines), encoding="utf-8")
        os.replace(part, target)
    except OSError as error:
        raise OSError(f"cannot write {error.filename or target}: {error.strerror}") from error
    finally:
        part.unlink(missing_ok=True)


def describe(world: World) -> dict[str, Any]:
    """A world's sizes, and how fast its network mixes."""
    radius = spectral_radius(combination_matrix(world.task.weights, world.neighbours))
    return {
        "nodes": world.task.nodes,
        "edges": world.graph.number_of_edges(),
        "training": world.task.samples,
        "test": len(world.dataset.y_test),
        "parameters": world.task.parameters,
        "ranks": world.task.ranks,
        "rounds": world.rounds,
        "slot": world.period / 1e9,
        "spectral-radius": None if radius is None else round(radius, 12),
    }
