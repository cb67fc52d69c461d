"""Rows for sweep points and methods: the last recorded numbers of each, over repeats."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from netsim.faults import Fault, faults_of
from netsim.results import Record, Run, natural

METHODS = ("network", "isolated", "single-machine", "centralised-features", "centralised")
"""The methods in the order of a table."""
OPTIMUM, LEARNING = "centralised-features", ("network", "isolated", "single-machine")
"""The method that finds the least objective J* on a run's features, and those that come near it, by a gap J - J*."""
ALIASES = {"bytes": "bytes.sent", "frames": "frames.sent", "zeros.exact": "zeros"}
"""Shorter or fuller names that a metric answers to."""
NOWHERE = "–"
"""What stands for the value of a sweep path that a row does not have."""


@dataclass(frozen=True)
class Statistic:
    """The mean over repeats, and the standard deviation over repeats (over n - 1; None where there is one)."""

    mean: float
    std: float | None = None


@dataclass(frozen=True)
class Row:
    """What one method gave at one sweep point.

    ``values`` has a name for each number: ``accuracy`` (mean over nodes), ``accuracy.worst``, ``zeros``,
    ``bytes.sent`` ..., and ``gap`` (J - J*), the objective less that of the optimum in the same repeat, for methods
    that learn where that optimum is among the results. They are over the repeats in ``records``: those that completed,
    or, where every one diverged, the last round that each recorded. ``repeats`` counts the diverged ones too.
    ``reason`` tells why a repeat diverged or is absent; ``deaths`` which workers did not live to the end of a repeat,
    so that its numbers cannot be had again. ``faults`` tells what each link element has done, by its name.
    """

    point: Mapping[str, Any]
    method: str
    repeats: int
    values: Mapping[str, Statistic]
    diverged: int = 0
    reason: str | None = None
    deaths: tuple[str, ...] = ()
    run: str | None = None
    faults: Mapping[str, Fault] = field(default_factory=dict)
    records: tuple[Record, ...] = field(default=(), repr=False, compare=False)

    @property
    def doubts(self) -> list[str]:
        """What makes the numbers less than they seem."""
        overrun = self.values.get("frames.overrun")
        if overrun is None or overrun.mean == 0:
            return list(self.deaths)
        return [
            *self.deaths,
            f"{overrun.mean:.4g} frames in the mean over repeats came after the drain they were due for, since real "
            "time does not wait; take a longer slot, or virtual time",
        ]

    def without(self, paths: Sequence[str]) -> Row:
        """The same row with these paths gone from its point."""
        return replace(self, point={path: value for path, value in self.point.items() if path not in paths})

    def as_json(self) -> dict[str, Any]:
        """The row as an object of ``compare --json``: what does not apply is absent, as is what is not finite."""
        tree: dict[str, Any] = {} if self.run is None else {"run": self.run}
        tree |= {"point": dict(self.point), "method": self.method, "repeats": self.repeats}
        for name, value in self.values.items():
            group, _, part = name.partition(".")
            inner = tree.setdefault(group, {})
            inner[part or "mean"] = value.mean
            if not part and value.std is not None:
                inner["std"] = value.std
        tree |= {"faults": {name: fault.as_json() for name, fault in self.faults.items()}} if self.faults else {}
        tree |= {"diverged": self.diverged} if self.diverged else {}
        tree |= {"deaths": list(self.deaths)} if self.deaths else {}
        tree |= {"reproducible": False} if self.doubts else {}
        return tree | ({} if self.reason is None else {"reason": self.reason})


def rows(runs: Sequence[Run]) -> list[Row]:
    """One row for each sweep point and method of each run: runs as given, points by value, network first."""
    found = []
    for run in runs:
        groups: dict[str, list[Record]] = {}
        for record in run.records:
            groups.setdefault(key([record.point, record.method]), []).append(record)
        label = run.folder.resolve().name if len(runs) > 1 else None
        paths, least = paths_of(run.records), _least_objectives(run.records)
        found += sorted((_row(group, label, least) for group in groups.values()), key=lambda row: _rank(row, paths))
    return found


