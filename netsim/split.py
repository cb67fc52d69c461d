"""How the training samples go to the nodes: every sample to one node, every node at least one sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from nodes.arrays import Floats, Integers, Labels
from nodes.quantities import Positive


@dataclass(frozen=True, kw_only=True)
class Random:
    """Samples drawn at random, node sizes differing by at most one."""

    kind: Literal["random"] = "random"

    def assign(self, y: Labels, nodes: int, generator: np.random.Generator) -> list[Integers]:
        """Ascending sample numbers for each node; ``ValueError`` for fewer samples than nodes."""
        return _parts(generator.permutation(np.arange(len(y)) % nodes), nodes)


@dataclass(frozen=True, kw_only=True)
class ByLabel:
    """Samples sorted by label and cut in equal runs, so that each node sees few ranks; sizes differ by at most one."""

    kind: Literal["by-label"] = "by-label"

    def assign(self, y: Labels, nodes: int, generator: np.random.Generator) -> list[Integers]:
        """Ascending sample numbers for each node; ``ValueError`` for fewer samples than nodes."""
        order = generator.permutation(len(y))
        order = order[np.argsort(y[order], kind="stable")]
        owners = np.empty(len(y), dtype=np.int64)
        owners[order] = np.arange(len(y)) * nodes // max(len(y), 1)
        return _parts(owners, nodes)


@dataclass(frozen=True, kw_only=True)
class Dirichlet:
    """Each rank is shared out in proportions of its own, drawn from a symmetric Dirichlet distribution.

    A small ``concentration`` gives most of a rank to few nodes, a large one equal shares.
    """

    kind: Literal["dirichlet"] = "dirichlet"
    concentration: Positive = 0.5

    def assign(self, y: Labels, nodes: int, generator: np.random.Generator) -> list[Integers]:
        """Ascending sample numbers for each node; ``ValueError`` for fewer samples than nodes."""
        if y.dtype.kind == "f":
            raise ValueError("dirichlet shares out each rank, and these labels are numbers; take random or by-label")
        owners = np.empty(len(y), dtype=np.int64)
        for rank in np.unique(y):
            members = generator.permutation(np.flatnonzero(y == rank))
            owners[members] = _shared(generator.dirichlet(np.full(nodes, self.concentration)), len(members))
        return _parts(owners, nodes)


@dataclass(frozen=True, kw_only=True)
class Unequal:
    """Samples drawn at random, node sizes in log-normal proportions; ``spread`` is the deviation of the logarithm."""

    kind: Literal["unequal"] = "unequal"
    spread: Positive = 1.0

    def assign(self, y: Labels, nodes: int, generator: np.random.Generator) -> list[Integers]:
        """Ascending sample numbers for each node; ``ValueError`` for fewer samples than nodes."""
        logarithms = self.spread * generator.standard_normal(nodes)
        # Proportions of the largest, so that no spread overflows.
        sizes = np.exp(logarithms - logarithms.max())
        return _parts(generator.permutation(_shared(sizes / sizes.sum(), len(y))), nodes)


Split = Random | ByLabel | Dirichlet | Unequal


def _shared(proportions: Floats, samples: int) -> Integers:
    """The owner of each of so many samples in runs of these proportions, each run within one sample of its share."""
    middles = (np.arange(samples) + 0.5) / max(samples, 1)
    return np.minimum(np.searchsorted(np.cumsum(proportions), middles), len(proportions) - 1)


def _parts(owners: Integers, nodes: int) -> list[Integers]:
    """The samples of each node; a node without any takes the last one of the largest node, the lowest of equals."""
    if len(owners) < nodes:
        raise ValueError(
            f"{len(owners)} training samples are too few for {nodes} nodes, each of which needs one; "
            "take fewer nodes or more samples"
        )
    sizes = np.bincount(owners, minlength=nodes)
    for empty in np.flatnonzero(sizes == 0):
        largest = sizes.argmax()
        owners[np.flatnonzero(owners == largest)[-1]] = empty
        sizes[largest] -= 1
        sizes[empty] = 1
    return np.split(np.argsort(owners, kind="stable"), np.cumsum(sizes)[:-1])
