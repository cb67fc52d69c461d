"""Random graphs, drawn until they are connected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import networkx as nx
import numpy as np

from netsim.topology.graph import plain
from nodes.quantities import Count, Fraction, Positive

DRAWS = 1000
"""How often a random graph is drawn before it is given up as not connected."""
HOPELESS = 50
"""Nodes expected to have no neighbour; that there are none has then a chance of about exp(-50)."""


@dataclass(frozen=True, kw_only=True)
class ErdosRenyi:
    """Each pair of nodes is joined with probability ``p``; drawn until connected."""

    kind: Literal["erdos-renyi"] = "erdos-renyi"
    nodes: Count
    p: Fraction

    def __post_init__(self) -> None:
        _require_joined(self.nodes, self.p, f"p: {self.p:g}", self._likely)

    @property
    def _likely(self) -> float:
        return float(np.log(self.nodes) / self.nodes)

    def build(self, generator: np.random.Generator, folder: Path) -> nx.Graph:
        """A graph drawn with the generator; ``ValueError`` where none of 1000 is connected."""
        return _connected(
            lambda: nx.fast_gnp_random_graph(self.nodes, self.p, seed=generator),
            f"raise p: {self.p:g} well above {self._likely:.2g}, where so many nodes begin to be connected",
        )


@dataclass(frozen=True, kw_only=True)
class RandomGeometric:
    """Nodes at random places of the unit square (``pos``), joined where within ``radius``; drawn until connected."""

    kind: Literal["random-geometric"] = "random-geometric"
    nodes: Count
    radius: Positive

    def __post_init__(self) -> None:
        # Nodes near the border have fewer others around them than this, never more.
        _require_joined(
            self.nodes, min(np.pi * min(self.radius, 1.0) ** 2, 1.0), f"radius: {self.radius:g}", self._likely
        )

    @property
    def _likely(self) -> float:
        return float(np.sqrt(np.log(self.nodes) / (np.pi * self.nodes)))

    def build(self, generator: np.random.Generator, folder: Path) -> nx.Graph:
        """A graph drawn with the generator; ``ValueError`` where none of 1000 is connected."""
        return _connected(
            lambda: nx.random_geometric_graph(self.nodes, self.radius, seed=generator),
            f"raise radius: {self.radius:g} well above {self._likely:.2g}, where so many nodes begin to be connected",
        )


@dataclass(frozen=True, kw_only=True)
class RandomRegular:
    """Each node has ``degree`` neighbours, drawn at random until the graph is connected; a single node has none."""

    kind: Literal["random-regular"] = "random-regular"
    nodes: Count
    degree: Count

    def __post_init__(self) -> None:
        if self.nodes == 1:
            return
        if self.degree >= self.nodes:
            raise ValueError(f"degree: {self.degree} is not below nodes: {self.nodes}; a node has other nodes only")
        if self.degree * self.nodes % 2:
            raise ValueError(f"degree: {self.degree} and nodes: {self.nodes} are both odd; one of them must be even")
        if self.degree == 1 and self.nodes > 2:
            raise ValueError(f"degree: 1 joins {self.nodes} nodes in pairs, not in one graph; raise it to 2 or more")

    def build(self, generator: np.random.Generator, folder: Path) -> nx.Graph:
        """A graph drawn with the generator; ``ValueError`` where none of 1000 is connected."""
        absent = self.nodes - 1 - self.degree
        if absent <= 0:
            return plain(nx.complete_graph(self.nodes))

        def draw() -> nx.Graph:
            # Drawing by pairs seldom succeeds in dense graphs, so of these the missing edges are drawn.
            if absent < self.degree:
                return nx.complement(nx.random_regular_graph(absent, self.nodes, seed=generator))
            return nx.random_regular_graph(self.degree, self.nodes, seed=generator)

        return _connected(draw, f"raise degree: {self.degree}, or take a ring")


@dataclass(frozen=True, kw_only=True)
class SmallWorld:
    """A ring with edges to the ``neighbours`` nearest nodes, each edge rewired with probability ``rewire``.

    Watts and Strogatz, Collective dynamics of small-world networks, 1998; drawn until connected.
    """

    kind: Literal["small-world"] = "small-world"
    nodes: Count
    neighbours: Count
    rewire: Fraction

    def __post_init__(self) -> None:
        if self.nodes == 1:
            return
        if self.neighbours % 2:
            raise ValueError(f"neighbours: {self.neighbours} is odd; half of them are on each side, so make it even")
        if self.neighbours >= self.nodes:
            raise ValueError(
                f"neighbours: {self.neighbours} is not below nodes: {self.nodes}; lower it, or take a complete graph"
            )

    def build(self, generator: np.random.Generator, folder: Path) -> nx.Graph:
        """A graph drawn with the generator; ``ValueError`` where none of 1000 is connected."""
        neighbours = min(self.neighbours, self.nodes - 1)
        return _connected(
            lambda: nx.watts_strogatz_graph(self.nodes, neighbours, self.rewire, seed=generator),
            f"raise neighbours: {self.neighbours} or lower rewire: {self.rewire:g}",
        )


def _require_joined(nodes: int, joined: float, parameter: str, likely: float) -> None:
    """Refuse at once where so many nodes are expected to have no neighbour that a thousand draws would all fail."""
    alone = nodes * (1 - joined) ** (nodes - 1)
    if nodes > 1 and (joined == 0 or alone > HOPELESS):
        raise ValueError(
            f"{parameter} leaves about {alone:.0f} of {nodes} nodes without a neighbour, so the graph cannot be "
            f"connected; raise it well above {likely:.2g}"
        )


def _connected(draw: Callable[[], nx.Graph], remedy: str) -> nx.Graph:
    for _ in range(DRAWS):
        graph = draw()
        if nx.is_connected(graph):
            return plain(graph)
    raise ValueError(f"none of {DRAWS} random graphs was connected; {remedy}")
