"""One vector of floats as bytes, and back: exact for its value type, and as short as three layouts can make it.

A header of six bytes (version and layout, value type, length as a little-endian uint32), then the smallest of

    dense    every value
    bitmap   one bit per entry, first entry in the highest bit, then the values that are not zero
    index    one byte per block of 256 entries (how many of them are not zero), one byte per entry that is not zero
             (its place within its block), then the values that are not zero

How many values there are is never sent: it follows from the number of bytes, and the positions must agree with it.
A value of -0.0 counts as zero and may come back as 0.0; one too small for the value type is sent as its zero.
"""

from __future__ import annotations

import math
import struct
import sys
from typing import Any, Final, NamedTuple

import numpy as np

from nodes.arrays import Floats, Integers

VERSION: Final = 1
DENSE: Final = VERSION << 4
BITMAP: Final = VERSION << 4 | 1
INDEX: Final = VERSION << 4 | 2
BLOCK: Final = 256
LONGEST: Final = 1 << 20
"""The largest length of a vector. It bounds what a short frame can make its receiver allocate: 8 MB."""

HEADER: Final = struct.Struct("<BBI")

_BYTE: Final = np.dtype(np.uint8)
_BOOL: Final = np.dtype(np.bool_)
_STARTS: Final = np.arange(0, LONGEST + BLOCK, BLOCK)
"""Where each block starts, and where the last one ends."""


class WireError(ValueError):
    """Bytes that are no frame of ours. The receiver counts them and drops them."""


class NonFiniteError(ValueError):
    """A vector that holds NaN or infinity, or a value beyond the range of the value type it should be sent in."""


class ValueType(NamedTuple):
    """How one value is written: its code in the header, and a sum of squares below which no value can overflow."""

    code: int
    dtype: np.dtype[Any]
    safe: float


def _value_type(code: int, spelling: str) -> ValueType:
    dtype = np.dtype(spelling)
    largest = float(np.finfo(dtype).max)
    return ValueType(code, dtype, min(largest * largest, sys.float_info.max))


VALUES: Final = {
    "float64": _value_type(0, "<f8"),
    "float32": _value_type(1, "<f4"),
    "float16": _value_type(2, "<f2"),
}
_DTYPES: Final = {value_type.code: value_type.dtype for value_type in VALUES.values()}


