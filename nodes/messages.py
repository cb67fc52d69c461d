"""Coders: how a node's vectors become frames for its neighbours, and frames vectors again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, Protocol

from nodes.arrays import Floats
from nodes.pieces import Slot
from nodes.wire import Frame, Message, WireError, pack


class Coder(Protocol):
    """One node's coder; may keep state for each edge."""

    def encode(self, vector: Floats, round: int) -> list[tuple[Frame, Sequence[int]]]:
        """The frames to send this round, each with its receivers."""
        ...

    def decode(self, sender: int, data: bytes) -> tuple[int, Floats]:
        """(round, vector) of a frame that came from ``sender``; ``WireError`` if it cannot be read."""
        ...


@dataclass(frozen=True, kw_only=True)
class Full:
    """The whole vector to every neighbour every round, in the smallest of three layouts.

    ``values`` is the type of the numbers on the wire.
    """

    kind: Literal["full"] = "full"
    values: Literal["float64", "float32", "float16"] = "float64"

    def open(self, node: int, neighbours: Sequence[int], decode: Callable[[bytes], Message]) -> Coder:
        """The coder of one node; ``decode`` reads a whole frame."""
        return FullCoder(node, neighbours, self.values, decode)


class FullCoder:
    """One frame a round, the same bytes for all neighbours."""

    def __init__(self, node: int, neighbours: Sequence[int], values: str, decode: Callable[[bytes], Message]) -> None:
        self._node, self._neighbours, self._values, self._decode = node, neighbours, values, decode

    def encode(self, vector: Floats, round: int) -> list[tuple[Frame, Sequence[int]]]:
        """A broadcast."""
        return [(pack(0, self._node, round, (vector,), self._values), self._neighbours)]

    def decode(self, sender: int, data: bytes) -> tuple[int, Floats]:
        """Refuses a frame that names another source than its sender."""
        message = self._decode(data)
        if message.source != sender:
            raise WireError(f"frame from node {sender} claims to be from node {message.source}")
        return message.round, message.vectors[0]


Messages = Annotated[Full, Slot("message coding", default="full")]
