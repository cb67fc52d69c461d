"""Problems of regression: numbers to be told from inputs.

Test targets are without noise, so that the mean squared error on the test set is the excess risk: what a model costs
above the noise that nobody can tell.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from netsim.data.dataset import Dataset
from nodes.arrays import Floats
from nodes.quantities import Count, NonNegative, Positive


@dataclass(frozen=True, kw_only=True)
class KernelExpansion:
    """y = sum_m a_m exp(-||x - c_m||^2 / (2 sigma^2)) + noise (online learning paper, eq. 15).

    Centres c_m and inputs x are standard normal in ``inputs`` dimensions, coefficients a_m normal of this ``variance``,
    noise normal of this deviation.
    """

    kind: Literal["kernel-expansion"] = "kernel-expansion"
    train: Count = 10_000
    test: Count = 1000
    inputs: Count = 5
    centres: Count = 10
    sigma: Positive = 5.0
    variance: Positive = 5.0
    noise: NonNegative = 0.1

    def load(self, generator: np.random.Generator, repeat: int, folder: Path) -> Dataset:
        """A fresh expansion, and samples of it."""
        centres = generator.standard_normal((self.centres, self.inputs))
        coefficients = np.sqrt(self.variance) * generator.standard_normal(self.centres)
        X = generator.standard_normal((self.train + self.test, self.inputs))

        def expansion(X: Floats) -> Floats:
            # One centre after the other: of long streams all distances at once would be large.
            squares = np.array([((X - centre) ** 2).sum(axis=1) for centre in centres])
            value: Floats = coefficients @ np.exp(-squares / (2 * self.sigma**2))
            return value

        return _noisy(X, expansion, self.train, self.noise, generator)


@dataclass(frozen=True, kw_only=True)
class Ripples:
    """y = sin(4 x_1) cos(3 x_2) + sin(6 x_1 x_2) / 2 + noise of this deviation, inputs uniform on [-1, 1]^2."""

    kind: Literal["ripples"] = "ripples"
    train: Count = 1000
    test: Count = 1000
    noise: NonNegative = 0.5

    def load(self, generator: np.random.Generator, repeat: int, folder: Path) -> Dataset:
        """Fresh samples, X of two columns."""
        X = generator.uniform(-1.0, 1.0, (self.train + self.test, 2))
        return _noisy(X, _ripples, self.train, self.noise, generator)


def _ripples(X: Floats) -> Floats:
    first, second = X.T
    value: Floats = np.sin(4 * first) * np.cos(3 * second) + 0.5 * np.sin(6 * first * second)
    return value


def _noisy(
    X: Floats, function: Callable[[Floats], Floats], train: int, noise: float, generator: np.random.Generator
) -> Dataset:
    """The first ``train`` inputs train, with noise on what the function says of them; the others test, without."""
    y = function(X)
    return Dataset(X[:train], y[:train] + generator.normal(0.0, noise, train), X[train:], y[train:], ranks=0)
