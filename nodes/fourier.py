"""Random Fourier features: waves whose products approach a shift-invariant kernel."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np

from nodes.arrays import Floats
from nodes.frequencies import DRAWS, SOBOL_DIMENSIONS
from nodes.kernels import KERNELS, Kernel
from nodes.quantities import Count, Positive, Written, positive


def _width(value: Any) -> float | str:
    return "auto" if value == "auto" else positive(value)


@dataclass(frozen=True, kw_only=True)
class Fourier:
    """Random Fourier features, sqrt(2/D) cos(omega'x + phase) (Rahimi and Recht 2007; dSVOR paper eq. 5).

    They approximate a kernel of width gamma: ``gaussian`` exp(-gamma ||x - x'||^2), ``laplacian``
    exp(-gamma ||x - x'||_1), or ``cauchy``, the product of 1/(1 + gamma (x - x')_i^2) over inputs. ``gamma: auto`` is
    1/K for K inputs. ``sigma`` tells the width as papers do: gamma is 1/(2 sigma^2), 1/sigma, or 1/sigma^2.

    ``draw`` is how frequencies omega are drawn: independently of each other; in blocks of orthogonal ones (gaussian);
    by the scrambled sequences of Sobol and Halton; or at stratified angles and lengths (gaussian, two inputs).
    ``form: pair`` is sqrt(2/D) [cos(omega'x), sin(omega'x)] with D/2 frequencies.
    """

    kind: Literal["fourier"] = "fourier"
    kernel: Literal["gaussian", "laplacian", "cauchy"] = "gaussian"
    gamma: Annotated[float | str, Written(_width)] = "auto"
    sigma: Positive | None = None
    size: Count = 200
    draw: Literal["independent", "orthogonal", "sobol", "halton", "polar"] = "independent"
    form: Literal["phase", "pair"] = "phase"

    def __post_init__(self) -> None:
        if self.sigma is not None and self.gamma != "auto":
            raise ValueError(
                f"gamma {self.gamma:g} and sigma {self.sigma:g} both tell the width of the kernel; give one of them"
            )
        if self.sigma is not None and not 1e-100 <= self.sigma <= 1e100:
            raise ValueError(f"sigma {self.sigma:g} makes a kernel that is 0 or 1 everywhere; take 1e-100 to 1e100")
        if isinstance(self.gamma, float) and not 1e-200 <= self.gamma <= 1e200:
            raise ValueError(f"gamma {self.gamma:g} makes a kernel that is 0 or 1 everywhere; take 1e-200 to 1e200")
        if self.form == "pair" and self.size % 2:
            raise ValueError(
                f"size {self.size} is odd, but form pair makes two features of a frequency; take an even size"
            )
        if self.draw in ("orthogonal", "polar") and self.kernel != "gaussian":
            raise ValueError(
                f"draw {self.draw} needs kernel gaussian, whose frequencies are alike in all directions; for "
                f"{self.kernel} take independent, sobol or halton"
            )

    def open(self, inputs: int, draws: np.random.Generator) -> Callable[[Floats], Floats]:
        """Draw the frequencies (K, D) and phases (D,), or pairs' frequencies (K, D/2), and give the map that uses them.

        ``ValueError`` where the draw is not for so many inputs.
        """
        size = self.size_for(inputs)
        count = size if self.form == "phase" else size // 2
        frequencies, phases = DRAWS[self.draw](self.kernel_for(inputs), inputs, count, draws)

        def shifted(samples: Floats) -> Floats:
            waves = samples @ frequencies
            waves += phases
            np.cos(waves, out=waves)
            waves *= math.sqrt(2 / size)
            return waves

        def paired(samples: Floats) -> Floats:
            waves = samples @ frequencies
            pairs = np.empty((len(waves), size))
            np.cos(waves, out=pairs[:, :count])
            np.sin(waves, out=pairs[:, count:])
            pairs *= math.sqrt(2 / size)
            return pairs

        return shifted if self.form == "phase" else paired

    def size_for(self, inputs: int) -> int:
        """D, whatever the inputs; ``ValueError`` where the draw is not for so many."""
        if self.draw == "polar" and inputs != 2:
            raise ValueError(
                f"draw polar is for 2 inputs, and the data have {inputs}; take sobol for few inputs, "
                "orthogonal for many"
            )
        if self.draw == "sobol" and inputs >= SOBOL_DIMENSIONS:
            raise ValueError(
                f"draw sobol is for at most {SOBOL_DIMENSIONS - 1} inputs, and the data have {inputs}; take orthogonal "
                "(kernel gaussian) or independent"
            )
        return self.size

    def width(self, inputs: int) -> float:
        """Gamma as a number."""
        if self.sigma is not None:
            return KERNELS[self.kernel].gamma_of(self.sigma)
        return 1 / inputs if isinstance(self.gamma, str) else self.gamma

    def kernel_for(self, inputs: int) -> Kernel:
        """The kernel between samples of so many inputs."""
        return KERNELS[self.kernel](self.width(inputs))

    def gram(self, left: Floats, right: Floats) -> Floats:
        """The kernel between rows."""
        return self.kernel_for(left.shape[1]).gram(left, right)
