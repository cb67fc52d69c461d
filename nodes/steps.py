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


Steps = Annotated[Diminishing, Slot("step size", default="diminishing")]
