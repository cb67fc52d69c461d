"""Feature maps z(x): what a linear model is learned on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Literal, Protocol

import numpy as np

from nodes.additive import AdditiveChi2
from nodes.arrays import Floats
from nodes.fourier import Fourier
from nodes.pieces import Slot


class FeatureMap(Protocol):
    """A scenario's choice of features; frozen, without state of its own."""

    def open(self, inputs: int, draws: np.random.Generator) -> Callable[[Floats], Floats]:
        """The map from samples (n, inputs) to features (n, D); every node opens it with the same draws."""
        ...

    def size_for(self, inputs: int) -> int:
        """D, the number of features made of this many inputs; ``ValueError`` where the map is not for so many."""
        ...

    def gram(self, left: Floats, right: Floats) -> Floats:
        """The kernel that z(x)'z(x') stands for, between the rows of two sample arrays."""
        ...


@dataclass(frozen=True, kw_only=True)
class Linear:
    """The inputs themselves."""

    kind: Literal["linear"] = "linear"

    def open(self, inputs: int, draws: np.random.Generator) -> Callable[[Floats], Floats]:
        """The identity."""
        return np.ascontiguousarray

    def size_for(self, inputs: int) -> int:
        """As many features as inputs."""
        return inputs

    def gram(self, left: Floats, right: Floats) -> Floats:
        """The inner product of the inputs."""
        return left @ right.T


Features = Annotated[Linear | Fourier | AdditiveChi2, Slot("feature map")]
