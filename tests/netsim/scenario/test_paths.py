"""Dotted paths into plain data."""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netsim.scenario.paths import get, join, parse, put, within

KEYS = st.text("ab", min_size=1, max_size=2)
DATA = st.recursive(st.integers() | st.none(), lambda inner: st.dictionaries(KEYS, inner, max_size=3), max_leaves=10)


def test_path_is_split_at_its_dots_but_not_after_sweep() -> None:
    """The keys of a sweep are paths, so all that follows ``sweep.`` is one key."""
    assert parse("network.links.loss.p") == ("network", "links", "loss", "p")
    assert parse("sweep") == ("sweep",)
    assert parse("sweep.network.links.loss.p") == ("sweep", "network.links.loss.p")


@pytest.mark.parametrize("path", ["", ".", "a.", ".a", "a..b", "sweep.", ".".join("a" * 31)])
def test_what_is_not_a_path_is_refused(path: str) -> None:
    """Empty keys and endless paths are refused."""
    with pytest.raises(ValueError, match=r"is not a path|has 31 keys"):
        parse(path)


def test_put_makes_mappings_on_the_way_and_kinds_of_bare_words() -> None:
    """A missing or null mapping is made; a word that is descended into becomes its kind."""
    assert put({}, ("a", "b"), 1) == {"a": {"b": 1}}
    assert put({"a": None}, ("a", "b"), 1) == {"a": {"b": 1}}
    assert put({"a": "linear"}, ("a", "size"), 3) == {"a": {"kind": "linear", "size": 3}}
    assert put({"a": [{"b": 1}, 2]}, ("a", "0", "b"), 3) == {"a": [{"b": 3}, 2]}


@pytest.mark.parametrize(
    ("data", "keys", "message"),
    [
        ([1, 2], ("2",), "there is no item 2 in the list; its 2 items are numbered from 0"),
        ([], ("0",), "there is no item 0 in the list; it is empty"),
        ([1], ("-1",), "'-1' is not a number, but the items of a list are numbered from 0"),
        ({"a": 3}, ("a", "b"), "there is no 'b' in 3, which has no keys"),
        ({"a": True}, ("a", "b"), "there is no 'b' in true, which has no keys"),
    ],
)
def test_ways_that_lead_nowhere_are_refused(data: Any, keys: tuple[str, ...], message: str) -> None:
    """Past the end of a list, by a word into a list, and into a number there is no way."""
    with pytest.raises(ValueError, match=re.escape(message)):
        put(data, keys, 0)


@settings(deadline=None, derandomize=True)
@given(st.dictionaries(KEYS, DATA), st.lists(KEYS, min_size=1, max_size=3), st.integers())
def test_get_gives_what_was_put_and_nothing_else_changes(data: Any, keys: list[str], value: int) -> None:
    """put-get law; the original stays as it was, and so do all other keys."""
    before = copy.deepcopy(data)
    try:
        after = put(data, keys, value)
    except ValueError:
        after = put(data := {}, keys, value)
        before = {}
    assert get(after, keys) == value
    assert data == before
    assert {key: item for key, item in after.items() if key != keys[0]} == {
        key: item for key, item in before.items() if key != keys[0]
    }


def test_join_and_within() -> None:
    """Whole keys count: ``ab`` is not within ``a``; everything is within the scenario as a whole."""
    assert join("", "a", 0, "b") == "a.0.b"
    assert within("a.b", "a")
    assert within("a", "a")
    assert within("a", "")
    assert not within("ab", "a")
