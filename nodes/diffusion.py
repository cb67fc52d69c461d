"""Diffusion strategies: in what order a node combines with its neighbours and adapts to its data."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from nodes.arrays import Floats
from nodes.averages import AVERAGES, Average
from nodes.exchange import Exchange
from nodes.learner import Learner
from nodes.pieces import Slot
from nodes.quantities import Written
from nodes.steps import Diminishing, Steps

Round = Callable[[Floats, int, Learner, Exchange], Awaitable[Floats]]
"""One round of a method: theta_k, k, the node's learner and exchange give theta_{k+1}."""


async def consensus(theta: Floats, k: int, learner: Learner, exchange: Exchange) -> Floats:
    """Combine, and step along the gradient taken before (dSVOR paper eq. 20)."""
    gradient = learner.gradient(theta, k)
    return learner.descend(await exchange.combine(theta, k), gradient, k)


async def combine_then_adapt(theta: Floats, k: int, learner: Learner, exchange: Exchange) -> Floats:
    """Combine, and step along the gradient taken there."""
    combined = await exchange.combine(theta, k)
    return learner.descend(combined, learner.gradient(combined, k), k)


async def adapt_then_combine(theta: Floats, k: int, learner: Learner, exchange: Exchange) -> Floats:
    """Step along the gradient, and combine the results."""
    return await exchange.combine(learner.descend(theta, learner.gradient(theta, k), k), k)


ORDERS: dict[str, Round] = {
    "consensus": consensus,
    "combine-then-adapt": combine_then_adapt,
    "adapt-then-combine": adapt_then_combine,
}


def _batch(value: Any) -> Any:
    if value != "all" and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
        raise ValueError(f"{value!r} is not a batch; write all, or a whole number of 1 or more")
    return value


@dataclass(frozen=True, kw_only=True)
class Diffusion:
    """Decentralised subgradient descent by combining with neighbours and adapting to one's own data.

    ``order`` says which comes first, ``batch`` how many samples an adaptation uses, ``on_silence`` and ``late`` what is
    made of frames that do not come or come late (:class:`nodes.exchange.Exchange`). With ``average: weighted`` a node
    predicts with an average of its iterates (:mod:`nodes.averages`) instead of the last one.
    """

    kind: Literal["diffusion"] = "diffusion"
    order: Literal["consensus", "combine-then-adapt", "adapt-then-combine"] = "combine-then-adapt"
    on_silence: Literal["self", "hold"] = "self"
    late: Literal["combine", "discard"] = "combine"
    batch: Annotated[int | str, Written(_batch)] = "all"
    step: Steps = field(default_factory=Diminishing)
    average: Literal["none", "weighted"] = "none"

    @property
    def batch_size(self) -> int | None:
        """Samples in a batch; None for all."""
        return None if isinstance(self.batch, str) else self.batch

    def open_average(self) -> Average:
        """What a node predicts with, round by round."""
        return AVERAGES[self.average]()

    @property
    def round(self) -> Round:
        """What a node does in one round."""
        return ORDERS[self.order]


Algorithms = Annotated[Diffusion, Slot("algorithm", default="diffusion")]
