"""Samples from a numpy archive, with the published partitions where it holds some."""

from __future__ import annotations

import io
import tokenize
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from netsim.data.dataset import Dataset, Samples, divide, draw
from netsim.data.files import find, read_bytes
from nodes.arrays import Integers
from nodes.quantities import Count, Fraction

Arrays = Mapping[str, npt.NDArray[Any]]

PAIRS = (("train_idx", "test_idx"), ("train", "test"))
# What numpy and zipfile raise for a damaged archive; RuntimeError is zipfile's for encryption and unknown packing.
DAMAGED = (
    OSError,
    EOFError,
    ValueError,
    RuntimeError,
    MemoryError,
    zipfile.BadZipFile,
    zlib.error,
    tokenize.TokenError,
)


@dataclass(frozen=True, kw_only=True)
class Npz:
    """A numpy archive of inputs ``X`` (samples, columns) and ranks ``y`` (samples,).

    It may hold row numbers from 0, either ``train`` and ``test``, or ``train_idx`` and ``test_idx`` (partitions, rows)
    of which repeat r takes partition r. Without either the share ``test`` is drawn at random.
    """

    kind: Literal["npz"] = "npz"
    path: str
    test: Fraction = 0.2
    ranks: Count | None = None

    def load(self, generator: np.random.Generator, repeat: int, folder: Path) -> Dataset:
        """The samples of the archive; ``ValueError`` names the file and the array that is wrong."""
        file = find(self.path, folder)
        arrays = read_arrays(file)
        samples = _samples(file.name, arrays)
        pair = _pair(file.name, arrays)
        if pair is None:
            return divide(samples, *draw(samples, self.test, generator), self.ranks)
        train, test = (_rows(samples, key, arrays[key], repeat) for key in pair)
        shared = np.intersect1d(train, test)
        if len(shared):
            raise ValueError(
                f"{len(shared)} rows of {file.name} are both in {pair[0]} and in {pair[1]}, the first is row "
                f"{shared[0]}; a sample either trains or tests"
            )
        return divide(samples, train, test, self.ranks)


def read_arrays(file: Path) -> dict[str, npt.NDArray[Any]]:
    """The arrays of the archive that concern samples, by key."""
    try:
        # By way of the bytes, because numpy leaves a file open that it cannot read.
        archive = np.load(io.BytesIO(read_bytes(file)), allow_pickle=False)
    except DAMAGED as error:
        raise ValueError(f"{file.name} is not a whole .npz file; write it with numpy.savez") from error
    if not isinstance(archive, np.lib.npyio.NpzFile):
        raise ValueError(f"{file.name} is one array, not an archive of X and y; write it with numpy.savez")
    with archive:
        wanted = ("X", "y", *(key for pair in PAIRS for key in pair))
        return {key: _read(archive, key, file.name) for key in wanted if key in archive.files}


def _read(archive: np.lib.npyio.NpzFile, key: str, source: str) -> npt.NDArray[Any]:
    try:
        array = archive[key]
    except DAMAGED as error:
        raise ValueError(
            f"array {key} of {source} cannot be read: {error}; it must be a plain array of numbers"
        ) from error
    if not isinstance(array, np.ndarray):
        raise ValueError(f"{key} of {source} is not an array; write the file with numpy.savez")
    return array


def _samples(source: str, arrays: Arrays) -> Samples:
    for key in ("X", "y"):
        if key not in arrays:
            raise ValueError(f"there is no array {key} in {source}; it needs X (samples, columns) and y (samples,)")
    X, y = arrays["X"], arrays["y"]
    _require(source, "X", X, "biuf", 2, "numbers in two dimensions (samples, columns)")
    _require(source, "y", y, "iuf", 1, "whole numbers in one dimension (samples,)")
    if len(X) != len(y):
        raise ValueError(f"X of {source} has {len(X)} rows and y has {len(y)}; each sample has one of both")
    return Samples(source, X, y)


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


def _rows(samples: Samples, key: str, numbers: npt.NDArray[Any], repeat: int) -> Integers:
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
