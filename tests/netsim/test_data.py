"""Data pieces: what each loads, and one clear error for each way in which a file can be wrong."""

from __future__ import annotations

import gzip
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netsim.data import Csv, Dataset, Diabetes, Digits, Npz, Rings, Strips, find, read_text
from netsim.data.bundled import equal_frequency
from netsim.data.dataset import Samples, divide, draw

HERE = Path(".")
X = np.arange(40.0).reshape(20, 2)
Y = np.arange(20) % 4 + 1
LAWS = settings(deadline=None, derandomize=True, max_examples=60)


def load(data: Any, folder: Path = HERE, seed: int = 0, repeat: int = 0) -> Dataset:
    """The data set that a piece loads with this seed."""
    got = data.load(np.random.default_rng(seed), repeat, folder)
    assert isinstance(got, Dataset)
    assert got.X_train.dtype == got.X_test.dtype == np.float64
    assert got.y_train.dtype == got.y_test.dtype == np.int64
    assert got.X_train.shape == (len(got.y_train), got.X_test.shape[1])
    assert len(got.X_test) == len(got.y_test)
    return got


def rows(dataset: Dataset) -> tuple[list[int], list[int]]:
    """Which rows of the module's X train and which test."""
    return (dataset.X_train[:, 0] / 2).astype(int).tolist(), (dataset.X_test[:, 0] / 2).astype(int).tolist()


class TestSynthetic:
    """The two problems of the paper's section 5.1."""

    @pytest.mark.parametrize("data", [Strips(), Rings()])
    def test_paper_sizes(self, data: Any) -> None:
        """1000 training and 200 test samples in the plane with four ranks, redrawn for another seed."""
        got = load(data)
        assert got.X_train.shape == (1000, 2)
        assert got.X_test.shape == (200, 2)
        assert got.ranks == 4
        assert np.unique(got.y_train).tolist() == [1, 2, 3, 4]
        assert np.array_equal(load(data).X_test, got.X_test)
        assert not np.array_equal(load(data, seed=1).X_test, got.X_test)

    def test_strips_without_noise_are_cut_by_three_lines(self) -> None:
        """Turned back by pi/8 the samples fill the rectangle, and the rank follows from x1 at -1, 0, 1."""
        got = load(Strips(train=4000, test=10, noise=0.0))
        turn = np.pi / 8
        x1 = got.X_train @ [np.cos(turn), np.sin(turn)]
        x2 = got.X_train @ [-np.sin(turn), np.cos(turn)]
        assert got.y_train.tolist() == (np.floor(x1) + 3).astype(int).tolist()
        assert abs(x1).max() == pytest.approx(2, abs=0.01)
        assert abs(x2).max() == pytest.approx(1, abs=0.01)
        assert x1.var() == pytest.approx(4**2 / 12, rel=0.05)
        assert x2.var() == pytest.approx(2**2 / 12, rel=0.05)

    def test_rings_without_noise_are_cut_by_three_circles(self) -> None:
        """Samples are uniform over the disc of radius 4, so rank r holds (2r-1)/16 of them, and radii give ranks."""
        got = load(Rings(train=8000, test=10, noise=0.0))
        radii = np.linalg.norm(got.X_train, axis=1)
        assert radii.max() < 4
        assert got.y_train.tolist() == np.ceil(radii).astype(int).tolist()
        shares = np.bincount(got.y_train)[1:] / 8000
        np.testing.assert_allclose(shares, np.array([1, 3, 5, 7]) / 16, atol=0.02)

    @pytest.mark.parametrize(("kind", "noise"), [(Strips, 0.5), (Rings, 0.2)])
    def test_labels_are_by_location_before_noise(self, kind: Any, noise: float) -> None:
        """Noise of the stated deviation moves the samples in each dimension and leaves their ranks."""
        clean, noisy = load(kind(train=4000, noise=0.0)), load(kind(train=4000))
        assert np.array_equal(clean.y_train, noisy.y_train)
        np.testing.assert_allclose((noisy.X_train - clean.X_train).std(axis=0), noise, rtol=0.05)

    def test_one_training_sample_is_one_class(self) -> None:
        """A training set with one rank only cannot be learnt from."""
        with pytest.raises(ValueError, match="training set of strips has one class only: all its 1 samples"):
            load(Strips(train=1))


