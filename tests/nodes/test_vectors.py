from __future__ import annotations

import struct
import sys
import tracemalloc
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nodes.arrays import Floats
from nodes.vectors import BITMAP, DENSE, HEADER, INDEX, LONGEST, VALUES, NonFiniteError, WireError, decode, encode

LAWS = settings(deadline=None, derandomize=True, max_examples=200)


def sparse(length: int, density: float, seed: int) -> Floats:
    """A normal vector, about ``density`` of whose entries are not zero."""
    draws = np.random.default_rng(seed)
    return np.where(draws.random(length) < density, draws.normal(size=length), 0.0)


def header(layout: int, length: int, code: int = 0) -> bytes:
    """The six bytes before a vector's layout."""
    return struct.pack("<BBI", layout, code, length)


@LAWS
@given(
    length=st.integers(1, 3000),
    density=st.sampled_from([0.0, 0.001, 0.01, 0.05, 0.1, 0.15, 0.25, 0.5, 0.9, 0.97, 0.99, 1.0]),
    seed=st.integers(0, 2**32),
    values=st.sampled_from(sorted(VALUES)),
)
def test_round_trip_is_exact(length: int, density: float, seed: int, values: str) -> None:
    """What arrives is what was sent, rounded once to the value type, and the three parts add up to all bytes."""
    vector = sparse(length, density, seed)
    data, positions, amount = encode(vector, values)
    arrived = decode(data, length)
    assert arrived.dtype == np.float64
    assert np.array_equal(arrived, vector.astype(values).astype(np.float64))
    assert len(data) == HEADER.size + positions + amount
    # The values sent are all entries or those that are not zero.
    assert amount in (length * VALUES[values].dtype.itemsize, np.count_nonzero(vector) * VALUES[values].dtype.itemsize)


@LAWS
@given(
    st.lists(
        st.one_of(st.just(0.0), st.floats(allow_nan=False, allow_infinity=False, width=64)), min_size=1, max_size=40
    )
)
def test_every_float64_survives(numbers: list[float]) -> None:
    """Any finite double, subnormal or of the largest magnitude, comes back the same."""
    vector = np.array(numbers)
    assert np.array_equal(decode(encode(vector, "float64")[0], None), vector)


