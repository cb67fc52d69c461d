"""Rows as a table on a terminal, as CSV and as JSON."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from netsim.compare import NOWHERE, Pivot, Row, Statistic, fold, metrics, names_of, paths_of, spelled

GAP = 2
"""Blanks between two columns."""
PLAIN = ("objective", "consensus", "zeros")
"""Numbers that are no quality of a model's predictions."""
TITLES = {"mae": "MAE"}


@dataclass(frozen=True)
class Column:
    """A column as text. The one of highest ``rank`` is the first to go, to its ``shorter`` form if it has one."""

    title: str
    cells: tuple[str, ...]
    rank: int = 0
    shorter: Column | None = None
    align: str = "right"

    @property
    def width(self) -> int:
        """Cells that the widest entry takes on a terminal."""
        return max(map(cell_len, (self.title, *self.cells)))


def terminal(rows: Sequence[Row], width: int | None = None) -> Table:
    """The table of ``rows`` for a terminal of ``width`` columns (None: no limit).

    Where it is too wide, the least important columns go, and no number is ever cut or wrapped. Equal baselines are
    folded into one line; what diverged or is absent is told below.
    """
    present = fold([row for row in rows if row.repeats])
    columns = [*_heads(present), *_predictions(present), *_measures(present)]
    return _table(_fitted([column for column in columns if any(column.cells)], width), _notes(rows))


def pivot_table(pivot: Pivot, width: int | None = None) -> Table:
    """The table of a pivot: mean ± standard deviation over repeats; rich cuts cells where ``width`` is too small."""
    firsts = [next(row for row in line.cells if row) for line in pivot.lines]
    heads = _heads([row.without([pivot.by]) for row in firsts])
    found = [[row.values.get(pivot.metric) if row else None for row in line.cells] for line in pivot.lines]
    write = _writer(pivot.metric, [value for line in found for value in line])
    name = pivot.by.rpartition(".")[2]
    cells = [
        Column(f"{name} {column}", tuple(_spread(line[at], write) for line in found))
        for at, column in enumerate(pivot.columns)
    ]
    means = [
        Column(cell.title, tuple(_mean(line[at], write) for line in found)) for at, cell in enumerate(cells)
    ]
    columns = [replace_shorter for replace_shorter in cells]
    return _table(heads + columns, [])
