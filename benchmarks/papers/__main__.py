"""Run the papers' experiments and write docs/results.md from their run directories.

By default with quick settings; ``--full`` takes the papers' own numbers of realisations and rounds, a matter of hours.
What is in the run directories already is not run again.
"""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.numbers.measure import Runs
from benchmarks.papers.experiments import EXPERIMENTS, Experiment
from benchmarks.papers.page import Page
from benchmarks.papers.sections import PAPERS
from netsim import __version__
from netsim.commands.run import jobs
from netsim.processes import processors
from netsim.results import Run

ROOT = Path(__file__).resolve().parents[2]
QUICK = (
    "With **quick settings**: fewer repeats, rounds, samples and windows than the papers have. "
    "`make papers FULL=1` runs the scenarios whole."
)
FULL = "With the scenarios as they are, near the papers' own extent (`make papers FULL=1`)."


def main() -> int:
    """Run what is missing, and write the page; 1 if an experiment failed."""
    options = _options()
    folder = Path(options.data).absolute()
    runs: dict[str, Run] = {}
    left_out: dict[str, str] = {}
    for experiment in _chosen(options.only):
        reason = experiment.absent(folder)
        if reason is None:
            print(f"{experiment.name} ...", file=sys.stderr)
            try:
                settings = experiment.settings(options.full, folder)
                runs[experiment.name] = Runs(Path(options.out), options.jobs).run(
                    f"papers/{experiment.name}", *settings
                )
            except RuntimeError as failure:
                reason = f"it failed: {failure}"
        if reason is not None:
            print(f"{experiment.name}: left out: {reason}", file=sys.stderr)
            left_out[experiment.name] = reason
    whole = ROOT / "docs" / "results.md"
    output = Path(options.output or (Path(options.out) / "results.md" if options.only else whole))
    page = Page(runs, left_out, output.parent)
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(_text(page, options.full), encoding="utf-8")
    print(output)
    return 1 if any(reason.startswith("it failed") for reason in left_out.values()) else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.papers", description=__doc__)
    parser.add_argument("--full", action="store_true", help="the papers' own extent")
    parser.add_argument("--data", default=str(ROOT.parent / "shared" / "data"), metavar="FOLDER", help="where data are")
    parser.add_argument("--out", default="runs/papers", metavar="FOLDER", help="where runs go")
    parser.add_argument("--output", metavar="FILE", help="the page (default: docs/results.md; of some, in --out)")
    parser.add_argument("--jobs", type=jobs, default=processors(), metavar="N")
    parser.add_argument(
        "only", nargs="*", metavar="EXPERIMENT", help="of " + ", ".join(each.name for each in EXPERIMENTS)
    )
    return parser.parse_args()


def _chosen(names: Sequence[str]) -> list[Experiment]:
    unknown = set(names) - {each.name for each in EXPERIMENTS}
    if unknown:
        sys.exit(
            f"{sorted(unknown)[0]!r} is not an experiment; known are {', '.join(each.name for each in EXPERIMENTS)}"
        )
    return [each for each in EXPERIMENTS if not names or each.name in names]


def _text(page: Page, full: bool) -> str:
    """The whole page."""
    versions = f"netsim {__version__}, Python {platform.python_version()}, numpy {np.__version__}"
    head = (
        "# Three papers' experiments\n\n"
        "What the papers say, what is measured here, and why they differ where they do. Written by `make papers` "
        "from run directories; measured numbers are never put in by hand. Each section is a "
        f"scenario of `scenarios/papers`, which `netsim run papers/NAME` runs.\n\n{FULL if full else QUICK} "
        f"{versions}.\n"
    )
    return "\n".join([head, *(part for paper in PAPERS for part in paper.write(page))])


if __name__ == "__main__":
    sys.exit(main())
