"""Link elements that double frames or flip their bits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from nodes.arrays import Floats, Integers
from nodes.quantities import Fraction


@dataclass(frozen=True, kw_only=True)
class Duplicate:
    """Each frame is doubled with probability ``p``; the copy meets a fate of its own."""

    kind: Literal["duplicate"] = "duplicate"
    p: Fraction

    def copies(self, times: Integers, chance: Callable[[], Floats]) -> Integers:
        """1 for each frame that is doubled, else 0."""
        doubled: Integers = (chance()[:, 0] < self.p).astype("int64")
        return doubled

    @property
    def rate(self) -> float:
        """The share of frames that are doubled."""
        return self.p


@dataclass(frozen=True, kw_only=True)
class Corrupt:
    """A bit of a frame flips, with probability ``p`` a frame or ``bit-errors`` a bit.

    With ``checksum`` the link layer notices, as 802.15.4 does: the frame is dropped and counted as corrupted. Without,
    the node gets it as it is: it refuses what it cannot read, and combines a flipped number.
    """

    kind: Literal["corrupt"] = "corrupt"
    p: Fraction = 0.0
    bit_errors: Fraction = 0.0
    checksum: bool = True

    def chance_of_flip(self, size: int) -> float:
        """The probability that a frame of these many bytes is hit."""
        return 1 - (1 - self.p) * (1 - self.bit_errors) ** (8 * size)

    @property
    def rate(self) -> float:
        """The share of frames that are hit, at least."""
        return self.p


def flipped(data: bytes, where: float) -> bytes:
    """The data with one bit flipped, at a share 0 <= ``where`` < 1 of them."""
    bit = int(where * 8 * len(data))
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)
