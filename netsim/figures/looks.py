"""What tells the lines of a figure apart: their words in the legend, colours and dashes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from netsim.compare import Row, names_of, paths_of, spelled
from netsim.figures.style import COLOURS, GREYS, label_of

Dash = str | tuple[int, tuple[float, ...]]
METHOD_DASHES: dict[str, Dash] = {
    "isolated": "--",
    "single-machine": (0, (6, 2, 1, 2, 1, 2)),
    "centralised-features": "-.",
    "centralised": ":",
}
DASHES: tuple[Dash, ...] = ("-", "--", "-.", ":")


@dataclass(frozen=True)
class Look:
    """Words, colour and dash of a line."""

    label: str
    colour: str
    dash: Dash


def looks(rows: Sequence[Row]) -> list[Look]:
    """A look for each row: networks in colour, baselines in grey with a dash for each method."""
    labels = _labels(rows)
    networks = iter(_colours([row for row in rows if row.method == "network"]))
    greys = {method: iter(range(len(rows))) for method in (row.method for row in rows)}
    found = []
    for row, label in zip(rows, labels, strict=True):
        if row.method == "network":
            found.append(Look(label, *next(networks)))
        else:
            grey = GREYS[next(greys[row.method]) % len(GREYS)]
            found.append(Look(label, grey, METHOD_DASHES.get(row.method, "--")))
    return found


def looks_by_metric(rows: Sequence[Row], metrics: Sequence[str]) -> list[list[Look]]:
    """For each row a look for each metric: of several metrics, each has a dash, and rows differ in colour alone."""
    if len(metrics) == 1:
        return [[look] for look in looks(rows)]
    colours = {True: iter(range(len(rows))), False: iter(range(len(rows)))}
    found = []
    for row, label in zip(rows, _labels(rows), strict=True):
        palette, own = (COLOURS, True) if row.method == "network" else (GREYS, False)
        colour = palette[next(colours[own]) % len(palette)]
        words = [label_of(metric) if len(rows) == 1 else f"{label}: {label_of(metric)}" for metric in metrics]
        found.append([Look(word, colour, DASHES[at % len(DASHES)]) for at, word in enumerate(words)])
    return found


def only(row: Row, metrics: Sequence[str]) -> Row:
    """The row with these numbers alone, so that what looks alike in a figure is alike."""
    return replace(row, values={name: value for name, value in row.values.items() if name in metrics})


def _labels(rows: Sequence[Row]) -> list[str]:
    """What the legend says of each row: what tells it from the others."""
    paths = paths_of(rows)
    telling = [path for path in paths if len({spelled(row.point[path]) for row in rows if path in row.point}) > 1]
    names = names_of(paths)
    labels = []
    for row in rows:
        where = [f"{names[path]} = {spelled(row.point[path])}" for path in telling if path in row.point]
        what = [row.method] if row.method != "network" or not where else []
        mark = ["diverged"] if row.repeats and row.diverged == row.repeats else []
        labels.append(", ".join([*([row.run] if row.run else []), *what, *where, *mark]))
    return labels


def _colours(networks: Sequence[Row]) -> list[tuple[str, Dash]]:
    """Colour and dash of each: two swept paths get one each, so that what is alike looks alike."""
    paths = paths_of(networks)
    values = {path: list(dict.fromkeys(spelled(row.point.get(path)) for row in networks)) for path in paths}
    varied = sorted((path for path in paths if len(values[path]) > 1), key=lambda path: -len(values[path]))
    places = [(at, at // len(COLOURS)) for at in range(len(networks))]
    if len(varied) == 2 and not any(row.run for row in networks):
        hue, dash = varied
        if len(values[hue]) <= len(COLOURS) and len(values[dash]) <= len(DASHES):
            found = [[values[path].index(spelled(row.point.get(path))) for path in varied] for row in networks]
            places = [(by_hue, by_dash) for by_hue, by_dash in found]
    return [(COLOURS[hue % len(COLOURS)], DASHES[dash % len(DASHES)]) for hue, dash in places]
