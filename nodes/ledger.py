"""What learning costs a node, adaptation by adaptation."""

from __future__ import annotations

import numpy as np

from nodes.arrays import Floats

MEASURES = ("loss", "energy")
"""What a ledger adds up, in the order of its sums."""


class Ledger:
    """Sums over a node's adaptations, from which the regret of online learning is told (:mod:`netsim.theory`).

    ``loss`` is the objective on the batch, at the parameters where its gradient is taken: what the node pays before it
    learns from the batch. ``energy`` is eta_k ||gradient||^2 / 2.
    """

    def __init__(self) -> None:
        self.sums: Floats = np.zeros(len(MEASURES))

    def enter(self, loss: float, gradient: Floats, eta: float) -> None:
        """Add one adaptation."""
        self.sums += (loss, eta / 2 * float(gradient.dot(gradient)))
