from __future__ import annotations

import pytest

from nodes.steps import Diminishing


def test_steps_diminish() -> None:
    """first / (1 + decay k), from k = 0 on."""
    step = Diminishing(first=0.6, decay=0.5)
    assert [step.size(k) for k in (0, 1, 2, 4)] == pytest.approx([0.6, 0.4, 0.3, 0.2], rel=1e-15)


def test_steps_without_decay_are_constant() -> None:
    """``decay: 0`` keeps the first step for ever."""
    step = Diminishing(first=0.25, decay=0.0)
    assert {step.size(k) for k in (0, 1, 10**9)} == {0.25}
