"""How fast combining with neighbours brings nodes to consensus."""

from __future__ import annotations

from collections.abc import Mapping

import networkx as nx
import numpy as np
from scipy import sparse

from nodes.arrays import Floats
from nodes.weights import Weights

LARGEST_DENSE = 500
"""Nodes up to which all eigenvalues are computed."""


def combination_matrix(weights: Weights, neighbours: Mapping[int, Mapping[int, int]]) -> sparse.csr_array:
    """C (M, M): row m holds what node m makes of itself and of each neighbour."""
    rows, columns, entries = [], [], []
    for node, around in neighbours.items():
        members = sorted((node, *around))
        rows += [node] * len(members)
        columns += members
        entries += list(weights.row(node, around))
    return sparse.csr_array((entries, (rows, columns)), shape=(len(neighbours), len(neighbours)))


def spectral_radius(matrix: sparse.csr_array) -> float | None:
    """rho(C - 11'/M), below 1 where the nodes reach consensus (dSVOR paper, Assumption 1).

    For a symmetric C. None where the largest eigenvalues lie too close together to be told apart.
    """
    nodes = matrix.shape[0]
    if nodes <= LARGEST_DENSE:
        return float(np.abs(np.linalg.eigvalsh(matrix.toarray() - 1 / nodes)).max())
    off_consensus = sparse.linalg.LinearOperator(matrix.shape, matvec=lambda x: matrix @ x - x.mean(), dtype=np.float64)
    start = np.cos(np.arange(nodes))
    try:
        found: Floats = sparse.linalg.eigsh(off_consensus, k=1, v0=start, tol=1e-6, return_eigenvectors=False)
    except sparse.linalg.ArpackNoConvergence:
        return None
    return float(np.abs(found).max())


def reaches_consensus(matrix: sparse.csr_array, graph: nx.Graph) -> bool:
    """Whether rho(C - 11'/M) < 1, decided without rounding.

    On a connected graph a symmetric C has the eigenvalue -1 only where the graph is bipartite and no node keeps any
    weight for itself.
    """
    if len(graph) == 1:
        return True
    return bool(matrix.diagonal().max() > 1e-12) or not nx.is_bipartite(graph)
