"""Curves over recorded rounds, as figures a paper can print."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, LogLocator, NullFormatter

from netsim.compare import Row, flatten, fold, metric_named, names_of, paths_of, rows, spelled, statistic
from netsim.results import Record, Run

Horizontal = Literal["bytes", "round", "time"]
ABSCISSAE: dict[str, tuple[str, str]] = {
    "bytes": ("bytes.sent", "bytes sent over the network"),
    "round": ("round", "round"),
    "time": ("time", "simulated time (s)"),
}
"""For each x: the recorded number, and what the axis says."""
LABELS = {
    "accuracy": "accuracy (mean over nodes)",
    "accuracy.worst": "accuracy (worst node)",
    "mae": "mean absolute error (mean over nodes)",
    "mae.worst": "mean absolute error (worst node)",
    "objective": "objective (mean over nodes)",
    "consensus": "distance to consensus",
    "zeros": "share of exact zeros",
    "zeros.small": "share of small parameters",
    "bytes.sent": "bytes sent over the network",
    "bytes.delivered": "bytes delivered",
    "bytes.header": "bytes of headers sent",
    "bytes.positions": "bytes of positions sent",
    "bytes.values": "bytes of values sent",
}
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
"""Okabe and Ito's palette, told apart by colour-blind readers, without its yellow, too pale for a line."""
GREYS = ("#303030", "#6A6A6A", "#969696", "#B8B8B8")
METHOD_DASHES = {"isolated": "--", "centralised-features": "-.", "centralised": ":"}
DASHES = ("-", "--", "-.", ":")
SUFFIXES = (".svg", ".png", ".pdf")
# the names of settings are a type of their own in some versions of matplotlib only
STYLE: dict[Any, Any] = {
    "font.size": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#E4E4E4",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.handlelength": 2.6,
    "lines.linewidth": 1.5,
    "pdf.fonttype": 42,
    "svg.hashsalt": "netsim",
}


@dataclass(frozen=True)
class Curve:
    """Means over repeats at the recorded rounds that all repeats share; ``stds`` is empty for one repeat."""

    x: tuple[float, ...]
    means: tuple[float, ...]
    stds: tuple[float, ...]


