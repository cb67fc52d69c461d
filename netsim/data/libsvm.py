"""Samples from text files of LIBSVM and SVMlight: one sample a line, its label and then column:value pairs."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from netsim.data.dataset import Dataset, Samples, divide, draw, numbered, ranked
from netsim.data.files import find, read_bytes
from nodes.arrays import Floats
from nodes.quantities import Count, Fraction, Number

LARGEST = 1 << 28
"""Numbers of inputs that a file may come to."""


@dataclass(frozen=True, kw_only=True)
class Libsvm:
    """A LIBSVM file (gzip where the name ends in ``.gz``), and the test set in another one or a share ``test`` of it.

    Labels -1 and +1 are the ranks 1 and 2, otherwise whole numbers from 1 on. With ``positive`` that label is rank 2
    and every other rank 1; with ``target: numbers`` labels are numbers. ``inputs`` is the number of columns, where the
    files do not name the last ones.
    """

    kind: Literal["libsvm"] = "libsvm"
    path: str
    test_path: str | None = None
    test: Fraction = 0.2
    inputs: Count | None = None
    positive: Number | None = None
    target: Literal["ranks", "numbers"] = "ranks"

    def load(self, generator: np.random.Generator, repeat: int, folder: Path) -> Dataset:
        """The samples of the file or files; ``ValueError`` names the file that is wrong."""
        files = [find(path, folder) for path in (self.path, self.test_path) if path is not None]
        parts = _read(files, self.inputs)
        X, y = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        name = files[0].name
        samples = Samples(name, X, y if self.target == "numbers" else ranked(name, y, self.positive))
        count, rows = len(parts[0][1]), np.arange(len(y))
        divided = (rows[:count], rows[count:]) if len(files) == 2 else draw(samples, self.test, generator)
        return numbered(samples, *divided) if self.target == "numbers" else divide(samples, *divided)


def _read(files: list[Path], inputs: int | None) -> list[tuple[Floats, Floats]]:
    """Inputs and labels of each file, with as many columns in all."""
    from sklearn.datasets import load_svmlight_file  # half a second, which other data should not pay

    found: list[tuple[Any, Floats]] = []
    for file in files:
        try:
            found.append(load_svmlight_file(io.BytesIO(read_bytes(file)), zero_based=False))
        except (ValueError, OverflowError, MemoryError) as error:
            reason = f"{error}; columns are numbered from 1"
            raise ValueError(f"{file.name} is not a file of LIBSVM: {reason}") from error
    columns = max(matrix.shape[1] for matrix, _ in found)
    if inputs is not None and columns > inputs:
        raise ValueError(f"{files[0].name} names column {columns}, and inputs is {inputs}; raise it, or leave it out")
    columns = inputs or columns
    total = columns * sum(matrix.shape[0] for matrix, _ in found)
    if total > LARGEST:
        raise ValueError(
            f"{files[0].name} comes to {total} inputs of all samples, more than {LARGEST}; take a part of it"
        )
    dense = []
    for matrix, labels in found:
        matrix.resize(matrix.shape[0], columns)
        dense.append((matrix.toarray(), labels))
    return dense