@pytest.mark.parametrize("values", sorted(VALUES))
@pytest.mark.parametrize("length", [1, 7, 8, 9, 200, 255, 256, 257, 2000])
def test_smallest_layout_is_taken(length: int, values: str) -> None:
    """For each number of non-zeros the bytes are the fewest that any of the three layouts needs."""
    width = VALUES[values].dtype.itemsize
    for count in {0, 1, length // 20, length // 8, length // 2, length - 1, length}:
        vector = np.zeros(length)
        vector[np.random.default_rng(count).permutation(length)[:count]] = 1.5
        dense, bitmap, index = length * width, -(-length // 8), -(-length // 256) + count
        assert len(encode(vector, values)[0]) == HEADER.size + min(dense, bitmap + count * width, index + count * width)


def test_layouts_by_hand() -> None:
    """The bytes of one vector in each layout, written out."""
    full = np.array([1.0, -2.0])
    assert encode(full, "float16") == (bytes.fromhex("10 02 02000000 003c 00c0"), 0, 4)
    half = np.array([0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -2.0, 0.0])
    assert encode(half, "float32") == (bytes.fromhex("11 01 0a000000 4080 0000803f 000000c0"), 2, 8)
    few = np.zeros(300)
    few[[2, 258, 299]] = 1.0, 0.5, -1.0
    assert encode(few, "float64") == (
        bytes.fromhex("12 00 2c010000 0102 02022b 000000000000f03f 000000000000e03f 000000000000f0bf"),
        5,
        24,
    )


def test_full_block_falls_back_to_the_bitmap() -> None:
    """A block with 256 non-zeros does not fit its count byte, so the bitmap is sent; 255 still fit."""
    vector = np.zeros(4096)
    vector[256:511] = 1.0
    assert encode(vector, "float64")[0][0] == INDEX
    vector[511] = 1.0
    data, positions, amount = encode(vector, "float64")
    assert (data[0], positions, amount) == (BITMAP, 512, 256 * 8)
    assert np.array_equal(decode(data, 4096), vector)


def test_zeros_of_either_sign_are_not_sent() -> None:
    """-0.0 counts as zero and arrives equal to it."""
    vector = np.zeros(200)
    vector[::2] = -0.0
    vector[3] = 1.0
    data, positions, amount = encode(vector, "float64")
    assert (data[0], positions, amount) == (INDEX, 2, 8)
    assert np.array_equal(decode(data, 200), vector)


def test_decoded_vectors_are_read_only_float64() -> None:
    """Nobody can write into a vector that others may hold, whatever layout and value type it came in."""
    for values in VALUES:
        for density in (1.0, 0.5, 0.05):
            arrived = decode(encode(sparse(200, density, 1), values)[0], 200)
            assert not arrived.flags.writeable
            assert arrived.flags.aligned
            with pytest.raises(ValueError, match="read-only"):
                arrived[0] = 1.0


def test_memoryview_and_strided_vectors() -> None:
    """Bytes may come as a view, and numbers as every second entry of an array."""
    vector = sparse(401, 0.9, 2)[::2]
    data, _, _ = encode(vector, "float64")
    assert np.array_equal(decode(memoryview(data), 201), vector)


@pytest.mark.parametrize(
    ("values", "number"), [("float64", 5e-324), ("float64", 2.0e-310), ("float32", 1e-40), ("float16", 6e-8)]
)
def test_subnormal_values_are_kept(values: str, number: float) -> None:
    """A value below the normal range of its type is sent as the nearest subnormal, without a warning."""
    arrived = decode(encode(np.array([number, 1.0]), values)[0], 2)
    assert arrived[0] == float(np.array(number).astype(values)) > 0


def test_values_below_the_value_type_become_zero() -> None:
    """What is too small for the value type arrives as zero, without a warning."""
    assert decode(encode(np.array([1e-300, 1.0]), "float16")[0], 2).tolist() == [0.0, 1.0]


@pytest.mark.parametrize("values", sorted(VALUES))
@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("density", [1.0, 0.5, 0.01])
def test_not_finite_is_refused_by_the_encoder(values: str, number: float, density: float) -> None:
    """A vector with NaN or infinity cannot be sent, and the error names the value type and the magnitude."""
    vector = sparse(200, density, 3)
    vector[77] = number
    with pytest.raises(NonFiniteError, match=f"magnitude is {abs(number)} .* as {values}"):
        encode(vector, values)


@pytest.mark.parametrize(("values", "number"), [("float16", 65520.0), ("float32", 3.5e38), ("float32", -1e300)])
def test_overflow_of_the_value_type_is_refused(values: str, number: float) -> None:
    """A finite value beyond the value type cannot be sent in it, but can in a wider one."""
    vector = np.array([0.0, number, 1.0])
    with pytest.raises(NonFiniteError, match=f"as {values}, which ends at"):
        encode(vector, values)
    assert np.array_equal(decode(encode(vector, "float64")[0], 3), vector)


def test_largest_values_of_each_type_are_sent() -> None:
    """The sum of squares overflows but no value does: sent, and without a warning, also what rounds to the largest."""
    for values, value_type in VALUES.items():
        largest = float(np.finfo(value_type.dtype).max)
        vector = np.array([largest, -largest] * 50)
        assert np.array_equal(decode(encode(vector, values)[0], 100), vector)
    assert decode(encode(np.array([65519.0]), "float16")[0], 1)[0] == 65504.0


def test_signalling_nan_is_refused_without_a_warning() -> None:
    """A signalling NaN is an error on both sides; its conversion would warn."""
    for dtype, integer, bits in (
        ("<f8", "<u8", 0x7FF0000000000001),
        ("<f4", "<u4", 0x7F800001),
        ("<f2", "<u2", 0x7C01),
    ):
        poison = np.array([bits] * 4, integer).view(dtype)
        code = next(value_type.code for value_type in VALUES.values() if value_type.dtype == dtype)
        with pytest.raises(WireError, match="NaN or infinite"):
            decode(header(DENSE, 4, code) + poison.tobytes(), 4)
    for values in VALUES:
        with pytest.raises(NonFiniteError):
            encode(np.array([0x7FF0000000000001] * 4, np.uint64).view(np.float64), values)


@pytest.mark.parametrize("shape", [(0,), (2, 3), (), (LONGEST + 1,)])
def test_only_vectors_can_be_sent(shape: tuple[int, ...]) -> None:
    """An empty, too long, or not one-dimensional array is refused, and the error says its shape."""
    with pytest.raises(ValueError, match="cannot be sent; send a vector of 1 to 1048576 entries"):
        encode(np.zeros(shape), "float64")


ONE = struct.pack("<d", 1.0)
MALFORMED = {
    "nothing": b"",
    "header cut short": header(DENSE, 1)[:5],
    "another version": header(0x20, 1) + ONE,
    "another layout": header(0x13, 1) + ONE,
    "another value type": header(DENSE, 1, 3) + ONE,
    "length zero": header(DENSE, 0),
    "length beyond the largest": header(INDEX, LONGEST + 1) + bytes(4097),
    "another length than expected": header(DENSE, 2) + ONE + ONE,
    "dense, one byte short": header(DENSE, 1) + ONE[:-1],
    "dense, one byte over": header(DENSE, 1) + ONE + b"\0",
    "dense NaN": header(DENSE, 1) + struct.pack("<d", float("nan")),
    "dense infinity": header(DENSE, 1) + struct.pack("<d", float("-inf")),
    "bitmap cut short": header(BITMAP, 200) + bytes(24),
    "bitmap with more marks than values": header(BITMAP, 8) + b"\xc0" + ONE,
    "bitmap with fewer marks than values": header(BITMAP, 8) + b"\x80" + ONE + ONE,
    "bitmap with a mark beyond the length": header(BITMAP, 7) + b"\x01" + ONE,
    "bitmap of the wrong size": header(BITMAP, 8) + b"\x80" + ONE[:-1],
    "index without its counts": header(INDEX, 300) + b"\x00",
    "index with a count too high": header(INDEX, 200) + b"\x02\x01" + ONE,
    "index with a count too low": header(INDEX, 200) + b"\x01\x01\x02" + ONE + ONE,
    "index beyond the length": header(INDEX, 200) + b"\x01\xc8" + ONE,
    "index beyond the length in the second block": header(INDEX, 300) + b"\x00\x01\x2c" + ONE,
    "index twice": header(INDEX, 200) + b"\x02\x05\x05" + ONE + ONE,
    "indices falling": header(INDEX, 200) + b"\x02\x05\x04" + ONE + ONE,
    "indices falling within the second block": header(INDEX, 300) + b"\x01\x02\x05\x09\x08" + ONE * 3,
    "index with NaN": header(INDEX, 200) + b"\x01\x05" + struct.pack("<d", float("nan")),
}


@pytest.mark.parametrize("data", MALFORMED.values(), ids=MALFORMED)
def test_malformed_vectors_are_refused(data: bytes) -> None:
    """Each way in which bytes can fail to be a vector is a WireError."""
    claimed = int.from_bytes(data[2:6], "little") or None
    with pytest.raises(WireError):
        decode(data, 1 if data == MALFORMED["another length than expected"] else claimed)


def test_indices_need_only_rise_from_block_to_block() -> None:
    """The last index of one block may have a larger low byte than the first of the next."""
    vector = decode(header(INDEX, 300) + b"\x01\x02\xff\x00\x2b" + ONE * 3, 300)
    assert np.flatnonzero(vector).tolist() == [255, 256, 299]


@pytest.mark.parametrize("layout", [DENSE, BITMAP, INDEX])
@pytest.mark.parametrize("claimed", [LONGEST, 2**32 - 1])
def test_a_small_frame_cannot_claim_much_memory(layout: int, claimed: int) -> None:
    """A hundred bytes that claim to be a long vector are refused before anything long is allocated."""
    data = header(layout, claimed) + bytes(100)
    tracemalloc.start()
    try:
        for length in (200, None):
            with pytest.raises(WireError):
                decode(data, length)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 50_000


def test_random_bytes_are_a_vector_or_a_wire_error() -> None:
    """20 000 runs of random bytes behind a plausible header give a finite vector or WireError, and no warning."""
    draws = np.random.default_rng(11)
    decoded = 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(20_000):
            length = int(draws.integers(1, 20))
            layout = (DENSE, BITMAP, INDEX)[draws.integers(3)]
            # Few bytes and low ones, so that counts and lengths agree now and then.
            body = draws.integers(0, draws.choice([4, 256]), int(draws.integers(0, 24)), np.uint8).tobytes()
            try:
                vector = decode(header(layout, length, int(draws.integers(3))) + body, length)
            except WireError:
                continue
            decoded += 1
            assert vector.size == length
            assert np.abs(vector).max() <= sys.float_info.max
    assert decoded > 200
