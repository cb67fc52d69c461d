"""Results of runs as tables and figures."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from netsim.commands.terminal import GOOD, err, out, show, show_faults
from netsim.compare import rows
from netsim.pivot import pivot
from netsim.results import NotARunError, Run, open_run
from netsim.tables import csv_text, json_text, pivot_table, terminal


def compare_arguments(verb: argparse.ArgumentParser) -> None:
    """What can be written after `netsim compare`."""
    verb.add_argument("run", nargs="+", help="a run directory")
    verb.add_argument("--by", metavar="PATH", help="a column for each value of this sweep path")
    verb.add_argument("--metric", default="accuracy", metavar="NAME", help="what --by shows")
    verb.add_argument("--csv", metavar="FILE", help="write the rows to a file")
    verb.add_argument("--json", action="store_true", help="print the rows as JSON")


def compare(options: argparse.Namespace) -> int:
    """Print the table of run directories, or write it as text for programs."""
    table = rows(_opened(options.run))
    if not table:
        err.print("there are no complete results yet", markup=False)
        return GOOD
    if options.csv:
        Path(options.csv).write_text(csv_text(table), encoding="utf-8")
    if options.json:
        print(json_text(table))
    elif options.by:
        chosen = pivot(table, options.by, options.metric)
        show(lambda width: pivot_table(chosen, width))
    elif not options.csv:
        show(lambda width: terminal(table, width))
        show_faults(table)
    return GOOD


def plot_arguments(verb: argparse.ArgumentParser) -> None:
    """What can be written after `netsim plot`."""
    verb.add_argument("run", nargs="+", help="a run directory")
    verb.add_argument(
        "--x", default="bytes", metavar="NAME", help="bytes, round, time, or a sweep path, for the last numbers over it"
    )
    verb.add_argument(
        "--y",
        default="accuracy",
        metavar="NAMES",
        help="accuracy, mae, objective, consensus, ..., or several with commas between; or parameters, for every "
        "node's last ones beside the optimum's, over no x",
    )
    verb.add_argument("--scale", choices=["linear", "log"], help="of y; by default log where it spans much")
    verb.add_argument("-o", "--output", metavar="FILE", help="a .png, .svg or .pdf file")


def plot(options: argparse.Namespace) -> int:
    """Draw metrics of run directories over bytes, rounds, time or a sweep path's values, or final parameters."""
    from netsim.figures import plot as draw  # matplotlib takes half a second to import

    runs = _opened(options.run)
    output = Path(options.output or f"{runs[0].name}-{options.y}-{options.x}.png")
    out.print(str(draw(runs, options.x, options.y, output, scale=options.scale)), markup=False)
    return GOOD


def _opened(folders: Sequence[str]) -> list[Run]:
    """Those of the folders that are run directories; a warning for each other one, an error if there is none."""
    runs = []
    for folder in folders:
        try:
            runs.append(open_run(Path(folder)))
        except NotARunError as error:
            err.print(f"warning: {error}; left out", markup=False)
    for warning in (warning for run in runs for warning in run.warnings):
        err.print(f"warning: {warning}", markup=False)
    if not runs:
        raise ValueError("none of these is a run directory; name one that netsim run made, like runs/rings-1a2b3c4d")
    return runs
