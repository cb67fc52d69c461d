"""Paper 1, Table 1: severity of bearing faults, from the records to the errors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks.numbers.measure import SHARED, Number, Runs, at, bound, data, near
from netsim.chance import key
from netsim.data.bearings import LEVELS
from netsim.data.records import Record as BearingRecord
from netsim.data.records import read_records
from netsim.data.vibration import Entropies, features
from netsim.results import Record
from nodes.draws import generator

REFERENCE = {
    ("OR", 0): (0.0110, 0.0037, 0.0370, 0.0069, 0.0685, 0.0077),
    ("OR", 1): (0.0069, 0.0023, 0.0218, 0.0057, 0.0460, 0.0078),
    ("IR", 0): (0.0000, 0.0000, 0.0041, 0.0027, 0.0468, 0.0084),
    ("IR", 1): (0.0000, 0.0000, 0.0030, 0.0019, 0.0393, 0.0099),
    ("B", 0): (0.0175, 0.0054, 0.0332, 0.0101, 0.1039, 0.0100),
    ("B", 1): (0.0479, 0.0074, 0.0690, 0.0114, 0.1724, 0.0267),
}
"""Absolute error of cSVOR, dSVOR and ncSVOR over 10 seeds, each with the standard deviation of its accuracy."""
SETTINGS = ("repeats=5", "record.every=1000")
WINDOWS = 4
"""Windows of each level whose features are compared."""


def bearings(runs: Runs) -> Iterator[Number]:
    """Severity of bearing faults from the reference's own features, training and test windows redrawn (5 repeats)."""
    for fault, load in REFERENCE:
        yield from on_reference_features(runs, fault, load)


def on_reference_features(runs: Runs, fault: str, load: int, *settings: str) -> Iterator[Number]:
    """The errors of three methods on one kind of fault at one load."""
    features = f"data={{kind: npz, path: {_redrawn(runs, fault, load)}}}"
    records = runs.records("papers/dsvor-bearings", *SETTINGS, "sweep={}", features, *settings)
    yield from _errors(fault, load, records)


def _redrawn(runs: Runs, fault: str, load: int) -> Path:
    """A copy of the reference's features with a partition of each level's windows, 300 and 200, for each repeat."""
    data(f"bearings/{fault}_load{load}.npz")
    with np.load(SHARED / "bearings" / f"{fault}_load{load}.npz") as reference:
        X, y = reference["X"], reference["y"]
    draws = generator(key(0, f"bearing partitions {fault}", load))
    orders = np.stack([[draws.permutation(np.flatnonzero(y == rank)) for rank in range(1, 5)] for _ in range(5)])
    file = runs.folder / f"{fault}-{load}.npz"
    np.savez(file, X=X, y=y, train_idx=orders[:, :, :300].reshape(5, -1), test_idx=orders[:, :, 300:].reshape(5, -1))
    return file


def bearing_features(runs: Runs) -> Iterator[Number]:
    """Features computed from the records, beside the reference's of the same windows (each has its own noise)."""
    data("bearings/records")
    for fault, load in REFERENCE:
        records = [BearingRecord(name, width, load) for name, width in LEVELS[fault]]
        signals = read_records(SHARED / "bearings" / "records", records)
        with np.load(SHARED / "bearings" / f"{fault}_load{load}.npz") as reference:
            X, y, starts = reference["X"], reference["y"], reference["start"][:, 1]
        rows = np.concatenate([np.flatnonzero(y == rank)[:WINDOWS] for rank in range(1, 5)])
        windows = np.stack([signals[y[row] - 1][starts[row] : starts[row] + 2400] for row in rows])
        found = features(Entropies(), windows, [key(0, "windows beside", int(row)) for row in rows], f"{fault}, {load}")
        apart = np.abs((found - X[rows]).mean(axis=0)).max()
        yield bound(f"{fault}, {load} hp: features less the reference's, most of 5 means", float(apart), most=0.005)


def bearing_records(runs: Runs) -> Iterator[Number]:
    """The same errors from the records; features of 12 000 windows take hours, once (netsim keeps them)."""
    for fault, load in REFERENCE:
        point = (f"data.fault={fault}", f"data.load={load}", "data.split=random", "sweep={}")
        records = runs.records("papers/dsvor-bearings", *data("bearings/records"), *SETTINGS, *point)
        yield from _errors(fault, load, records)


def _errors(fault: str, load: int, records: Sequence[Record]) -> Iterator[Number]:
    reference = REFERENCE[fault, load]
    maes = {method: at(records, method, "mae") for method in ("centralised", "network", "isolated")}
    for (method, sample), mean, deviation in zip(maes.items(), reference[::2], reference[1::2], strict=True):
        yield near(f"{fault}, {load} hp: MAE of {method}", sample, mean, deviation)
    behind = float((maes["isolated"] - maes["network"]).mean())
    yield bound(f"{fault}, {load} hp: ncSVOR - dSVOR", behind, least=0)
