"""What every data piece loads: training and test samples with ranks or numbers, checked before anything runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nodes.arrays import Floats, Integers, Labels


@dataclass(frozen=True, eq=False)
class Dataset:
    """Samples of the whole network: inputs X (samples, columns), and y: ranks 1..ranks, or numbers where ranks is 0."""

    X_train: Floats
    y_train: Labels
    X_test: Floats
    y_test: Labels
    ranks: int


def checked(dataset: Dataset) -> Dataset:
    """The data set, if nodes can learn from it; one of the user's own may hold anything."""
    for name, X, y in (("training", dataset.X_train, dataset.y_train), ("test", dataset.X_test, dataset.y_test)):
        if X.ndim != 2 or y.shape != (len(X),) or X.size == 0 or X.shape[1] != dataset.X_train.shape[1]:
            raise ValueError(
                f"the {name} set has inputs {X.shape} and labels {y.shape}; give (n, K) and (n,), none empty"
            )
        if not np.isfinite(X).all():
            raise ValueError(f"the {name} set holds inputs that are not finite; remove or fill in")
        if dataset.ranks == 0:
            if y.dtype.kind != "f" or not np.isfinite(y).all():
                raise ValueError(
                    f"the {name} set has labels {y[:5]}, ...; with ranks 0 give finite floating point numbers"
                )
        elif y.dtype.kind not in "iu" or y.min() < 1 or y.max() > dataset.ranks:
            raise ValueError(
                f"the {name} set has labels {np.unique(y)[:5]}, ...; give whole numbers 1 to {dataset.ranks}"
            )
    if dataset.ranks < 0 or dataset.ranks == 1:
        raise ValueError(f"there must be 2 ranks or more, or 0 for numbers, not {dataset.ranks}")
    return dataset


@dataclass(frozen=True, eq=False)
class Samples:
    """Inputs and labels of any numeric type before they are divided, with the words that errors use for them."""

    source: str
    X: npt.NDArray[Any]
    y: npt.NDArray[Any]
    row: Callable[[int], str] = "row {} (from 0)".format


def draw(samples: Samples, test: float, generator: np.random.Generator) -> tuple[Integers, Integers]:
    """Row numbers of a training and a test set; the test set is the share ``test`` drawn at random without repeats.

    Raises ``ValueError`` where the share leaves one of the two empty.
    """
    total = len(samples.y)
    count = round(test * total)
    if not 0 < count < total:
        empty = "test" if count == 0 else "training"
        raise ValueError(
            f"test: {test:g} of the {total} samples of {samples.source} leaves the {empty} set empty; "
            "each of the two needs at least one sample"
        )
    order = generator.permutation(total)
    return np.sort(order[count:]), np.sort(order[:count])


def divide(samples: Samples, train: Integers, test: Integers, ranks: int | None = None) -> Dataset:
    """The data set whose training and test samples are these rows.

    Without ``ranks`` the highest label is their number, and each rank up to it must occur in the training set; with
    ``ranks`` the training set may lack some. Rows in neither set are not looked at. Raises ``ValueError`` for an
    empty set, no columns, values that are not finite, labels that are not ranks, and a training set of one rank.
    """
    for name, rows in (("training", train), ("test", test)):
        if len(rows) == 0:
            raise ValueError(f"the {name} set of {samples.source} is empty; it needs at least one sample")
    used = np.union1d(train, test)
    _require_finite(samples, used)
    _require_ranks(samples, used, ranks)
    _require_classes(samples, train, used, ranks)
    X, y = samples.X, samples.y
    return Dataset(
        X_train=X[train].astype(np.float64),
        y_train=y[train].astype(np.int64),
        X_test=X[test].astype(np.float64),
        y_test=y[test].astype(np.int64),
        ranks=int(y[used].max()) if ranks is None else ranks,
    )


def numbered(samples: Samples, train: Integers, test: Integers) -> Dataset:
    """The data set whose training and test samples are these rows, for labels that are numbers.

    Raises ``ValueError`` for an empty set, no columns, and values or labels that are not finite.
    """
    for name, rows in (("training", train), ("test", test)):
        if len(rows) == 0:
            raise ValueError(f"the {name} set of {samples.source} is empty; it needs at least one sample")
    used = np.union1d(train, test)
    _require_finite(samples, used)
    X, y = samples.X, samples.y.astype(np.float64)
    wrong = used[~np.isfinite(y[used])]
    if len(wrong):
        raise ValueError(
            f"label {y[wrong[0]]} of {samples.source}, {samples.row(int(wrong[0]))}, is not a finite number"
        )
    return Dataset(X[train].astype(np.float64), y[train], X[test].astype(np.float64), y[test], ranks=0)


def ranked(source: str, labels: npt.NDArray[Any], positive: float | None = None) -> npt.NDArray[Any]:
    """Labels as ranks: ``positive`` is 2 and every other 1; else -1 and +1 are 1 and 2, others stay as they are."""
    if positive is not None:
        wrong = ~np.isfinite(labels.astype(np.float64))
        if wrong.any():
            raise ValueError(
                f"label {labels[wrong][0]} of {source}, row {wrong.argmax()} (from 0), is not a finite number"
            )
        if not (labels == positive).any():
            found = ", ".join(f"{label:g}" for label in np.unique(labels)[:10])
            raise ValueError(f"no sample of {source} has the label positive: {positive:g}; labels are {found}")
        return np.where(labels == positive, 2, 1)
    if set(np.unique(labels).tolist()) == {-1, 1}:
        return np.where(labels == 1, 2, 1)
    return labels


def _require_finite(samples: Samples, used: Integers) -> None:
    if samples.X.shape[1] == 0:
        raise ValueError(f"the samples of {samples.source} have no columns; at least one input is needed")
    rows, columns = (~np.isfinite(samples.X[used].astype(np.float64))).nonzero()
    if len(rows):
        first = f"{samples.row(int(used[rows[0]]))}, column {columns[0]} (from 0)"
        verb = "value is" if len(rows) == 1 else "values are"
        raise ValueError(f"{len(rows)} {verb} not finite in {samples.source}, the first in {first}; remove or fill in")


def _require_ranks(samples: Samples, used: Integers, ranks: int | None) -> None:
    y = samples.y[used].astype(np.float64)

    def refuse(wrong: npt.NDArray[np.bool_], fault: str) -> None:
        if wrong.any():
            at = int(wrong.argmax())
            raise ValueError(f"label {y[at]:g} of {samples.source}, {samples.row(int(used[at]))}, is {fault}")

    refuse(~np.isfinite(y) | (np.floor(y) != y), "not a whole number; labels are ranks 1, 2, 3, ...")
    refuse(y < 1, "below 1; labels are ranks 1, 2, 3, ..., so number them from 1 (add 1 to labels from 0)")
    if ranks is not None:
        refuse(y > ranks, f"above ranks: {ranks}; raise ranks, or leave it out to use the highest label")


def _require_classes(samples: Samples, train: Integers, used: Integers, ranks: int | None) -> None:
    present = np.unique(samples.y[train])
    if len(present) == 1:
        raise ValueError(
            f"the training set of {samples.source} has one class only: all its {len(train)} samples are of rank "
            f"{present[0]:g}; at least two ranks are needed"
        )
    highest = samples.y[used].max()
    if ranks is None and len(present) < highest:
        absent = np.append(present != np.arange(1, len(present) + 1), True).argmax() + 1
        raise ValueError(
            f"no training sample of {samples.source} has rank {absent}, although labels go up to {highest:g}; "
            f"renumber the labels without gaps, or give ranks: {highest:g} if this is meant"
        )
