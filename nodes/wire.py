"""Frames: what nodes say to each other, as bytes that can be counted, and back.

A frame is the msgpack array ``[version, kind, source, round, *integers, *vectors]``; a vector is the extension type 1
that holds the bytes of ``nodes.vectors``. Each kind of frame declares how many integers and vectors it carries.
Frames may come from anywhere: what is not exactly a frame is a ``WireError``, and costs no more memory than its bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Final, NamedTuple

import msgpack

from nodes.arrays import Floats
from nodes.vectors import HEADER, LONGEST, NonFiniteError, WireError, decode, encode

__all__ = ["KINDS", "Decoder", "Frame", "Message", "NonFiniteError", "WireError", "pack", "unpack"]

VERSION: Final = 1
VECTOR: Final = 1
"""The msgpack extension type of a vector."""
LIMIT: Final = 1 << 32
"""Sources and rounds are below this."""
INTEGER_LIMIT: Final = 1 << 64
"""The integers of a kind are below this."""

KINDS: Final[Mapping[int, tuple[int, int]]] = MappingProxyType({0: (0, 1)})
"""Kind of frame -> number of integers, number of vectors. Kind 0 is one vector."""

ENVELOPE: Final = 4
"""Fields before those of the kind: version, kind, source, round."""


class Frame(NamedTuple):
    """The bytes of one frame, and how many of them tell positions and how many values."""

    data: bytes
    positions: int
    values: int

    @property
    def header(self) -> int:
        """How many bytes tell neither positions nor values."""
        return len(self.data) - self.positions - self.values


class Message(NamedTuple):
    """What one frame says. The vectors are read-only."""

    kind: int
    source: int
    round: int
    integers: tuple[int, ...]
    vectors: tuple[Floats, ...]


def pack(
    kind: int,
    source: int,
    round: int,
    vectors: Sequence[Floats],
    values: str = "float64",
    integers: Sequence[int] = (),
) -> Frame:
    """A frame whose numbers are written as ``values``, a key of ``nodes.vectors.VALUES``.

    Raises ``NonFiniteError`` for a vector that holds NaN or infinity or overflows the value type, and ``ValueError``
    for what no frame of this kind can carry.
    """
    if KINDS.get(kind) != (len(integers), len(vectors)):
        raise ValueError(
            f"a frame of kind {kind} cannot carry {len(integers)} integers and {len(vectors)} vectors; "
            f"kinds and what they carry: {dict(KINDS)}"
        )
    if not (0 <= source < LIMIT and 0 <= round < LIMIT):
        raise ValueError(f"source {source} and round {round} must both lie between 0 and {LIMIT - 1}")
    if integers and not (min(integers) >= 0 and max(integers) < INTEGER_LIMIT):
        raise ValueError(f"integers {tuple(integers)} must all lie between 0 and {INTEGER_LIMIT - 1}")
    numbers = _PACKER.pack((VERSION, kind, source, round, *integers))
    parts = [_PACKER.pack_array_header(ENVELOPE + len(integers) + len(vectors)), numbers[1:]]  # one array for both
    positions = amount = 0
    for vector in vectors:
        encoded, spent_on_positions, spent_on_values = encode(vector, values)
        parts.append(_PACKER.pack_ext_type(VECTOR, encoded))
        positions += spent_on_positions
        amount += spent_on_values
    return Frame(b"".join(parts), positions, amount)


def unpack(data: bytes, length: int | None = None) -> Message:
    """What the frame says; its vectors have ``length`` entries, or any number of them where it is None.

    Raises ``WireError`` for every other sequence of bytes.
    """
    try:
        fields = _read(data)
    except (ValueError, msgpack.UnpackException) as error:
        raise WireError(f"not a frame: {error}") from None
    if type(fields) is not tuple or len(fields) < ENVELOPE:
        raise WireError(f"not an array of {ENVELOPE} fields or more")
    kind = fields[1]
    if type(kind) is not int or kind not in KINDS:
        raise WireError(f"kind {_shown(kind)} is none of {sorted(KINDS)}")
    integers, vectors = KINDS[kind]
    start = ENVELOPE + integers
    if len(fields) != start + vectors:
        raise WireError(f"{len(fields)} fields, where kind {kind} has {start + vectors}")
    for field in fields[:start]:
        if type(field) is not int or field < 0:
            raise WireError(f"field {_shown(field)} is not a whole number of 0 or more")
    version, _, source, round = fields[:ENVELOPE]
    if version != VERSION or source >= LIMIT or round >= LIMIT:
        raise WireError(f"version {version}, source {source} or round {round} is out of range")
    decoded = []
    for field in fields[start:]:
        if type(field) is not bytes:
            raise WireError(f"field {_shown(field)} is not a vector")
        decoded.append(decode(field, length))
    return Message(kind, source, round, fields[ENVELOPE:start], tuple(decoded))


class Decoder(dict[bytes, Message]):
    """``unpack`` that remembers: an identical frame gives the identical message, so a broadcast is decoded once.

    Two generations of ``size`` frames each: when the younger is full it becomes the older, which is forgotten. With
    ``size`` at the number of nodes, every frame of a round is remembered until the round is over. Call it through
    ``decode = decoder.__getitem__``. Malformed frames are not remembered.
    """

    def __init__(self, size: int, length: int | None) -> None:
        super().__init__()
        self.size = size
        self.length = length
        self.older: dict[bytes, Message] = {}

    def __missing__(self, data: bytes) -> Message:
        message = self.older.get(data)
        if message is None:
            message = unpack(data, self.length)
        if len(self) >= self.size:
            self.older = dict(self)
            self.clear()
        self[data] = message
        return message


def _shown(field: object) -> str:
    # Only integers by value: anything else may be as long as the frame.
    return str(field) if type(field) is int else f"of type {type(field).__name__}"


def _extension(code: int, data: bytes) -> bytes:
    if code != VECTOR:
        raise WireError(f"extension type {code} is not a vector")
    return data


_PACKER: Final = msgpack.Packer()
_read = partial(
    msgpack.unpackb,
    ext_hook=_extension,
    use_list=False,
    max_array_len=ENVELOPE + max(sum(counts) for counts in KINDS.values()),
    max_ext_len=HEADER.size + 8 * LONGEST,
    max_bin_len=0,
    max_map_len=0,
    max_str_len=0,
)
