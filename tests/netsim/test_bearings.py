"""Bearing data: records, windows and features brought together."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.io import savemat

from netsim.data.bearings import LEVELS, Bearings
from netsim.data.records import Record
from netsim.data.windows import Chronological, Shuffled, draw_starts
from nodes.draws import generator

SMALL = {"train": 3, "test": 2, "length": 500, "trials": 3}


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("NETSIM_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """MATLAB files of inner race faults at 1 hp, two tones that differ with the width, in noise."""
    folder = tmp_path / "records"
    folder.mkdir()
    for level, (fault, width) in enumerate(LEVELS["IR"]):
        time = np.arange(3000.0)
        signal = np.sin((0.3 + 0.5 * level) * time) + np.sin(0.03 * time) + 0.05 * generator(level).normal(size=3000)
        savemat(folder / f"{level}.mat", {Record(fault, width, 1).variable: signal.reshape(-1, 1)})
    return folder


def rows(array: np.ndarray) -> set[tuple[float, ...]]:
    """The rows of an array, whatever their order."""
    return set(map(tuple, array))


def test_four_ranks_of_five_features(records):
    """Each rank has its number of training and test windows, in order of severity."""
    dataset = Bearings(path=str(records), load_=1, **SMALL).load(generator(1), 0, records)
    assert dataset.X_train.shape == (12, 5)
    assert dataset.X_test.shape == (8, 5)
    assert dataset.ranks == 4
    assert dataset.y_train.tolist() == [1] * 3 + [2] * 3 + [3] * 3 + [4] * 3
    assert dataset.y_test.tolist() == [1, 1, 2, 2, 3, 3, 4, 4]
    assert ((dataset.X_train > 0) & (dataset.X_train <= 1)).all()


def test_repeats_share_windows_and_deal_them_anew(records):
    """All repeats and both splits have the same windows, computed once; only a random split differs by repeat."""
    piece = Bearings(path=str(records), load_=1, **SMALL)
    one, two = (piece.load(generator(key), key, records) for key in (1, 2))
    assert rows(one.X_train) | rows(one.X_test) == rows(two.X_train) | rows(two.X_test)
    assert rows(one.X_train) != rows(two.X_train)
    timed = Bearings(path=str(records), load_=1, split=Chronological(), **SMALL)
    three, four = (timed.load(generator(key), key, records) for key in (1, 2))
    assert np.array_equal(three.X_train, four.X_train)
    assert rows(three.X_train) | rows(three.X_test) == rows(one.X_train) | rows(one.X_test)
    assert len(list((records.parent / "cache").rglob("*.npz"))) == 4


@pytest.mark.parametrize(
    "change", [{"windows_seed": 1}, {"trials": 4}, {"noise": 0.1}, {"noise_of": "range"}, {"order": 4}, {"delay": 2}]
)
def test_what_matters_is_in_the_key_of_the_cache(records, change):
    """Any setting that changes features has features of its own, and leaves the others where they are."""
    before = Bearings(path=str(records), load_=1, **SMALL).load(generator(1), 0, records)
    after = Bearings(path=str(records), load_=1, **{**SMALL, **change}).load(generator(1), 0, records)
    again = Bearings(path=str(records), load_=1, **SMALL).load(generator(1), 0, records)
    assert len(rows(before.X_train) & rows(after.X_train)) == 0
    assert np.array_equal(before.X_train, again.X_train)


def test_another_signal_is_never_taken_for_an_old_one(records):
    """Features follow the content of files, not their names."""
    piece = Bearings(path=str(records), load_=1, **SMALL)
    before = piece.load(generator(1), 0, records)
    savemat(records / "0.mat", {"X106_DE_time": generator(9).normal(size=3000)})
    after = piece.load(generator(1), 0, records)
    changed = (before.X_train != after.X_train).any(axis=1)
    assert changed.tolist() == [True] * 3 + [False] * 9


def test_missing_records_are_told_in_one_message(records):
    """The message names all of them, and not those that are there."""
    (records / "2.mat").unlink()
    with pytest.raises(ValueError, match=r"records of IR 21 mil at 1 hp \(variable X210_DE_time\) are missing in"):
        Bearings(path=str(records), load_=1, **SMALL).load(generator(1), 0, records)
    with pytest.raises(ValueError, match=r"normal at 1 hp .*, OR 7 mil at 1 hp .*, OR 14 mil .*, OR 21 mil"):
        Bearings(path=str(records), fault="OR", load_=1, **SMALL).load(generator(1), 0, records)


def test_a_dead_sensor_is_told(records):
    """A window without any movement has no modes."""
    savemat(records / "1.mat", {"X170_DE_time": np.ones(3000)})
    with pytest.raises(ValueError, match=r"the record of IR 14 mil at 1 hp does not move from sample \d+ on"):
        Bearings(path=str(records), load_=1, **SMALL).load(generator(1), 0, records)


def test_entropies_that_are_not_defined_are_refused():
    """An order of one, and windows that are shorter than what one permutation takes."""
    with pytest.raises(ValueError, match="order: 1 has one permutation only"):
        Bearings(path=".", order=1)
    with pytest.raises(ValueError, match="length: 12 is too short for order: 5 and delay: 3, which take 13 samples"):
        Bearings(path=".", length=12, delay=3)


@given(st.integers(50, 400), st.floats(0, 1), st.integers(1, 30), st.integers(1, 20), st.integers(1, 20))
@settings(deadline=None, derandomize=True)
def test_no_window_lies_across_the_border(samples, share, length, train, test):
    """Training windows end before the border, test windows begin after it; or there is an error that says why."""
    border = int(share * samples)
    draws = generator(samples)
    if border - length + 1 < train or samples - border - length + 1 < test:
        with pytest.raises(ValueError, match="take fewer or shorter ones, or another share"):
            draw_starts(samples, share, length, train, test, draws)
        return
    starts = draw_starts(samples, share, length, train, test, draws)
    assert (starts[:train] + length <= border).all()
    assert (starts[train:] >= border).all()
    assert (starts[train:] + length <= samples).all()
    assert len(set(starts.tolist())) == train + test


def test_a_random_split_deals_every_window_once():
    """Training and test windows are all windows, each once, from both parts of the record."""
    train, test = Shuffled().deal(30, 20, generator(0))
    assert sorted([*train, *test]) == list(range(50))
    assert (train >= 30).any()
    assert (test < 30).any()


@pytest.mark.parametrize("fault", ["IR", "B", "OR"])
def test_real_records_become_four_ranks(shared_data, fault):
    """Every fault has its records among those at hand, and slower modes are more orderly in all of them."""
    piece = Bearings(path=str(shared_data / "bearings" / "records"), fault=fault, train=1, test=1, trials=4)
    dataset = piece.load(generator(0), 0, Path())
    assert dataset.y_train.tolist() == dataset.y_test.tolist() == [1, 2, 3, 4]
    assert (np.diff(dataset.X_train) < 0).all()
