from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from netsim.links import LOST, Delay, Links, Loss
from nodes.arrays import Floats, Integers

TIMES: Integers = np.arange(20_000)


def chance() -> Floats:
    """Uniform draws for all times."""
    return np.random.default_rng(3).random((len(TIMES), 4))


def never() -> Floats:
    """For elements that have nothing to draw."""
    raise AssertionError("draws were asked for")


def test_a_fixed_delay_draws_nothing() -> None:
    """Every frame takes the time given."""
    assert (Delay(time=700).delays(TIMES, never) == 700).all()


@pytest.mark.parametrize(("time", "jitter"), [(50, 50), (1000, 10), (35_000_000, 25_000_000)])
def test_jitter_is_uniform_around_the_delay(time: int, jitter: int) -> None:
    """Whole nanoseconds within time +- jitter, with a uniform draw's mean and spread and both ends in reach."""
    delays = Delay(time=time, jitter=jitter).delays(TIMES, chance)
    assert (delays == np.rint(delays)).all()
    assert time - jitter <= delays.min() < time - 0.98 * jitter
    assert time + 0.98 * jitter < delays.max() <= time + jitter
    deviation = jitter / math.sqrt(3)
    assert abs(delays.mean() - time) < 4 * deviation / math.sqrt(len(TIMES))
    assert delays.std() == pytest.approx(deviation, rel=0.03)


def test_the_extremes_of_a_draw_are_the_ends_of_the_jitter() -> None:
    """A draw of 0 is the shortest delay, one half the middle; no delay is negative."""
    draws = np.repeat(np.array([[0.0], [0.5], [1 - 2**-53]]), 4, axis=1)
    assert Delay(time=40, jitter=40).delays(TIMES[:3], lambda: draws).tolist() == [0, 40, 80]


def test_jitter_longer_than_the_time_is_refused() -> None:
    """Frames would arrive before they are sent; equal is allowed."""
    Delay(time=5_000_000, jitter=5_000_000)
    with pytest.raises(ValueError, match="jitter 6ms is longer than time 5ms"):
        Delay(time=5_000_000, jitter=6_000_000)


@pytest.mark.parametrize("p", [0.01, 0.3, 0.9])
def test_losses_are_as_frequent_as_asked(p: float) -> None:
    """Within four deviations of the binomial count; frames that are not lost are not delayed."""
    delays = Loss(p=p).delays(TIMES, chance)
    lost = int((delays == LOST).sum())
    assert abs(lost - p * len(TIMES)) < 4 * math.sqrt(len(TIMES) * p * (1 - p))
    assert (delays[delays != LOST] == 0).all()


def test_none_and_all_are_lost_at_the_ends() -> None:
    """Probability 0 draws nothing and loses nothing, 1 loses everything."""
    assert (Loss(p=0.0).delays(TIMES, never) == 0).all()
    assert (Loss(p=1.0).delays(TIMES, chance) == LOST).all()


@settings(deadline=None, derandomize=True, max_examples=50)
@given(low=st.floats(0, 1), high=st.floats(0, 1))
def test_a_higher_loss_loses_the_same_frames_and_more(low: float, high: float) -> None:
    """Runs that differ in ``p`` alone meet the same channel: what the better one loses, the worse one loses too."""
    low, high = sorted((low, high))
    lost_low, lost_high = (Loss(p=p).delays(TIMES, chance) == LOST for p in (low, high))
    assert (lost_low <= lost_high).all()


def test_losses_follow_one_another_by_chance() -> None:
    """The loss of a frame tells nothing about the next: pairs are lost with p squared."""
    lost = Loss(p=0.3).delays(TIMES, chance) == LOST
    pairs = (lost[1:] & lost[:-1]).mean()
    assert abs(pairs - 0.09) < 4 * math.sqrt(0.09 * 0.91 * 1.5 / len(TIMES))


def test_elements_are_read_as_a_scenario_writes_them() -> None:
    """Times with units, probabilities in per cent; a mistake is refused."""
    reader = TypeAdapter[Any](Links)
    assert reader.validate_python({"kind": "delay", "time": "5ms"}) == Delay(time=5_000_000)
    assert reader.validate_python({"kind": "loss", "p": "30%"}) == Loss(p=0.3)
    for wrong in ({"kind": "delay", "time": 5}, {"kind": "delay"}, {"kind": "loss", "p": 2}):
        with pytest.raises(ValidationError):
            reader.validate_python(wrong)
