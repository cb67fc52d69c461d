"""Paper 2: distributed Pegasos, plain and averaged, and diffusion KLMS."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchmarks.numbers.measure import Number, Runs, at, bound, data, near
from netsim.results import Record

TRAINING = 4000
PASSES = (1, 2, 5, 10)
BANANA = {
    (5, "network"): ((10.30, 9.69, 9.49, 9.42), (0.56, 0.36, 0.26, 0.20)),
    (5, "isolated"): ((12.13, 10.95, 10.06, 9.81), (0.74, 0.49, 0.28, 0.26)),
    (20, "network"): ((12.92, 11.32, 9.78, 9.45), (1.13, 0.68, 0.22, 0.15)),
    (20, "isolated"): ((16.58, 14.47, 12.48, 11.54), (1.06, 0.82, 0.45, 0.28)),
}
"""Test error in per cent after so many passes, mean and standard deviation over 30 realisations."""
WAVEFORM = {
    (5, "network", "none"): (10.12, 8.90, 8.22, 8.12),
    (5, "network", "weighted"): (8.40, 8.28, 8.14, 8.16),
    (5, "isolated", "none"): (11.58, 10.11, 9.26, 8.96),
    (5, "isolated", "weighted"): (9.33, 8.96, 8.75, 8.74),
    (20, "network", "none"): (14.46, 11.72, 9.21, 8.48),
    (20, "network", "weighted"): (8.66, 8.40, 8.23, 8.19),
    (20, "isolated", "none"): (15.70, 13.98, 12.52, 11.59),
    (20, "isolated", "weighted"): (11.79, 10.98, 10.67, 10.61),
}
"""The same over 20 realisations, by what nodes predict with; its deviation is taken to be ours."""


def banana(runs: Runs) -> Iterator[Number]:
    """Distributed Pegasos on Banana: sigma 0.7, lambda 0.001, 200 features (10 realisations)."""
    order = ("data.inputs=X_ida_order", "data.labels=y_ida_order")
    settings = (*data("binary/banana.npz"), *order, "repeats=10", "record.every=200", "algorithm.average=none")
    records = runs.records("papers/pegasos-banana", *settings, "sweep={network.topology.nodes: [5, 20]}")
    for (nodes, method), references in BANANA.items():
        for passes, mean, deviation in zip(PASSES, *references, strict=True):
            errors = 100 * at(records, method, "error", _after(passes, nodes), {"nodes": nodes})
            yield near(f"Banana, {nodes} nodes, {passes} passes, {method}", errors, mean, deviation, 30)
    yield from _signs("Banana", records, "none")


def waveform(runs: Runs) -> Iterator[Number]:
    """Distributed Pegasos on Waveform, plain and averaged: sigma 5, lambda 0.001, 500 features (20 realisations)."""
    settings = (*data("binary/waveform.npz"), "repeats=20", "record.every=200")
    records = runs.records("papers/pegasos-waveform", *settings)
    for (nodes, method, average), means in WAVEFORM.items():
        for passes, mean in zip(PASSES, means, strict=True):
            point = {"nodes": nodes, "average": average}
            errors = 100 * at(records, method, "error", _after(passes, nodes), point)
            name = f"Waveform, {nodes} nodes, {passes} passes, {method}, {average}"
            yield near(name, errors, mean, float(errors.std(ddof=1)), 20)
    for average in ("none", "weighted"):
        yield from _signs("Waveform", records, average)


def _signs(name: str, records: Sequence[Record], average: str) -> Iterator[Number]:
    """Isolated nodes are behind, by the sign of the mean paired difference."""
    for nodes in (5, 20):
        for passes in PASSES:
            point = {"nodes": nodes} if len(records[0].point) == 1 else {"nodes": nodes, "average": average}
            alone, together = (
                100 * at(records, method, "error", _after(passes, nodes), point) for method in ("isolated", "network")
            )
            label = f"{name}, {nodes} nodes, {passes} passes, {average}: isolated less network"
            yield bound(label, float((alone - together).mean()), least=0)


def _after(passes: int, nodes: int) -> int:
    return passes * TRAINING // nodes


def adult(runs: Runs) -> Iterator[Number]:
    """Adult, lambda 1e-4, 20 nodes: whether isolated nodes are ahead after one pass (reported, not required)."""
    settings = (*data("binary/adult_a9a.npz"), "repeats=3", "passes=2", "record.every=1629", "algorithm.average=none")
    records = runs.records("papers/pegasos-adult", *settings, "sweep={network.topology.nodes: [20]}")
    for passes, expected in ((1, (20.68, 19.73)), (2, (17.47, 19.07))):
        found = [100 * at(records, method, "error", passes * 1629) for method in ("network", "isolated")]
        measured = " / ".join(f"{errors.mean():.2f}" for errors in found)
        asked = "{:.2f} / {:.2f}, reported".format(*expected)
        yield Number(f"Adult, {passes} passes, network / isolated", asked, measured, True)


def klms(runs: Runs) -> Iterator[Number]:
    """Diffusion KLMS, setting A: excess error of isolated nodes over that of the network (4 realisations)."""
    records = runs.records("papers/klms", "repeats=4", "data.train=40000", "record.every=500")
    for step, reference in ((0.5, 3.0), (1, 4.1)):
        alone, together = (at(records, method, "mse", None, {"first": step}) for method in ("isolated", "network"))
        name = f"KLMS, step {step}: ratio of excess errors (reference {reference})"
        yield bound(name, float(alone.mean() / together.mean()), least=2)
