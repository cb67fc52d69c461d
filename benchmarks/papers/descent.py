"""Paper 3: decentralised gradient descent with random features."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from benchmarks.papers.page import Page, Results, spread, table, verdict


def ripples(page: Page) -> Iterator[str]:
    """Excess risk beside descent on one machine: topologies, samples a node, rounds."""
    results = page.results("descent")
    yield (
        "The paper (Theorem 1): with sufficiently many samples m at each of n nodes, decentralised descent has "
        "the error of descent on one machine that owns all n m samples; how many is sufficient grows with 1/(1 − "
        "sigma_2), so that a cycle needs most. Excess risk of one machine, and by what the network's is larger:"
    )
    rounds = [at for at in (100, 400) if at <= results.world["rounds"]]
    lines = []
    for topology in results.values("network.topology"):
        for train in results.values("data.train"):
            point = {"topology": topology, "train": train}
            samples = train // _nodes(topology)
            risks = [spread(results("single-machine", "mse", at, **point)) for at in rounds]
            ratios = [f"x{_ratio(results, at, **point):.2f}" for at in rounds]
            lines.append([_written(topology), _nodes(topology), samples, *risks, *ratios])
    heads = [*(f"one machine, t = {at}" for at in rounds), *(f"network, t = {at}" for at in rounds)]
    yield table(["graph", "n", "m", *heads], lines)
    yield _both_sides(results)
    yield page.figure(
        "Excess risk after the last round against training samples, by graph.", "descent-risk", "descent",
        x="data.train", y="mse", methods=["network"],
    )  # fmt: skip


def _both_sides(results: Results) -> str:
    cycle, torus = {"kind": "ring", "nodes": 25}, {"kind": "torus", "rows": 5, "columns": 5}
    many, few = max(results.values("data.train")), min(results.values("data.train"))
    with_many = _ratio(results, 100, topology=cycle, train=many)
    with_few, on_torus = (_ratio(results, 100, topology=topology, train=few) for topology in (cycle, torus))
    return (
        f"With n = 25 at t = 100: m = {many // 25} on the cycle x{with_many:.2f} of one machine; m = {few // 25} "
        f"on the cycle x{with_few:.2f}, on the torus x{on_torus:.2f}. That the cycle is as good as one machine "
        f"with many samples, and not with few, {verdict(with_many < 1.1, with_few > 1.5)}; that a better "
        f"connected graph needs fewer {verdict(on_torus < 1.3)}. It is a statement about a finite number of "
        "rounds, as the other column shows."
    )


def dimension(page: Page) -> Iterator[str]:
    """Excess risk against the number of features."""
    results = page.results("descent-dimension")
    yield "The paper: of the order of sqrt(n m) features are enough. Excess risk on a torus of 25 nodes, n m = 4000:"
    sizes = results.values("features.size")
    yield table(
        ["features", "network", "one machine"],
        [
            [size, *(spread(results(method, "mse", size=size)) for method in ("network", "single-machine"))]
            for size in sizes
        ],
    )
    wide, alone = (
        {size: float(results(method, "mse", size=size).mean()) for size in sizes}
        for method in ("network", "single-machine")
    )
    root = min(sizes, key=lambda size: abs(size - math.sqrt(4000)))
    yield (
        f"With {root} features, near the root of 4000, the network's risk is {wide[root] / wide[max(sizes)]:.1f} times "
        f"that with {max(sizes)}; the order is a statement about growing n m, which one n m cannot test. That the "
        f"network is as good as one machine, to a tenth, {verdict(*(wide[n] < 1.1 * alone[n] for n in sizes))}."
    )
    yield page.figure("Excess risk against the number of features.", "descent-dimension", "descent-dimension",
                      x="model.features.size", y="mse")  # fmt: skip


def adult(page: Page) -> Iterator[str]:
    """Adult in SUSY's place: the worst node's best error."""
    results = page.results("descent-adult")
    yield (
        "The paper shows errors on SUSY, which has five million samples and is not used here; Adult stands in. "
        "As in the paper's own code the number is the smallest test error over recorded rounds, of the worst node (an "
        "oracle stops), in per cent, and early stopping is the only regularisation."
    )
    trains = results.values("data.train")
    lines = [
        [_written(topology), _nodes(topology), *(_oracle(results, "network", topology, train) for train in trains)]
        for topology in results.values("network.topology")
    ]
    first = results.values("network.topology")[0]
    machine = ["one machine", "–", *(_oracle(results, "single-machine", first, train) for train in trains)]
    yield table(["graph", "n", *(f"{train} samples" for train in trains)], [machine, *lines])
    yield page.figure(
        "Error of the worst node on Adult against training samples, by graph; after the last round, where nothing has "
        "stopped early.", "descent-adult",
        "descent-adult", x="data.train", y="error.worst", methods=["network"],
    )  # fmt: skip


def _oracle(results: Results, method: str, topology: object, train: int) -> str:
    best = []
    for record in results.run.records:
        point = {path.split(".")[-1]: value for path, value in record.point.items()}
        if record.method == method and point == {"train": train, "topology": topology}:
            best.append(100 * min(row["error"]["worst"] for row in record.rows))
    return f"{sum(best) / len(best):.2f}" if best else "–"


def _ratio(results: Results, at: int, **point: Any) -> float:
    return float(results("network", "mse", at, **point).mean() / results("single-machine", "mse", at, **point).mean())


def _nodes(topology: Mapping[str, Any]) -> int:
    if "nodes" in topology:
        return int(topology["nodes"])
    return int(topology["side"] ** 2 if "side" in topology else topology["rows"] * topology["columns"])


def _written(topology: Mapping[str, Any]) -> str:
    return {"ring": "cycle"}.get(topology["kind"], str(topology["kind"]))
