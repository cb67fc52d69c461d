"""Sweeps: the points that a scenario's ``sweep`` asks for."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from netsim.scenario.mistakes import Fault, shown
from netsim.scenario.paths import join, parse, put, within

MOST_POINTS = 10_000
"""How many points a sweep may have."""

_FIXED = {
    "name": "it names the whole scenario",
    "repeats": "all points are repeated equally often, so that they can be compared",
    "sweep": "it is the sweep itself",
}


@dataclass(frozen=True)
class Variation:
    """One point of a sweep: path -> value as written, and path -> the dotted path where the sweep holds that value."""

    settings: Mapping[str, Any]
    origins: Mapping[str, str]

    def applied(self, data: dict[str, Any]) -> tuple[dict[str, Any], list[Fault]]:
        """The scenario at this point, and the paths that lead nowhere."""
        faults = []
        for path, value in self.settings.items():
            try:
                data = put(data, parse(path), value)
            except ValueError as error:
                faults.append(Fault(path, str(error)))
        return data, faults


def variations(sweep: Any) -> tuple[list[Variation], list[Fault]]:
    """All points in order, and what is wrong with the sweep; parts that are wrong make no points.

    A mapping is the product of its lists, of which the last varies fastest; a list of mappings is those points.
    """
    if isinstance(sweep, dict):
        return _product(sweep)
    if isinstance(sweep, list) and sweep:
        return _listed(sweep)
    remedy = "write a mapping of paths to lists of values, or a list of mappings of paths to values"
    return [Variation({}, {})], [Fault("sweep", f"{shown(sweep)} is not a sweep; {remedy}")]


def _product(sweep: dict[str, Any]) -> tuple[list[Variation], list[Fault]]:
    faults = [*_of_paths(sweep, "sweep")]
    wrong = {fault.key for fault in faults}
    axes: list[list[tuple[str, Any, str]]] = []
    for path, values in sweep.items():
        at = join("sweep", path)
        faults += _of_values(values, at)
        if isinstance(values, list) and values and at not in wrong:
            axes.append([(path, value, join(at, number)) for number, value in enumerate(values)])
    points = math.prod(len(axis) for axis in axes)
    if points > MOST_POINTS:
        return [Variation({}, {})], [
            *faults,
            Fault("sweep", f"it has {points} points; at most {MOST_POINTS} can be run"),
        ]
    return [
        Variation({path: value for path, value, _ in choice}, {path: origin for path, _, origin in choice})
        for choice in itertools.product(*axes)
    ], faults


def _listed(sweep: list[Any]) -> tuple[list[Variation], list[Fault]]:
    faults: list[Fault] = []
    points: list[Variation] = []
    if len(sweep) > MOST_POINTS:
        return [Variation({}, {})], [Fault("sweep", f"it has {len(sweep)} points; at most {MOST_POINTS} can be run")]
    for number, point in enumerate(sweep):
        at = join("sweep", number)
        if not isinstance(point, dict):
            faults.append(Fault(at, f"{shown(point)} is not a point; write a mapping of paths to values"))
            continue
        point_faults = [*_of_paths(point, at)]
        faults += point_faults
        wrong = {fault.key for fault in point_faults}
        paths = [path for path in point if join(at, path) not in wrong]
        points.append(Variation({path: point[path] for path in paths}, {path: join(at, path) for path in paths}))
    faults += _repeated(sweep, "sweep")
    return points or [Variation({}, {})], faults


def _of_paths(paths: Mapping[str, Any], at: str) -> Iterator[Fault]:
    before: list[str] = []
    for path in paths:
        root = path.split(".")[0]
        replaced = [earlier for earlier in before if within(earlier, path)]
        if root in _FIXED:
            yield Fault(join(at, path), f"{root} cannot be swept over: {_FIXED[root]}")
        elif replaced:
            yield Fault(join(at, path), f"it would replace {replaced[0]}, which is inside it; write it before that")
        else:
            try:
                parse(path)
            except ValueError as error:
                yield Fault(join(at, path), str(error))
        before.append(path)


def _of_values(values: Any, at: str) -> Iterator[Fault]:
    if not isinstance(values, list):
        yield Fault(at, f"{shown(values)} is not a list of values; put it in brackets")
    elif not values:
        yield Fault(at, "the list of values is empty; write one or more, or remove the path")
    else:
        yield from _repeated(values, at)


def _repeated(values: list[Any], at: str) -> Iterator[Fault]:
    seen: set[str] = set()
    for number, value in enumerate(values):
        text = json.dumps(value, sort_keys=True)
        if text in seen:
            yield Fault(join(at, number), f"{shown(value)} occurs twice in the sweep; remove one of the two")
        seen.add(text)
