"""dSVOR on ten ordinal problems with published partitions, beside cSVOR and isolated nodes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.measure import SHARED, Number, Runs, at, bound, data
from nodes.arrays import Floats

SETS = ("ERA", "LEV", "balance-scale", "car", "housing5", "machine5", "newthyroid", "pyrim5", "tae", "toy")
PARTITIONS = 3


def published(runs: Runs) -> Iterator[Number]:
    """Ten sets, three published partitions each (LEV one): MAE of dSVOR against cSVOR and isolated nodes."""
    near, behind = [], []
    for name in SETS:
        maes = errors(runs, name, PARTITIONS)
        near.append(float((maes["network"] - maes["centralised"]).mean()))
        behind.append(float((maes["isolated"] - maes["network"]).mean()))
        measured = " / ".join(f"{maes[method].mean():.3f}" for method in ("centralised", "network", "isolated"))
        yield Number(f"{name}: MAE of cSVOR / dSVOR / ncSVOR", "reported", measured, True)
    yield bound("mean over sets of MAE of dSVOR - cSVOR", float(np.mean(near)), most=0.03)
    yield bound("mean over sets of MAE of ncSVOR - dSVOR", float(np.mean(behind)), least=0)


def errors(runs: Runs, name: str, partitions: int) -> dict[str, Floats]:
    """MAE over partitions of the network, the exact optimum and isolated nodes on one set."""
    setting = data(f"ordinal/{name}.npz")
    with np.load(SHARED / "ordinal" / f"{name}.npz") as archive:
        repeats = min(partitions, len(archive["train_idx"]))
    records = runs.records("papers/published-partitions", *setting, f"repeats={repeats}")
    return {method: at(records, method, "mae") for method in ("network", "centralised", "isolated")}
