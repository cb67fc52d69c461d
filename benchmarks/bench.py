"""Speed: frames per CPU-second, ratios to a floor without messages, peak memory.

Frames are delivered directed frames, everything included: encode, carry, decode, combine, adapt. Each figure is the
median of interleaved runs in fresh processes with BLAS on one thread; ratios are taken within a process, where
simulator and floor run one after the other. Absolute rates are read beside the calibration: w.dot(M) for 5 x 200.
The group ``processes`` holds nodes as separate processes against raw sockets and against one process, by wall clock.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

from benchmarks.floor import run_floor
from benchmarks.lockstep import lockstep
from benchmarks.streams import bundles, frames
from benchmarks.worlds import simulate, world

CASES: dict[str, tuple[int, Literal["squared", "ordinal"], int, int]] = {
    "20 nodes, squared, 10 samples": (20, "squared", 10, 1500),
    "20 nodes, ordinal, 50 samples": (20, "ordinal", 50, 1000),
    "2000 nodes, squared, 10 samples": (2000, "squared", 10, 40),
    "2000 nodes, ordinal, 50 samples": (2000, "ordinal", 50, 30),
    "20 nodes, squared, 50 samples": (20, "squared", 50, 1000),
    "2000 nodes, squared, 50 samples": (2000, "squared", 50, 30),
}
"""Nodes, loss, samples a node, rounds."""


@dataclass(frozen=True)
class Condition:
    """A figure of the same measurement without which a quantity is not judged."""

    figure: str
    least: float
    words: str
    """What is said before the figure."""


@dataclass(frozen=True)
class Quantity:
    """One row: what is measured by which part of a measurement, and its bar, and its aim where it has one."""

    name: str
    case: str
    figure: str
    bar: float
    aim: float | None = None
    higher_is_better: bool = False
    where: Condition | None = None

    def verdict(self, value: float) -> str:
        """What a value reaches: the aim, the bar, or neither."""
        sign = 1 if self.higher_is_better else -1
        marks = (("aim", self.aim), ("bar", self.bar))
        reached = [name for name, of in marks if of is not None and sign * value >= sign * of]
        return reached[0] if reached else "NO"

    def row(self, runs: list[dict[str, float]]) -> dict[str, Any]:
        """All that there is to say of it, by the figures of all runs of its case."""
        medians = {figure: statistics.median(run[figure] for run in runs) for figure in runs[0]}
        verdict, note = self.verdict(medians[self.figure]), ""
        if self.where:
            reached = medians[self.where.figure]
            note = f"{self.where.words} {reached:.2f}"
            if reached < self.where.least:
                verdict, note = "--", f"not judged: {self.where.words} only {reached:.2f}"
        values = [run[self.figure] for run in runs]
        figures = {"median": medians[self.figure], "values": values, "verdict": verdict, "note": note}
        return {**asdict(self), **figures, "medians": medians}


def rate(case: str, bar: float, aim: float) -> Quantity:
    """Frames per CPU-second."""
    return Quantity(f"frames/CPU-s, {case}", case, "rate", bar, aim, higher_is_better=True)


QUANTITIES = (
    rate("20 nodes, squared, 10 samples", 130_000, 200_000),
    rate("20 nodes, ordinal, 50 samples", 85_000, 125_000),
    rate("2000 nodes, squared, 10 samples", 70_000, 110_000),
    rate("2000 nodes, ordinal, 50 samples", 45_000, 70_000),
    Quantity("over floor, 20 nodes, squared", "20 nodes, squared, 10 samples", "over floor", 30, 20),
    Quantity("over floor, 20 nodes, squared, 50 samples", "20 nodes, squared, 50 samples", "over floor", 30, 20),
    Quantity("over floor, 20 nodes, ordinal", "20 nodes, ordinal, 50 samples", "over floor", 7, 4.5),
    Quantity("over floor, 2000 nodes, squared", "2000 nodes, squared, 10 samples", "over floor", 20, 11),
    Quantity("over floor, 2000 nodes, squared, 50 samples", "2000 nodes, squared, 50 samples", "over floor", 20, 11),
    Quantity("over floor, 2000 nodes, ordinal", "2000 nodes, ordinal, 50 samples", "over floor", 5, 3),
    Quantity("peak memory in MB, 2000 nodes", "memory 2000", "megabytes", 220, 150),
    Quantity("peak memory in MB, 10 000 nodes", "memory 10000", "megabytes", 600, 450),
    Quantity("10 % loss and delay over none, 20 nodes", "faults 20", "over none", 1.35, 1.15),
    Quantity("10 % loss and delay over none, 2000 nodes", "faults 2000", "over none", 1.35, 1.15),
)

gain = partial(Quantity, higher_is_better=True)
PROCESSES = (
    gain("bundles of 1000 frames/s over raw sockets", "bundles", "over raw", 0.7),
    gain("single frames/s on real time over raw sockets", "frames on real time", "over raw", 0.5),
    gain(
        "lockstep, 2 workers, over one process",
        "lockstep",
        "over one",
        1.3,
        where=Condition("busy over one", 1.8, "two busy processes reach"),
    ),
)
BESIDE: dict[str, Callable[[], dict[str, float]]] = {
    "bundles": bundles,
    "frames on real time": frames,
    "lockstep": lockstep,
}
"""Cases of several processes, by name."""
GROUPS = {"simulator": QUANTITIES, "processes": PROCESSES}


def measure(case: str) -> dict[str, float]:
    """The figures of one case, in this process."""
    if case in BESIDE:
        return BESIDE[case]()
    if case.startswith("memory"):
        simulate(world(int(case.split()[1]), "squared", 10, 5))
        return {"megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000}
    if case.startswith("faults"):
        nodes = int(case.split()[1])
        rounds = 1500 if nodes == 20 else 40
        plain, faulty = (simulate(world(nodes, "squared", 10, rounds, faults)) for faults in (False, True))
        return {"over none": (faulty[0] / faulty[1]) / (plain[0] / plain[1])}
    built = world(*CASES[case])
    seconds, frames, watch = simulate(built)
    floor, parameters = min((run_floor(built) for _ in range(3)), key=lambda run: run[0])
    final = np.array([watch.final[node] for node in range(built.task.nodes)])
    if not np.allclose(final, parameters, rtol=0, atol=1e-9):
        raise RuntimeError(f"simulator and floor of {case!r} came to different parameters")
    return {"rate": frames / seconds, "over floor": seconds / floor}


def calibration() -> float:
    """Microseconds of w.dot(M) for a vector of 5 and a matrix of 5 x 200; 0.5 on the reference machine."""
    vector, matrix = np.full(5, 0.2), np.ones((5, 200))
    dot: Callable[[Any], Any] = vector.dot
    best = float("inf")
    for _ in range(7):
        start = time.process_time()
        for _ in range(20_000):
            dot(matrix)
        best = min(best, time.process_time() - start)
    return best / 20_000 * 1e6


def measured(cases: list[str], count: int) -> dict[str, list[dict[str, float]]]:
    """The figures of each case, of so many runs in turn."""
    runs: dict[str, list[dict[str, float]]] = {case: [] for case in cases}
    for _ in range(count):
        for case in cases:
            command = [sys.executable, "-m", "benchmarks.bench", "--case", case]
            environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
            done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
            runs[case].append(json.loads(done.stdout))
            print(".", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return runs


def line(row: dict[str, Any]) -> str:
    """A row as it is printed."""
    aim = "" if row["aim"] is None else f"{row['aim']:,g}"
    low, high = shown(min(row["values"])), shown(max(row["values"]))
    return (
        f"{row['verdict']:>3}  {row['name']:<48} {shown(row['median']):>11}   bar {row['bar']:>9,g}   "
        f"{'aim' if aim else '':3} {aim:>9}   ({low} to {high})  {row['note']}"
    ).rstrip()


def shown(value: float) -> str:
    """A figure with as many digits as mean something."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def main() -> int:
    """Measure all cases in turn, several times, and print medians beside bars and aims."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bench", description=__doc__)
    parser.add_argument("--runs", type=int, default=5, metavar="N")
    parser.add_argument("--json", default="bench.json", metavar="FILE")
    parser.add_argument("--case", help=argparse.SUPPRESS)
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=f"{', '.join(GROUPS)}; by default all")
    options = parser.parse_args()
    if options.case:
        print(json.dumps(measure(options.case)))
        return 0
    if unknown := set(options.groups) - GROUPS.keys():
        parser.error(f"there is no group {', '.join(sorted(unknown))}; there are {', '.join(GROUPS)}")
    quantities = [quantity for group in options.groups or GROUPS for quantity in GROUPS[group]]
    runs = measured(list(dict.fromkeys(quantity.case for quantity in quantities)), options.runs)
    microseconds = calibration()
    print(f"calibration {microseconds:.3f} us for w.dot(M) of 5 x 200 (reference machine: 0.5)")
    rows = [quantity.row(runs[quantity.case]) for quantity in quantities]
    for row in rows:
        print(line(row))
    result = {"calibration": microseconds, "quantities": rows}
    Path(options.json).write_text(json.dumps(result, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
