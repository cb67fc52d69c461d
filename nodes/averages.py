"""What a node predicts with: its latest parameters, or an average of all that it had. Averages are local: no bytes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nodes.arrays import Floats

Average = Callable[[Floats], Floats]
"""Is given theta after each round, in order, and gives what to predict with; the array given is not kept."""


def latest() -> Average:
    """The latest parameters themselves."""
    return lambda theta: theta


def weighted() -> Average:
    """The average of theta_1, ..., theta_n with weights 1, ..., n: av += 2/(n + 1) (theta_n - av).

    Later iterates count more, as in the averaging of Lacoste-Julien, Schmidt and Bach (2012, arXiv:1212.2002).
    """
    average: Floats = np.zeros(0)
    n = 0

    def predict(theta: Floats) -> Floats:
        nonlocal average, n
        n += 1
        if n == 1:
            average = theta.copy()
        else:
            average += 2 / (n + 1) * (theta - average)
        return average

    return predict


AVERAGES: dict[str, Callable[[], Average]] = {"none": latest, "weighted": weighted}
