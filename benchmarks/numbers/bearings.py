"""Paper 1, Table 1: severity of bearing faults, from the records to the errors."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.numbers.measure import Number, Runs, at, bound, data, near

REFERENCE = {
    ("OR", 0): (0.0110, 0.0037, 0.0370, 0.0069, 0.0685, 0.0077),
    ("OR", 1): (0.0069, 0.0023, 0.0218, 0.0057, 0.0460, 0.0078),
    ("IR", 0): (0.0000, 0.0000, 0.0041, 0.0027, 0.0468, 0.0084),
    ("IR", 1): (0.0000, 0.0000, 0.0030, 0.0019, 0.0393, 0.0099),
    ("B", 0): (0.0175, 0.0054, 0.0332, 0.0101, 0.1039, 0.0100),
    ("B", 1): (0.0479, 0.0074, 0.0690, 0.0114, 0.1724, 0.0267),
}
"""Absolute error of cSVOR, dSVOR and ncSVOR over 10 seeds, each with the standard deviation of its accuracy."""


def bearings(runs: Runs) -> Iterator[Number]:
    """Bearings at 0 and 1 hp with the dSVOR paper's settings; features of all windows take hours, and are kept."""
    settings = (*data("bearings/records"), "repeats=5", "record.every=1000")
    sweep = "sweep={data.fault: [OR, IR, B], data.load: [0, 1]}"
    records = runs.records("papers/dsvor-bearings", *settings, sweep)
    for (fault, load), numbers in REFERENCE.items():
        point = {"fault": fault, "load": load}
        maes = {method: at(records, method, "mae", None, point) for method in ("centralised", "network", "isolated")}
        for (method, sample), mean, deviation in zip(maes.items(), numbers[::2], numbers[1::2], strict=True):
            yield near(f"{fault}, {load} hp: MAE of {method}", sample, mean, deviation)
        behind = float((maes["isolated"] - maes["network"]).mean())
        yield bound(f"{fault}, {load} hp: ncSVOR - dSVOR", behind, least=0)
