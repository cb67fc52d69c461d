"""Final parameters of every node beside those of the exact optimum."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from netsim.compare import OPTIMUM, Row, names_of, paths_of, spelled
from netsim.figures.style import COLOURS, GREYS

FEW = 8
"""Up to so many parameters have a column each."""
PANELS = 6
INKS = {"network": (COLOURS[0], -0.17), "isolated": (GREYS[2], 0.17)}
"""By method the colour of its points, and how far from the middle of a column they stand."""
WIDTH = 0.22
"""How wide the points of a column are strewn, so that none hides another."""
Numbers = NDArray[np.float64]
Stacks = Mapping[str, Numbers]
"""By method the parameters (M, P) of its nodes; of the optimum (1, P)."""


def draw_parameters(figure: Figure, rows: Sequence[Row], title: str) -> None:
    """A panel for each run and sweep point of the first repeat: columns of few parameters, a scatter of many.

    ValueError where no network recorded its parameters, where many have no optimum to be scattered against, or where
    there are more than six points.
    """
    panels = dict(_panels(rows))
    if not panels:
        raise ValueError(
            "these results hold no final parameters of a network; run again with record: {parameters: true}"
        )
    if len(panels) > PANELS:
        raise ValueError(
            f"these results hold final parameters at {len(panels)} sweep points, and at most {PANELS} fit a figure; "
            "run fewer in a directory of their own"
        )
    across = min(3, len(panels))
    down = math.ceil(len(panels) / across)
    figure.set_size_inches(5.2 if across == 1 else 3.2 * across, 3.4 if down == 1 else 3.0 * down)
    grid = figure.subplots(down, across, squeeze=False).ravel()
    for axes, (name, stacks) in zip(grid, panels.items(), strict=False):
        if stacks["network"].shape[1] <= FEW:
            _columns(axes, stacks)
        else:
            _scatter(axes, stacks)
        axes.set_title(name, fontsize="medium")
    for axes in grid[len(panels) :]:
        axes.remove()
    figure.legend(
        *grid[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, handlelength=1.5, columnspacing=1.0
    )
    figure.suptitle(f"{title}, final parameters of the first repeat", fontsize="large")


def _panels(rows: Sequence[Row]) -> Iterator[tuple[str, Stacks]]:
    """By run and point, in words, the parameters of methods in the first repeat of a network that has them."""
    networks = (record for row in rows if row.method == "network" for record in row.records if "final" in record.end)
    first = min((record.repeat for record in networks), default=0)
    found: dict[str, dict[str, Numbers]] = {}
    names = names_of(paths_of(rows))
    for row in rows:
        where = [f"{names[path]} = {spelled(value)}" for path, value in row.point.items()]
        label = ", ".join([*([row.run] if row.run else []), *where])
        for record in row.records:
            if record.repeat == first and record.end.get("final"):
                found.setdefault(label, {})[row.method] = np.array(record.end["final"], dtype=np.float64)
    return ((label, stacks) for label, stacks in found.items() if "network" in stacks)


def _columns(axes: Axes, stacks: Stacks) -> None:
    parameters = stacks["network"].shape[1]
    for method, (_, shift) in INKS.items():
        if method in stacks:
            nodes = len(stacks[method])
            aside = shift + WIDTH * (np.arange(nodes) / max(1, nodes - 1) - 0.5)
            places = np.arange(parameters) + aside[:, None]
            _points(axes, places, stacks[method], method)
    if OPTIMUM in stacks:
        middles = np.arange(parameters)
        optimum = stacks[OPTIMUM][0]
        axes.hlines(optimum, middles - 0.34, middles + 0.34, label=OPTIMUM, color="#000000", linewidth=1.2)
    axes.set_xticks(range(parameters), [rf"$\theta_{{{number}}}$" for number in range(1, parameters + 1)])
    axes.grid(visible=False, axis="x")
    axes.set_xlabel("parameter")
    axes.set_ylabel("final value")


def _points(axes: Axes, places: Numbers, values: Numbers, method: str) -> None:
    axes.plot(
        places.ravel(),
        values.ravel(),
        label=f"{method}, every node",
        color=INKS[method][0],
        linestyle="none",
        marker="o",
        markersize=2.2,
        # thousands of points as shapes would make a file of megabytes
        rasterized=values.size > 1000,
    )


def _scatter(axes: Axes, stacks: Stacks) -> None:
    if OPTIMUM not in stacks:
        raise ValueError(f"more than {FEW} parameters are drawn over the optimum's; add {OPTIMUM} to the baselines")
    optimum = stacks[OPTIMUM][0]
    # isolated nodes are far off, and would hide the others
    for method in reversed(INKS):
        if method in stacks:
            places = np.broadcast_to(optimum, stacks[method].shape)
            _points(axes, places, stacks[method], method)
    axes.axline((0.0, 0.0), slope=1.0, color="#000000", linewidth=0.8, label="as the optimum")
    axes.set_xlabel(f"value in {OPTIMUM}")
    axes.set_ylabel("final value at a node")
