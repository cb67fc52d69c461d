"""Penalties on the weights, which make them small or sparse. Thresholds are never penalised."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, Protocol

import numpy as np

from nodes.arrays import Floats
from nodes.pieces import Slot
from nodes.quantities import Fraction, NonNegative


class Penalty(Protocol):
    """A scenario's choice of penalty; frozen. One that is strongly convex may say so by a ``curvature``."""

    def at_node(self, nodes: int) -> float:
        """The part of the penalty that one of this many nodes takes on itself."""
        ...

    def value(self, weights: Floats) -> float:
        """The whole penalty of weights (D,)."""
        ...

    def add_gradient(self, weights: Floats, part: float, gradient: Floats) -> None:
        """Add ``part`` of the penalty's subgradient to ``gradient`` (D,), in place."""
        ...

    def shrink(self, weights: Floats, amount: float) -> None:
        """The proximal step for ``amount`` times the penalty's part without subgradient, on weights (D,) in place."""
        ...


@dataclass(frozen=True, kw_only=True)
class ElasticNet:
    """strength * ((1 - alpha)/2 ||w||^2 + alpha ||w||_1) (dSVOR paper eq. 8, whose strength is 1).

    With alpha 0 and ``share: node`` the strength is the lambda of Pegasos; strength 0 is no penalty.

    ``share: network`` gives each of M nodes 1/M of it, so that the network's optimum is the centralised one;
    ``share: node`` gives each node all of it, as the paper writes. ``zeros: proximal`` takes the l1 part by soft
    thresholding, which makes exact zeros; ``subgradient`` by its sign (eq. 13), which never does.
    """

    kind: Literal["elastic-net"] = "elastic-net"
    alpha: Fraction = 0.0
    strength: NonNegative = 1.0
    share: Literal["network", "node"] = "network"
    zeros: Literal["proximal", "subgradient"] = "proximal"

    def at_node(self, nodes: int) -> float:
        """1/M for a shared penalty, else 1."""
        return 1 / nodes if self.share == "network" else 1.0

    def value(self, weights: Floats) -> float:
        """The formula above."""
        ridge, lasso = (1 - self.alpha) / 2 * weights.dot(weights), self.alpha * np.abs(weights).sum()
        return float(self.strength * (ridge + lasso))

    @property
    def curvature(self) -> float:
        """strength * (1 - alpha), the weight of ||w||^2 / 2, by which the penalty is strongly convex."""
        return self.strength * (1 - self.alpha)

    def add_gradient(self, weights: Floats, part: float, gradient: Floats) -> None:
        """The ridge part; the sign of each weight too where zeros come from subgradients."""
        if self.curvature > 0:
            gradient += (part * self.curvature) * weights
        if self.alpha > 0 and self.zeros == "subgradient":
            gradient += (part * self.strength * self.alpha) * np.sign(weights)

    def shrink(self, weights: Floats, amount: float) -> None:
        """Soft thresholding: move each weight towards zero by amount * alpha, and stop there."""
        reach = amount * self.strength * self.alpha
        if self.zeros == "proximal" and reach > 0:
            weights -= np.minimum(np.maximum(weights, -reach), reach)


Penalties = Annotated[ElasticNet, Slot("penalty", default="elastic-net")]
