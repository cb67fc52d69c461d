"""How figures look: colours, words on axes, files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter

LABELS = {
    "accuracy": "accuracy (mean over nodes)",
    "accuracy.worst": "accuracy (worst node)",
    "mae": "mean absolute error (mean over nodes)",
    "mae.worst": "mean absolute error (worst node)",
    "mse": "mean squared error (mean over nodes)",
    "mse.worst": "mean squared error (worst node)",
    "error": "share of errors (mean over nodes)",
    "error.worst": "share of errors (worst node)",
    "objective": "objective (mean over nodes)",
    "gap": "objective above the optimum, J - J*",
    "consensus": "distance to consensus",
    "zeros": "share of exact zeros",
    "zeros.small": "share of small parameters",
    "theory.consensus-bound": "bound of the distance to consensus",
    "theory.gap": "objective above the optimum, J - J*",
    "theory.regret": "regret",
    "theory.regret-bound": "bound of the regret",
    "theory.network-error": "squared difference to a single machine",
    "bytes.sent": "bytes sent over the network",
    "bytes.delivered": "bytes delivered",
    "bytes.header": "bytes of headers sent",
    "bytes.positions": "bytes of positions sent",
    "bytes.values": "bytes of values sent",
}
BOUNDS = {"theory.consensus-bound": "consensus", "theory.regret-bound": "theory.regret"}
"""What is a bound, and of what."""
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
"""Okabe and Ito's palette, told apart by colour-blind readers, without its yellow, too pale for a line."""
GREYS = ("#303030", "#6A6A6A", "#969696", "#B8B8B8")
SUFFIXES = (".svg", ".png", ".pdf")
MUCH = 100
"""The factor that positive numbers must span for an axis y to be logarithmic."""
# the names of settings are a type of their own in some versions of matplotlib only
STYLE: dict[Any, Any] = {
    "font.size": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#E4E4E4",
    "grid.linewidth": 0.6,
    "legend.edgecolor": "none",
    "legend.framealpha": 0.6,
    "legend.handlelength": 2.6,
    "lines.linewidth": 1.5,
    "pdf.fonttype": 42,
    "svg.hashsalt": "netsim",
}


@contextmanager
def drawn(output: Path) -> Iterator[Figure]:
    """A figure to draw on, written at the end as the suffix asks, the same bytes for the same drawing."""
    if output.suffix not in SUFFIXES:
        raise ValueError(f"{output} does not end in a format for figures; use {', '.join(SUFFIXES)}")
    # the reader's own settings must not change the figure, nor the figure the reader's
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        figure = Figure(layout="constrained")
        FigureCanvasAgg(figure)
        yield figure
        stamp = {".svg": "Date", ".pdf": "CreationDate"}.get(output.suffix)
        figure.savefig(output, dpi=200, metadata={stamp: None} if stamp else None)


def label_of(metric: str) -> str:
    """What an axis or a legend says of a metric."""
    return LABELS.get(metric, metric.replace(".", " "))


def dress(axes: Axes, metrics: Sequence[str]) -> None:
    """Name and format the axis y."""
    axes.set_ylabel(", ".join(label_of(metric) for metric in metrics if BOUNDS.get(metric) not in metrics))
    if all(metric.startswith("bytes.") for metric in metrics):
        axes.yaxis.set_major_formatter(EngFormatter(unit="B"))


def explain(figure: Figure, axes: Axes) -> None:
    """The legend, and the room that it needs: one of many entries, or of long ones, stands beside the axes."""
    labels = axes.get_legend_handles_labels()[1]
    entries, longest = len(labels), max(map(len, labels), default=0)
    beside = entries > 6 or (entries > 2 and longest > 26)
    # a line of a legend needs 0.19 inches, and 0.06 for a letter
    width = 5.2 + max(2.2, 0.06 * longest) if beside else 5.2
    figure.set_size_inches(width, max(3.4, 0.3 + 0.19 * entries))
    if beside:
        figure.legend(loc="outside right upper")
    elif entries:
        axes.legend(loc="best")


def is_logarithmic(scale: str | None, later: Sequence[float]) -> bool:
    """Whether the axis y is to be logarithmic: as ``scale`` says, or, where it is None, as the numbers do.

    These say so if all that are shown ``later`` than a start, where many numbers are nought, are positive and span more
    than a factor 100.
    """
    if scale == "log" and not any(number > 0 for number in later):
        raise ValueError("a logarithmic axis needs positive numbers, and there are none; use the scale linear")
    return scale == "log" or (scale is None and bool(later) and 0 < MUCH * min(later) < max(later))


def set_logarithmic(axes: Axes, means: Sequence[float], tops: Sequence[float]) -> None:
    """Make the axis y logarithmic with room for all positive means and upper ends of bands; lower ends may be cut."""
    axes.set_yscale("log")
    axes.set_ylim(min(mean for mean in means if mean > 0) / 1.5, 1.5 * max([*means, *tops]))
