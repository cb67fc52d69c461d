"""Which of its samples a node adapts to in each round."""

from __future__ import annotations

from nodes.arrays import Integers
from nodes.draws import generator


class Batches:
    """The rows of a node's ``samples`` that each of its adaptations uses.

    ``size`` None, or not below the samples, means all of them each time. Otherwise every pass goes through the samples
    once, in an order of its own drawn from (key, pass), ``size`` at a time; the last batch of a pass may be shorter.
    """

    def __init__(self, samples: int, size: int | None, key: int) -> None:
        self.samples = samples
        self._size = samples if size is None else min(size, samples)
        self._per_pass = -(-samples // self._size)
        self._key = key
        self._order: tuple[int, Integers] | None = None

    def rows(self, k: int) -> Integers | None:
        """The row numbers of adaptation k, or None for all rows."""
        if self._size == self.samples:
            return None
        turn, place = divmod(k, self._per_pass)
        if self._order is None or self._order[0] != turn:
            self._order = (turn, generator(self._key, turn << 32).permutation(self.samples))
        return self._order[1][place * self._size : (place + 1) * self._size]
