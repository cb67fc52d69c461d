"""Final values over the values of a sweep path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from textwrap import fill
from typing import Any

from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, NullFormatter, NullLocator

from netsim.compare import Row, Statistic, fold, key, order, spelled
from netsim.figures.looks import Look, looks_by_metric, only
from netsim.figures.style import is_logarithmic, set_logarithmic

WIDE = 20
"""The factor that positive values of a path must span for an axis x to be logarithmic."""
TICKS = 10
"""So many values of a path have a tick each."""
LETTERS = 14
"""So many of them fit a line of a tick."""


@dataclass(frozen=True)
class Places:
    """Where values stand on the axis x: numbers at their size, others at even distances."""

    values: tuple[Any, ...]

    @property
    def numeric(self) -> bool:
        """Whether all are numbers."""
        return all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in self.values)

    def of(self, value: Any) -> float:
        """The place of one value."""
        return float(value) if self.numeric else float([key(each) for each in self.values].index(key(value)))

    def dress(self, axes: Axes, path: str) -> None:
        """Name the axis x and set its ticks."""
        axes.set_xlabel(path)
        words = [spelled(value) for value in self.values]
        if self.numeric:
            smallest, largest = self.values[0], self.values[-1]
            if smallest > 0 and largest > WIDE * smallest:
                axes.set_xscale("log")
            if len(self.values) > TICKS:
                return
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.xaxis.set_major_locator(FixedLocator([self.of(value) for value in self.values]))
        axes.set_xticks([self.of(value) for value in self.values], [fill(word, LETTERS) for word in words])


@dataclass(frozen=True)
class Line:
    """Means over repeats at values of the path; a level, which has no part in the path, is one without values."""

    values: tuple[Any, ...]
    numbers: tuple[Statistic, ...]
    look: Look


def draw_settings(axes: Axes, rows: Sequence[Row], path: str, metrics: Sequence[str], scale: str | None) -> None:
    """Draw the last numbers over the path: error bars and bands are of one standard deviation over repeats.

    A line for each method and remaining sweep point; what does not have the path, or does not depend on it, is a level.
    Where every repeat diverged there is no point; the legend says so.
    """
    values = {key(row.point[path]): row.point[path] for row in rows if path in row.point}
    places = Places(tuple(sorted(values.values(), key=order)))
    lines = _lines(rows, path, metrics)
    for line in lines:
        _draw(axes, line, places)
    numbers = [number for line in lines for number in line.numbers]
    means = [number.mean for number in numbers]
    if is_logarithmic(scale, means):
        set_logarithmic(axes, means, [number.mean + (number.std or 0.0) for number in numbers])
    places.dress(axes, path)


def _lines(rows: Sequence[Row], path: str, metrics: Sequence[str]) -> list[Line]:
    groups: dict[str, list[Row]] = {}
    for row in fold([only(row, metrics) for row in rows]):
        rest = row.without([path])
        groups.setdefault(key([row.run, row.method, rest.point, path in row.point]), []).append(row)
    heads = [replace(group[0].without([path]), diverged=0) for group in groups.values()]
    lines = []
    for group, looks in zip(groups.values(), looks_by_metric(heads, metrics), strict=True):
        for metric, look in zip(metrics, looks, strict=True):
            good = [row for row in group if metric in row.values and row.diverged < row.repeats]
            values = tuple(row.point[path] for row in good if path in row.point)
            numbers = tuple(row.values[metric] for row in good)
            if good or any(metric in row.values for row in group):
                lines.append(Line(values, numbers, replace(look, label=look.label + _diverged(group, path))))
    return lines


def _diverged(group: Sequence[Row], path: str) -> str:
    lost = [row.point for row in group if row.diverged == row.repeats]
    return f", diverged{_at(lost, path)}" if lost else ""


def _at(points: Sequence[Mapping[str, Any]], path: str) -> str:
    words = [spelled(point[path]) for point in points if path in point]
    return f" at {', '.join(words)}" if words else ""


def _draw(axes: Axes, line: Line, places: Places) -> None:
    means = [number.mean for number in line.numbers]
    label, colour, dash = line.look.label, line.look.colour, line.look.dash
    if means and not line.values:
        axes.axhline(means[0], label=label, color=colour, linestyle=dash, linewidth=1.2, zorder=1.5)
        if spread := line.numbers[0].std:
            axes.axhspan(means[0] - spread, means[0] + spread, color=colour, alpha=0.07, linewidth=0, zorder=1.2)
        return
    at = [places.of(value) for value in line.values]
    axes.plot(at, means, label=label, color=colour, linestyle=dash, marker="o", markersize=3.5)
    if any(number.std for number in line.numbers):
        spreads = [number.std or 0.0 for number in line.numbers]
        axes.errorbar(at, means, yerr=spreads, color=colour, linestyle="none", capsize=2.5, elinewidth=0.9)
