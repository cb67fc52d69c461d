"""Kernels k(x - x') that random Fourier features stand for, and the laws of their frequencies.

By Bochner's theorem such a kernel is the mean of cos(omega'(x - x')) over a law of frequencies omega; in the three here
the coordinates of omega are independent and alike, so that a law is told by one coordinate (Rahimi and Recht 2007).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

import numpy as np

from nodes.arrays import Floats


class Kernel(Protocol):
    """A kernel of some width, and the law of its frequencies."""

    @property
    def scale(self) -> float:
        """The scale of the law, by which its standard form is multiplied."""
        ...

    def gram(self, left: Floats, right: Floats) -> Floats:
        """The kernel between the rows of two sample arrays (n, K) and (m, K): an array (n, m)."""
        ...

    def frequencies(self, draws: np.random.Generator, shape: tuple[int, int]) -> Floats:
        """Independent coordinates of frequencies."""
        ...

    def quantiles(self, points: Floats) -> Floats:
        """The inverse of a coordinate's distribution function, at points strictly between 0 and 1."""
        ...


@dataclass(frozen=True)
class Gaussian:
    """exp(-gamma ||x - x'||^2); frequencies are normal, of variance 2 gamma."""

    gamma: float

    @staticmethod
    def gamma_of(sigma: float) -> float:
        """1/(2 sigma^2)."""
        return 1 / (2 * sigma**2)

    @property
    def scale(self) -> float:
        """The deviation of a coordinate."""
        return math.sqrt(2 * self.gamma)

    def gram(self, left: Floats, right: Floats) -> Floats:
        """The kernel between rows."""
        squares = (left**2).sum(axis=1)[:, None] + (right**2).sum(axis=1) - 2 * left @ right.T
        kernel: Floats = np.exp(-self.gamma * np.maximum(squares, 0.0))
        return kernel

    def frequencies(self, draws: np.random.Generator, shape: tuple[int, int]) -> Floats:
        """Normal coordinates."""
        return draws.normal(0.0, self.scale, shape)

    def quantiles(self, points: Floats) -> Floats:
        """Of the normal law."""
        from scipy.special import ndtri  # a third of a second, which other draws should not pay

        normal: Floats = self.scale * ndtri(points)
        return normal


@dataclass(frozen=True)
class Laplacian:
    """exp(-gamma ||x - x'||_1); frequencies follow Cauchy's law of scale gamma."""

    gamma: float

    @staticmethod
    def gamma_of(sigma: float) -> float:
        """1/sigma."""
        return 1 / sigma

    @property
    def scale(self) -> float:
        """The half width at half the density's height."""
        return self.gamma

    def gram(self, left: Floats, right: Floats) -> Floats:
        """The kernel between rows."""
        distances = np.zeros((len(left), len(right)))
        for difference in _differences(left, right):
            distances += np.abs(difference, out=difference)
        distances *= -self.gamma
        return np.exp(distances, out=distances)

    def frequencies(self, draws: np.random.Generator, shape: tuple[int, int]) -> Floats:
        """Cauchy coordinates."""
        return self.scale * draws.standard_cauchy(shape)

    def quantiles(self, points: Floats) -> Floats:
        """Of Cauchy's law."""
        cauchy: Floats = self.scale * np.tan(np.pi * (points - 0.5))
        return cauchy


@dataclass(frozen=True)
class Cauchy:
    """The product over inputs of 1/(1 + gamma (x - x')_i^2); frequencies follow Laplace's law of scale sqrt(gamma)."""

    gamma: float

    @staticmethod
    def gamma_of(sigma: float) -> float:
        """1/sigma^2."""
        return 1 / sigma**2

    @property
    def scale(self) -> float:
        """The mean of a coordinate's absolute value."""
        return math.sqrt(self.gamma)

    def gram(self, left: Floats, right: Floats) -> Floats:
        """The kernel between rows."""
        kernel = np.ones((len(left), len(right)))
        for difference in _differences(left, right):
            kernel /= 1 + self.gamma * difference**2
        return kernel

    def frequencies(self, draws: np.random.Generator, shape: tuple[int, int]) -> Floats:
        """Laplace coordinates."""
        return draws.laplace(0.0, self.scale, shape)

    def quantiles(self, points: Floats) -> Floats:
        """Of Laplace's law."""
        offsets = points - 0.5
        laplace: Floats = -self.scale * np.sign(offsets) * np.log1p(-2 * np.abs(offsets))
        return laplace


KERNELS: Mapping[str, type[Gaussian | Laplacian | Cauchy]] = MappingProxyType(
    {"gaussian": Gaussian, "laplacian": Laplacian, "cauchy": Cauchy}
)
"""By the names that scenarios give them."""


def _differences(left: Floats, right: Floats) -> Iterator[Floats]:
    """x - x' (n, m), input by input, so that no array of three axes is made."""
    for x, other in zip(left.T, right.T, strict=True):
        yield x[:, None] - other
