from __future__ import annotations

import pytest

from nodes.steps import Diminishing, Pegasos, step_for


def test_steps_diminish() -> None:
    """first / (1 + decay k), from k = 0 on."""
    step = Diminishing(first=0.6, decay=0.5)
    assert [step.size(k) for k in (0, 1, 2, 4)] == pytest.approx([0.6, 0.4, 0.3, 0.2], rel=1e-15)


def test_steps_without_decay_are_constant() -> None:
    """``decay: 0`` keeps the first step for ever."""
    step = Diminishing(first=0.25, decay=0.0)
    assert {step.size(k) for k in (0, 1, 10**9)} == {0.25}


def test_pegasos_steps_are_one_over_lambda_n() -> None:
    """1/(lambda n) for n = k + 1 = 1, 2, ..., with lambda the curvature of the penalty."""
    step = step_for(Pegasos(), 0.001)
    assert [step.size(k) for k in (0, 1, 3, 999)] == pytest.approx([1000, 500, 250, 1], rel=1e-12)


def test_pegasos_needs_a_curvature() -> None:
    """Without a ridge there is no lambda, and the message says what to give."""
    with pytest.raises(ValueError, match="needs a ridge in the penalty"):
        step_for(Pegasos(), 0.0)


def test_other_steps_do_not_depend_on_the_penalty() -> None:
    """They are what they are for any curvature."""
    step = Diminishing()
    assert step_for(step, 0.5) is step
