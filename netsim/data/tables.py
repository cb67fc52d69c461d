"""Samples from a CSV file with a header row."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from netsim.data.dataset import Dataset, Samples, divide, draw, ranked
from netsim.data.files import find, read_text
from nodes.arrays import Floats, Integers
from nodes.quantities import Count, Fraction

NAMED = 20
"""How many column names an error lists."""


@dataclass(frozen=True, kw_only=True)
class Csv:
    """A CSV file (gzip where the name ends in ``.gz``): ``label`` names the column of ranks, all others are inputs.

    ``split`` may name a column that says ``train`` or ``test``; without it the share ``test`` is drawn at random.
    """

    kind: Literal["csv"] = "csv"
    path: str
    label: str
    split: str | None = None
    test: Fraction = 0.2
    ranks: Count | None = None

    def __post_init__(self) -> None:
        if self.split == self.label:
            raise ValueError(f"split and label are both the column {self.label!r}; they must be two columns")

    def load(self, generator: np.random.Generator, repeat: int, folder: Path) -> Dataset:
        """The samples of the file; ``ValueError`` names the file, line and column of what is wrong."""
        table = read_table(find(self.path, folder))
        label = table.column(self.label)
        split = None if self.split is None else table.column(self.split)
        inputs = [column for column in range(len(table.names)) if column not in (label, split)]
        labels = ranked(table.source, table.numbers([label])[:, 0])
        samples = Samples(table.source, table.numbers(inputs), labels, lambda row: f"line {table.lines[row]}")
        rows = draw(samples, self.test, generator) if split is None else table.divided(split)
        return divide(samples, *rows, self.ranks)


@dataclass(frozen=True, eq=False)
class Table:
    """The cells of a CSV file as text, all rows as long as the header, with the line that each row ends in."""

    source: str
    names: Sequence[str]
    rows: Sequence[Sequence[str]]
    lines: Sequence[int]

    def column(self, name: str) -> int:
        """The number of the column of this name."""
        if name not in self.names:
            more = f" and {len(self.names) - NAMED} more" if len(self.names) > NAMED else ""
            listed = ", ".join(self.names[:NAMED])
            raise ValueError(f"column {name!r} is not in {self.source}; its columns are {listed}{more}")
        return self.names.index(name)

    def numbers(self, columns: Sequence[int]) -> Floats:
        """The cells of some columns as numbers, (rows, columns)."""
        values = np.array([[_number(row[column]) for column in columns] for row in self.rows], dtype=np.float64)
        values = values.reshape(len(self.rows), len(columns))
        wrong = np.argwhere(~np.isfinite(values))
        if len(wrong):
            row, at = wrong[0]
            column = columns[at]
            others = f" ({len(wrong) - 1} more cells like it)" if len(wrong) > 1 else ""
            raise ValueError(
                f"{self.rows[row][column]!r} in {self.source}, line {self.lines[row]}, column {self.names[column]!r}, "
                f"is not a finite number{others}; every cell but those of the split column holds one"
            )
        return values

    def divided(self, column: int) -> tuple[Integers, Integers]:
        """The rows whose cell in this column says ``train``, and those that say ``test``."""
        words = [row[column].strip() for row in self.rows]
        for line, word in zip(self.lines, words, strict=True):
            if word not in ("train", "test"):
                raise ValueError(
                    f"{word!r} in {self.source}, line {line}, column {self.names[column]!r}, is neither train nor test"
                )
        return np.flatnonzero(np.array(words) == "train"), np.flatnonzero(np.array(words) == "test")


def read_table(file: Path) -> Table:
    """The cells of a CSV file; blank lines are skipped. Raises ``ValueError`` for what is not a table."""
    reader = csv.reader(io.StringIO(read_text(file), newline=""), strict=True)
    try:
        numbered = [(reader.line_num, row) for row in reader if row]
    except csv.Error as error:
        raise ValueError(f"{file.name}, line {reader.line_num}, is not CSV: {error}") from error
    if not numbered:
        raise ValueError(f"{file.name} is empty; its first line must name the columns")
    names = [name.strip() for name in numbered[0][1]]
    for column, name in enumerate(names, start=1):
        if not name:
            raise ValueError(f"column {column} of {file.name} has no name; the first line must name every column")
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise ValueError(f"{file.name} has two columns named {repeated[0]!r}; rename one")
    for line, row in numbered[1:]:
        if len(row) != len(names):
            raise ValueError(f"{file.name}, line {line}, has {len(row)} cells; the header has {len(names)}")
    return Table(file.name, names, [row for _, row in numbered[1:]], [line for line, _ in numbered[1:]])


def _number(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return float("nan")
