"""Data of two classes in the formats that they are published in: archives, LIBSVM and idx files."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from netsim.data import Dataset, Libsvm, Mnist, Npz, checked, fingerprint


def load(piece: Any, folder: Path, repeat: int = 0) -> Dataset:
    """The data set that a piece gives."""
    return checked(piece.load(np.random.default_rng(1), repeat, folder))


def shapes(dataset: Dataset) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Of training and test inputs."""
    return dataset.X_train.shape, dataset.X_test.shape


class TestPublished:
    """The archives of the online learning paper's data."""

    @pytest.mark.parametrize(
        ("file", "sizes", "positives"),
        [
            ("adult_a9a.npz", ((32561, 123), (16281, 123)), 7841),
            ("banana.npz", ((4000, 2), (1300, 2)), None),
            ("waveform.npz", ((4000, 21), (1000, 21)), None),
        ],
    )
    def test_sizes_and_classes(self, shared_data: Path, file: str, sizes: Any, positives: int | None) -> None:
        """Sizes are those of the paper's Table I; labels -1 and +1 are the ranks 1 and 2."""
        found = load(Npz(path=file), shared_data / "binary")
        assert shapes(found) == sizes
        assert found.ranks == 2
        assert set(found.y_train) == {1, 2}
        if positives:
            assert int((found.y_train == 2).sum()) == positives

    def test_bits_are_unpacked(self, shared_data: Path) -> None:
        """Adult's inputs are zeros and ones, about fourteen ones a sample."""
        found = load(Npz(path="adult_a9a.npz", train=500), shared_data / "binary")
        assert shapes(found) == ((500, 123), (16281, 123))
        assert set(np.unique(found.X_train)) == {0.0, 1.0}
        assert 13 < found.X_train.sum(axis=1).mean() < 14

    def test_other_arrays_of_an_archive_can_be_named(self, shared_data: Path) -> None:
        """Banana in another order: the same samples, differently divided."""
        plain = load(Npz(path="banana.npz"), shared_data / "binary")
        other = load(Npz(path="banana.npz", inputs="X_ida_order", labels="y_ida_order"), shared_data / "binary")
        assert shapes(plain) == shapes(other)
        assert not np.array_equal(plain.X_train, other.X_train)

    def test_mnist_is_eight_against_the_rest(self, shared_data: Path) -> None:
        """5851 of the 60000 training images are eights; pixels are between 0 and 1."""
        found = load(Mnist(path="mnist.npz", positive=8), shared_data / "binary")
        assert shapes(found) == ((60000, 784), (10000, 784))
        assert int((found.y_train == 2).sum()) == 5851
        assert (found.X_train.min(), found.X_train.max()) == (0.0, 1.0)

    def test_libsvm_files_give_the_same_as_archives(self, shared_data: Path, tmp_path: Path) -> None:
        """Rows of Adult written as text have the same inputs and ranks."""
        archive = load(Npz(path="adult_a9a.npz", train=40), shared_data / "binary")
        write_libsvm(tmp_path / "a9a", archive.X_train, 2 * archive.y_train - 3)
        write_libsvm(tmp_path / "a9a.t", archive.X_test[:30], 2 * archive.y_test[:30] - 3)
        found = load(Libsvm(path="a9a", test_path="a9a.t", inputs=123), tmp_path)
        np.testing.assert_array_equal(found.X_train, archive.X_train)
        np.testing.assert_array_equal(found.y_train, archive.y_train)
        np.testing.assert_array_equal(found.X_test, archive.X_test[:30])
        np.testing.assert_array_equal(found.y_test, archive.y_test[:30])


def write_libsvm(file: Path, X: Any, y: Any) -> None:
    """A line a sample: its label, and column:value of what is not zero, from column 1."""
    lines = [
        " ".join([f"{label:g}", *(f"{column + 1}:{row[column]:g}" for column in np.flatnonzero(row))])
        for row, label in zip(X, y, strict=True)
    ]
    file.write_text("\n".join(lines) + "\n")


