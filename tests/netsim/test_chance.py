from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from netsim.chance import key
from nodes.draws import generator


def test_keys_stay_what_they_are() -> None:
    """A key is the hash of its arguments; were it another, all numbers of old runs would be others."""
    assert key(0, "features") == 0x412A7C2AF2827CF94F74A5DD842D938D
    assert key(3, "node", 12) == 0xB5F197CAD90707A4DD751D73B844067F


def test_keys_of_different_things_differ() -> None:
    """By seed, purpose and numbers, also where their digits run together; all fit into 128 bits."""
    asked = [(seed, purpose, *ids) for seed, purpose in product((0, 1, 11), ("link a", "link a1", "node")) for ids in
             ((), (1,), (11,), (1, 1), (1, 11), (11, 1), (0,))]  # fmt: skip
    keys = {key(*arguments) for arguments in asked}
    assert len(keys) == len(asked)
    assert all(0 <= one < 2**128 for one in keys)
    assert max(keys) > 2**120


def test_draws_stay_what_they_are() -> None:
    """The stream of a key and counter is fixed, for the same reason."""
    assert generator(5, 1, 2).random(2).tolist() == [0.3441575634528691, 0.4018408534707818]


@settings(deadline=None, derandomize=True, max_examples=50)
@given(key=st.integers(0, 2**128 - 1), start=st.integers(0, 10**9), n=st.integers(0, 9), edge=st.integers(0, 2**63))
def test_a_block_of_draws_equals_single_ones(key: int, start: int, n: int, edge: int) -> None:
    """Row i of a block of four draws each is what a generator with its first counter word i higher starts with."""
    block = generator(key, start, n, edge).random((5, 4))
    single = [generator(key, start + i, n, edge).random(4) for i in range(5)]
    np.testing.assert_array_equal(block, single)


def test_every_word_of_the_counter_matters() -> None:
    """Streams differ by key and by each counter word; absent words are zero."""
    streams = [generator(1), generator(2), generator(1, 7), generator(1, 0, 7), generator(1, 0, 0, 7)]
    assert len({stream.random() for stream in streams}) == 5
    assert generator(1, 7).random() == generator(1, 7, 0, 0, 0).random()
