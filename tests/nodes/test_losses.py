from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from nodes.arrays import Floats, Integers
from nodes.losses import Hinge, Losses, OrdinalHinge, Squared, weight_for

BuiltIn = OrdinalHinge | Hinge | Squared
LOSSES: list[BuiltIn] = [OrdinalHinge(), Squared(), Hinge(), Squared(labels="signs")]
NAMES = ["ordinal", "squared", "hinge", "squared of signs"]
RANKS = 4


def ranks_of(loss: BuiltIn) -> int:
    """How many ranks to try a loss with."""
    return 2 if loss in (Hinge(), Squared(labels="signs")) else RANKS


def drawn(loss: BuiltIn, seed: int, count: int = 9, scale: float = 2.0) -> tuple[Floats, Floats, Floats]:
    """Scores, thresholds and targets of random samples."""
    draws = np.random.default_rng(seed)
    ranks = ranks_of(loss)
    labels = draws.integers(1, ranks + 1, count)
    thresholds = draws.normal(scale=scale, size=loss.thresholds(ranks))
    return draws.normal(scale=scale, size=count), thresholds, loss.targets(labels, ranks)


def hinges(score: float, thresholds: Floats, label: int) -> float:
    """The paper's eq. 7 for one sample, written out: thresholds from its rank on lie above it, the others below."""
    terms = [1 + score - b if label <= q else 1 - score + b for q, b in enumerate(thresholds, start=1)]
    return float(sum(max(0.0, term) for term in terms))


@pytest.mark.parametrize("loss", LOSSES, ids=NAMES)
@settings(deadline=None, derandomize=True, max_examples=100)
@given(here=st.integers(0, 10**6), there=st.integers(0, 10**6), scale=st.sampled_from([0.1, 1.0, 30.0]))
def test_slopes_are_a_subgradient(loss: BuiltIn, here: int, there: int, scale: float) -> None:
    """The loss is nowhere below its tangent: values(theta') >= values(theta) + g'(theta' - theta)."""
    scores, thresholds, targets = drawn(loss, here, scale=scale)
    other_scores, other_thresholds, _ = drawn(loss, there, scale=scale)
    by_score, by_threshold = loss.slopes(scores, thresholds, targets)
    tangent = by_score @ (other_scores - scores) + by_threshold @ (other_thresholds - thresholds)
    rise = loss.values(other_scores, other_thresholds, targets) - loss.values(scores, thresholds, targets)
    assert rise.sum() >= tangent - 1e-9 * scale**2


@pytest.mark.parametrize("loss", LOSSES, ids=NAMES)
def test_slopes_are_the_numeric_derivatives(loss: BuiltIn) -> None:
    """By every score and by every threshold, away from kinks."""
    for seed in range(20):
        scores, thresholds, targets = drawn(loss, seed)
        by_score, by_threshold = loss.slopes(scores, thresholds, targets)
        point = np.concatenate((scores, thresholds))

        def whole(point: Floats, count: int = len(scores), targets: Floats = targets, loss: BuiltIn = loss) -> float:
            return float(loss.values(point[:count], point[count:], targets).sum())

        step = 1e-6 * np.eye(len(point))
        numeric = [(whole(point + move) - whole(point - move)) / 2e-6 for move in step]
        np.testing.assert_allclose(np.concatenate((by_score, by_threshold)), numeric, atol=1e-6)


def test_ordinal_values_are_the_papers_sum() -> None:
    """Each sample pays at all thresholds, as eq. 7 written out sample by sample says."""
    draws = np.random.default_rng(3)
    labels = draws.integers(1, RANKS + 1, 50)
    scores, thresholds = draws.normal(scale=2, size=50), np.array([-1.5, 0.2, 1.0])
    found = OrdinalHinge().values(scores, thresholds, OrdinalHinge().targets(labels, RANKS))
    expected = [hinges(score, thresholds, label) for score, label in zip(scores, labels, strict=True)]
    np.testing.assert_allclose(found, expected, rtol=1e-13)


