"""Feature maps z(x): what a linear model is learned on."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Protocol

import numpy as np

from nodes.arrays import Floats
from nodes.pieces import Slot
from nodes.quantities import Count, Written, positive


def _width(value: Any) -> float | str:
    return "auto" if value == "auto" else positive(value)


class FeatureMap(Protocol):
    """A scenario's choice of features; frozen, without state of its own."""

    def open(self, inputs: int, draws: np.random.Generator) -> Callable[[Floats], Floats]:
        """The map from samples (n, inputs) to features (n, D); every node opens it with the same draws."""
        ...

    def size_for(self, inputs: int) -> int:
        """D, the number of features made of this many inputs."""
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


@dataclass(frozen=True, kw_only=True)
class Fourier:
    """Random Fourier features, sqrt(2/D) cos(omega'x + phase) (Rahimi and Recht 2007; dSVOR paper eq. 5).

    They approximate the Gaussian kernel exp(-gamma ||x - x'||^2): omega ~ N(0, 2 gamma I), phases uniform over a turn.
    ``gamma: auto`` is 1/K for K inputs.
    """

    kind: Literal["fourier"] = "fourier"
    kernel: Literal["gaussian"] = "gaussian"
    gamma: Annotated[float | str, Written(_width)] = "auto"
    size: Count = 200

    def open(self, inputs: int, draws: np.random.Generator) -> Callable[[Floats], Floats]:
        """Draw the frequencies (K, D) and phases (D,) and give the map that uses them."""
        frequencies = draws.normal(0.0, math.sqrt(2 * self.width(inputs)), (inputs, self.size))
        phases = draws.uniform(0.0, 2 * math.pi, self.size)

        def features(samples: Floats) -> Floats:
            waves = samples @ frequencies
            waves += phases
            np.cos(waves, out=waves)
            waves *= math.sqrt(2 / self.size)
            return waves

        return features

    def size_for(self, inputs: int) -> int:
        """D, whatever the inputs."""
        return self.size

    def width(self, inputs: int) -> float:
        """Gamma as a number."""
        return 1 / inputs if isinstance(self.gamma, str) else self.gamma

    def gram(self, left: Floats, right: Floats) -> Floats:
        """exp(-gamma ||x - x'||^2) between rows."""
        squares = (left**2).sum(axis=1)[:, None] + (right**2).sum(axis=1) - 2 * left @ right.T
        kernel: Floats = np.exp(-self.width(left.shape[1]) * np.maximum(squares, 0.0))
        return kernel


Features = Annotated[Linear | Fourier, Slot("feature map")]
