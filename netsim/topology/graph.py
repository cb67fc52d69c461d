"""What all topologies make: graphs in order of node number, without self-loops."""

from __future__ import annotations

import networkx as nx


def degrees(graph: nx.Graph) -> dict[int, dict[int, int]]:
    """Each node's neighbours with their degrees, everything in order of node number."""
    return {node: {other: graph.degree[other] for other in sorted(graph[node])} for node in sorted(graph)}


def checked(graph: nx.Graph) -> nx.Graph:
    """The graph as ``plain``, if it is one that nodes can learn on; a topology of the user's own may build any."""
    nodes = sorted(graph)
    if not nodes or nodes != list(range(len(nodes))):
        raise ValueError(f"the topology's nodes are {str(nodes)[:60]}; they must be numbered 0, 1, ... without gaps")
    if not nx.is_connected(graph):
        raise ValueError(f"the topology's graph of {len(nodes)} nodes is not connected; add edges between its parts")
    return plain(graph)


def plain(graph: nx.Graph) -> nx.Graph:
    """The same graph without self-loops, nodes and neighbours in order of number, with its node attributes."""
    ordered = nx.Graph()
    ordered.add_nodes_from((node, graph.nodes[node]) for node in sorted(graph))
    ordered.add_edges_from(sorted((min(edge), max(edge)) for edge in graph.edges if edge[0] != edge[1]))
    return ordered
