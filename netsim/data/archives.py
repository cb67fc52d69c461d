"""Samples from a numpy archive, with the division into training and test samples that it holds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from netsim.data.arrays import Arrays, read_arrays
from netsim.data.dataset import Dataset, Samples, divide, draw, numbered, ranked
from netsim.data.files import find
from nodes.arrays import Integers
from nodes.quantities import Count, Fraction, Number

PAIRS = (("train_idx", "test_idx"), ("train", "test"))
PUBLISHED = ("X_train", "y_train", "X_test", "y_test")


@dataclass(frozen=True, kw_only=True)
class Npz:
    """A numpy archive of inputs ``X`` (samples, columns) and labels ``y`` (samples,); other names may be given.

    It may hold row numbers from 0, either ``train`` and ``test``, or ``train_idx`` and ``test_idx`` (partitions, rows)
    of which repeat r takes partition r; or ``n_train_paper``, the number of rows that train, others testing; or
    ``X_train``, ``y_train``, ``X_test``, ``y_test``, with ``packed`` and ``n_features`` where inputs are packed bits.
    ``train: n`` takes the first n rows, or the first n that train. Otherwise a share, ``test``, is drawn (20 %).

    Labels -1 and +1 are the ranks 1 and 2, others ranks from 1 on. With ``positive`` that label is rank 2 and every
    other rank 1; with ``target: numbers`` labels are numbers.
    """

    kind: Literal["npz"] = "npz"
    path: str
    inputs: str = "X"
    labels: str = "y"
    train: Count | None = None
    test: Fraction | None = None
    ranks: Count | None = None
    positive: Number | None = None
    target: Literal["ranks", "numbers"] = "ranks"

    def __post_init__(self) -> None:
        if self.target == "numbers" and (self.ranks is not None or self.positive is not None):
            raise ValueError("target: numbers goes with neither ranks nor positive; remove one of them")

    def load(self, generator: np.random.Generator, repeat: int, folder: Path) -> Dataset:
        """The samples of the archive; ``ValueError`` names the file and the array that is wrong."""
        file = find(self.path, folder)
        keys = (self.inputs, self.labels, *PUBLISHED, *(key for pair in PAIRS for key in pair))
        arrays = read_arrays(file, (*keys, "packed", "n_features", "n_train_paper"))
        named = (self.inputs, self.labels) != ("X", "y")
        if self.inputs not in arrays and "X_train" in arrays and not named:
            divided: tuple[Integers, Integers] | None
            samples, divided = self._published(file.name, arrays)
        else:
            samples = self._samples(file.name, arrays, self.inputs, self.labels)
            divided = self._rows(samples, arrays, repeat)
        if divided is not None and self.test is not None:
            raise ValueError(
                f"test: {self.test:g} is not drawn where train: or {file.name} itself says which samples test; "
                "remove it"
            )
        rows = divided or draw(samples, 0.2 if self.test is None else self.test, generator)
        if self.target == "numbers":
            return numbered(samples, *rows)
        samples = replace(samples, y=ranked(samples.source, samples.y, self.positive))
        return divide(samples, *rows, self.ranks)

    def _published(self, source: str, arrays: Arrays) -> tuple[Samples, tuple[Integers, Integers]]:
        """Training and test samples that stand apart in the archive, and their rows among all."""
        train, test = (self._samples(source, arrays, f"X_{part}", f"y_{part}") for part in ("train", "test"))
        if train.X.shape[1] != test.X.shape[1]:
            raise ValueError(f"X_train of {source} has {train.X.shape[1]} columns and X_test {test.X.shape[1]}")
        count = _first(source, self.train, len(train.y))
        samples = Samples(source, np.concatenate([train.X[:count], test.X]), np.concatenate([train.y[:count], test.y]))
        rows = np.arange(len(samples.y))
        return samples, (rows[:count], rows[count:])

    def _samples(self, source: str, arrays: Arrays, inputs: str, labels: str) -> Samples:
        for key in (inputs, labels):
            if key not in arrays:
                raise ValueError(
                    f"there is no array {key} in {source}; it needs {inputs} (samples, columns) and {labels} (samples,)"
                )
        X, y = arrays[inputs], arrays[labels]
        _require(source, inputs, X, "biuf", 2, "numbers in two dimensions (samples, columns)")
        _require(source, labels, y, "iuf", 1, "whole numbers in one dimension (samples,)")
        if len(X) != len(y):
            raise ValueError(
                f"{inputs} of {source} has {len(X)} rows and {labels} has {len(y)}; each sample has one of both"
            )
        if _number(source, arrays, "packed"):
            columns = _number(source, arrays, "n_features")
            if X.dtype != np.uint8 or not 0 < columns <= 8 * X.shape[1]:
                raise ValueError(
                    f"{inputs} of {source} is not packed bits of n_features: {columns}; see numpy.packbits"
                )
            X = np.unpackbits(X, axis=1)[:, :columns]
        return Samples(source, X, y)

    def _rows(self, samples: Samples, arrays: Arrays, repeat: int) -> tuple[Integers, Integers] | None:
        """The rows that train and those that test, where archive or scenario say so."""
        pair = _pair(samples.source, arrays)
        count = self.train or (_number(samples.source, arrays, "n_train_paper") if pair is None else 0)
        if pair is None:
            if not count:
                return None
            rows = np.arange(len(samples.y))
            count = _first(samples.source, count, len(rows) - 1)
            return rows[:count], rows[count:]
        train, test = (_row_numbers(samples, key, arrays[key], repeat) for key in pair)
        shared = np.intersect1d(train, test)
        if len(shared):
            raise ValueError(
                f"{len(shared)} rows of {samples.source} are both in {pair[0]} and in {pair[1]}, the first is row "
                f"{shared[0]}; a sample either trains or tests"
            )
        return train[: _first(samples.source, self.train, len(train))], test


def _first(source: str, count: int | None, most: int) -> int:
    if count is not None and count > most:
        raise ValueError(f"train: {count} is more than the {most} samples of {source} that can train; take fewer")
    return most if count is None else count


def _number(source: str, arrays: Arrays, key: str) -> int:
    if key not in arrays:
        return 0
    _require(source, key, arrays[key], "biu", 0, "one whole number")
    return int(arrays[key])


def _pair(source: str, arrays: Arrays) -> tuple[str, str] | None:
    """The two keys that divide the samples; ``None`` where the archive holds none."""
    present = [pair for pair in PAIRS if arrays.keys() & set(pair)]
    if len(present) > 1:
        raise ValueError(f"{source} divides its samples twice, by train and test and by train_idx and test_idx")
    for pair in present:
        for key in pair:
            if key not in arrays:
                raise ValueError(f"there is no array {key} in {source}; {pair[0]} and {pair[1]} go together")
        return pair
    return None


def _row_numbers(samples: Samples, key: str, numbers: npt.NDArray[Any], repeat: int) -> Integers:
    """The row numbers that an index array gives to this repeat."""
    if key.endswith("_idx"):
        _require(samples.source, key, numbers, "iu", 2, "row numbers in two dimensions (partitions, rows)")
        if repeat >= len(numbers):
            raise ValueError(
                f"repeat {repeat} has no partition: {key} of {samples.source} holds {len(numbers)}; "
                f"ask for at most {len(numbers)} repeats"
            )
        numbers = numbers[repeat]
    _require(samples.source, key, numbers, "iu", 1, "row numbers in one dimension")
    outside = numbers[(numbers < 0) | (numbers >= len(samples.y))]
    if len(outside):
        raise ValueError(f"{key} of {samples.source} names row {outside[0]}; rows go from 0 to {len(samples.y) - 1}")
    return numbers.astype(np.int64)


def _require(source: str, key: str, array: npt.NDArray[Any], kinds: str, dimensions: int, wanted: str) -> None:
    if array.dtype.kind not in kinds or array.ndim != dimensions:
        raise ValueError(f"{key} of {source} is {array.dtype} of shape {array.shape}; it must be {wanted}")