def test_ordinal_slopes_by_hand() -> None:
    """Three ranks at thresholds -1 and 1: each violated margin adds minus its sign by score, its sign by threshold."""
    loss = OrdinalHinge()
    scores, thresholds = np.array([-0.5, 0.5, 3.0]), np.array([-1.0, 1.0])
    targets = loss.targets(np.array([1, 2, 3]), 3)
    assert targets.tolist() == [[-1, -1], [1, -1], [1, 1]]
    by_score, by_threshold = loss.slopes(scores, thresholds, targets)
    # Rank 1 at -0.5 is above b_1 - 1; rank 2 at 0.5 is above b_2 - 1; rank 3 at 3 is far enough up.
    assert loss.values(scores, thresholds, targets).tolist() == [1.5, 0.5, 0.0]
    assert by_score.tolist() == [1.0, 1.0, 0.0]
    assert by_threshold.tolist() == [-1.0, -1.0]


def test_a_margin_of_exactly_one_has_no_slope() -> None:
    """At the hinge's kink the paper's eq. 12 takes 0, on both sides of a threshold; just inside it takes 1."""
    loss = OrdinalHinge()
    targets = loss.targets(np.array([2, 1]), 2)
    for scores, slopes in (([1.0, -1.0], [0.0, 0.0]), ([1 - 1e-9, 1e-9 - 1], [-1.0, 1.0])):
        by_score, by_threshold = loss.slopes(np.array(scores), np.zeros(1), targets)
        assert by_score.tolist() == slopes
        assert by_threshold.tolist() == [0.0]


def test_arguments_are_left_as_they_were() -> None:
    """A loss writes into none of its arguments; a node uses them again."""
    for loss in LOSSES:
        arguments = drawn(loss, 1)
        kept = [argument.copy() for argument in arguments]
        loss.values(*arguments)
        loss.slopes(*arguments)
        for argument, before in zip(arguments, kept, strict=True):
            np.testing.assert_array_equal(argument, before)


def test_ordinal_metrics_by_hand() -> None:
    """The rank is one more than the thresholds below the score (a score on a threshold is not above it)."""
    labels: Integers = np.array([1, 2, 3, 1, 3])
    scores = np.array([-2.0, 0.0, 1.0, 5.0, 1.5])  # ranks 1, 2, 2 (on the threshold), 3, 3
    assert OrdinalHinge().metrics(scores, np.array([-1.0, 1.0]), labels) == {"accuracy": 0.6, "mae": 0.6}


def test_squared_by_hand() -> None:
    """Half the squared error, its slope f - y, no thresholds; metrics without the half."""
    loss = Squared()
    labels = np.array([1, 3])
    targets = loss.targets(labels, 3)
    scores, none = np.array([2.0, 0.0]), np.empty(0)
    assert loss.thresholds(3) == 0
    assert loss.values(scores, none, targets).tolist() == [0.5, 4.5]
    by_score, by_threshold = loss.slopes(scores, none, targets)
    assert by_score.tolist() == [1.0, -3.0]
    assert by_threshold.shape == (0,)
    assert loss.metrics(scores, none, labels) == {"mse": 5.0, "mae": 2.0}
    assert (loss.reduce, loss.factor(100)) == ("mean", 1.0)


def test_the_ordinal_loss_has_a_threshold_between_ranks() -> None:
    """One less than ranks; the loss is summed by default."""
    assert OrdinalHinge().thresholds(5) == 4
    assert OrdinalHinge().reduce == "sum"


def test_weights_over_the_samples() -> None:
    """``1000/N`` divides by the network's training samples; a number is itself."""
    assert OrdinalHinge().factor(400) == 2.5
    assert OrdinalHinge(C=3.0).factor(400) == 3.0
    assert weight_for("1e2/N", 50) == 2.0
    assert weight_for(" 5 / N ", 10) == 0.5


@pytest.mark.parametrize("written", ["0/N", "-1/N", "N/1000", "1000/M", "1000", 0, -1, True, "1e400/N", "10%/N"])
def test_other_weights_are_refused(written: Any) -> None:
    """The weight must be a positive number, over N if at all."""
    reader = TypeAdapter[Any](Losses)
    with pytest.raises(ValidationError, match="is not a"):
        reader.validate_python({"kind": "ordinal-hinge", "C": written})


