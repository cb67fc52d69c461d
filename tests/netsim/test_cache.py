"""Arrays kept in the user's cache directory."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from netsim.data.cache import cache_folder, kept

VALUES = np.arange(6.0).reshape(2, 3) / 7


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("NETSIM_CACHE", str(tmp_path / "cache"))


def never():
    """Fails the test: what is kept must not be computed again."""
    raise AssertionError("computed again")


def test_the_users_cache_is_the_place_unless_another_is_named(monkeypatch, tmp_path):
    """``NETSIM_CACHE`` comes before the system's rule."""
    assert cache_folder() == tmp_path / "cache"
    monkeypatch.delenv("NETSIM_CACHE")
    assert cache_folder().name == "netsim"
    assert cache_folder() != tmp_path / "cache"


def test_what_was_computed_is_computed_once():
    """The array comes back bit by bit for equal inputs; any other input has an array of its own."""
    assert np.array_equal(kept("things", {"a": 1, "b": [2]}, lambda: VALUES), VALUES)
    assert np.array_equal(kept("things", {"b": [2], "a": 1}, never), VALUES)
    assert np.array_equal(kept("things", {"a": 1, "b": [3]}, lambda: VALUES + 1), VALUES + 1)
    assert np.array_equal(kept("others", {"a": 1, "b": [2]}, lambda: VALUES + 2), VALUES + 2)
    files = sorted(cache_folder().rglob("*.*"))
    assert [file.suffix for file in files] == [".npz"] * 3


def test_a_damaged_file_counts_as_none():
    """A file cut anywhere, with any byte changed in the array, or of other inputs is computed and written anew."""
    kept("things", {"a": 1}, lambda: VALUES)
    (file,) = cache_folder().rglob("*.npz")
    whole = file.read_bytes()
    at = whole.index(VALUES.tobytes())
    other = whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]
    np.savez(file, inputs=np.array('{"a": 2}'), values=VALUES)
    foreign = file.read_bytes()
    for content in (b"", whole[:100], whole[:-30], other, foreign):
        file.write_bytes(content)
        assert np.array_equal(kept("things", {"a": 1}, lambda: VALUES), VALUES)
        assert np.array_equal(kept("things", {"a": 1}, never), VALUES)


def test_computing_at_once_does_no_harm():
    """Whoever comes last leaves a whole file, and everybody has the array."""
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: kept("things", {"a": 1}, VALUES.copy), range(64)))
    assert all(np.array_equal(array, VALUES) for array in found)
    assert [file.suffix for file in (cache_folder() / "things").iterdir()] == [".npz"]


def test_a_failure_leaves_nothing_behind():
    """What was raised comes through, and there is neither a file nor a part of one."""
    with pytest.raises(AssertionError, match="computed again"):
        kept("things", {"a": 1}, never)
    assert list((cache_folder() / "things").iterdir()) == []


def test_a_place_that_cannot_be_written_is_told_before_computing(tmp_path):
    """The message names the environment variable."""
    (tmp_path / "cache").write_text("a file where the directory should be")
    with pytest.raises(ValueError, match=r"cannot write .*cache.*; name another directory in NETSIM_CACHE"):
        kept("things", {"a": 1}, never)
