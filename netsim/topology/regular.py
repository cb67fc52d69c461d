"""Graphs that are given by their size."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import networkx as nx
import numpy as np

from netsim.topology.graph import plain
from nodes.quantities import Count


@dataclass(frozen=True, kw_only=True)
class Ring:
    """Each node has the one before and the one after it as neighbours, round and round."""

    kind: Literal["ring"] = "ring"
    nodes: Count

    def build(self, generator: np.random.Generator, folder: Path) -> nx.Graph:
        """The graph; nothing is drawn."""
        return plain(nx.cycle_graph(self.nodes))


@dataclass(frozen=True, kw_only=True)
class PathGraph:
    """A line of nodes."""

    kind: Literal["path"] = "path"
    nodes: Count

    def build(self, generator: np.random.Generator, folder: Path) -> nx.Graph:
        """The graph; nothing is drawn."""
        return plain(nx.path_graph(self.nodes))


@dataclass(frozen=True, kw_only=True)
class Star:
    """Node 0 in the middle is the only neighbour of all others."""

    kind: Literal["star"] = "star"
    nodes: Count

    def build(self, generator: np.random.Generator, folder: Path) -> nx.Graph:
        """The graph; nothing is drawn."""
        return plain(nx.star_graph(self.nodes - 1))


@dataclass(frozen=True, kw_only=True)
class Complete:
    """Everyone is everyone's neighbour."""

    kind: Literal["complete"] = "complete"
    nodes: Count

    def build(self, generator: np.random.Generator, folder: Path) -> nx.Graph:
        """The graph; nothing is drawn."""
        return plain(nx.complete_graph(self.nodes))


@dataclass(frozen=True, kw_only=True)
class Grid:
    """Nodes in rows and columns, numbered row by row, with up to four neighbours."""

    kind: Literal["grid"] = "grid"
    rows: Count
    columns: Count

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return self.rows * self.columns

    def build(self, generator: np.random.Generator, folder: Path) -> nx.Graph:
        """The graph; nothing is drawn."""
        return plain(nx.convert_node_labels_to_integers(nx.grid_2d_graph(self.rows, self.columns)))


@dataclass(frozen=True, kw_only=True)
class Torus:
    """A grid whose opposite sides are joined; a side of 1 or 2 is joined already."""

    kind: Literal["torus"] = "torus"
    rows: Count
    columns: Count

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return self.rows * self.columns

    def build(self, generator: np.random.Generator, folder: Path) -> nx.Graph:
        """The graph; nothing is drawn."""
        return plain(nx.convert_node_labels_to_integers(nx.grid_2d_graph(self.rows, self.columns, periodic=True)))


@dataclass(frozen=True, kw_only=True)
class Expander:
    """The Margulis-Gabber-Galil expander on side^2 nodes (x, y), numbered row by row.

    Each is joined to (x +- 2y, y), (x +- (2y + 1), y), (x, y +- 2x) and (x, y +- (2x + 1)) modulo the side. Edges that
    coincide count once and loops not at all, so that degrees are 8 or less. Its spectral gap does not fall with size.
    """

    kind: Literal["expander"] = "expander"
    side: Count

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return self.side**2

    def build(self, generator: np.random.Generator, folder: Path) -> nx.Graph:
        """The graph; nothing is drawn."""
        return plain(nx.convert_node_labels_to_integers(nx.Graph(nx.margulis_gabber_galil_graph(self.side))))
