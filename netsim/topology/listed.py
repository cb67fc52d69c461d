"""Graphs read from a file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import networkx as nx
import numpy as np

from netsim.data.files import find, read_text
from netsim.topology.graph import plain

_EDGE = re.compile(r"(\d{1,9})(?:\s*,\s*|\s+)(\d{1,9})", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class Edges:
    """An edge-list file: two node numbers a line, between them blanks or a comma; ``#`` starts a comment."""

    kind: Literal["edges"] = "edges"
    path: str

    def build(self, generator: np.random.Generator, folder: Path) -> nx.Graph:
        """The graph of the file; ``ValueError`` names the line, or the node, that is wrong."""
        file = find(self.path, folder)
        graph = nx.Graph()
        for line, text in enumerate(read_text(file).splitlines(), start=1):
            content = text.partition("#")[0].strip()
            if content:
                graph.add_edge(*_edge(content, f"{file.name}, line {line},"))
        _require_whole(graph, file.name)
        return plain(graph)


def _edge(content: str, place: str) -> tuple[int, int]:
    match = _EDGE.fullmatch(content)
    if match is None:
        raise ValueError(f"{place} is {content[:40]!r}; an edge is two node numbers from 0, like 0 1")
    first, second = int(match[1]), int(match[2])
    if first == second:
        raise ValueError(f"{place} joins node {first} with itself; remove the line")
    return first, second


def _require_whole(graph: nx.Graph, source: str) -> None:
    if not graph:
        raise ValueError(
            f"{source} has no edges; write two node numbers a line (one node alone is a complete graph of 1)"
        )
    for expected, node in enumerate(sorted(graph)):
        if node != expected:
            raise ValueError(f"{source} has a node {node} and no node {expected}; number the nodes from 0 without gaps")
    reached = nx.node_connected_component(graph, 0)
    if len(reached) < len(graph):
        lost = min(set(graph) - reached)
        raise ValueError(f"node {lost} of {source} has no way to node 0; add an edge that joins the parts")
