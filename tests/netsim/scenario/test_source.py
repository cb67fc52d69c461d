"""YAML text as plain data with positions, and what is refused."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netsim.scenario.source import MOST_VALUES, read, write
from netsim.scenario.syntax import UnreadableError, decoded

PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**62), 2**62)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs", "Cc"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc.:#'-0", max_size=5), inner, max_size=4),
    max_leaves=12,
)


def test_words_and_numbers_are_those_of_yaml_1_2() -> None:
    """``1e-3`` is a number; ``on``, ``yes``, ``30%``, ``20ms`` and dates are text; leading zeros are decimal."""
    text = "{a: 1e-3, b: on, c: yes, d: 30%, e: 20ms, f: 2001-01-01, g: 012, h: true, i: null, j: 0x1F, k: '1'}"
    assert read(text).data == {
        "a": 0.001,
        "b": "on",
        "c": "yes",
        "d": "30%",
        "e": "20ms",
        "f": "2001-01-01",
        "g": 12,
        "h": True,
        "i": None,
        "j": 31,
        "k": "1",
    }


def test_each_key_and_item_has_its_line_and_column() -> None:
    """Positions count from 1 and are those of the key, or of the list's item."""
    positions = read("a: 1\nb:\n  c: [x, {d: 2}]\n").positions
    assert positions == {
        "": (1, 1),
        "a": (1, 1),
        "b": (2, 1),
        "b.c": (3, 3),
        "b.c.0": (3, 7),
        "b.c.1": (3, 10),
        "b.c.1.d": (3, 11),
    }


def test_anchors_and_merge_keys_stand_for_what_they_name() -> None:
    """An alias is the anchor's value; keys beside ``<<`` win, and of several merged mappings the first."""
    got = read("a: &x {p: 1, q: 2}\nb: {<<: *x, q: 3}\nc: {q: 0, <<: [*x, {p: 5, r: 6}]}\nd: *x\n")
    assert got.data["b"] == {"p": 1, "q": 3}
    assert got.data["c"] == {"p": 1, "q": 0, "r": 6}
    assert got.data["d"] == {"p": 1, "q": 2}
    assert got.flaws == ()


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("a: [1,\n b: 2", 1, 4, "the list begun here is not closed"),
        ("a: {b: 1", 1, 4, "the mapping begun here is not closed"),
        ("a: 'x", 1, 4, "the text begun here is not closed"),
        ("a:\n\tb: 2", 2, 1, "a tab cannot stand here; indent with spaces"),
        ("a: 1\nb", 2, 2, "a key without a colon"),
        ("a: b: c", 1, 5, "a colon cannot stand here"),
        ("a: @x", 1, 4, "a value cannot begin with '@'; put it in quotes"),
        ("a: 1\nb: \x01", 2, 4, "the character '\\x01' is not allowed"),
        ("a: 1\n---\nb: 2", 2, 1, "a second document begins here"),
        ("a: *x", 1, 4, "*x stands for nothing"),
        ("a: &x [*x]", 1, 8, "*x stands for nothing"),
        ("%YAML 1.1\n---\non: 3", 2, 1, "version 1.2"),
    ],
)
def test_text_that_is_not_yaml_has_one_flaw_with_its_place(text: str, line: int, column: int, message: str) -> None:
    """What cannot be read on from is one flaw, in words for whoever wrote it."""
    with pytest.raises(UnreadableError) as caught:
        read(text)
    flaw = caught.value.flaw
    assert (flaw.line, flaw.column) == (line, column)
    assert message in flaw.message