@pytest.mark.parametrize("written", [2, 0.5, "1000/N", "1.5e3 / N"])
def test_weights_are_read(written: Any) -> None:
    """Numbers and numbers over N are taken as they are written."""
    loss = TypeAdapter[Any](Losses).validate_python({"kind": "ordinal-hinge", "C": written})
    assert loss == OrdinalHinge(C=written)


def test_hinge_by_hand() -> None:
    """Rank 1 is -1 and rank 2 is +1; a margin below 1 costs what it lacks, and has the slope of minus its sign."""
    loss = Hinge()
    targets = loss.targets(np.array([1, 2, 2, 1]), 2)
    scores, none = np.array([-0.5, 0.25, 1.0, -3.0]), np.empty(0)
    assert targets.tolist() == [-1, 1, 1, -1]
    assert loss.values(scores, none, targets).tolist() == [0.5, 0.75, 0.0, 0.0]
    by_score, by_threshold = loss.slopes(scores, none, targets)
    assert by_score.tolist() == [1.0, -1.0, 0.0, 0.0]
    assert by_threshold.shape == (0,)
    assert (loss.reduce, loss.factor(9), loss.thresholds(2)) == ("mean", 1.0, 0)


@pytest.mark.parametrize("loss", [Hinge(), Squared(labels="signs")], ids=["hinge", "squared of signs"])
def test_two_classes_are_told_by_the_sign(loss: Hinge | Squared) -> None:
    """Accuracy and share of errors; a score of zero counts as the first class."""
    found = loss.metrics(np.array([-2.0, 0.0, 0.1, -0.1, 5.0]), np.empty(0), np.array([1, 1, 2, 2, 1]))
    assert found["accuracy"] == pytest.approx(0.6)
    assert found["error"] == pytest.approx(0.4)


def test_squared_errors_of_numbers_and_of_signs() -> None:
    """Numbers are themselves; with ``labels: signs`` the ranks 1 and 2 are -1 and +1."""
    numbers = np.array([0.5, -1.25])
    assert Squared().targets(numbers, 0).tolist() == [0.5, -1.25]
    assert Squared().metrics(np.zeros(2), np.empty(0), numbers) == {"mse": 0.90625, "mae": 0.875}
    signs = Squared(labels="signs").metrics(np.zeros(2), np.empty(0), np.array([1, 2]))
    assert (signs["mse"], signs["mae"]) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("loss", "ranks", "said"),
    [
        (OrdinalHinge(), 0, "for ranks, and these labels are numbers"),
        (Hinge(), 0, "for two classes, and these labels are numbers"),
        (Hinge(), 3, "for two classes, and these labels are 3 ranks"),
        (Squared(labels="signs"), 4, "for two classes, and these labels are 4 ranks"),
    ],
)
def test_labels_that_a_loss_is_not_for_are_refused(loss: BuiltIn, ranks: int, said: str) -> None:
    """The message says what the labels are."""
    with pytest.raises(ValueError, match=said):
        loss.thresholds(ranks)


@pytest.mark.parametrize("loss", [OrdinalHinge(), Hinge()], ids=["ordinal", "hinge"])
def test_no_slope_is_steeper_than_the_steepest(loss: OrdinalHinge | Hinge) -> None:
    """Over many random scores and thresholds, and some score attains it for every sample."""
    ranks = ranks_of(loss)
    labels = np.arange(1, ranks + 1)
    targets = loss.targets(labels, ranks)
    by_score, by_threshold = loss.steepest(targets)
    attained = np.zeros(ranks)
    draws = np.random.default_rng(0)
    for _ in range(300):
        thresholds = np.sort(draws.normal(scale=3, size=loss.thresholds(ranks)))
        slopes, each = loss.slopes(draws.normal(scale=9, size=ranks), thresholds, targets)
        assert (np.abs(slopes) <= by_score).all()
        assert (np.abs(each) <= ranks * by_threshold).all()
        attained = np.maximum(attained, np.abs(slopes))
    assert attained.tolist() == by_score.tolist()
