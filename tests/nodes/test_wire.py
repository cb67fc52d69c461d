from __future__ import annotations

import tracemalloc
import warnings

import msgpack
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nodes.arrays import Floats
from nodes.vectors import VALUES, decode, encode
from nodes.wire import KINDS, LIMIT, Decoder, Frame, Message, NonFiniteError, WireError, pack, unpack

VECTOR = encode(np.array([1.0, 0.0]), "float64")[0]


def with_zeros(length: int, zeros: float, seed: int = 7) -> Floats:
    """A normal vector in which exactly the share ``zeros`` of the entries is zero."""
    draws = np.random.default_rng(seed)
    vector = draws.normal(size=length)
    vector[draws.permutation(length)[: round(zeros * length)]] = 0.0
    return vector


def packed(*fields: object) -> bytes:
    """Any msgpack array."""
    data: bytes = msgpack.packb(fields)
    return data


SIZES = {200: (1615, 840, 440, 195, 33), 2000: (16015, 8265, 4265, 1823, 202)}


@pytest.mark.parametrize("length", SIZES)
def test_sizes_of_whole_frames(length: int) -> None:
    """A float64 frame has exactly the bytes of the design's table, and its three parts add up to them."""
    for zeros, size in zip((0.0, 0.5, 0.75, 0.9, 0.99), SIZES[length], strict=True):
        frame = pack(0, 3, 100, [with_zeros(length, zeros)])
        assert len(frame.data) == size
        assert frame.header + frame.positions + frame.values == size
        assert frame.header in (13, 14, 15)  # array, version, kind, source, round; 2 to 4 of extension; 6 of vector


@settings(deadline=None, derandomize=True, max_examples=100)
@given(
    source=st.integers(0, LIMIT - 1),
    round=st.integers(0, LIMIT - 1),
    length=st.integers(1, 3000),
    zeros=st.floats(0, 1),
    values=st.sampled_from(sorted(VALUES)),
)
def test_round_trip_is_exact(source: int, round: int, length: int, zeros: float, values: str) -> None:
    """Source, round and vector arrive as they were sent, whatever the value type."""
    vector = with_zeros(length, zeros)
    frame = pack(0, source, round, (vector,), values)
    message = unpack(frame.data, length)
    assert message[:4] == (0, source, round, ())
    assert len(message.vectors) == 1
    assert np.array_equal(message.vectors[0], vector.astype(values))
    assert frame.header + frame.positions + frame.values == len(frame.data)


def test_golden_frames() -> None:
    """Three frames to the byte: dense float64, bitmap float32, index float16."""
    assert pack(0, 1, 2, [np.array([1.0, -2.0])]) == Frame(
        bytes.fromhex("95 01 00 01 02 c7 16 01 10 00 02000000 000000000000f03f 00000000000000c0"), 0, 16
    )
    some = np.array([0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -2.0, 0.0])
    assert pack(0, 300, 70000, [some], "float32") == Frame(
        bytes.fromhex("95 01 00 cd012c ce00011170 d8 01 11 01 0a000000 4080 0000803f 000000c0"), 2, 8
    )
    few = np.zeros(200)
    few[[5, 199]] = 0.5, -1.0
    assert pack(0, 0, 0, [few], "float16") == Frame(
        bytes.fromhex("95 01 00 00 00 c7 0d 01 12 02 c8000000 02 05c7 0038 00bc"), 3, 4
    )


def test_the_decoder_reads_golden_frames() -> None:
    """The bytes of a frame mean the same from one version of the code to the next."""
    message = unpack(bytes.fromhex("95 01 00 00 00 c7 0d 01 12 02 c8000000 02 05c7 0038 00bc"), 200)
    assert message[:4] == (0, 0, 0, ())
    assert {int(i): float(message.vectors[0][i]) for i in np.flatnonzero(message.vectors[0])} == {5: 0.5, 199: -1.0}


def test_what_a_frame_cannot_carry_is_not_packed() -> None:
    """An undeclared kind or count, and a source or round out of range, are errors of the caller."""
    vector = np.ones(3)
    with pytest.raises(ValueError, match="kind 9 cannot carry 0 integers and 1 vectors"):
        pack(9, 0, 0, [vector])
    with pytest.raises(ValueError, match="kind 0 cannot carry 0 integers and 2 vectors"):
        pack(0, 0, 0, [vector, vector])
    with pytest.raises(ValueError, match="kind 0 cannot carry 1 integers"):
        pack(0, 0, 0, [vector], integers=[1])
    for source, round in ((-1, 0), (LIMIT, 0), (0, -1), (0, LIMIT)):
        with pytest.raises(ValueError, match="must both lie between 0 and 4294967295"):
            pack(0, source, round, [vector])
    with pytest.raises(NonFiniteError, match="float16"):
        pack(0, 0, 0, [vector * 1e6], "float16")


