"""Features of additive kernels, by scikit-learn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from nodes.arrays import Floats


@dataclass(frozen=True, kw_only=True)
class AdditiveChi2:
    """Features of the additive chi-squared kernel, the sum over inputs of 2 x x' / (x + x'), for inputs of 0 or more.

    Nothing is drawn: the kernel's spectrum is sampled at regular frequencies, of which ``steps`` are kept, and makes
    2 steps - 1 features of each input (Vedaldi and Zisserman 2012). Meant for shares and histograms; take
    ``scaling: none``, as scaled inputs have negative values.
    """

    kind: Literal["additive-chi2"] = "additive-chi2"
    steps: Literal[1, 2, 3] = 2

    least_input: ClassVar[float] = 0.0
    """The smallest input that there is a kernel for."""

    def open(self, inputs: int, draws: np.random.Generator) -> Callable[[Floats], Floats]:
        """The map, which raises ``ValueError`` for samples with a negative input."""
        from sklearn.kernel_approximation import (
            AdditiveChi2Sampler,
        )  # a second, which other features should not pay

        sampler = AdditiveChi2Sampler(sample_steps=self.steps)

        def features(samples: Floats) -> Floats:
            _refuse_negative(samples)
            return np.ascontiguousarray(sampler.fit_transform(samples))

        return features

    def size_for(self, inputs: int) -> int:
        """2 steps - 1 for each input."""
        return (2 * self.steps - 1) * inputs

    def gram(self, left: Floats, right: Floats) -> Floats:
        """The kernel between rows, with 0/0 as 0."""
        from sklearn.metrics.pairwise import additive_chi2_kernel

        _refuse_negative(left)
        _refuse_negative(right)
        # 2xy / (x + y) = (x + y)/2 - (x - y)^2 / 2(x + y), and the library has -(x - y)^2 / (x + y).
        sums = left.sum(axis=1)[:, None] + right.sum(axis=1)
        kernel: Floats = (sums + additive_chi2_kernel(left, right)) / 2
        return kernel


def _refuse_negative(samples: Floats) -> None:
    least = samples.min(initial=AdditiveChi2.least_input)
    if least < AdditiveChi2.least_input:
        raise ValueError(f"the additive-chi2 kernel is for inputs of 0 or more, and one is {least:g}")