def flatten(recorded: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """The finite numbers of a recorded round by their names, in its order; the spread over nodes is left out."""
    for name, value in recorded.items():
        for part, number in value.items() if isinstance(value, Mapping) else [("mean", value)]:
            if part != "std" and name not in ("round", "time") and _finite(number):
                yield name if part in ("mean", "exact") else f"{name}.{part}", number


def statistic(sample: Sequence[float]) -> Statistic:
    """The mean and the spread of one number over repeats."""
    # statistics works in fractions: equal numbers have exactly their mean, and no spread
    try:
        std = float(statistics.stdev(sample)) if len(sample) > 1 else None
    except OverflowError:
        std = None
    return Statistic(statistics.mean(sample), std)


def paths_of(pieces: Iterable[Record | Row]) -> list[str]:
    """The sweep paths of these, in order of first appearance."""
    return list(dict.fromkeys(path for piece in pieces for path in piece.point))


def names_of(paths: Sequence[str]) -> dict[str, str]:
    """A short name for each path: its last segment, or the whole where another path ends alike."""
    last = [path.rpartition(".")[2] for path in paths]
    return {path: name if last.count(name) == 1 else path for path, name in zip(paths, last, strict=True)}


def spelled(value: Any) -> str:
    """A sweep value in few characters, close to how a scenario writes it."""
    if isinstance(value, Mapping):
        rest = [f"{key}={spelled(inner)}" for key, inner in value.items() if key != "kind"]
        return " ".join([str(value["kind"]), *rest] if "kind" in value else rest)
    if isinstance(value, float):
        return f"{value:g}" if float(f"{value:g}") == value else repr(value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def metrics(rows: Iterable[Row]) -> list[str]:
    """The names of all numbers in these rows, in order of first appearance."""
    return list(dict.fromkeys(name for row in rows for name in row.values))


def path_named(name: str, paths: Sequence[str]) -> str | None:
    """The path that ``name`` means: itself, or the one that has it as its last segment; None if there is none."""
    full = {short: path for path, short in names_of(paths).items()}.get(name, name)
    return full if full in paths else None


def metric_named(name: str, known: Sequence[str]) -> str:
    """The metric that ``name`` means; ValueError lists what there is."""
    full = ALIASES.get(name, name)
    if full not in known:
        raise ValueError(f"metric {name!r} is not in these results; they have {', '.join(known) or 'none'}")
    return full


def fold(rows: Sequence[Row], keep: str | None = None) -> list[Row]:
    """Show baselines once that do not depend on a sweep path: equal in every number, they lose it from their point.

    A path goes only if no value of it changes anything for that method; ``keep`` names one that must stay. Rows that
    lost a path come last, method by method.
    """
    folded: dict[str, Row] = {}
    for row in rows:
        if row.method != "network":
            alike = [other for other in rows if (other.method, other.run) == (row.method, row.run)]
            row = row.without(_idle(alike, [path for path in paths_of(alike) if path != keep]))
        folded.setdefault(key([row.run, row.method, row.point]), row)
    whole = {key([row.run, row.method, row.point]) for row in rows}
    late = [row for key, row in folded.items() if key not in whole]
    labels = list(dict.fromkeys(row.run for row in rows))
    early = [row for key, row in folded.items() if key in whole]
    return sorted(early + sorted(late, key=_method_rank), key=lambda row: labels.index(row.run))


def _least_objectives(records: Iterable[Record]) -> dict[str, float]:
    """J* on the features of each point and repeat, where it was computed."""
    return {
        key([record.point, record.repeat]): float(record.rows[-1]["objective"])
        for record in records
        if record.method == OPTIMUM and record.rows and _finite(record.rows[-1].get("objective"))
    }


def _numbers(record: Record, least: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    """The last numbers of a record, and the gap to the optimum."""
    for name, number in flatten(record.rows[-1]):
        yield name, number
        place = key([record.point, record.repeat])
        if name == "objective" and record.method in LEARNING and place in least:
            yield "gap", number - least[place]


def _row(group: Sequence[Record], run: str | None, least: Mapping[str, float]) -> Row:
    present = [record for record in group if record.ending != "absent"]
    completed = [record for record in present if record.ending == "completed"]
    counted = completed or [record for record in present if record.rows]
    numbers: dict[str, list[float]] = {}
    for record in counted:
        for name, number in _numbers(record, least):
            numbers.setdefault(name, []).append(number)
        if "edges" in record.end and "frames.overrun" in numbers:
            # Known at the very end only: the last frames may come after the last round was recorded.
            counts = (edge["frames"].get("overrun", 0) for edge in record.end["edges"])
            numbers["frames.overrun"][-1] = float(sum(counts))
    return Row(
        point=group[0].point,
        method=group[0].method,
        repeats=len(present),
        values={name: statistic(sample) for name, sample in numbers.items()},
        diverged=len(present) - len(completed),
        reason=next((str(record.end["reason"]) for record in group if "reason" in record.end), None),
        deaths=tuple(text for record in group for text in _deaths(record)),
        run=run,
        faults=faults_of(counted),
        records=tuple(counted),
    )


def _deaths(record: Record) -> Iterator[str]:
    for death in record.end.get("deaths", ()):
        first, last = death["nodes"][0], death["nodes"][-1]
        nodes = f"node {first}" if first == last else f"nodes {first}-{last}"
        yield (
            f"repeat {record.repeat}: {death['worker']} ({nodes}) died, and nothing was heard of it from slot "
            f"{death['slot']} on: {death['reason']}; from then on the numbers are those of the other nodes, and "
            "--fresh runs all again"
        )


def _idle(rows: Sequence[Row], paths: Sequence[str]) -> list[str]:
    """The paths whose values change nothing in these rows of one method, tried all together first."""
    if len(rows) > 1 and _same_without(rows, paths):
        return list(paths)
    idle: list[str] = []
    for path in paths:
        points = {key(row.without(idle).point) for row in rows}
        fewer = {key(row.without([*idle, path]).point) for row in rows}
        if len(fewer) < len(points) and _same_without(rows, [*idle, path]):
            idle.append(path)
    return idle


def _same_without(rows: Sequence[Row], paths: Sequence[str]) -> bool:
    first: dict[str, Row] = {}
    for row in rows:
        rest = row.without(paths)
        if rest != first.setdefault(key(rest.point), rest):
            return False
    return True


def _rank(row: Row, paths: Sequence[str]) -> tuple[Any, ...]:
    return (*((1, order(row.point[path])) if path in row.point else (0,) for path in paths), _method_rank(row))


def _method_rank(row: Row) -> tuple[int, str]:
    return (METHODS.index(row.method) if row.method in METHODS else len(METHODS), row.method)


def order(value: Any) -> tuple[Any, ...]:
    """A key that sorts sweep values: numbers by size, before all else by its text."""
    if isinstance(value, (int, float)):
        return (0, value)
    return (1, natural(spelled(value)))


def _finite(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def key(value: Any) -> str:
    """A text that is equal for equal values, of points among others."""
    return json.dumps(value, sort_keys=True)