MALFORMED = {
    "nothing": b"",
    "no array": msgpack.packb(1),
    "empty array": packed(),
    "too few fields": packed(1, 0, 0, 0),
    "envelope cut short": packed(1, 0, 0),
    "one field too many": packed(1, 0, 0, 0, msgpack.ExtType(1, VECTOR), 0),
    "two vectors": packed(1, 0, 0, 0, msgpack.ExtType(1, VECTOR), msgpack.ExtType(1, VECTOR)),
    "another version": packed(2, 0, 0, 0, msgpack.ExtType(1, VECTOR)),
    "version true": packed(True, 0, 0, 0, msgpack.ExtType(1, VECTOR)),
    "undeclared kind": packed(1, 1, 0, 0, msgpack.ExtType(1, VECTOR)),
    "kind false": packed(1, False, 0, 0, msgpack.ExtType(1, VECTOR)),
    "kind an array": packed(1, [], 0, 0, msgpack.ExtType(1, VECTOR)),
    "kind a map": packed(1, {}, 0, 0, msgpack.ExtType(1, VECTOR)),
    "source false": packed(1, 0, False, 0, msgpack.ExtType(1, VECTOR)),
    "source negative": packed(1, 0, -1, 0, msgpack.ExtType(1, VECTOR)),
    "source too large": packed(1, 0, LIMIT, 0, msgpack.ExtType(1, VECTOR)),
    "source a float": packed(1, 0, 1.0, 0, msgpack.ExtType(1, VECTOR)),
    "source nil": packed(1, 0, None, 0, msgpack.ExtType(1, VECTOR)),
    "source a string": packed(1, 0, "3", 0, msgpack.ExtType(1, VECTOR)),
    "round negative": packed(1, 0, 0, -1, msgpack.ExtType(1, VECTOR)),
    "round too large": packed(1, 0, 0, LIMIT, msgpack.ExtType(1, VECTOR)),
    "round true": packed(1, 0, 0, True, msgpack.ExtType(1, VECTOR)),
    "another extension type": packed(1, 0, 0, 0, msgpack.ExtType(2, VECTOR)),
    "a timestamp": packed(1, 0, 0, 0, msgpack.Timestamp(0)),
    "a list for a vector": packed(1, 0, 0, 0, [1.0, 0.0]),
    "a number for a vector": packed(1, 0, 0, 0, 1),
    "binary for a vector": packed(1, 0, 0, 0, VECTOR),
    "empty binary for a vector": packed(1, 0, 0, 0, b""),
    "an empty vector": packed(1, 0, 0, 0, msgpack.ExtType(1, b"")),
    "a vector of another length": packed(1, 0, 0, 0, msgpack.ExtType(1, encode(np.ones(3), "float64")[0])),
    "cut short": packed(1, 0, 0, 0, msgpack.ExtType(1, VECTOR))[:-1],
    "trailing byte": packed(1, 0, 0, 0, msgpack.ExtType(1, VECTOR)) + b"\0",
    "two frames": packed(1, 0, 0, 0, msgpack.ExtType(1, VECTOR)) * 2,
    "huge array": bytes.fromhex("dd ffffffff"),
    "huge extension": bytes.fromhex("95 01 00 00 00 c9 ffffffff 01"),
    "huge binary": bytes.fromhex("95 01 00 00 00 c6 ffffffff"),
    "huge string": bytes.fromhex("95 01 00 00 00 db ffffffff"),
    "huge map": bytes.fromhex("df ffffffff"),
    "nested without end": b"\x95" * 100_000,
    "a reserved byte": b"\xc1",
}


@pytest.mark.parametrize("data", MALFORMED.values(), ids=MALFORMED)
def test_malformed_frames_are_refused(data: bytes) -> None:
    """Each way in which bytes can fail to be a frame is a WireError, and costs little memory."""
    tracemalloc.start()
    try:
        with pytest.raises(WireError):
            unpack(data, 2)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1_000_000


def test_the_malformed_frames_differ_from_a_good_one_only_in_what_they_say() -> None:
    """The frame from which the malformed ones are made is good."""
    message = unpack(packed(1, 0, 0, 0, msgpack.ExtType(1, VECTOR)), 2)
    assert message.vectors[0].tolist() == [1.0, 0.0]
    assert unpack(packed(1, 0, LIMIT - 1, LIMIT - 1, msgpack.ExtType(1, VECTOR)))[:4] == (0, LIMIT - 1, LIMIT - 1, ())