class TestArchives:
    """What archives of one's own may hold."""

    X = np.arange(20.0).reshape(10, 2)
    y = np.array([-1, 1] * 5)

    def test_the_first_rows_train(self, tmp_path: Path) -> None:
        """``train: n`` takes the first n, the others test; before a number that the archive holds."""
        np.savez(tmp_path / "a.npz", X=self.X, y=self.y, n_train_paper=4)
        assert load(Npz(path="a.npz"), tmp_path).X_train[:, 0].tolist() == [0, 2, 4, 6]
        assert load(Npz(path="a.npz", train=7), tmp_path).X_test[:, 0].tolist() == [14, 16, 18]

    def test_training_and_test_arrays(self, tmp_path: Path) -> None:
        """``X_train`` and the other three; ``train: n`` takes the first n of them."""
        np.savez(tmp_path / "a.npz", X_train=self.X[:6], y_train=self.y[:6], X_test=self.X[6:], y_test=self.y[6:])
        found = load(Npz(path="a.npz"), tmp_path)
        assert (found.y_train.tolist(), found.y_test.tolist()) == ([1, 2, 1, 2, 1, 2], [1, 2, 1, 2])
        assert shapes(load(Npz(path="a.npz", train=3), tmp_path)) == ((3, 2), (4, 2))

    def test_one_label_against_the_rest(self, tmp_path: Path) -> None:
        """``positive`` is rank 2 and every other rank 1."""
        np.savez(tmp_path / "a.npz", X=self.X, y=np.array([7, 3, 9, 3, 7, 3, 9, 3, 7, 3]))
        found = load(Npz(path="a.npz", positive=9, train=8), tmp_path)
        assert found.y_train.tolist() == [1, 1, 2, 1, 1, 1, 2, 1]

    def test_numbers_to_regress(self, tmp_path: Path) -> None:
        """``target: numbers`` keeps labels as they are, and says so by 0 ranks."""
        np.savez(tmp_path / "a.npz", X=self.X, y=np.linspace(-1, 1, 10))
        found = load(Npz(path="a.npz", target="numbers", train=5), tmp_path)
        assert found.ranks == 0
        np.testing.assert_array_equal(found.y_train, np.linspace(-1, 1, 10)[:5])

    @pytest.mark.parametrize(
        ("arrays", "keys", "said"),
        [
            ({}, {"train": 10}, "train: 10 is more than the 9 samples of a.npz"),
            ({}, {"inputs": "Z"}, "no array Z in a.npz; it needs Z"),
            ({}, {"positive": 5}, "no sample of a.npz has the label positive: 5; labels are -1, 1"),
            ({"packed": True, "n_features": 9}, {}, "X of a.npz is not packed bits of n_features: 9"),
            ({"n_train_paper": np.zeros(2)}, {}, "n_train_paper of a.npz is float64"),
            ({"y": np.array([np.nan] * 10)}, {"target": "numbers", "train": 5}, "label nan of a.npz, row 0"),
        ],
    )
    def test_what_does_not_fit_is_told(self, tmp_path: Path, arrays: Any, keys: Any, said: str) -> None:
        """The message names the file and the array or key."""
        np.savez(tmp_path / "a.npz", **{"X": self.X, "y": self.y, **arrays})
        with pytest.raises(ValueError, match=said):
            load(Npz(path="a.npz", **keys), tmp_path)

    def test_numbers_are_no_ranks(self) -> None:
        """``target: numbers`` refuses keys that are about ranks."""
        with pytest.raises(ValueError, match="goes with neither ranks nor positive"):
            Npz(path="a.npz", target="numbers", ranks=3)


