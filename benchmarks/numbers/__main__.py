"""``python -m benchmarks.numbers [--json FILE] [GROUP ...]``: asked beside measured, for all groups or these.

The reference values come from independent vectorised implementations with the same settings (mean, standard deviation
over seeds) and from exact solutions; each is compared within three standard errors of the difference, and claims about
the order of methods on paired seeds.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

from benchmarks.numbers.bearings import bearing_features, bearing_records, bearings
from benchmarks.numbers.dsvor import losses, methods, mixing, orders, sorted_labels, sparsity
from benchmarks.numbers.gradient import complete, descent
from benchmarks.numbers.measure import NoDataError, Number, Runs
from benchmarks.numbers.online import adult, banana, klms, waveform
from benchmarks.numbers.published import optima, published
from netsim.commands.run import jobs
from netsim.processes import processors

GROUPS: tuple[Callable[[Runs], Iterator[Number]], ...] = (
    methods,
    sparsity,
    mixing,
    losses,
    orders,
    sorted_labels,
    optima,
    published,
    bearings,
    bearing_features,
    bearing_records,
    banana,
    waveform,
    adult,
    klms,
    descent,
    complete,
)


def main() -> int:
    """Run all groups, print asked beside measured, and write JSON if asked to."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.numbers", description=__doc__)
    parser.add_argument("--json", default="numbers.json", metavar="FILE")
    parser.add_argument("--jobs", type=jobs, default=processors(), metavar="N")
    parser.add_argument("groups", nargs="*", help=", ".join(group.__name__ for group in GROUPS))
    options = parser.parse_args()
    numbers: list[Number] = []
    with tempfile.TemporaryDirectory() as folder:
        for group in GROUPS:
            if options.groups and group.__name__ not in options.groups:
                continue
            print(group.__doc__)
            try:
                for number in group(Runs(Path(folder), options.jobs)):
                    numbers.append(number)
                    mark = "  " if number.good else "NO"
                    print(f"{mark} {number.name:<48} asked {number.asked:<22} measured {number.measured}", flush=True)
            except NoDataError as reason:
                print(f"  left out: {reason}", file=sys.stderr)
    Path(options.json).write_text(json.dumps([asdict(number) for number in numbers], indent=2) + "\n")
    bad = [number.name for number in numbers if not number.good]
    print(f"{len(numbers) - len(bad)} of {len(numbers)} numbers are as asked; written to {options.json}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
