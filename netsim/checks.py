"""Checks of what only shows when a scenario's parts meet: its graph, its data, its weights, its delays."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple, TypeVar

import networkx as nx

from netsim.mixing import combination_matrix, reaches_consensus, spectral_radius
from netsim.scenario.load import Loaded, Point
from netsim.scenario.schema import Scenario
from netsim.topology import degrees
from netsim.units import written
from netsim.world import build_graph, load_data, split_data

Part = TypeVar("Part")

SMALL_GAP = 0.01
"""Spectral gap below which a graph is said to mix slowly."""


class Finding(NamedTuple):
    """Something to say about the key at ``path``: an error forbids the run, anything else is a warning."""

    path: str
    message: str
    error: bool = True


def check(loaded: Loaded) -> list[Finding]:
    """All findings about all sweep points of a scenario, each once, in the first and the last repeat."""
    findings: dict[Finding, None] = {}
    seen: set[str] = set()
    for point in loaded.points:
        inputs = _inputs(point)
        if inputs not in seen:
            seen.add(inputs)
            for repeat in sorted({0, loaded.repeats - 1}):
                findings.update(dict.fromkeys(_check(point.scenario, repeat, loaded.folder)))
    return list(findings)


def _inputs(point: Point) -> str:
    parts = ("seed", "data-seed", "network-seed", "slot", "data", "split", "network")
    return json.dumps({name: point.resolved.get(name) for name in parts}, sort_keys=True)


def _check(scenario: Scenario, repeat: int, folder: Path) -> Iterator[Finding]:
    def attempt(path: str, make: Callable[[], Part]) -> Iterator[Finding | Part]:
        try:
            yield make()
        except (ValueError, OSError) as error:
            yield Finding(path, str(error))

    (graph,) = attempt("network.topology", lambda: build_graph(scenario, repeat, folder))
    (dataset,) = attempt("data", lambda: load_data(scenario, repeat, folder))
    yield from (finding for finding in (graph, dataset) if isinstance(finding, Finding))
    if not isinstance(graph, Finding):
        yield from _overrides(scenario, graph)
        yield from _mixing(scenario, graph)
        if not isinstance(dataset, Finding):
            (parts,) = attempt("split", lambda: split_data(scenario, repeat, dataset, len(graph)))
            if isinstance(parts, Finding):
                yield parts
    yield from _delays(scenario)


def _overrides(scenario: Scenario, graph: nx.Graph) -> Iterator[Finding]:
    for i, override in enumerate(scenario.network.overrides):
        for j, (source, target) in enumerate(override.edges):
            path = f"network.overrides.{i}.edges.{j}"
            if max(source, target) >= len(graph):
                yield Finding(path, f"[{source}, {target}] names a node above the last one, {len(graph) - 1}")
            elif not graph.has_edge(source, target):
                message = f"nodes {source} and {target} are not neighbours in every repeat; the override waits for them"
                yield Finding(path, message, error=False)


def _mixing(scenario: Scenario, graph: nx.Graph) -> Iterator[Finding]:
    weights = scenario.network.weights
    matrix = combination_matrix(weights, degrees(graph))
    kind = scenario.network.topology.kind
    if not reaches_consensus(matrix, graph):
        remedy = (
            "take lazy weights (weights: metropolis), another graph, or require-mixing: false to run it all the same"
        )
        message = (
            f"on this {kind} graph of {len(graph)} nodes, which is regular and bipartite, these weights never reach "
            f"consensus: the spectral radius off consensus is 1; {remedy}"
        )
        yield Finding("network.weights", message, error=scenario.network.require_mixing)
        return
    radius = spectral_radius(matrix)
    if radius is None or 1 - radius < SMALL_GAP:
        gap = "too small to compute" if radius is None else f"{1 - radius:.2g}"
        yield Finding("network.topology", f"this {kind} graph barely mixes: its spectral gap is {gap}", error=False)


def _delays(scenario: Scenario) -> Iterator[Finding]:
    mean = sum(getattr(element, "mean_delay", 0.0) for element in scenario.network.links.values())
    if mean > scenario.slot:
        message = (
            f"frames take {written(round(mean))} in the mean, longer than a slot of {written(scenario.slot)}, so that "
            "most of them are late"
        )
        yield Finding("network.links", message, error=False)
