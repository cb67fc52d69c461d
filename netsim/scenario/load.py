"""The one entry to scenarios: a reference and settings in, checked sweep points out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from netsim.scenario import source
from netsim.scenario.catalogue import kinds, schema
from netsim.scenario.given import Given, builtin, read_scenario
from netsim.scenario.mistakes import Fault, Mistake, ScenarioError, shown
from netsim.scenario.overrides import complete, inherited
from netsim.scenario.own import Own
from netsim.scenario.paths import within
from netsim.scenario.places import Places, setting
from netsim.scenario.resolve import resolve
from netsim.scenario.schema import Scenario
from netsim.scenario.sweep import Variation, variations
from netsim.scenario.validate import validate

__all__ = [
    "Loaded",
    "Mistake",
    "Point",
    "ScenarioError",
    "builtin",
    "from_resolved",
    "kinds",
    "load",
    "schema",
    "yaml_text",
]

yaml_text = source.write


@dataclass(frozen=True)
class Point:
    """One point of the sweep."""

    settings: dict[str, Any]
    """Sweep path -> value as it is written; empty without a sweep."""
    scenario: Scenario
    resolved: dict[str, Any] = field(repr=False)
    """The scenario as plain data with all defaults, without sweep and repeats."""
    origins: Mapping[str, str] = field(repr=False)
    """Sweep path -> the dotted path in ``sweep`` where the value is given."""


@dataclass(frozen=True)
class Loaded:
    """A scenario that has no mistakes of its own: all its sweep points, checked."""

    reference: str
    name: str
    about: str
    repeats: int
    folder: Path
    """Where the files that it names are looked up: the scenario's folder; of a built-in one the current directory."""
    points: tuple[Point, ...]
    base: dict[str, Any] = field(repr=False)
    """As plain data with all defaults, without sweep and repeats; the first point, where a sweep gives what must be."""
    resolved: dict[str, Any] = field(repr=False)
    """What loads as the same sweep points and repeats, with defaults written out."""
    own_files: tuple[Path, ...]
    """The files of classes of the user's own."""
    places: Places = field(repr=False)

    def mistake(self, path: str, message: str, point: Point | None = None) -> Mistake:
        """A mistake about the key at a dotted path, located; of a swept key where the point's value is given."""
        origins = (
            dict(point.origins) if point else {k: v for each in self.points[::-1] for k, v in each.origins.items()}
        )
        return self.places.mistake(path, message, origins)


def load(reference: str, settings: Sequence[str] = ()) -> Loaded:
    """The scenario in a file, or the built-in one of a name, with ``PATH=VALUE`` settings applied.

    ``ScenarioError`` with all its mistakes.
    """
    given = read_scenario(reference, settings)
    own = Own(given.folder)
    points, mistakes = _points(given, own)
    mistakes = [*given.mistakes, *_without(mistakes, given.mistakes), *_idle(given, points)]
    if mistakes:
        raise ScenarioError(sorted(mistakes, key=_place_in_file))
    base = _base(given, own)
    first = points[0]
    repeats = first.scenario.repeats
    return Loaded(
        reference=reference,
        name=first.scenario.name,
        about=first.scenario.about,
        repeats=repeats,
        folder=given.folder,
        points=tuple(points),
        base=first.resolved if base is None else base,
        resolved={**(given.data if base is None else base), "repeats": repeats, "sweep": given.data.get("sweep", {})},
        own_files=tuple(own.files),
        places=given.places,
    )


def from_resolved(resolved: Mapping[str, Any], folder: Path) -> Scenario:
    """The scenario of a point's ``resolved``; files of its own classes are in the folder."""
    scenario = validate(resolved, Own(folder))
    if isinstance(scenario, Scenario):
        return scenario
    raise ScenarioError(Mistake("", fault.key, fault.message) for fault in scenario)


def _points(given: Given, own: Own) -> tuple[list[Point], list[Mistake]]:
    """The points without mistakes, and the mistakes of all others, each once."""
    swept, faults = variations(given.data.get("sweep", {}))
    mistakes = [given.places.mistake(*fault, {}) for fault in faults]
    # Where a sweep path is wrong, what it should have set may be missing.
    unset = [fault.key.split(".", 1)[1] for fault in faults if "." in fault.key]
    found: dict[Fault, list[Variation]] = {}
    points: list[Point] = []
    for variation in swept:
        outcome = _point(given.data, variation, own)
        if isinstance(outcome, Point):
            points.append(outcome)
        else:
            for fault in outcome:
                found.setdefault(fault, []).append(variation)
    for fault, where in found.items():
        if not (fault.message.startswith("missing;") and any(within(path, fault.key) for path in unset)):
            message = fault.message + _when(fault.key, where, len(swept))
            mistakes.append(given.places.mistake(fault.key, message, where[0].origins))
    return points, mistakes


def _point(data: dict[str, Any], variation: Variation, own: Own) -> Point | list[Fault]:
    data, refused = variation.applied({**data, "sweep": {}})
    whole, incomplete = complete(data)
    scenario = validate(whole, own)
    faults = [*refused, *incomplete]
    if isinstance(scenario, Scenario):
        point = Point(dict(variation.settings), scenario, resolve(scenario, own), variation.origins)
        return faults or point
    named = {fault.key for fault in faults}
    return [
        *faults,
        *(fault for fault in scenario if fault.key not in named and inherited(fault, data) not in scenario),
    ]


def _idle(given: Given, points: Sequence[Point]) -> Iterator[Mistake]:
    """Settings that change nothing, since the file's sweep sets the same at every point."""
    if any(within(path, "sweep") for path, _ in given.places.settings):
        return
    for path, text in given.places.settings:
        swept = [next((each for each in point.settings if within(path, each)), None) for point in points]
        if points and all(swept):
            message = f"the sweep sets {swept[0]} at every point, so this changes nothing; set sweep, or leave this out"
            yield Mistake(setting(text), path, message)


def _when(key: str, where: Sequence[Variation], points: int) -> str:
    """At which point a fault occurs, if it is neither at all points nor in what the sweep itself sets."""
    settings = where[0].settings
    if len(where) == points or any(within(key, path) for path in settings):
        return ""
    return f" (at {', '.join(f'{path}={shown(value)}' for path, value in settings.items())})"


def _without(mistakes: Sequence[Mistake], known: Sequence[Mistake]) -> Iterator[Mistake]:
    """Mistakes but for those about keys that are known to be wrong."""
    keys = {mistake.key for mistake in known if mistake.key}
    return (mistake for mistake in mistakes if mistake.key not in keys)


def _place_in_file(mistake: Mistake) -> tuple[int, ...]:
    """Sorts by line and column, what is no place in a file first."""
    match = re.search(r":(\d+):(\d+)$", mistake.where)
    return (int(match[1]), int(match[2])) if match and not mistake.where.startswith("--set ") else ()


def _base(given: Given, own: Own) -> dict[str, Any] | None:
    """The scenario as if it had no sweep, where that is one."""
    point = _point(given.data, Variation({}, {}), own)
    return point.resolved if isinstance(point, Point) else None