class TestBundled:
    """scikit-learn's data."""

    @pytest.mark.parametrize("ranks", [2, 3, 5])
    def test_diabetes_ranks_are_about_equally_frequent(self, ranks: int) -> None:
        """442 patients, ten columns, ranks within two per cent of equal frequency (equal targets share a rank)."""
        got = load(Diabetes(ranks=ranks))
        assert got.X_train.shape == (354, 10)
        assert got.X_test.shape == (88, 10)
        assert got.ranks == ranks
        shares = np.bincount(np.concatenate([got.y_train, got.y_test]), minlength=ranks + 1)[1:] / 442
        np.testing.assert_allclose(shares, 1 / ranks, atol=0.02)

    def test_diabetes_ranks_follow_the_target(self) -> None:
        """Ranks go up with the target, and each patient keeps the own one."""
        from sklearn.datasets import load_diabetes

        raw, target = load_diabetes(return_X_y=True, scaled=False)
        got = load(Diabetes())
        lookup = {tuple(row): value for row, value in zip(raw, target, strict=True)}
        targets = np.array([lookup[tuple(row)] for row in got.X_train])
        highest = [targets[got.y_train == rank].max() for rank in range(1, 6)]
        lowest = [targets[got.y_train == rank].min() for rank in range(1, 6)]
        assert all(low > high for low, high in zip(lowest[1:], highest, strict=False))

    def test_too_many_ranks_are_refused(self) -> None:
        """More ranks than distinct targets leave some empty, which is said."""
        with pytest.raises(ValueError, match="ranks: 300 is too many for 442 samples with 214 distinct targets"):
            load(Diabetes(ranks=300))

    @LAWS
    @given(st.permutations(range(23)) | st.permutations(range(40)), st.integers(2, 10))
    def test_distinct_targets_are_cut_evenly(self, target: list[int], ranks: int) -> None:
        """Without equal targets no two ranks differ by more than one in frequency."""
        counts = np.bincount(equal_frequency(np.array(target, dtype=np.float64), ranks))[1:]
        assert len(counts) == ranks
        assert counts.max() - counts.min() <= 1

    def test_digits_are_ranked_one_above_the_digit(self) -> None:
        """1797 images of 64 pixels in ten ranks; digit 0 is rank 1."""
        from sklearn.datasets import load_digits

        got = load(Digits(test=0.5))
        assert got.ranks == 10
        assert len(got.y_train) + len(got.y_test) == 1797
        pixels, digit = load_digits(return_X_y=True)
        lookup = {row.tobytes(): value for row, value in zip(pixels, digit, strict=True)}
        assert [lookup[row.tobytes()] + 1 for row in got.X_test] == got.y_test.tolist()

    def test_test_share_of_zero_or_all_is_refused(self) -> None:
        """A share that leaves no test or no training sample names which, and how many samples there are."""
        with pytest.raises(ValueError, match="test: 0 of the 442 samples of diabetes leaves the test set empty"):
            load(Diabetes(test=0.0))
        with pytest.raises(ValueError, match="test: 1 of the 1797 samples of digits leaves the training set empty"):
            load(Digits(test=1.0))


