"""Figures that a paper can print, from recorded results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from netsim.compare import Row, flatten, metric_named, metrics, path_named, paths_of, rows
from netsim.figures.curves import ABSCISSAE, draw_curves
from netsim.figures.parameters import draw_parameters
from netsim.figures.settings import draw_settings
from netsim.figures.style import drawn, dress, explain
from netsim.results import Run

PARAMETERS = "parameters"
"""The y that asks for final parameters."""


def plot(
    runs: Sequence[Run],
    x: str,
    y: str,
    output: Path,
    title: str | None = None,
    methods: Sequence[str] | None = None,
    scale: Literal["linear", "log"] | None = None,
) -> Path:
    """Draw ``y`` over ``x`` and write the figure, as its suffix asks; the same runs give the same file.

    ``x`` is bytes, round or time, for curves with bands of one standard deviation over repeats; or a sweep path (whole,
    or by a last segment that only it has), for the last numbers over its values. ``y`` is a metric, or several with
    commas between, which share colours and differ in dashes; or ``parameters``, for the final ones of every node beside
    the optimum's, which are over no ``x``. Networks are in colour, baselines in grey; ``methods`` picks of both. The
    title is that of the runs, or ``title``. The axis y is logarithmic where its numbers are positive and span more than
    a factor 100, or as ``scale`` says. ValueError for an ``x``, ``y``, method or suffix that there is not.
    """
    found = _chosen([row for row in rows(runs) if row.records], methods)
    heading = ", ".join(dict.fromkeys(run.name for run in runs)) if title is None else title
    if y == PARAMETERS:
        with drawn(output) as figure:
            draw_parameters(figure, found, heading)
        return output
    path = None if x in ABSCISSAE else path_named(x, paths_of(found))
    if x not in ABSCISSAE and path is None:
        raise ValueError(f"x {x!r} is not something to draw over; choose {', '.join([*ABSCISSAE, *paths_of(found)])}")
    known = _recorded(found) if path is None else metrics(found)
    names = list(dict.fromkeys(metric_named(name.strip(), known) for name in y.split(",")))
    with drawn(output) as figure:
        axes = figure.add_subplot()
        if path is None:
            draw_curves(axes, found, x, names, scale)
        else:
            draw_settings(axes, found, path, names, scale)
        axes.set_title(heading)
        dress(axes, names)
        explain(figure, axes)
    return output


def _chosen(found: list[Row], methods: Sequence[str] | None) -> list[Row]:
    known = list(dict.fromkeys(row.method for row in found))
    for method in methods or ():
        if method not in known:
            raise ValueError(f"method {method!r} is not in these results; they have {', '.join(known) or 'none'}")
    return [row for row in found if methods is None or row.method in methods]


def _recorded(found: Sequence[Row]) -> list[str]:
    """The names of all recorded numbers."""
    names = (name for row in found for record in row.records for entry in record.rows for name, _ in flatten(entry))
    return list(dict.fromkeys(names))
