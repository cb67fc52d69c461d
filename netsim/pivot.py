"""Pivots: one number along one sweep path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from netsim.compare import NOWHERE, Row, fold, key, metric_named, metrics, order, path_named, paths_of, spelled


@dataclass(frozen=True)
class Line:
    """A line of a pivot: a method at the other sweep paths' values, and its row (if any) in each column."""

    point: Mapping[str, Any]
    method: str
    run: str | None
    cells: tuple[Row | None, ...]


@dataclass(frozen=True)
class Pivot:
    """One metric, a column for each value (as text) of one sweep path."""

    by: str
    metric: str
    columns: tuple[str, ...]
    lines: tuple[Line, ...]


def pivot(rows: Sequence[Row], by: str, metric: str = "accuracy") -> Pivot:
    """One metric along one sweep path (whole, or by a last segment that only it has).

    An unknown path or metric is a ValueError that lists what there is.
    """
    paths = paths_of(rows)
    path = path_named(by, paths)
    if path is None:
        raise ValueError(f"{by!r} is not a sweep path of these results; they have {', '.join(paths) or 'none'}")
    by = path
    metric = metric_named(metric, metrics(rows))
    values = {key(row.point[by]): row.point[by] for row in rows if by in row.point}
    columns = [spelled(value) for value in sorted(values.values(), key=order)]
    columns += [NOWHERE] if any(by not in row.point for row in rows) else []
    lines: dict[str, dict[str, Row]] = {}
    for row in fold([row for row in rows if metric in row.values], keep=by):
        rest = row.without([by])
        cell = spelled(row.point[by]) if by in row.point else NOWHERE
        lines.setdefault(key([row.run, rest.point, row.method]), {})[cell] = row
    return Pivot(by, metric, tuple(columns), tuple(_line(cells, by, columns) for cells in lines.values()))


def _line(cells: Mapping[str, Row], by: str, columns: Sequence[str]) -> Line:
    row = next(iter(cells.values())).without([by])
    return Line(row.point, row.method, row.run, tuple(cells.get(column) for column in columns))