@pytest.mark.parametrize(
    ("text", "line", "column", "key", "message"),
    [
        ("{a: 1, a: 2}", 1, 8, "a", "the key occurs twice"),
        ("a:\n  b: 1\n  b: 1", 3, 3, "a.b", "the key occurs twice"),
        ("1: 2", 1, 1, "", "the key 1 is not text; put it in quotes"),
        ("? [a]\n: 2", 1, 3, "", 'the key ["a"] is not text'),
        ("a: .inf", 1, 4, "a", "'.inf' is not a finite number"),
        ("a: 1e999", 1, 4, "a", "'1e999' is not a finite number"),
        ("a: 9223372036854775808", 1, 4, "a", "is too large; whole numbers stay below 2^63"),
        ("a: !!binary abcd", 1, 4, "a", "the tag !!binary is not allowed"),
        ("a: !!python/object:os.system {b: 1}", 1, 4, "a", "is not allowed"),
        ("a: !!int b", 1, 4, "a", "'b' is not written as its tag says"),
        ('a: "\\ud800"', 1, 4, "a", "half a surrogate pair"),
        ("a: {<<: 3}", 1, 9, "a", "<< merges mappings, not 3"),
    ],
)
def test_flaws_that_leave_the_rest_readable(text: str, line: int, column: int, key: str, message: str) -> None:
    """Doubled keys, keys that are not text, numbers that are none and tags are found without losing the rest."""
    got = read(f"{text}\n")
    assert [(flaw.line, flaw.column, flaw.key) for flaw in got.flaws] == [(line, column, key)]
    assert message in got.flaws[0].message
    assert isinstance(got.data, dict)


def test_all_flaws_of_a_text_are_found_at_once() -> None:
    """Three flaws in one text are three, and the other keys are read."""
    got = read("a: 1\na: 2\n3: 4\nb: .nan\nc: 5\n")
    assert [flaw.line for flaw in got.flaws] == [2, 3, 4]
    assert got.data["c"] == 5


@pytest.mark.parametrize("text", ["[" * 100_000, "- " * 100_000, "{a: " * 50_000])
def test_deep_nesting_is_refused_before_it_costs_anything(text: str) -> None:
    """Depth ends at 40, so neither the stack overflows nor the time grows."""
    began = time.process_time()
    with pytest.raises(UnreadableError, match="more than 40 lists and mappings stand within each other"):
        read(text)
    assert time.process_time() - began < 2


def test_anchors_that_multiply_are_refused() -> None:
    """Nine lists of nine aliases each stand for 9^9 values; the count ends at the limit."""
    lines = ["a: &a [1,2,3,4,5,6,7,8,9]"]
    lines += [f"{b}: &{b} [{','.join([f'*{a}'] * 9)}]" for a, b in zip("abcdefgh", "bcdefghi", strict=True)]
    with pytest.raises(UnreadableError, match=f"more than {MOST_VALUES} values"):
        read("\n".join(lines))


def test_bytes_that_are_not_utf8_have_their_place() -> None:
    """The first wrong byte is named with its line and column; a byte order mark is no part of the text."""
    with pytest.raises(UnreadableError, match="byte 0xff is not UTF-8 text") as caught:
        decoded("a: 1\nü: ".encode() + b"\xff")
    assert (caught.value.flaw.line, caught.value.flaw.column) == (2, 4)
    assert decoded(b"\xef\xbb\xbfa: 1") == "a: 1"


@settings(deadline=None, derandomize=True)
@given(st.dictionaries(st.text("abcdef-", min_size=1), PLAIN, max_size=5))
def test_written_data_read_back_as_the_same(data: dict[str, object]) -> None:
    """``read`` undoes ``write`` for all plain data, types and order included."""
    got = read(write(data)).data
    assert got == data
    assert repr(got) == repr(data)


@settings(deadline=None, derandomize=True, max_examples=300)
@given(st.text("ab01:-?[]{}&*!|>'\"%@`#,<~. \n\t\\xu\x00\ud800é", max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    """No text raises anything but UnreadableError, and every flaw has a place in the text."""
    try:
        flaws = read(text).flaws
    except UnreadableError as error:
        flaws = (error.flaw,)
    assert all(1 <= flaw.line <= text.count("\n") + 2 and flaw.column >= 1 for flaw in flaws)
