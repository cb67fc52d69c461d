"""Which scenarios make up the papers' experiments, how long they are run, and which data they need."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Experiment:
    """A scenario of ``scenarios/papers``, with what is set for a quick look and for the papers' full extent.

    ``data`` is what ``data.path`` names below the folder of data; empty for data that are drawn.
    """

    name: str
    quick: tuple[str, ...] = ()
    full: tuple[str, ...] = ()
    data: str = ""

    def settings(self, full: bool, folder: Path) -> tuple[str, ...]:
        """All settings, with the data in this folder."""
        path = (f"data.path={folder / self.data}",) if self.data else ()
        return (*(self.full if full else self.quick), *path)

    def absent(self, folder: Path) -> str | None:
        """Why it cannot be run, or None."""
        if self.data and not (folder / self.data).exists():
            return f"its data are not there: {self.data} in the folder of data"
        return None


RECORDS = "bearings/records"
GRAPHS = "[{kind: ring, nodes: 25}, {kind: torus, rows: 5, columns: 5}, {kind: expander, side: 5}]"
FEW_WINDOWS = ("data.trials=10", "data.train=60", "data.test=40")

EXPERIMENTS = (
    Experiment("dsvor-strips", quick=("repeats=5",)),
    Experiment("dsvor-rings", quick=("repeats=5",)),
    Experiment("dsvor-rings-dimension", quick=("repeats=3", "rounds=1000")),
    Experiment("dsvor-rings-sparsity", quick=("repeats=2", "rounds=1000")),
    Experiment("dsvor-bearings", quick=("repeats=2", *FEW_WINDOWS), data=RECORDS),
    Experiment("dsvor-bearings-dimension", quick=("repeats=2", *FEW_WINDOWS), data=RECORDS),
    Experiment("dsvor-bearings-sparsity", quick=("repeats=2", *FEW_WINDOWS), data=RECORDS),
    Experiment("pegasos-banana", quick=("repeats=5",), full=("repeats=100",), data="binary/banana.npz"),
    Experiment("pegasos-waveform", quick=("repeats=3",), full=("repeats=100",), data="binary/waveform.npz"),
    Experiment("pegasos-adult", quick=("repeats=2", "passes=2"), full=("repeats=100",), data="binary/adult_a9a.npz"),
    Experiment(
        "pegasos-mnist",
        quick=("data.train=6000", "record.every=150"),
        full=("repeats=10",),
        data="binary/mnist.npz",
    ),
    Experiment("pegasos-theory", data="binary/banana.npz"),
    Experiment("klms", quick=("repeats=2", "data.train=20000"), full=("repeats=100",)),
    Experiment("descent", quick=("repeats=2",), full=("repeats=10",)),
    Experiment("descent-dimension", quick=("repeats=2",), full=("repeats=10",)),
    Experiment(
        "descent-adult",
        quick=("repeats=1", "rounds=300", f"sweep={{data.train: [500, 2000, 10000], network.topology: {GRAPHS}}}"),
        full=("repeats=10",),
        data="binary/adult_a9a.npz",
    ),
)
"""All of them, in the order in which they are run."""
