"""Paper 3: decentralised gradient descent with random features against descent on one machine."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.numbers.measure import Number, Runs, at, bound

CYCLE = {"kind": "ring", "nodes": 25}
TORUS = {"kind": "torus", "rows": 5, "columns": 5}


def descent(runs: Runs) -> Iterator[Number]:
    """25 nodes, step 1.5, 200 features, t = 100: many samples and few, on a cycle and a torus (3 realisations)."""
    graphs = "[{kind: ring, nodes: 25}, {kind: torus, rows: 5, columns: 5}]"
    sweep = f"sweep={{data.train: [250, 16000], network.topology: {graphs}}}"
    records = runs.records("papers/descent", "rounds=100", "repeats=3", sweep)
    asked = ((CYCLE, 16000, None, 1.10, 1.02), (CYCLE, 250, 1.5, None, 1.85), (TORUS, 250, None, 1.3, 1.16))
    for topology, train, least, most, reference in asked:
        point = {"train": train, "topology": topology}
        network, machine = (at(records, method, "mse", 100, point) for method in ("network", "single-machine"))
        name = f"{topology['kind']}, m = {train // 25}: excess risk over one machine (reference {reference})"
        yield bound(name, float(network.mean() / machine.mean()), most, least)


def complete(runs: Runs) -> Iterator[Number]:
    """On a complete graph the network is one machine, by algebra."""
    settings = ("rounds=200", "repeats=1", "record={every: 10, theory: true}", "data.train=1000", "sweep={}")
    records = runs.records("papers/descent", *settings, "network.topology={kind: complete, nodes: 25}")
    (record,) = (record for record in records if record.method == "network")
    worst = max(row["theory"]["network-error"] for row in record.rows) ** 0.5
    yield Number("complete graph: distance of scores to one machine", "<= 1e-10", f"{worst:.1e}", worst <= 1e-10)