class TestDivide:
    """The checks that all data go through."""

    TRAIN, TEST = np.arange(15), np.arange(15, 20)

    @LAWS
    @given(st.integers(2, 50), st.floats(0, 1), st.integers(0, 2**32))
    def test_drawn_rows_are_a_partition(self, total: int, share: float, seed: int) -> None:
        """The test set has the share asked for, rounded, and the training set the rest; or it is refused as empty."""
        samples = Samples("x", np.zeros((total, 1)), np.ones(total))
        if not 0 < round(share * total) < total:
            with pytest.raises(ValueError, match="set empty"):
                draw(samples, share, np.random.default_rng(seed))
            return
        train, test = draw(samples, share, np.random.default_rng(seed))
        assert len(test) == round(share * total)
        assert sorted([*train.tolist(), *test.tolist()]) == list(range(total))

    @pytest.mark.parametrize(
        ("at", "value", "complaint"),
        [
            ((3, 1), np.nan, r"1 value is not finite in x, the first in row 3 \(from 0\), column 1 \(from 0\)"),
            ((slice(4, 6), 0), np.inf, r"2 values are not finite in x, the first in row 4 \(from 0\), column 0"),
        ],
    )
    def test_values_that_are_not_finite(self, at: Any, value: float, complaint: str) -> None:
        """NaN and infinity are counted and the first is located."""
        wrong = X.copy()
        wrong[at] = value
        with pytest.raises(ValueError, match=complaint):
            divide(Samples("x", wrong, Y), self.TRAIN, self.TEST)

    @pytest.mark.parametrize(
        ("label", "complaint"),
        [
            (1.5, r"label 1.5 of x, row 2 \(from 0\), is not a whole number"),
            (np.nan, "label nan of x"),
            (np.inf, "label inf of x"),
            (0.0, r"label 0 of x, row 2 .* is below 1; .* \(add 1 to labels from 0\)"),
            (-1.0, "label -1 of x"),
            (7.0, "no training sample of x has rank 5, although labels go up to 7; .* or give ranks: 7"),
            (1e300, r"no training sample of x has rank 5, although labels go up to 1e\+300"),
        ],
    )
    def test_labels_that_are_not_ranks(self, label: float, complaint: str) -> None:
        """A label that is no rank is named with its row and the remedy."""
        y = Y.astype(float)
        y[2] = label
        with pytest.raises(ValueError, match=complaint):
            divide(Samples("x", X, y), self.TRAIN, self.TEST)

    def test_whole_floats_are_ranks(self) -> None:
        """Labels such as 3.0 are ranks."""
        got = divide(Samples("x", X, Y.astype(np.float32)), self.TRAIN, self.TEST)
        assert got.y_train.tolist() == Y[:15].tolist()
        assert got.ranks == 4

    def test_rank_in_the_test_set_only_needs_ranks(self) -> None:
        """A test rank that no training sample has is refused, unless the number of ranks is given."""
        samples = Samples("x", X, np.array([1, 2, 3] * 5 + [4] * 5))
        with pytest.raises(ValueError, match="no training sample of x has rank 4, although labels go up to 4"):
            divide(samples, self.TRAIN, self.TEST)
        assert divide(samples, self.TRAIN, self.TEST, ranks=6).ranks == 6
        with pytest.raises(ValueError, match=r"label 4 of x, .* is above ranks: 3; raise ranks"):
            divide(samples, self.TRAIN, self.TEST, ranks=3)

    def test_one_class_is_refused_even_with_ranks(self) -> None:
        """A training set of one rank has nothing to learn, however many ranks there are."""
        with pytest.raises(ValueError, match="has one class only: all its 15 samples are of rank 2"):
            divide(Samples("x", X, np.full(20, 2)), self.TRAIN, self.TEST, ranks=4)

    def test_empty_sets_and_no_columns_are_refused(self) -> None:
        """Each set needs a sample and each sample a column."""
        nothing = np.arange(0)
        with pytest.raises(ValueError, match="the training set of x is empty"):
            divide(Samples("x", X, Y), nothing, self.TEST)
        with pytest.raises(ValueError, match="the test set of x is empty"):
            divide(Samples("x", X, Y), self.TRAIN, nothing)
        with pytest.raises(ValueError, match="the samples of x have no columns"):
            divide(Samples("x", X[:, :0], Y), self.TRAIN, self.TEST)

    def test_rows_in_neither_set_are_not_looked_at(self) -> None:
        """A row that neither trains nor tests may hold anything."""
        wrong, y = X.copy(), Y.copy()
        wrong[19], y[19] = np.nan, -5
        assert len(divide(Samples("x", wrong, y), self.TRAIN, np.arange(15, 19)).y_test) == 4