def encode(vector: Floats, values: str) -> tuple[bytes, int, int]:
    """The bytes of ``vector`` [length] with its numbers as ``values``, how many tell positions, how many values.

    Raises ``NonFiniteError`` where the vector holds NaN or infinity or overflows the value type, and ``ValueError``
    where it is no vector of 1 to ``LONGEST`` entries.
    """
    if vector.ndim != 1 or not 0 < vector.size <= LONGEST:
        raise ValueError(f"an array of shape {vector.shape} cannot be sent; send a vector of 1 to {LONGEST} entries")
    code, dtype, safe = VALUES[values]
    # One pass proves nearly every vector. np.vdot, unlike dot, does not warn where the sum itself overflows.
    if not np.vdot(vector, vector) <= safe:
        _check_each(vector, values)
    length, width = vector.size, dtype.itemsize
    mask = vector.astype(_BOOL)  # twice as fast as vector != 0
    count = int(np.count_nonzero(mask))
    # What each layout spends besides the values that are not zero.
    dense, bitmap, index = (length - count) * width, -(-length // 8), -(-length // BLOCK) + count
    if dense <= bitmap and dense <= index:
        return HEADER.pack(DENSE, code, length) + vector.astype(dtype, copy=False).tobytes(), 0, length * width
    places = mask.nonzero()[0]  # five times faster than np.flatnonzero(vector)
    kept = vector[places].astype(dtype, copy=False).tobytes()
    if index < bitmap:
        counts = _block_counts(places, length)
        if counts:
            positions = counts + places.astype(_BYTE).tobytes()
            return HEADER.pack(INDEX, code, length) + positions + kept, index, len(kept)
    return HEADER.pack(BITMAP, code, length) + np.packbits(mask).tobytes() + kept, bitmap, len(kept)


def decode(data: bytes | memoryview, length: int | None) -> Floats:
    """The vector in ``data``, read-only; of ``length`` entries, or of any number of them where it is None.

    Raises ``WireError`` for every other sequence of bytes, before anything of the claimed length is allocated.
    """
    data = bytes(data)
    if len(data) < HEADER.size:
        raise WireError(f"a vector of {len(data)} bytes is shorter than its header of {HEADER.size}")
    layout, code, claimed = HEADER.unpack_from(data)
    if not 0 < claimed <= LONGEST or (length is not None and claimed != length):
        raise WireError(f"a vector of length {claimed} is not of length {length or f'1 to {LONGEST}'}")
    dtype = _DTYPES.get(code)
    if dtype is None:
        raise WireError(f"value type {code} is none of {sorted(_DTYPES)}")
    body = data[HEADER.size :]
    if layout == DENSE:
        vector = _numbers(body, claimed, dtype)
    elif layout == BITMAP:
        vector = _from_bitmap(body, claimed, dtype)
    elif layout == INDEX:
        vector = _from_index(body, claimed, dtype)
    else:
        raise WireError(f"version and layout {layout:#04x} is none of {DENSE:#04x}, {BITMAP:#04x} and {INDEX:#04x}")
    vector.setflags(write=False)
    return vector


def _check_each(vector: Floats, values: str) -> None:
    """Raise ``NonFiniteError`` unless every value is finite in the value type."""
    dtype = VALUES[values].dtype
    with np.errstate(over="ignore", invalid="ignore"):
        finite = np.isfinite(vector.astype(dtype)).all()
    if not finite:
        raise NonFiniteError(
            f"a vector whose largest magnitude is {np.abs(vector).max():g} cannot be sent as {values}, which ends at "
            f"{np.finfo(dtype).max:g}; take a smaller step or a wider value type"
        )


def _block_counts(places: Integers, length: int) -> bytes | None:
    """How many of ``places`` lie in each block of 256 entries; None where a full block does not fit its byte."""
    if length <= BLOCK:
        return bytes((places.size,)) if places.size < BLOCK else None
    bounds = places.searchsorted(_STARTS[: -(-length // BLOCK) + 1])
    counts = (bounds[1:] - bounds[:-1]).astype(_BYTE).tobytes()
    return counts if sum(counts) == places.size else None


def _numbers(data: bytes, count: int, dtype: np.dtype[Any]) -> Floats:
    """``count`` finite values, as float64."""
    if len(data) != count * dtype.itemsize:
        raise WireError(f"{len(data)} bytes of values are not {count} values of {dtype.itemsize}")
    numbers = np.frombuffer(data, dtype)
    # Before they become float64: the conversion of a signalling NaN warns.
    if not math.isfinite(np.vdot(numbers, numbers)) and not np.isfinite(numbers).all():
        raise WireError("a value is NaN or infinite")
    return numbers.astype(np.float64, copy=False)


def _from_bitmap(body: bytes, length: int, dtype: np.dtype[Any]) -> Floats:
    width = -(-length // 8)
    if len(body) < width:
        raise WireError(f"{len(body)} bytes are no bitmap of {length} entries")
    # As booleans, a mask gives its places four times faster than as bytes.
    places = np.unpackbits(np.frombuffer(body, _BYTE, width)).view(_BOOL).nonzero()[0]
    if places.size and places[-1] >= length:
        raise WireError(f"the bitmap marks entries beyond the length {length}")
    numbers = _numbers(body[width:], places.size, dtype)
    vector = np.zeros(length)
    vector[places] = numbers
    return vector


def _from_index(body: bytes, length: int, dtype: np.dtype[Any]) -> Floats:
    blocks = -(-length // BLOCK)
    count = sum(body[:blocks])
    start = blocks + count
    if len(body) < start:
        raise WireError(f"{len(body)} bytes are no index of {count} entries in {blocks} blocks")
    numbers = _numbers(body[start:], count, dtype)
    places = np.frombuffer(body, _BYTE, count, blocks).astype(np.int64)
    if blocks > 1:
        places += _STARTS[:blocks].repeat(np.frombuffer(body, _BYTE, blocks))
    if count and (places[-1] >= length or np.count_nonzero(places[1:] <= places[:-1])):
        raise WireError(f"the indices are not strictly increasing below the length {length}")
    vector = np.zeros(length)
    vector[places] = numbers
    return vector
