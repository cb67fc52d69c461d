"""Random numbers as pure functions of a key and a place in its stream."""

from __future__ import annotations

import numpy as np


def generator(key: int, *counter: int) -> np.random.Generator:
    """A generator that is fully given by a 128-bit key and up to four 64-bit counter words (Philox 4x64)."""
    words = np.array([*counter, *(0,) * (4 - len(counter))], dtype=np.uint64)
    return np.random.Generator(np.random.Philox(key=key, counter=words))