class TestFind:
    """Where named files are looked for."""

    def test_scenario_folder_comes_first(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """The scenario's folder, then the current directory; an absolute path is taken as it is."""
        beside, current = tmp_path / "beside", tmp_path / "current"
        for folder in (beside, current):
            folder.mkdir()
        monkeypatch.chdir(current)
        (current / "a.csv").touch()
        assert find("a.csv", beside) == current / "a.csv"
        (beside / "a.csv").touch()
        assert find("a.csv", beside) == beside / "a.csv"
        assert find(str(current / "a.csv"), beside) == current / "a.csv"

    def test_errors_name_the_places(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A missing file names both folders, a missing absolute one itself, a directory is said to be one."""
        monkeypatch.chdir(tmp_path)
        folder = tmp_path / "beside"
        (folder / "sub").mkdir(parents=True)
        with pytest.raises(ValueError, match=f"no file 'a.csv' in the scenario's folder {folder} or in {tmp_path}"):
            find("a.csv", folder)
        with pytest.raises(ValueError, match=f"there is no file {tmp_path}/a.csv"):
            find(f"{tmp_path}/a.csv", folder)
        with pytest.raises(ValueError, match=f"'sub' is not a file but the directory {folder}/sub"):
            find("sub", folder)
        with pytest.raises(ValueError, match="is not a file but the directory"):
            find("", folder)

    def test_names_that_no_system_takes_are_just_missing(self, tmp_path: Path) -> None:
        """A name with a null character or of ten thousand letters is a missing file."""
        for name in ("a\0b", "a" * 10_000):
            with pytest.raises(ValueError, match="there is no file"):
                find(name, tmp_path)

    def test_text_must_be_utf8(self, tmp_path: Path) -> None:
        """Bytes that are not UTF-8 are named with their line; a byte order mark is not part of the text."""
        (tmp_path / "a.csv").write_bytes(b"a,b\n1,\xe4\n")
        with pytest.raises(ValueError, match=r"a.csv is not UTF-8 text: byte 0xe4 in line 2; save it as UTF-8"):
            read_text(tmp_path / "a.csv")
        (tmp_path / "a.csv").write_bytes(b"\xef\xbb\xbfa\xc3\xa4")
        assert read_text(tmp_path / "a.csv") == "aä"


class TestCsv:
    """Samples from CSV files."""

    GOOD = "x1,rank,set,x2\n0,1,train,1\n2,2,train,3\n4,1,test,5\n6,2,test,7\n"

    def test_columns_by_name(self, tmp_path: Path) -> None:
        """The label and the split column are taken out, the others are inputs in their order."""
        (tmp_path / "a.csv").write_text(self.GOOD)
        got = load(Csv(path="a.csv", label="rank", split="set"), tmp_path)
        assert got.X_train.tolist() == [[0, 1], [2, 3]]
        assert got.X_test.tolist() == [[4, 5], [6, 7]]
        assert got.y_train.tolist() == got.y_test.tolist() == [1, 2]
        assert got.ranks == 2

    def test_share_is_drawn_without_a_split_column(self, tmp_path: Path) -> None:
        """Without a split column the share is drawn with the generator, anew for another seed."""
        lines = [f"{a},{b},{rank}" for (a, b), rank in zip(X, Y, strict=True)]
        (tmp_path / "a.csv").write_text("\n".join(["a,b,rank", *lines]))
        data = Csv(path="a.csv", label="rank", test=0.25)
        train, test = rows(load(data, tmp_path))
        assert len(test) == 5
        assert sorted(train + test) == list(range(20))
        assert rows(load(data, tmp_path))[1] == test
        assert rows(load(data, tmp_path, seed=1))[1] != test

    def test_gzip_quotes_blanks_and_floats(self, tmp_path: Path) -> None:
        """gzip by name; quotes, blanks around numbers, blank lines, Windows line ends and labels like 2.0 are read."""
        text = '"x, 1", rank\r\n"1",1\r\n\r\n1e-3,2.0\r\n-.5, 1 \r\n'
        (tmp_path / "a.csv.gz").write_bytes(gzip.compress(text.encode()))
        got = load(Csv(path="a.csv.gz", label="rank", test=0.34, ranks=2), tmp_path, seed=1)
        assert sorted([*got.X_train[:, 0], *got.X_test[:, 0]]) == [-0.5, 0.001, 1.0]

    def test_thousand_columns_are_not_all_listed(self, tmp_path: Path) -> None:
        """A missing column lists the first twenty names and how many more there are."""
        (tmp_path / "a.csv").write_text(",".join(f"c{n}" for n in range(1000)) + "\n" + ",".join("1" * 1000))
        with pytest.raises(ValueError, match=r"'rank' is not in a.csv; its columns are c0, .*, c19 and 980 more$"):
            load(Csv(path="a.csv", label="rank"), tmp_path)

    @pytest.mark.parametrize(
        ("content", "complaint"),
        [
            ("", "a.csv is empty; its first line must name the columns"),
            ("\n\n", "a.csv is empty"),
            ("x1,rank,set\n", "the training set of a.csv is empty"),
            ("x1,class,set\n1,1,train\n", "column 'rank' is not in a.csv; its columns are x1, class, set"),
            ("x1,rank\n1,1\n", "column 'set' is not in a.csv; its columns are x1, rank"),
            ("x1,x1,rank,set\n", "a.csv has two columns named 'x1'"),
            (",rank,set\n", "column 1 of a.csv has no name"),
            ("rank,set\n1,train\n2,test\n", "the samples of a.csv have no columns"),
            ("x1,rank,set\n1,1,train\n1,1\n", "a.csv, line 3, has 2 cells; the header has 3"),
            ("x1,rank,set\n1,1,train,\n", "a.csv, line 2, has 4 cells; the header has 3"),
            ("x1,rank,set\n1,1,train\nlow,2,train\n", "'low' in a.csv, line 3, column 'x1', is not a finite number;"),
            ("x1,rank,set\n,1,train\n,2,train\n", r"'' in a.csv, line 2, column 'x1', .* \(1 more cells like it\)"),
            ("x1,rank,set\nnan,1,train\n", "'nan' in a.csv, line 2, column 'x1', is not a finite number"),
            ("x1,rank,set\n1,high,train\n", "'high' in a.csv, line 2, column 'rank', is not a finite number"),
            ("x1,rank,set\n\n1,1,train\n1,2,Test\n", "'Test' in a.csv, line 4, column 'set', is neither train nor"),
            ("x1,rank,set\n1,1,train\n1,2,train\n", "the test set of a.csv is empty"),
            ("x1,rank,set\n1,1,train\n1,0,train\n1,1,test\n", "label 0 of a.csv, line 3, is below 1"),
            ("x1,rank,set\n1,1,train\n1,2.5,train\n1,1,test\n", "label 2.5 of a.csv, line 3, is not a whole"),
            ("x1,rank,set\n1,1,train\n1,1,train\n1,1,test\n", "the training set of a.csv has one class only"),
            ('x1,rank,set\n"1,1,train\n', "a.csv, line 2, is not CSV: unexpected end of data"),
            ("x1,rank,set\n1\0,1,train\n", "a.csv, line 2, "),
        ],
    )
    def test_each_mistake_is_one_clear_error(self, tmp_path: Path, content: str, complaint: str) -> None:
        """Whatever is wrong in the file is named with file, line and column."""
        (tmp_path / "a.csv").write_text(content)
        with pytest.raises(ValueError, match=complaint) as caught:
            load(Csv(path="a.csv", label="rank", split="set"), tmp_path)
        assert "a.csv" in str(caught.value)

    @pytest.mark.parametrize("cut", [0, 3, 20, -1])
    def test_bad_gzip(self, tmp_path: Path, cut: int) -> None:
        """A file that is no gzip file, or half of one, is said to be that."""
        packed = gzip.compress(self.GOOD.encode())
        (tmp_path / "a.csv.gz").write_bytes(packed[:cut] if cut else b"x1,rank\n1,1\n")
        with pytest.raises(ValueError, match=r"a.csv.gz is not a whole gzip file: .*; pack it again"):
            load(Csv(path="a.csv.gz", label="rank"), tmp_path)

    def test_label_and_split_must_differ(self) -> None:
        """One column cannot be both, which is refused before any file is read."""
        with pytest.raises(ValueError, match="split and label are both the column 'rank'"):
            Csv(path="a.csv", label="rank", split="rank")


class TestNpz:
    """Samples from numpy archives."""

    def save(self, folder: Path, **arrays: Any) -> None:
        """An archive a.npz of the module's samples, with some arrays exchanged or left out (None)."""
        content = {"X": X, "y": Y} | arrays
        np.savez(folder / "a.npz", **{key: value for key, value in content.items() if value is not None})

    def test_share_is_drawn_without_indices(self, tmp_path: Path) -> None:
        """float32 inputs and int8 ranks are converted; other arrays in the file do not matter."""
        self.save(tmp_path, X=X.astype(np.float32), y=Y.astype(np.int8), notes=np.array(["a", None], dtype=object))
        train, test = rows(load(Npz(path="a.npz", test=0.3), tmp_path))
        assert len(test) == 6
        assert sorted(train + test) == list(range(20))

    def test_train_and_test_indices(self, tmp_path: Path) -> None:
        """Index arrays say which rows train and test, in their order and the same for every repeat."""
        self.save(tmp_path, train=np.array([5, 4, 3, 2, 1], dtype=np.uint8), test=np.array([9, 8]))
        for repeat in (0, 7):
            got = load(Npz(path="a.npz"), tmp_path, repeat=repeat)
            assert rows(got) == ([5, 4, 3, 2, 1], [9, 8])
            assert got.y_train.tolist() == Y[[5, 4, 3, 2, 1]].tolist()

    def test_repeat_takes_its_partition(self, tmp_path: Path) -> None:
        """Repeat r takes row r of the partitions; beyond the last one it is an error that says how many there are."""
        train = np.array([[0, 1, 2, 3], [4, 5, 6, 7]])
        self.save(tmp_path, train_idx=train, test_idx=train[::-1])
        assert rows(load(Npz(path="a.npz"), tmp_path, repeat=0)) == ([0, 1, 2, 3], [4, 5, 6, 7])
        assert rows(load(Npz(path="a.npz"), tmp_path, repeat=1)) == ([4, 5, 6, 7], [0, 1, 2, 3])
        with pytest.raises(
            ValueError, match=r"repeat 2 has no partition: train_idx of a.npz holds 2; ask for at most 2"
        ):
            load(Npz(path="a.npz"), tmp_path, repeat=2)

    @pytest.mark.parametrize(
        ("arrays", "complaint"),
        [
            ({"X": None}, "there is no array X in a.npz; it needs X"),
            ({"y": None}, "there is no array y in a.npz"),
            ({"X": X[:, 0]}, r"X of a.npz is float64 of shape \(20,\); it must be numbers in two dimensions"),
            ({"X": X.astype(str)}, r"X of a.npz is <U32 of shape \(20, 2\)"),
            ({"X": X.astype(complex)}, "X of a.npz is complex128"),
            ({"X": X.astype(object)}, "array X of a.npz cannot be read: Object arrays cannot be loaded"),
            ({"X": X[:10]}, "X of a.npz has 10 rows and y has 20"),
            ({"X": np.full((20, 2), np.nan)}, r"40 values are not finite in a.npz, the first in row 0 \(from 0\), col"),
            ({"y": Y[:, None]}, r"y of a.npz is int64 of shape \(20, 1\); it must be whole numbers in one"),
            ({"y": Y > 2}, "y of a.npz is bool"),
            ({"y": Y - 1}, r"label 0 of a.npz, row \d+ \(from 0\), is below 1"),
            ({"y": np.array(3)}, r"y of a.npz is int64 of shape \(\)"),
            ({"train": np.arange(5)}, "there is no array test in a.npz; train and test go together"),
            ({"test_idx": np.arange(5)}, "there is no array train_idx in a.npz; train_idx and test_idx go together"),
            (
                {"train": np.arange(5), "test": np.arange(4, 8)},
                "1 rows of a.npz are both in train and in test, .* row 4",
            ),
            ({"train": np.arange(5), "test": np.array([20])}, "test of a.npz names row 20; rows go from 0 to 19"),
            ({"train": np.array([-1, 2]), "test": np.array([3])}, "train of a.npz names row -1"),
            ({"train": np.array([2**64 - 1], np.uint64), "test": np.array([3])}, f"train .* names row {2**64 - 1}"),
            ({"train": Y > 2, "test": Y < 3}, "train of a.npz is bool of shape .* must be row numbers"),
            ({"train": np.arange(4)[None], "test": np.arange(9, 12)}, r"train of a.npz is int64 of shape \(1, 4\)"),
            ({"train_idx": np.arange(4), "test_idx": np.arange(9, 12)}, "train_idx .* in two dimensions"),
            ({"train": np.arange(5), "test": np.arange(0)}, "the test set of a.npz is empty"),
            ({"train": np.array([0, 4, 8]), "test": np.array([1])}, "the training set of a.npz has one class only"),
            ({"train": np.array([0, 1]), "test": np.array([3])}, "no training sample of a.npz has rank 3"),
            (
                {key: np.arange(2) for key in ("train", "test", "train_idx", "test_idx")},
                "a.npz divides its samples twice",
            ),
        ],
    )
    def test_each_mistake_is_one_clear_error(self, tmp_path: Path, arrays: dict[str, Any], complaint: str) -> None:
        """Whatever is wrong in the archive is named with the file and the array."""
        self.save(tmp_path, **arrays)
        with pytest.raises(ValueError, match=complaint):
            load(Npz(path="a.npz"), tmp_path)

    def test_files_that_are_no_archives(self, tmp_path: Path) -> None:
        """An empty file, text, and a lone array are each refused as not an archive."""
        for content in (b"", b"x1,rank\n1,1\n", b"PK\x03\x04 and no more"):
            (tmp_path / "a.npz").write_bytes(content)
            with pytest.raises(ValueError, match=r"a.npz is not a whole .npz file; write it with numpy.savez"):
                load(Npz(path="a.npz"), tmp_path)
        with (tmp_path / "a.npz").open("wb") as file:
            np.save(file, X)
        with pytest.raises(ValueError, match=r"a.npz is one array, not an archive of X and y"):
            load(Npz(path="a.npz"), tmp_path)

    @pytest.mark.parametrize("pack", [np.savez, np.savez_compressed])
    def test_damaged_archives_load_or_are_refused(self, tmp_path: Path, pack: Any) -> None:
        """Three hundred archives with bytes exchanged or cut off give samples or a ValueError, nothing else."""
        whole = io.BytesIO()
        pack(whole, X=X, y=Y, train=np.arange(15), test=np.arange(15, 20))
        generator = np.random.default_rng(0)
        refused = []
        for _ in range(300):
            content = bytearray(whole.getvalue())
            for place in generator.integers(len(content), size=3):
                content[place] = generator.integers(256)
            (tmp_path / "a.npz").write_bytes(content[: generator.integers(len(content) // 2, 2 * len(content))])
            try:
                load(Npz(path="a.npz"), tmp_path)
            except ValueError as error:
                refused.append(str(error))
        assert len(refused) > 200
        assert all("a.npz" in message for message in refused)


class TestRealData:
    """Published data sets, where they are at hand."""

    def test_ordinal_partitions(self, shared_data: Path) -> None:
        """Every published partition of every ordinal problem loads with the sizes it was published with."""
        files = sorted((shared_data / "ordinal").glob("*.npz"))
        assert len(files) == 10
        for file in files:
            partitions, size = np.load(file)["train_idx"].shape
            for repeat in {0, partitions - 1}:
                got = load(Npz(path=file.name), file.parent, repeat=repeat)
                assert len(got.y_train) == size
                assert np.unique(got.y_train).tolist() == list(range(1, got.ranks + 1))
            with pytest.raises(ValueError, match=f"holds {partitions}; ask for at most {partitions} repeats"):
                load(Npz(path=file.name), file.parent, repeat=partitions)

    def test_bearings(self, shared_data: Path) -> None:
        """Each of the six bearing sets has 300 training and 200 test samples of four ranks, five columns."""
        files = sorted((shared_data / "bearings").glob("*_load*.npz"))
        assert len(files) == 6
        for file in files:
            got = load(Npz(path=file.name), file.parent)
            assert got.X_train.shape == (1200, 5)
            assert np.bincount(got.y_train).tolist() == [0, 300, 300, 300, 300]
            assert np.bincount(got.y_test).tolist() == [0, 200, 200, 200, 200]
