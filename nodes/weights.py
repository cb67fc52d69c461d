"""Combination weights: how much a node makes of what each neighbour says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal, Protocol

import numpy as np

from nodes.arrays import Floats
from nodes.pieces import Slot


class Weights(Protocol):
    """A scenario's choice of combination weights; frozen. A node computes its own row."""

    def row(self, node: int, neighbours: Mapping[int, int]) -> Floats:
        """The node's row of C over itself and its neighbours in order of id; non-negative, summing to one.

        ``neighbours`` maps each neighbour to its number of neighbours.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class Metropolis:
    """1 / (1 + max(d_m, d_n)) between neighbours of d_m and d_n neighbours, the rest on oneself.

    ``lazy: false`` is the dSVOR paper's 1 / max(d_m, d_n) (eq. 23); on regular bipartite graphs its spectral radius
    off consensus is 1.
    """

    kind: Literal["metropolis"] = "metropolis"
    lazy: bool = True

    def row(self, node: int, neighbours: Mapping[int, int]) -> Floats:
        """Symmetric over the network, so that C is doubly stochastic."""
        degree = len(neighbours)
        members = sorted((node, *neighbours))
        row = np.array([0.0 if n == node else 1 / (self.lazy + max(degree, neighbours[n])) for n in members])
        row[members.index(node)] = max(0.0, 1.0 - row.sum())
        return row


WeightRules = Annotated[Metropolis, Slot("combination weights", default="metropolis")]
