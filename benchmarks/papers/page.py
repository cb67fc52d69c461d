"""A page of results: run directories in, text, tables and figures out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.numbers.measure import at
from netsim.figures import plot
from netsim.results import Record, Run
from nodes.arrays import Floats

EXTENT = (("nodes", "nodes"), ("rounds", "rounds"), ("training", "training"), ("test", "test samples"))
"""What of a world tells how large an experiment is."""


class NoRunError(LookupError):
    """A section's run is not there."""


@dataclass(frozen=True)
class Results:
    """The records of one run directory, as sections read them."""

    run: Run

    def __call__(self, method: str, quantity: str, round: int | None = None, **point: Any) -> Floats:
        """A quantity over repeats, at a round or the last one; of the sweep point with these last segments."""
        found = at(self.run.records, method, quantity, round, {name.replace("_", "-"): v for name, v in point.items()})
        if not len(found):
            raise NoRunError(f"{self.run.folder} has no {quantity} of {method} at {point}")
        return found

    def values(self, segment: str) -> list[Any]:
        """The values of the sweep path with this last segment, in order of appearance."""
        found = (value for record in self.run.records for path, value in record.point.items() if path.endswith(segment))
        return list({str(value): value for value in found}.values())

    def has(self, method: str, **point: Any) -> bool:
        """Whether there are such records."""
        return any(_fits(record, method, point) for record in self.run.records)

    @property
    def repeats(self) -> int:
        """How often it was repeated."""
        return len({record.repeat for record in self.run.records})

    @property
    def world(self) -> Mapping[str, Any]:
        """The sizes of its first world."""
        return self.run.records[0].world


def _fits(record: Record, method: str, point: Mapping[str, Any]) -> bool:
    settings = {path.split(".")[-1].replace("-", "_"): value for path, value in record.point.items()}
    return record.method == method and point.items() <= settings.items() and bool(record.rows)


@dataclass(frozen=True)
class Page:
    """Where sections find runs by their experiment's name, and put figures."""

    runs: Mapping[str, Run]
    left_out: Mapping[str, str]
    """Why other experiments have no run."""
    folder: Path
    """Of the page; figures go to ``figures`` in it."""

    def extent(self, name: str) -> str:
        """How much was run for an experiment, in a sentence."""
        results = self.results(name)
        worlds = [record.world for record in results.run.records if record.world]
        sizes = [f"{_range(world[key] for world in worlds)} {thing}" for key, thing in EXTENT]
        return f"Run here (`papers/{name}`): {counted(results.repeats, 'repeat')}, {', '.join(sizes)}."

    def results(self, name: str) -> Results:
        """The results of an experiment; ``NoRunError`` if it was not run."""
        if name not in self.runs:
            raise NoRunError(self.left_out.get(name, f"{name} was not run this time"))
        return Results(self.runs[name])

    def figure(self, caption: str, file: str, *names: str, x: str, y: str, **options: Any) -> str:
        """Draw runs and give the line that shows the figure."""
        output = self.folder / "figures" / f"{file}.svg"
        output.parent.mkdir(parents=True, exist_ok=True)
        plot([self.runs[name] for name in names], x, y, output, **options)
        return f"![{caption}](figures/{output.name})\n\n*{caption}*"


def _range(values: Iterable[int]) -> str:
    found = sorted(set(values))
    return f"{found[0]}" if len(found) == 1 else f"{found[0]} to {found[-1]}"


def table(heads: Sequence[str], lines: Iterator[Sequence[object]] | Sequence[Sequence[object]]) -> str:
    """A table in Markdown."""
    rows = [[str(cell) for cell in line] for line in lines]
    texts = [" | ".join(line) for line in [list(heads), ["---"] * len(heads), *rows]]
    return "\n".join(f"| {text} |" for text in texts)


def spread(sample: Floats, digits: int = 4, scale: float = 1.0) -> str:
    """mean ± standard deviation over repeats; the mean alone of one."""
    mean = f"{scale * sample.mean():.{digits}f}"
    return f"{mean} ± {scale * sample.std(ddof=1):.{digits}f}" if len(sample) > 1 else mean


def counted(number: int, thing: str) -> str:
    """So many of a thing, in words."""
    return f"{number} {thing}" + "s" * (number != 1)


def verdict(*claims: bool) -> str:
    """In words, whether claims hold."""
    if all(claims):
        return "holds"
    return "**does not hold**" if not any(claims) else f"**holds in {sum(claims)} of {len(claims)} cases only**"


def difference(first: Floats, second: Floats, digits: int = 4) -> str:
    """The mean of paired differences with its standard error."""
    paired = first - second
    error = paired.std(ddof=1) / np.sqrt(len(paired)) if len(paired) > 1 else float("nan")
    return f"{paired.mean():+.{digits}f} ± {error:.{digits}f}" if len(paired) > 1 else f"{paired.mean():+.{digits}f}"
