"""Ways of drawing the frequencies omega and phases b of random Fourier features, all from one generator.

Each gives the same mean, the kernel; they differ in how evenly the draws cover the law of frequencies, and so in how
far features of a given size are from the kernel.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from nodes.arrays import Floats
from nodes.kernels import Kernel

SOBOL_DIMENSIONS = 21201
"""Coordinates for which direction numbers of Sobol's sequence are tabulated (Joe and Kuo 2008)."""

_GOLDEN = (math.sqrt(5) - 1) / 2
_RESOLUTION = 2.0**-30
"""Of Sobol's sequence as it is computed."""


class Waves(NamedTuple):
    """Frequencies (K, m), a column each, and phases (m,)."""

    frequencies: Floats
    phases: Floats


Draw = Callable[[Kernel, int, int, np.random.Generator], Waves]
"""Waves for a kernel, of K inputs, m of them, by a generator."""


def independent(kernel: Kernel, inputs: int, count: int, draws: np.random.Generator) -> Waves:
    """Each by itself (Rahimi and Recht 2007)."""
    frequencies = kernel.frequencies(draws, (inputs, count))
    return Waves(frequencies, _turns(draws, count))


def orthogonal(kernel: Kernel, inputs: int, count: int, draws: np.random.Generator) -> Waves:
    """Blocks of K orthogonal directions, with the lengths of independent normal vectors (Yu et al. 2016).

    For the Gaussian kernel only: other laws are not the same in all directions.
    """
    blocks = -(-count // inputs)
    bases, triangles = np.linalg.qr(draws.normal(size=(blocks, inputs, inputs)))
    # With the signs of the diagonal every rotation and reflection is equally likely, whatever the factorisation's sign.
    bases *= np.sign(np.diagonal(triangles, axis1=1, axis2=2))[:, None, :]
    directions = bases.transpose(1, 0, 2).reshape(inputs, -1)[:, :count]
    lengths = kernel.scale * np.sqrt(draws.chisquare(inputs, count))
    return Waves(np.ascontiguousarray(directions * lengths), _turns(draws, count))


def sobol(kernel: Kernel, inputs: int, count: int, draws: np.random.Generator) -> Waves:
    """Scrambled points of Sobol's sequence, through the inverse distribution functions (Yang et al. 2014)."""
    from scipy.stats import qmc  # a second, which other draws should not pay

    engine = qmc.Sobol(inputs + 1, rng=_seed(draws))
    # The library warns of any number of points that is no power of two, where it is not as even as it could be.
    return at_points(kernel, engine.random_base2((count - 1).bit_length())[:count])


def halton(kernel: Kernel, inputs: int, count: int, draws: np.random.Generator) -> Waves:
    """Scrambled points of Halton's sequence, in the same way."""
    from scipy.stats import qmc  # a second, which other draws should not pay

    return at_points(kernel, qmc.Halton(inputs + 1, rng=_seed(draws)).random(count))


def at_points(kernel: Kernel, points: Floats) -> Waves:
    """Waves at points (m, K + 1) of the unit cube, whose last coordinate is the phase."""
    # Phases are a coordinate of the sequence too: were they drawn apart, their error alone would fall as D^(-1/2) does.
    # They are the last one, as the first are the most even; pairs, which have no phases, lose nothing by it.
    points = np.clip(points, _RESOLUTION / 2, 1 - _RESOLUTION / 2)
    return Waves(np.ascontiguousarray(kernel.quantiles(points[:, :-1]).T), 2 * math.pi * points[:, -1])


def polar(kernel: Kernel, inputs: int, count: int, draws: np.random.Generator) -> Waves:
    """Frequencies of two inputs by angle and length, both stratified; for the Gaussian kernel only.

    Angles are evenly spaced over half a turn, as -omega is the same wave as omega. Lengths are Rayleigh's quantiles at
    one point in each of m strata, in the order of the multiples of the golden ratio, so that neighbouring angles have
    lengths far apart. All angles, the strata and all phases are shifted by one random amount each, which makes the
    kernel the exact mean. Phases of neighbours are a quarter of a turn apart, so that the terms in x + x' that features
    with phases have, and pairs have not, cancel.
    """
    steps = np.arange(count)
    angles = (steps + draws.random()) / count * math.pi
    lengths = kernel.scale * np.sqrt(-2 * np.log((steps + 1 - draws.random(count)) / count))
    ranks = (steps * _GOLDEN % 1).argsort().argsort()
    lengths = lengths[(ranks + draws.integers(count)) % count]
    phases = (steps / 4 + draws.random()) % 1 * 2 * math.pi
    return Waves(lengths * np.array([np.cos(angles), np.sin(angles)]), phases)


DRAWS: Mapping[str, Draw] = MappingProxyType(
    {"independent": independent, "orthogonal": orthogonal, "sobol": sobol, "halton": halton, "polar": polar}
)
"""By the names that scenarios give them."""


def _seed(draws: np.random.Generator) -> int:
    # The library takes a generator only if it can spawn others, which one that is given by a key cannot.
    return int(draws.integers(2**63))


def _turns(draws: np.random.Generator, count: int) -> Floats:
    return draws.uniform(0.0, 2 * math.pi, count)
