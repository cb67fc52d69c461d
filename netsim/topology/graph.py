"""What all topologies make: graphs in order of node number, without self-loops."""

from __future__ import annotations

import networkx as nx


def degrees(graph: nx.Graph) -> dict[int, dict[int, int]]:
    """Each node's neighbours with their degrees, everything in order of node number."""
    return {node: {other: graph.degree[other] for other in sorted(graph[node])} for node in sorted(graph)}


def plain(graph: nx.Graph) -> nx.Graph:
    """The same graph without self-loops, nodes and neighbours in order of number, with its node attributes."""
    ordered = nx.Graph()
    ordered.add_nodes_from((node, graph.nodes[node]) for node in sorted(graph))
    ordered.add_edges_from(sorted((min(edge), max(edge)) for edge in graph.edges if edge[0] != edge[1]))
    return ordered
