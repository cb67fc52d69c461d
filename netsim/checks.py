"""Checks of what only shows when a scenario's parts meet: its graph, its data, its weights, its delays."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

import networkx as nx

from netsim.data import Dataset
from netsim.edges import opened
from netsim.mixing import combination_matrix, reaches_consensus, spectral_radius
from netsim.scenario.load import Loaded, Point
from netsim.scenario.schema import Scenario
from netsim.topology import degrees
from netsim.units import written
from netsim.world import build_graph, edge_links, load_data, rounds_of, split_data
from nodes.arrays import Integers
from nodes.node import told
from nodes.steps import step_for
from nodes.vectors import LONGEST

Part = TypeVar("Part")

SMALL_GAP = 0.01
"""Spectral gap below which a graph is said to mix slowly."""


class Finding(NamedTuple):
    """Something to say about the key at ``path``: an error forbids the run, anything else is a warning."""

    path: str
    message: str
    error: bool = True


def check(loaded: Loaded) -> list[Finding]:
    """All findings about all sweep points and repeats of a scenario, each once."""
    findings: dict[Finding, None] = {}
    seen: set[str] = set()
    for point in loaded.points:
        inputs = _inputs(point)
        if inputs not in seen:
            seen.add(inputs)
            for repeat in range(loaded.repeats):
                findings.update(dict.fromkeys(_check(point.scenario, repeat, loaded.folder)))
    return list(findings)


def _inputs(point: Point) -> str:
    """All that the findings depend on; points that agree in it need one check."""
    resolved, model = point.resolved, point.resolved["model"]
    parts = ("seed", "data-seed", "network-seed", "rounds", "passes", "slot", "limit", "data", "split", "network")
    others = [resolved.get("scaling"), model["features"], model["loss"], resolved["algorithm"]]
    others.append(_curvature(point.scenario) > 0)
    return json.dumps([*(resolved.get(name) for name in parts), *others], sort_keys=True)


def _curvature(scenario: Scenario) -> float:
    return float(getattr(scenario.model.penalty, "curvature", 0.0))


def _check(scenario: Scenario, repeat: int, folder: Path) -> Iterator[Finding]:
    graph = _attempt("network.topology", lambda: build_graph(scenario, repeat, folder))
    dataset = _attempt("data", lambda: load_data(scenario, repeat, folder))
    yield from (finding for finding in (graph, dataset) if isinstance(finding, Finding))
    if not isinstance(graph, Finding):
        yield from _overrides(scenario, graph)
        yield from _links(scenario, repeat, graph)
    if not isinstance(graph, Finding) and not isinstance(dataset, Finding):
        parts = _attempt("split", lambda: split_data(scenario, repeat, dataset, len(graph)))
        if isinstance(parts, Finding):
            yield parts
            return  # a graph far too large for the data need not be looked at closer
        yield from _limit(scenario, [len(part) for part in parts])
        yield from _least_input(scenario, dataset, parts)
    if not isinstance(graph, Finding) and repeat == 0:
        yield from _mixing(scenario, graph)
    if not isinstance(dataset, Finding):
        yield from _size(scenario, dataset)
    yield from _delays(scenario)


def _size(scenario: Scenario, dataset: Dataset) -> Iterator[Finding]:
    features = _attempt("model.features", lambda: scenario.model.features.size_for(dataset.X_train.shape[1]))
    thresholds = _attempt("model.loss", lambda: scenario.model.loss.thresholds(dataset.ranks))
    step = _attempt("algorithm.step", lambda: step_for(scenario.algorithm.step, _curvature(scenario)))
    if isinstance(step, Finding):
        yield step
    yield from (finding for finding in (features, thresholds) if isinstance(finding, Finding))
    if isinstance(features, int) and isinstance(thresholds, int) and not 0 < features + thresholds <= LONGEST:
        message = f"{features} features and {thresholds} thresholds are more than the {LONGEST} numbers of a frame"
        yield Finding("model.features", message)


def _least_input(scenario: Scenario, dataset: Dataset, parts: list[Integers]) -> Iterator[Finding]:
    """Whether some sample, scaled as nodes do, is smaller than the features are defined for."""
    bound = getattr(scenario.model.features, "least_input", None)
    if bound is None:
        return
    scalers = _attempt("scaling", lambda: scenario.scaling.fit(dataset.X_train, parts))
    if isinstance(scalers, Finding):
        yield scalers
        return
    owned = [(scaler, dataset.X_train[part]) for scaler, part in zip(scalers, parts, strict=True)]
    tests = [(scaler, dataset.X_test) for scaler in scalers]
    least = min(float(scaler(rows).min()) for scaler, rows in owned + tests)
    if least < bound:
        message = (
            f"these features are for inputs of {bound:g} or more, and the smallest is {least:g} after scaling; take "
            "scaling: none, or other features where the data themselves are smaller"
        )
        yield Finding("model.features", message)


def _attempt(path: str, make: Callable[[], Part]) -> Finding | Part:
    """What is made, or what went wrong; anything can, in a class of the user's own."""
    try:
        return make()
    except (ValueError, OSError) as error:
        return Finding(path, str(error))
    except Exception as error:
        return Finding(path, told(error))


