"""Curves over recorded rounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.ticker import EngFormatter, LogLocator, NullFormatter

from netsim.compare import Row, flatten, fold, statistic
from netsim.figures.looks import Look, looks_by_metric, only
from netsim.figures.style import is_logarithmic, set_logarithmic
from netsim.results import Record

ABSCISSAE: dict[str, tuple[str, str]] = {
    "bytes": ("bytes.sent", "bytes sent over the network"),
    "round": ("round", "round"),
    "time": ("time", "simulated time (s)"),
}
"""For each x: the recorded number, and what the axis says."""


@dataclass(frozen=True)
class Curve:
    """Means over repeats at the recorded rounds that all repeats share; ``stds`` is empty for one repeat."""

    x: tuple[float, ...]
    means: tuple[float, ...]
    stds: tuple[float, ...]

    def kept(self, numbers: Sequence[float]) -> Curve:
        """What of it has a place on a logarithmic axis: where these numbers are positive."""
        keep = [at for at, number in enumerate(numbers) if number > 0]
        stds = tuple(self.stds[at] for at in keep) if self.stds else ()
        return Curve(tuple(self.x[at] for at in keep), tuple(self.means[at] for at in keep), stds)

    @property
    def tops(self) -> list[float]:
        """The upper ends of its band."""
        return [mean + std for mean, std in zip(self.means, self.stds or [0.0] * len(self.means), strict=True)]


@dataclass(frozen=True)
class Line:
    """A curve with its look; a level, the final value alone, is one without places."""

    curve: Curve
    look: Look
    diverged: bool

    @property
    def later(self) -> Sequence[float]:
        """The means after the start, where many numbers are nought."""
        return self.curve.means[1:] if self.curve.x else self.curve.means


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


def draw_curves(axes: Axes, rows: Sequence[Row], x: str, metrics: Sequence[str], scale: str | None) -> None:
    """Draw metrics over ``x``, one of ``ABSCISSAE``: a line with a band of one standard deviation for each row."""
    lines = _lines(rows, x, metrics)
    shown = [line for line in lines if not line.diverged] or lines
    logarithmic = is_logarithmic(scale, [mean for line in shown for mean in line.later])
    for line in shown:
        _draw(axes, line, logarithmic)
    if len(shown) < len(lines):
        # what grows without bound must not press the others flat
        axes.set_ylim(axes.get_ylim())
        for line in (line for line in lines if line.diverged):
            _draw(axes, line, logarithmic)
    if logarithmic:
        means = [mean for line in shown for mean in line.curve.means]
        set_logarithmic(axes, means, [top for line in shown for top in line.curve.tops])
    axes.set_xlabel(ABSCISSAE[x][1])
    if x == "bytes":
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.xaxis.set_major_formatter(EngFormatter(unit="B"))
        axes.xaxis.set_minor_formatter(NullFormatter())


def _lines(rows: Sequence[Row], x: str, metrics: Sequence[str]) -> list[Line]:
    folded = fold([_seen(row, metrics) for row in rows])
    lines = []
    for row, looks in zip(folded, looks_by_metric(folded, metrics), strict=True):
        for metric, look in zip(metrics, looks, strict=True):
            found = curve(row.records, ABSCISSAE[x][0], metric)
            found = found.kept(found.x) if x == "bytes" else found
            if not found.x and metric in row.values:
                # a baseline without rounds, or one that sends nothing: its final value is all there is
                found = Curve((), (row.values[metric].mean,), ())
            if found.means:
                lines.append(Line(found, look, row.diverged == row.repeats))
    return lines


def _seen(row: Row, metrics: Sequence[str]) -> Row:
    """What of a row shows: a baseline without rounds is a level, whatever its other numbers are."""
    return row if any("round" in entry for record in row.records for entry in record.rows) else only(row, metrics)


def _track(record: Record, x: str, metric: str) -> dict[int, tuple[float, float]]:
    track = {}
    for entry in record.rows:
        numbers = dict(flatten(entry))
        place = entry.get(x, numbers.get(x))
        if "round" in entry and place is not None and metric in numbers:
            track[int(entry["round"])] = (float(place), numbers[metric])
    return track


def _draw(axes: Axes, line: Line, logarithmic: bool) -> None:
    found, look = line.curve, line.look
    if not found.x:
        level = found.means[0]
        axes.axhline(level, label=look.label, color=look.colour, linestyle=look.dash, linewidth=1.2, zorder=1.5)
        return
    found = found.kept(found.means) if logarithmic else found
    marker = "o" if len(found.x) == 1 else None  # a line has no length there
    axes.plot(found.x, found.means, label=look.label, color=look.colour, linestyle=look.dash, marker=marker)
    if found.stds:
        low = [mean - std for mean, std in zip(found.means, found.stds, strict=True)]
        axes.fill_between(found.x, low, found.tops, color=look.colour, alpha=0.15, linewidth=0)
