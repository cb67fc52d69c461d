"""Step sizes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, Protocol

from nodes.pieces import Slot
from nodes.quantities import NonNegative, Positive


class Step(Protocol):
    """A scenario's choice of step size; frozen."""

    def size(self, k: int) -> float:
        """The step size of a node's k-th adaptation, k = 0, 1, ..."""
        ...


@dataclass(frozen=True, kw_only=True)
class Diminishing:
    """first / (1 + decay k) (dSVOR paper eq. 26); constant for ``decay: 0``."""

    kind: Literal["diminishing"] = "diminishing"
    first: Positive = 0.1
    decay: NonNegative = 0.01

    def size(self, k: int) -> float:
        """The formula above."""
        return self.first / (1 + self.decay * k)


@dataclass(frozen=True, kw_only=True)
class Pegasos:
    """1/(lambda n), n = 1, 2, ..., with lambda the curvature of the node's penalty (online learning paper, eq. 13).

    For a penalty of ``share: node`` and ``alpha: 0`` lambda is its strength.
    """

    kind: Literal["pegasos"] = "pegasos"

    def at(self, curvature: float) -> Diminishing:
        """The step sizes for this lambda; ``ValueError`` for none."""
        if not curvature > 0:
            raise ValueError(
                "the step 1/(lambda n) needs a ridge in the penalty; take a strength above 0, and alpha < 1"
            )
        return Diminishing(first=1 / curvature, decay=1.0)


Steps = Annotated[Diminishing | Pegasos, Slot("step size", default="diminishing")]


def step_for(step: Step | Pegasos, curvature: float) -> Step:
    """The step sizes of a node whose penalty has this curvature."""
    return step.at(curvature) if isinstance(step, Pegasos) else step