class TestLibsvm:
    """Text files of LIBSVM."""

    TEXT = "8 1:0.5 3:2\n3 2:-1\n8 1:1\n3 3:4e-1\n8 2:1\n"

    def test_by_hand(self, tmp_path: Path) -> None:
        """What a line does not name is zero; ``positive`` is rank 2."""
        (tmp_path / "a").write_text(self.TEXT)
        (tmp_path / "b").write_text("3 4:1\n")
        found = load(Libsvm(path="a", test_path="b", positive=8), tmp_path)
        assert found.X_train.tolist()[:2] == [[0.5, 0, 2, 0], [0, -1, 0, 0]]
        assert (found.y_train.tolist(), found.y_test.tolist()) == ([2, 1, 2, 1, 2], [1])

    def test_packed_and_divided_at_random(self, tmp_path: Path) -> None:
        """Files that end in .gz are unpacked; without a test file a share is drawn."""
        (tmp_path / "a.gz").write_bytes(gzip.compress(self.TEXT.encode()))
        found = load(Libsvm(path="a.gz", positive=8, test=0.4), tmp_path)
        assert shapes(found) == ((3, 3), (2, 3))

    def test_labels_as_numbers(self, tmp_path: Path) -> None:
        """``target: numbers`` is for regression."""
        (tmp_path / "a").write_text("0.25 1:1\n-3 1:2\n")
        found = load(Libsvm(path="a", target="numbers", test=0.5), tmp_path)
        assert sorted([*found.y_train, *found.y_test]) == [-3, 0.25]

    @pytest.mark.parametrize(
        ("text", "keys", "said"),
        [
            ("1 x:2\n", {}, "a is not a file of LIBSVM"),
            ("1 0:2\n", {}, "a is not a file of LIBSVM: .*numbered from 1"),
            ("1 5:2\n2 1:1\n", {"inputs": 3}, "names column 5, and inputs is 3"),
            ("1 999999999:2\n2 1:1\n", {}, "more than"),
            ("0 1:2\n2 1:1\n", {"test": 0.5}, "label 0 of a"),
        ],
    )
    def test_what_is_wrong_is_told(self, tmp_path: Path, text: str, keys: Any, said: str) -> None:
        """The message names the file."""
        (tmp_path / "a").write_text(text)
        with pytest.raises(ValueError, match=said):
            load(Libsvm(path="a", **keys), tmp_path)


def idx(array: Any) -> bytes:
    """An array of bytes in the idx format."""
    return bytes([0, 0, 8, array.ndim]) + np.array(array.shape, ">u4").tobytes() + array.astype(np.uint8).tobytes()


class TestMnist:
    """The four idx files."""

    def write(self, folder: Path, packed: bool = False, dot: str = "-") -> tuple[Any, Any]:
        """Four files of small images; gives the training images and labels."""
        draws = np.random.default_rng(0)
        images, labels = draws.integers(0, 256, (14, 3, 3)), np.array([8, 1, 8, 0, 3, 8, 2, 8, 1, 8, 0, 3, 8, 2])
        for prefix, rows in (("train", slice(10)), ("t10k", slice(10, 14))):
            for name, array, dimensions in (("images", images[rows], 3), ("labels", labels[rows], 1)):
                content = idx(array)
                file = folder / f"{prefix}-{name}{dot}idx{dimensions}-ubyte{'.gz' if packed else ''}"
                file.write_bytes(gzip.compress(content) if packed else content)
        return images[:10], labels[:10]

    @pytest.mark.parametrize(("packed", "dot"), [(False, "-"), (True, "-"), (False, "."), (True, ".")])
    def test_files_as_downloaded(self, tmp_path: Path, packed: bool, dot: str) -> None:
        """Packed or not, with either of the names in use: pixels over 255, one digit against the rest."""
        images, labels = self.write(tmp_path, packed, dot)
        found = load(Mnist(path=str(tmp_path), positive=8), tmp_path)
        np.testing.assert_array_equal(found.X_train, images.reshape(10, 9) / 255)
        np.testing.assert_array_equal(found.y_train, np.where(labels == 8, 2, 1))
        assert shapes(load(Mnist(path=str(tmp_path), positive=8, train=6), tmp_path)) == ((6, 9), (4, 9))

    def test_all_digits(self, tmp_path: Path) -> None:
        """Without ``positive`` digit d is rank d + 1."""
        _, labels = self.write(tmp_path)
        found = load(Mnist(path=str(tmp_path)), tmp_path)
        assert found.ranks == 10
        np.testing.assert_array_equal(found.y_train, labels + 1)

    @pytest.mark.parametrize(
        ("name", "content", "said"),
        [
            ("train-images-idx3-ubyte", b"", "train-images-idx3-ubyte is not an idx file"),
            ("train-images-idx3-ubyte", idx(np.zeros((3, 2, 2)))[:-1], "has 11 values, not the 12 of its header"),
            ("train-images-idx3-ubyte", bytes([0, 0, 8, 3]) + b"\xff" * 12, "not the 79228162458924105385300197375 of"),
            ("train-labels-idx1-ubyte", idx(np.zeros(4)), "has 10 train images and 4 labels"),
            ("t10k-labels-idx1-ubyte", idx(np.zeros((4, 1))), "not an idx file of bytes in 1 dimensions"),
        ],
    )
    def test_damaged_files_are_told(self, tmp_path: Path, name: str, content: bytes, said: str) -> None:
        """By name, without making room for what a header pretends."""
        self.write(tmp_path)
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ValueError, match=said):
            load(Mnist(path=str(tmp_path)), tmp_path)

    def test_missing_files_are_told(self, tmp_path: Path) -> None:
        """The first that is missing, with its folder."""
        with pytest.raises(ValueError, match="no file train-images-idx3-ubyte"):
            load(Mnist(path=str(tmp_path)), tmp_path)


