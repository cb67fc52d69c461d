"""How fast combining with neighbours brings nodes to consensus."""

from __future__ import annotations

from collections.abc import Mapping

import networkx as nx
import numpy as np
from scipy import sparse

from nodes.weights import Weights

ROUNDING = 1e-12
LARGEST_DENSE = 500
"""Nodes up to which all eigenvalues are computed."""
LARGEST = 100_000
"""Nodes up to which the largest eigenvalue is looked for."""


def combination_matrix(weights: Weights, neighbours: Mapping[int, Mapping[int, int]]) -> sparse.csr_array:
    """C (M, M): row m holds what node m makes of itself and of each neighbour.

    ``ValueError`` for rows, of weights of the user's own, that are not averages.
    """
    rows, columns, entries = [], [], []
    for node, around in neighbours.items():
        members, row = sorted((node, *around)), weights.row(node, around)
        if len(row) != len(members) or not (min(row) >= 0 and abs(sum(row) - 1) <= ROUNDING):
            raise ValueError(
                f"the weights of node {node} are {np.round(row, 6).tolist()} for members {members}; "
                "there must be one for each, none below 0, and they must sum to 1"
            )
        rows += [node] * len(members)
        columns += members
        entries += list(row)
    return sparse.csr_array((entries, (rows, columns)), shape=(len(neighbours), len(neighbours)))


def spectral_radius(matrix: sparse.csr_array) -> float | None:
    """rho(C - 11'/M), below 1 where the nodes reach consensus (dSVOR paper, Assumption 1).

    None for too many nodes, and where the largest eigenvalues of a large C lie too close together to be told apart.
    """
    nodes = matrix.shape[0]
    if nodes <= LARGEST_DENSE:
        off = matrix.toarray() - 1 / nodes
        return float(np.abs(np.linalg.eigvalsh(off) if _symmetric(matrix) else np.linalg.eigvals(off)).max())
    if nodes > LARGEST:
        return None
    off_consensus = sparse.linalg.LinearOperator(matrix.shape, matvec=lambda x: matrix @ x - x.mean(), dtype=np.float64)
    largest = sparse.linalg.eigsh if _symmetric(matrix) else sparse.linalg.eigs
    start = np.cos(np.arange(nodes))
    try:
        found = largest(off_consensus, k=1, v0=start, tol=1e-6, maxiter=300, return_eigenvectors=False)
    except sparse.linalg.ArpackNoConvergence:
        return None
    return float(np.abs(found).max())


def reaches_consensus(matrix: sparse.csr_array, graph: nx.Graph) -> bool:
    """Whether rho(C - 11'/M) < 1; for a symmetric C decided without rounding.

    On a connected graph a symmetric C has the eigenvalue -1 only where the graph is bipartite and no node keeps any
    weight for itself.
    """
    if len(graph) == 1:
        return True
    if not _symmetric(matrix):
        radius = spectral_radius(matrix)
        return radius is None or radius < 1 - ROUNDING
    return bool(matrix.diagonal().max() > ROUNDING) or not nx.is_bipartite(graph)


def _symmetric(matrix: sparse.csr_array) -> bool:
    return bool(abs(matrix - matrix.T).max() <= ROUNDING)
