"""Handwritten digits in the files of MNIST as they are downloaded."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt

from netsim.data.arrays import Arrays, read_arrays
from netsim.data.dataset import Dataset, Samples, divide, ranked
from netsim.data.files import find, read_bytes
from nodes.quantities import Count, Written

Bytes = npt.NDArray[np.uint8]
KEYS = ("X_train", "y_train", "X_test", "y_test")
PARTS = {"train": "train", "t10k": "test"}
IMAGES, LABELS = 3, 1
"""Dimensions of the arrays in the files of either."""


def _digit(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 9:
        raise ValueError(f"{value!r} is not a digit; write one of 0 to 9")
    return value


@dataclass(frozen=True, kw_only=True)
class Mnist:
    """MNIST or data in its format: pixels over 255, and digits d as ranks d + 1.

    ``path`` is the folder of the four idx files (``train-images-idx3-ubyte`` and so on, also packed as ``.gz``), or an
    archive of ``X_train``, ``y_train``, ``X_test`` and ``y_test``. With ``positive`` that digit is rank 2, every other
    rank 1. ``train`` takes the first so many training images.
    """

    kind: Literal["mnist"] = "mnist"
    path: str
    positive: Annotated[int, Written(_digit)] | None = None
    train: Count | None = None

    def load(self, generator: np.random.Generator, repeat: int, folder: Path) -> Dataset:
        """The images of the files; ``ValueError`` names the file that is wrong."""
        place = find(self.path, folder, directory=True)
        arrays: Arrays = read_idx(place) if place.is_dir() else read_arrays(place, KEYS)
        missing = [key for key in KEYS if key not in arrays]
        if missing:
            raise ValueError(f"there is no array {missing[0]} in {place.name}; it needs those of the four idx files")
        _check(place.name, arrays)
        count = len(arrays["X_train"]) if self.train is None else self.train
        if count > len(arrays["X_train"]):
            raise ValueError(
                f"train: {count} is more than the {len(arrays['X_train'])} images of {place.name}; take fewer"
            )
        X = np.concatenate([arrays["X_train"][:count], arrays["X_test"]])
        digits = np.concatenate([arrays["y_train"][:count], arrays["y_test"]])
        y = digits.astype(np.int64) + 1 if self.positive is None else ranked(place.name, digits, self.positive)
        rows = np.arange(len(y))
        return divide(Samples(place.name, X / 255.0, y), rows[:count], rows[count:], 10 if self.positive is None else 2)


def _check(source: str, arrays: Arrays) -> None:
    """That images and labels are of one kind and belong together; ``ValueError`` says which do not."""
    for part in PARTS.values():
        X, y = arrays[f"X_{part}"], arrays[f"y_{part}"]
        if X.ndim != 2 or y.ndim != 1 or X.size == 0 or X.dtype.kind not in "biuf" or y.dtype.kind not in "iu":
            raise ValueError(f"X_{part} of {source} is not images (n, pixels), or y_{part} not their labels (n,)")
        if len(X) != len(y):
            raise ValueError(f"{source} has {len(X)} {part} images and {len(y)} labels; each image has one")
        if not 0 <= int(y.min()) <= int(y.max()) <= 9:
            raise ValueError(f"y_{part} of {source} has labels from {y.min()} to {y.max()}, which are no digits 0 to 9")
    pixels = arrays["X_train"].shape[1], arrays["X_test"].shape[1]
    if pixels[0] != pixels[1]:
        raise ValueError(f"training images of {source} have {pixels[0]} pixels and test images {pixels[1]}")


def read_idx(folder: Path) -> dict[str, Bytes]:
    """Images (n, pixels) and labels (n,) of the four files in a folder; ``ValueError`` for one that is wrong."""
    arrays: dict[str, Bytes] = {}
    for prefix, part in PARTS.items():
        images = _read(_file(folder, f"{prefix}-images", IMAGES), IMAGES)
        labels = _read(_file(folder, f"{prefix}-labels", LABELS), LABELS)
        if len(images) != len(labels):
            raise ValueError(f"{folder} has {len(images)} {part} images and {len(labels)} labels; each image has one")
        arrays |= {f"X_{part}": images.reshape(len(images), -1), f"y_{part}": labels}
    return arrays


def _file(folder: Path, name: str, dimensions: int) -> Path:
    names = [f"{name}{dot}idx{dimensions}-ubyte{packed}" for dot in "-." for packed in ("", ".gz")]
    for each in names:
        if (folder / each).is_file():
            return folder / each
    raise ValueError(f"there is no file {names[0]} (or with .gz) in {folder}")


def _read(file: Path, dimensions: int) -> Bytes:
    """An array of bytes: two zeros, the type 8, the number of dimensions, each as four bytes, and the values."""
    content = read_bytes(file)
    head = 4 + 4 * dimensions
    if len(content) < head or content[:4] != bytes([0, 0, 8, dimensions]):
        raise ValueError(f"{file.name} is not an idx file of bytes in {dimensions} dimensions; download it again")
    shape = tuple(map(int, np.frombuffer(content, ">u4", dimensions, 4)))
    if len(content) - head != math.prod(shape):
        raise ValueError(f"{file.name} has {len(content) - head} values, not the {math.prod(shape)} of its header")
    return np.frombuffer(content, np.uint8, offset=head).reshape(shape)