def _overrides(scenario: Scenario, graph: nx.Graph) -> Iterator[Finding]:
    for i, override in enumerate(scenario.network.overrides):
        for j, (source, target) in enumerate(override.edges):
            path = f"network.overrides.{i}.edges.{j}"
            if max(source, target) >= len(graph):
                yield Finding(path, f"[{source}, {target}] names a node above the last one, {len(graph) - 1}")
            elif source == target:
                yield Finding(path, f"[{source}, {target}] is no edge; name two nodes")
            elif not graph.has_edge(source, target):
                message = (
                    f"nodes {source} and {target} are no neighbours, at least in some repeats: nothing is changed there"
                )
                yield Finding(path, message, error=False)


def _mixing(scenario: Scenario, graph: nx.Graph) -> Iterator[Finding]:
    matrix = _attempt("network.weights", lambda: combination_matrix(scenario.network.weights, degrees(graph)))
    if isinstance(matrix, Finding):
        yield matrix
    elif not reaches_consensus(matrix, graph):
        kind = getattr(scenario.network.topology, "kind", type(scenario.network.topology).__name__)
        message = (
            f"on this {kind} graph of {len(graph)} nodes these weights never reach consensus: the spectral radius off "
            "consensus is 1, as on every regular bipartite graph where nodes keep no weight for themselves; take lazy "
            "weights (weights: metropolis), another graph, or require-mixing: false to run it all the same"
        )
        yield Finding("network.weights", message, error=scenario.network.require_mixing)
    else:
        radius = spectral_radius(matrix)
        if radius is None or 1 - radius < SMALL_GAP:
            gap = "too small to compute" if radius is None else f"{1 - radius:.2g}"
            yield Finding("network.topology", f"this graph barely mixes: its spectral gap is {gap}", error=False)


def _links(scenario: Scenario, repeat: int, graph: nx.Graph) -> Iterator[Finding]:
    """Whether every element can stand where it is put."""
    links = edge_links(scenario, repeat, graph)
    named = {*scenario.network.links, *(name for override in scenario.network.overrides for name in override.links)}
    for name in scenario.network.windows:
        if name not in named:
            known = ", ".join(sorted(named)) or "none"
            yield Finding(f"network.windows.{name}", f"there is no link element of this name; known are {known}")
    for source, target in nx.DiGraph(graph).edges:
        place = links.place(source, target)
        for each in links.on(source, target):
            found = _attempt(f"network.links.{each.name}", partial(opened, each.link, place))
            if isinstance(found, Finding):
                yield found


def _limit(scenario: Scenario, sizes: list[int]) -> Iterator[Finding]:
    time = rounds_of(scenario, sizes) * scenario.slot
    if scenario.limit is not None and scenario.limit < time:
        message = f"{written(scenario.limit)} is less than the {written(time)} that all rounds take; raise it"
        yield Finding("limit", message)


def _delays(scenario: Scenario) -> Iterator[Finding]:
    network = scenario.network
    for path, links in [
        ("network.links", network.links),
        *((f"network.overrides.{i}.links", {**network.links, **o.links}) for i, o in enumerate(network.overrides)),
    ]:
        mean = sum(getattr(element, "mean_delay", 0.0) for element in links.values())
        if mean > scenario.slot:
            message = (
                f"frames take {written(round(mean))} in the mean, longer than a slot of {written(scenario.slot)}, so "
                "that most of them are late"
            )
            yield Finding(path, message, error=False)
