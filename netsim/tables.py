"""Rows as a table on a terminal, as CSV and as JSON."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from netsim.compare import NOWHERE, Row, Statistic, fold, metrics, names_of, paths_of, spelled
from netsim.pivot import Pivot

GAP = 2
"""Blanks between two columns: padding, and the divider of the box."""
PARAMETERS = ("objective", "gap", "consensus", "zeros")
"""Numbers that are about parameters, not about predictions."""
TITLES = {"mae": "MAE"}
UNITS = ("B", "kB", "MB", "GB", "TB", "PB")
EMPTY = ""


@dataclass(frozen=True)
class Column:
    """A column as text. Where room is short, the one of highest ``rank`` goes first: to ``shorter``, if it has one."""

    title: str
    cells: tuple[str, ...]
    rank: int = 0
    shorter: Column | None = None
    left: bool = False

    @property
    def width(self) -> int:
        """Cells of a terminal that the widest entry takes."""
        return max(map(cell_len, (*self.title.split("\n"), *self.cells)))


def terminal(rows: Sequence[Row], width: int | None = None) -> Table:
    """The table of ``rows`` for a terminal of ``width`` columns (None: as wide as it needs).

    Where it is too wide, the least important columns go and no number is cut or wrapped. Equal baselines are folded
    into one line; what diverged or is absent is told below.
    """
    present = fold([row for row in rows if row.repeats])
    columns = [*_heads(present), *_predictions(present), *_measures(present)]
    return _table(_fitted([column for column in columns if any(column.cells)], width), _notes(rows))


def fault_table(rows: Sequence[Row]) -> Table | None:
    """How often each link element acted, a line for each point and element; None where there are none."""
    lines = [(row, name, fault) for row in rows for name, fault in row.faults.items()]
    if not lines:
        return None
    columns = [
        *_heads([row for row, _, _ in lines]),
        Column("fault", tuple(name for _, name, _ in lines), left=True),
        Column("frames", tuple(f"{fault.frames:,.0f}" for _, _, fault in lines)),
        Column("acted on", tuple(f"{fault.acted:,.0f}" for _, _, fault in lines)),
        Column("%", tuple(_percent(fault.acted, fault.frames) for _, _, fault in lines)),
        Column("% expected", tuple(_percent(fault.expected, fault.frames) for _, _, fault in lines)),
    ]
    return _table([column for column in columns if any(column.cells)], [])


def _percent(part: float | None, whole: float) -> str:
    return EMPTY if part is None or whole == 0 else f"{100 * part / whole:.2f}"


def pivot_table(pivot: Pivot, width: int | None = None) -> Table:
    """The table of a pivot: mean ± standard deviation over repeats, or the means alone where ``width`` is too small."""
    # a line is marked where any of its cells is
    marks = [max((row for row in line.cells if row), key=lambda row: row.diverged) for line in pivot.lines]
    heads = _heads([row.without([pivot.by]) for row in marks])
    found = [[row.values.get(pivot.metric) if row else None for row in line.cells] for line in pivot.lines]
    write = _writer(pivot.metric, [value for line in found for value in line])
    titles = [f"{pivot.by.rpartition('.')[2]} {column}" for column in pivot.columns]
    columns = [_spread(title, [line[at] for line in found], write, 1) for at, title in enumerate(titles)]
    if width is not None and _width([*heads, *columns]) > width:
        columns = [column.shorter or column for column in columns]
    lines = [row for line in pivot.lines for row in line.cells if row]
    return _table([*heads, *columns], [f"{pivot.metric} by {pivot.by}", *_notes(lines)])


def text_of(table: Table) -> str:
    """The table without colours, as wide as it needs: what goes into a pipe or a file."""
    console = Console(file=io.StringIO(), width=10_000, color_system=None)
    with console.capture() as captured:
        console.print(table)
    return "".join(line.rstrip() + "\n" for line in captured.get().splitlines())


def json_text(rows: Sequence[Row]) -> str:
    """A JSON list with one object for every row."""
    return json.dumps([row.as_json() for row in rows], indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def csv_text(rows: Sequence[Row]) -> str:
    """A line for every row: a column for each sweep path, then for each number of the JSON (``accuracy.mean``, ...)."""
    lines = [dict(_leaves(row.as_json())) for row in rows]
    head = ["run", *paths_of(rows), "method", "repeats", "diverged", "reason", "deaths"]
    used = {name for line in lines for name in line}
    names = [name for name in head if name in used]
    names += [name for name in dict.fromkeys(name for line in lines for name in line) if name not in head]
    out = io.StringIO()
    writer = csv.DictWriter(out, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return out.getvalue()


def _leaves(tree: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    for name, value in tree.items():
        if name == "point":
            yield from ((path, spelled(inner)) for path, inner in value.items())
        elif isinstance(value, Mapping):
            yield from ((f"{name}.{part}", number) for part, number in _leaves(value))
        elif isinstance(value, list):
            yield name, len(value)
        else:
            yield name, value


def _heads(rows: Sequence[Row]) -> list[Column]:
    columns = [Column("run", tuple(row.run or EMPTY for row in rows), left=True)] if any(r.run for r in rows) else []
    for path, name in names_of(paths_of(rows)).items():
        cells = tuple(spelled(row.point[path]) if path in row.point else NOWHERE for row in rows)
        columns.append(Column(name, cells, left=True))
    columns.append(Column("method", tuple(row.method + _marks(row) for row in rows), left=True))
    return columns


def _predictions(rows: Sequence[Row]) -> list[Column]:
    known = [name for name in metrics(rows) if "." not in name and name not in PARAMETERS]
    columns = []
    for at, name in enumerate(known):
        write = _writer(name, [row.values.get(name) for row in rows])
        found = [row.values.get(name) for row in rows]
        columns.append(_spread(TITLES.get(name, name), found, write, 8 if at else 2, 4 if at else 0))
        if at == 0:
            columns.append(_plain(rows, f"{name}.worst", "worst", 5))
    return columns


def _measures(rows: Sequence[Row]) -> list[Column]:
    counts = tuple(str(row.repeats) for row in rows)
    return [
        _plain(rows, "objective", "objective", 9),
        _plain(rows, "gap", "J - J*", 13),
        _plain(rows, "consensus", "consensus", 10),
        _plain(rows, "zeros", "zeros", 6),
        _plain(rows, "frames.sent", "frames\nsent", 11),
        Column("lost %", tuple(_lost(row) for row in rows), rank=7),
        _plain(rows, "bytes.sent", "bytes\nsent (SI)", 1),
        Column("repeats", counts if len(set(counts)) > 1 else (EMPTY,) * len(rows), rank=12),
    ]


def size(bytes_: float) -> str:
    """A number of bytes in three digits and an SI unit: ``12.3 MB`` is 12 300 000 bytes."""
    step = 0
    # 999.5 would be written as 1000
    while abs(bytes_) >= 999.5 and step < len(UNITS) - 1:
        bytes_, step = bytes_ / 1000, step + 1
    digits = 0 if step == 0 or abs(bytes_) >= 99.95 else 1 if abs(bytes_) >= 9.995 else 2
    return f"{bytes_:.{digits}f} {UNITS[step]}"


def _lost(row: Row) -> str:
    sent, lost = row.values.get("frames.sent"), row.values.get("frames.lost")
    return f"{100 * lost.mean / sent.mean:.1f}" if sent and lost and sent.mean else EMPTY


def _plain(rows: Sequence[Row], name: str, title: str, rank: int) -> Column:
    found = [row.values.get(name) for row in rows]
    return Column(title, _means(found, _writer(name, found)), rank)


def _spread(
    title: str, found: Sequence[Statistic | None], write: Callable[[float], str], rank: int, shorter_rank: int = 0
) -> Column:
    cells = tuple(
        EMPTY if one is None else write(one.mean) if one.std is None else f"{write(one.mean)} ± {write(one.std)}"
        for one in found
    )
    return Column(title, cells, rank, Column(title, _means(found, write), shorter_rank))


def _means(found: Sequence[Statistic | None], write: Callable[[float], str]) -> tuple[str, ...]:
    return tuple(EMPTY if one is None else write(one.mean) for one in found)


def _writer(name: str, found: Iterable[Statistic | None]) -> Callable[[float], str]:
    """How a column writes its numbers: three decimals for shares and ranks, else four digits of the largest."""
    if name.partition(".")[0] in ("accuracy", "mae", "zeros"):
        return "{:.3f}".format
    if name.startswith("bytes."):
        return size
    sizes = [abs(one.mean) for one in found if one and one.mean]
    if not sizes:
        return "{:g}".format
    decimals = max(0, 3 - math.floor(math.log10(max(sizes))))
    if name.startswith("frames."):
        return "{:,.0f}".format
    # one scale for the column as long as its smallest number keeps a digit and its largest is no row of zeros
    if max(sizes) < 1e7 and min(sizes) >= 10.0**-decimals and decimals < 7:
        return f"{{:.{decimals}f}}".format
    return "{:.3g}".format


def _fitted(columns: Sequence[Column], width: int | None) -> list[Column]:
    fitted = list(columns)
    while width is not None and _width(fitted) > width:
        at = max(range(len(fitted)), key=lambda index: fitted[index].rank)
        if fitted[at].rank == 0:
            break
        fitted[at : at + 1] = [shorter] if (shorter := fitted[at].shorter) else []
    return fitted


def _width(columns: Sequence[Column]) -> int:
    return sum(column.width + GAP for column in columns) - GAP


def _marks(row: Row) -> str:
    """What a note below the table explains."""
    return " *" * bool(row.diverged) + " †" * bool(row.doubts)


def _notes(rows: Iterable[Row]) -> list[str]:
    notes = []
    for row in rows:
        place = ", ".join(f"{path} = {spelled(value)}" for path, value in row.point.items())
        if row.diverged:
            told = "left out of the numbers" if row.diverged < row.repeats else "their last recorded round is shown"
            where = f" at {place}" if place else ""
            notes.append(f"* diverged: {row.diverged} of {row.repeats} repeats of {row.method}{where}; {told}")
        elif row.reason is not None:
            notes.append(f"{row.method} is absent{' in part' if row.repeats else ''}: {row.reason}")
        notes += [f"† not reproducible: {row.method}{f' at {place}' if place else ''}, {doubt}" for doubt in row.doubts]
    return list(dict.fromkeys(notes))


def _table(columns: Sequence[Column], notes: Sequence[str]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, GAP - 1, 0, 0), pad_edge=False, show_edge=False, header_style="bold")
    for column in columns:
        table.add_column(Text(column.title), justify="left" if column.left else "right", no_wrap=True)
    for cells in zip(*(column.cells for column in columns), strict=True):
        table.add_row(*map(Text, cells))
    if notes:
        table.caption = Text("\n".join(notes), style="")
        table.caption_justify = "left"
    return table