def plot(runs: Sequence[Run], x: Horizontal, y: str, output: Path) -> Path:
    """Draw metric ``y`` over ``x`` and write the figure, as its suffix asks; the same runs give the same file.

    One line with a band of one standard deviation over repeats for each sweep point; baselines in grey. ValueError
    for an ``x``, ``y`` or suffix that there is not.
    """
    if x not in ABSCISSAE:
        raise ValueError(f"x {x!r} is not something to draw over; choose {', '.join(ABSCISSAE)}")
    if output.suffix not in SUFFIXES:
        raise ValueError(f"{output} does not end in a format for figures; use {', '.join(SUFFIXES)}")
    found = [row for row in rows(runs) if row.records]
    known = [name for row in found for record in row.records for entry in record.rows for name, _ in flatten(entry)]
    metric = metric_named(y, list(dict.fromkeys(known)))
    # the reader's own settings must not change the figure, nor the figure the reader's
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        figure = Figure(layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        _draw(axes, fold([_seen(row, metric) for row in found]), x, metric)
        axes.set_title(", ".join(dict.fromkeys(run.name for run in runs)))
        _finish(figure, axes, x, metric)
        stamp = {".svg": "Date", ".pdf": "CreationDate"}.get(output.suffix)
        figure.savefig(output, dpi=200, metadata={stamp: None} if stamp else None)
    return output


def curve(records: Sequence[Record], x: str, metric: str) -> Curve:
    """The curve of some repeats: where they recorded different rounds, the rounds in common."""
    tracks = [_track(record, x, metric) for record in records]
    shared = sorted(set.intersection(*(set(track) for track in tracks)))
    means = [statistic([track[number][1] for track in tracks]) for number in shared]
    return Curve(
        x=tuple(statistic([track[number][0] for track in tracks]).mean for number in shared),
        means=tuple(one.mean for one in means),
        stds=tuple(one.std or 0.0 for one in means) if len(tracks) > 1 else (),
    )


def _track(record: Record, x: str, metric: str) -> dict[int, tuple[float, float]]:
    track = {}
    for entry in record.rows:
        numbers = dict(flatten(entry))
        place = entry.get(x, numbers.get(x))
        if "round" in entry and place is not None and metric in numbers:
            track[int(entry["round"])] = (float(place), numbers[metric])
    return track


def _seen(row: Row, metric: str) -> Row:
    """What of a row shows: a baseline without rounds is a level, whatever its other numbers are."""
    if any("round" in entry for record in row.records for entry in record.rows):
        return row
    return replace(row, values={name: value for name, value in row.values.items() if name == metric})


def _draw(axes: Axes, found: Sequence[Row], x: Horizontal, metric: str) -> None:
    labels, styles = _labels(found), _styles([row for row in found if row.method == "network"])
    styles |= _grey_styles([row for row in found if row.method != "network"])
    lasting = [row for row in found if row.diverged < row.repeats]
    for row in lasting:
        _line(axes, row, x, metric, labels[id(row)], *styles[id(row)])
    limits = axes.get_ylim()
    for row in found:
        if row.diverged == row.repeats:
            _line(axes, row, x, metric, labels[id(row)], *styles[id(row)])
    if lasting:
        # what grows without bound must not press the others flat
        axes.set_ylim(limits)


def _line(axes: Axes, row: Row, x: Horizontal, metric: str, label: str, colour: str, dash: str) -> None:
    line = curve(row.records, ABSCISSAE[x][0], metric)
    keep = [at for at, place in enumerate(line.x) if x != "bytes" or place > 0]
    if not keep:
        # a baseline without rounds, or one that sends nothing: its final value is all there is
        if metric in row.values:
            axes.axhline(row.values[metric].mean, label=label, color=colour, linestyle=dash, linewidth=1.2, zorder=1.5)
        return
    places, means = [line.x[at] for at in keep], [line.means[at] for at in keep]
    axes.plot(places, means, label=label, color=colour, linestyle=dash)
    if line.stds:
        low = [line.means[at] - line.stds[at] for at in keep]
        high = [line.means[at] + line.stds[at] for at in keep]
        axes.fill_between(places, low, high, color=colour, alpha=0.15, linewidth=0)


def _labels(found: Sequence[Row]) -> dict[int, str]:
    """What the legend says of each row: what tells it from the others, by the identity of the row."""
    paths = paths_of(found)
    telling = [path for path in paths if len({spelled(row.point[path]) for row in found if path in row.point}) > 1]
    names = names_of(paths)
    labels = {}
    for row in found:
        where = [f"{names[path]} = {spelled(row.point[path])}" for path in telling if path in row.point]
        what = [row.method] if row.method != "network" or not where else []
        mark = ["diverged"] if row.diverged == row.repeats else []
        labels[id(row)] = ", ".join([*([row.run] if row.run else []), *what, *where, *mark])
    return labels


def _styles(networks: Sequence[Row]) -> dict[int, tuple[str, str]]:
    """Colour and dash by the identity of a row: two swept paths get one each, so that what is alike looks alike."""
    paths = paths_of(networks)
    values = {path: list(dict.fromkeys(spelled(row.point.get(path)) for row in networks)) for path in paths}
    varied = sorted((path for path in paths if len(values[path]) > 1), key=lambda path: -len(values[path]))
    places = {id(row): (at, at // len(COLOURS)) for at, row in enumerate(networks)}
    if len(varied) == 2 and not any(row.run for row in networks):
        hue, dash = varied
        if len(values[hue]) <= len(COLOURS) and len(values[dash]) <= len(DASHES):
            for row in networks:
                found = [values[path].index(spelled(row.point.get(path))) for path in (hue, dash)]
                places[id(row)] = (found[0], found[1])
    return {key: (COLOURS[hue % len(COLOURS)], DASHES[dash % len(DASHES)]) for key, (hue, dash) in places.items()}


def _grey_styles(baselines: Sequence[Row]) -> dict[int, tuple[str, str]]:
    """A dash for each method, a grey for each of its sweep points."""
    styles = {}
    for method in dict.fromkeys(row.method for row in baselines):
        alike = [row for row in baselines if row.method == method]
        dash = METHOD_DASHES.get(method, "--")
        styles.update({id(row): (GREYS[at % len(GREYS)], dash) for at, row in enumerate(alike)})
    return styles


def _finish(figure: Figure, axes: Axes, x: Horizontal, metric: str) -> None:
    axes.set_xlabel(ABSCISSAE[x][1])
    axes.set_ylabel(LABELS.get(metric, metric.replace(".", " ")))
    if x == "bytes":
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.xaxis.set_major_formatter(EngFormatter(unit="B"))
        axes.xaxis.set_minor_formatter(NullFormatter())
    if metric.startswith("bytes."):
        axes.yaxis.set_major_formatter(EngFormatter(unit="B"))
    entries = len(axes.get_legend_handles_labels()[1])
    # a legend of more than six stands beside the axes, and needs a line of 0.19 inches for each
    figure.set_size_inches(7.4 if entries > 6 else 5.2, max(3.4, 0.3 + 0.19 * entries))
    if entries > 6:
        figure.legend(loc="outside right upper")
    elif entries:
        axes.legend(loc="best")
