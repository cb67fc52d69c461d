"""Worlds: one sweep point and repeat of a scenario with everything drawn, ready to run.

This is the only place where random streams begin. Each is keyed by the seed and by what it is for.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from netsim import data
from netsim.chance import key
from netsim.data import Dataset
from netsim.parts import EdgeLinks, Part
from netsim.scaling import Scaler
from netsim.scenario.own import Own
from netsim.scenario.resolve import resolve
from netsim.topology import checked, degrees
from nodes.arrays import Floats, Integers
from nodes.draws import generator
from nodes.node import Share, Task

if TYPE_CHECKING:
    from netsim.scenario.schema import Record, Scenario

MOST_RECORDED = 200
"""Recorded rounds, start and last included, where the scenario does not say how often."""


@dataclass(frozen=True, eq=False, kw_only=True)
class World:
    """Everything that a run needs, and nothing that it changes."""

    task: Task
    shares: tuple[Share, ...] = field(repr=False)
    """What each node owns, in order of node."""
    parts: tuple[Integers, ...] = field(repr=False)
    """The rows of the training set that each node's samples are."""
    graph: nx.Graph
    neighbours: Mapping[int, Mapping[int, int]] = field(repr=False)
    """node -> neighbour -> the neighbour's number of neighbours."""
    links: EdgeLinks
    dataset: Dataset = field(repr=False)
    """The samples before scaling."""
    scalers: tuple[Scaler, ...] = field(repr=False)
    """The scaling at each node."""
    pooled: Scaler = field(repr=False)
    """The scaling of one who owns all training samples."""
    period: int
    """Length of a slot in nanoseconds."""
    rounds: int
    recorded: frozenset[int]
    record: Record
    limit: int | None
    """Nanoseconds of the run's clock past which it is ended."""
    resolved: Mapping[str, Any] = field(repr=False)
    """The scenario as plain data, from which another process can build the same pieces."""
    folder: Path
    """Where the scenario's files are looked up."""

    @property
    def counts(self) -> Floats:
        """How much the loss of each training sample (N,) counts in the sum of all nodes' objectives."""
        counts = np.ones(self.task.samples)
        if self.task.loss.reduce == "mean":
            for rows in self.parts:
                counts[rows] = 1 / len(rows)
        return counts

    def part(self, nodes: Collection[int] | None = None) -> Part:
        """What some of the nodes need to run, or all."""
        chosen = range(self.task.nodes) if nodes is None else nodes
        return Part(
            task=self.task,
            shares=tuple(self.shares[node] for node in chosen),
            neighbours={node: self.neighbours[node] for node in chosen},
            links=self.links,
            period=self.period,
            rounds=self.rounds,
            recorded=self.recorded,
            limit=self.limit,
        )

    def isolated(self) -> World:
        """The same nodes without any edges."""
        graph = nx.create_empty_copy(self.graph)
        return replace(self, graph=graph, neighbours=degrees(graph))


def build(scenario: Scenario, repeat: int, folder: Path, resolved: Mapping[str, Any] | None = None) -> World:
    """The world of one sweep point's repeat; ``ValueError`` where its parts do not fit each other or the data.

    ``resolved`` is the scenario as plain data, which must be given where it has classes of the user's own.
    """
    seed = scenario.seed + repeat
    graph = build_graph(scenario, repeat, folder)
    nodes = len(graph)
    dataset = load_data(scenario, repeat, folder)
    parts = split_data(scenario, repeat, dataset, nodes)
    scalers = scenario.scaling.fit(dataset.X_train, parts)
    rounds = rounds_of(scenario, [len(part) for part in parts])
    return World(
        task=Task(
            features=scenario.model.features,
            loss=scenario.model.loss,
            penalty=scenario.model.penalty,
            algorithm=scenario.algorithm,
            messages=scenario.messages,
            weights=scenario.network.weights,
            nodes=nodes,
            samples=len(dataset.y_train),
            inputs=dataset.X_train.shape[1],
            ranks=dataset.ranks,
            feature_key=key(seed, "features"),
            measured=scenario.record.theory,
        ),
        shares=tuple(
            Share(node, _rows(scalers[node], dataset.X_train[part]), dataset.y_train[part], key(seed, "node", node))
            for node, part in enumerate(parts)
        ),
        parts=tuple(parts),
        graph=graph,
        neighbours=degrees(graph),
        links=edge_links(scenario, repeat, graph),
        dataset=dataset,
        scalers=tuple(scalers),
        pooled=scenario.scaling.fit(dataset.X_train, [np.arange(len(dataset.y_train))])[0],
        period=scenario.slot,
        rounds=rounds,
        recorded=frozenset(_recorded(rounds, scenario.record.every)),
        record=scenario.record,
        limit=scenario.limit,
        resolved=resolve(scenario, Own(folder)) if resolved is None else resolved,
        folder=folder,
    )


def edge_links(scenario: Scenario, repeat: int, graph: nx.Graph) -> EdgeLinks:
    """What stands on the edges of one repeat's graph."""
    positions = {node: tuple(map(float, place)) for node, place in graph.nodes(data="pos") if place is not None}
    network = scenario.network
    return EdgeLinks(network.links, network.overrides, _network_seed(scenario, repeat), positions, network.windows)


def _rows(scaler: Scaler, samples: Floats) -> Floats:
    # In one layout, whatever the scaling: sums over samples depend on it in their last bits.
    return np.ascontiguousarray(scaler(samples))


def build_graph(scenario: Scenario, repeat: int, folder: Path) -> nx.Graph:
    """The graph of one repeat; ``ValueError`` if it cannot be connected."""
    draws = generator(key(_network_seed(scenario, repeat), "topology"))
    return checked(scenario.network.topology.build(draws, folder))


def load_data(scenario: Scenario, repeat: int, folder: Path) -> Dataset:
    """The samples of one repeat; ``ValueError`` if there is something wrong with them."""
    draws = generator(key(_data_seed(scenario, repeat), "data"))
    return data.checked(scenario.data.load(draws, repeat, folder))


def split_data(scenario: Scenario, repeat: int, dataset: Dataset, nodes: int) -> list[Integers]:
    """The training samples of each node; ``ValueError`` for fewer samples than nodes."""
    draws = generator(key(_data_seed(scenario, repeat), "split"))
    parts = scenario.split.assign(dataset.y_train, nodes, draws)
    if len(parts) != nodes or not all(map(len, parts)) or sorted(chain(*parts)) != list(range(len(dataset.y_train))):
        raise ValueError(
            f"the split is not one of {len(dataset.y_train)} samples into {nodes} parts, none of them empty"
        )
    return parts


def _data_seed(scenario: Scenario, repeat: int) -> int:
    return scenario.seed + repeat if scenario.data_seed is None else scenario.data_seed


def _network_seed(scenario: Scenario, repeat: int) -> int:
    return scenario.seed + repeat if scenario.network_seed is None else scenario.network_seed


def rounds_of(scenario: Scenario, sizes: Sequence[int]) -> int:
    """How many rounds there are, for nodes with so many samples each."""
    if scenario.passes is None:
        assert scenario.rounds is not None
        return scenario.rounds
    batch = scenario.algorithm.batch_size
    return scenario.passes * (1 if batch is None else math.ceil(max(sizes) / batch))


def _recorded(rounds: int, every: int | None) -> Iterable[int]:
    every = every or math.ceil(rounds / (MOST_RECORDED - 2))
    return {*range(0, rounds, every), rounds}