def test_a_small_frame_cannot_claim_a_long_vector() -> None:
    """A frame of some 4 kB whose vector claims a million entries is refused by the length, before allocation."""
    frame = pack(0, 0, 0, [np.zeros(1 << 20)])
    assert len(frame.data) < 5000
    tracemalloc.start()
    try:
        with pytest.raises(WireError, match="length 1048576 is not of length 200"):
            unpack(frame.data, 200)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 50_000


def mutated(data: bytes, draws: np.random.Generator) -> bytes:
    """``data`` with one to four bytes changed, cut short, extended, or with a stretch doubled."""
    changed = bytearray(data)
    way, at, amount = (int(number) for number in draws.integers(0, (8, len(data), 5)))
    if way == 0:
        return data[:at]
    if way == 1:
        return data + draws.bytes(amount + 1)
    if way == 2:
        return data[:at] + data[at : at + amount] + data[at:]
    # Mostly in the first bytes, where the structure is; anywhere else it is mostly a value that changes.
    reach = min(len(data), 24) if way < 6 else len(data)
    for place in draws.integers(0, reach, amount + 1).tolist():
        changed[place] = int(draws.integers(256))
    return bytes(changed)


def test_a_hundred_thousand_mutated_frames() -> None:
    """Each is a Message of finite read-only vectors or a WireError: no other exception, and no warning."""
    draws = np.random.default_rng(2)
    frames = [
        pack(0, 3, 100, [with_zeros(length, zeros)], values).data
        for length in (1, 40, 200, 600)
        for zeros in (0.0, 0.5, 0.9, 0.99)
        for values in VALUES
    ]
    good = refused = 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for trial in range(100_000):
            data = mutated(frames[trial % len(frames)], draws)
            try:
                message = unpack(data)
            except WireError:
                refused += 1
                continue
            good += 1
            assert type(message) is Message
            (vector,) = message.vectors
            assert np.isfinite(vector).all()
            assert not vector.flags.writeable
    # The mutations neither break every frame nor leave every frame whole.
    assert good > 10_000
    assert refused > 10_000


def test_random_bytes_are_refused() -> None:
    """20 000 runs of random bytes, half of them behind a good envelope, are no frames, and raise nothing else."""
    draws = np.random.default_rng(3)
    envelope = bytes.fromhex("95 01 00 03 64 c7")
    for trial in range(20_000):
        data = (envelope if trial % 2 else b"") + draws.bytes(int(draws.integers(0, 60)))
        with pytest.raises(WireError):
            unpack(data)


def test_identical_frames_give_the_identical_message() -> None:
    """Equal bytes are decoded once, also when they are another object; others are decoded for themselves."""
    decoder = Decoder(4, 200)
    remembered = decoder.__getitem__
    data = pack(0, 1, 2, [with_zeros(200, 0.5)]).data
    message = remembered(data)
    assert remembered(bytes(bytearray(data))) is message
    assert not message.vectors[0].flags.writeable
    assert np.array_equal(message.vectors[0], unpack(data).vectors[0])
    assert remembered(pack(0, 2, 2, [with_zeros(200, 0.5)]).data) is not message


def test_memory_of_the_decoder_is_bounded() -> None:
    """Two generations are kept and no more; the frames of the last generation are still known."""
    decoder = Decoder(10, 5)
    frames = [pack(0, source, 0, [np.ones(5)]).data for source in range(1005)]
    for data in frames:
        decoder[data]
        assert len(decoder) + len(decoder.older) <= 20
    for data in frames[-10:]:
        known = decoder.older.get(data) or decoder.get(data)
        assert known is not None
        assert decoder[data] is known
    assert decoder.older.get(frames[0]) is None
    assert frames[0] not in decoder


def test_the_decoder_does_not_remember_malformed_frames() -> None:
    """A malformed frame is a WireError each time, and takes no place; so is a frame of another length."""
    decoder = Decoder(10, 5)
    for data in (b"\xc1", pack(0, 0, 0, [np.ones(6)]).data) * 2:
        with pytest.raises(WireError):
            decoder[data]
    assert (len(decoder), len(decoder.older)) == (0, 0)


def test_declared_kinds() -> None:
    """Kind 0 is one vector and no integer."""
    assert KINDS[0] == (0, 1)
    assert np.array_equal(decode(VECTOR, 2), [1.0, 0.0])