def test_the_fingerprint_of_a_folder_is_that_of_names_and_contents(tmp_path: Path) -> None:
    """It changes with a file's content, with its name and with a further file."""
    found = set()
    for name, content in (("a", "1"), ("a", "2"), ("b", "2")):
        (tmp_path / name).write_text(content)
        found.add(fingerprint(tmp_path))
    (tmp_path / "a").unlink()
    found.add(fingerprint(tmp_path))
    assert len(found) == 4
    assert fingerprint(tmp_path) in found


def test_a_test_set_of_one_class_keeps_its_class(tmp_path: Path) -> None:
    """Labels of training and test samples that stand apart become ranks together: +1 is rank 2 in both."""
    X, y = np.arange(12.0).reshape(6, 2), np.array([-1, 1, 1, -1, -1, 1])
    np.savez(tmp_path / "a.npz", X_train=X, y_train=y, X_test=X[:2], y_test=np.ones(2, dtype=int))
    found = load(Npz(path="a.npz"), tmp_path)
    assert found.y_train.tolist() == [1, 2, 2, 1, 1, 2]
    assert found.y_test.tolist() == [2, 2]
    with pytest.raises(ValueError, match="there is no array other in"):
        load(Npz(path="a.npz", inputs="other"), tmp_path)


def test_no_number_is_no_negative(tmp_path: Path) -> None:
    """A label that is not finite is refused where one label is told from the rest."""
    np.savez(tmp_path / "a.npz", X=np.ones((4, 2)), y=np.array([1.0, 2.0, np.nan, 1.0]))
    with pytest.raises(ValueError, match=r"label nan of a\.npz, row 2 \(from 0\), is not a finite number"):
        load(Npz(path="a.npz", positive=1.0), tmp_path)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"y_train": np.zeros(7, dtype=int)}, "has 6 train images and 7 labels; each image has one"),
        ({"X_test": np.ones((2, 5))}, "training images of m.npz have 4 pixels and test images 5"),
        ({"y_test": np.array([3, 12])}, "y_test of m.npz has labels from 3 to 12, which are no digits 0 to 9"),
        ({"X_train": np.ones((6, 2, 2))}, "X_train of m.npz is not images"),
    ],
)
def test_archives_of_digits_are_checked(tmp_path: Path, changes: Any, said: str) -> None:
    """Images and labels of each part belong together, as in the four files."""
    parts = {"X_train": np.ones((6, 4)), "y_train": np.arange(6), "X_test": np.ones((2, 4)), "y_test": np.arange(2)}
    np.savez(tmp_path / "m.npz", **{**parts, **changes})
    with pytest.raises(ValueError, match=said):
        load(Mnist(path="m.npz"), tmp_path)


def test_a_share_is_not_drawn_where_the_archive_divides(tmp_path: Path) -> None:
    """``test`` with rows that the archive or ``train`` names is a mistake, and not left unheard."""
    np.savez(tmp_path / "a.npz", X=np.ones((10, 2)), y=np.arange(10) % 2 + 1, n_train_paper=8)
    with pytest.raises(ValueError, match=r"test: 0\.5 is not drawn where train: or a\.npz itself says"):
        load(Npz(path="a.npz", test=0.5), tmp_path)
    assert shapes(load(Npz(path="a.npz"), tmp_path)) == ((8, 2), (2, 2))
