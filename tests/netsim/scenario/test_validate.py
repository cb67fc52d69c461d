"""Mistakes in single keys: what is said of each, and where."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from netsim.scenario.load import Mistake, ScenarioError, load
from netsim.scenario.mistakes import shown

Write = Callable[..., str]


def mistakes_of(path: str, *settings: str) -> list[Mistake]:
    """What loading a scenario finds."""
    with pytest.raises(ScenarioError) as caught:
        load(path, settings)
    return list(caught.value.mistakes)


@pytest.mark.parametrize(
    ("setting", "key", "message"),
    [
        ("network.links.loss.p=130%", "network.links.loss.p", "130% is not between 0 and 1 (0% and 100%)"),
        ("network.links.loss.p=[0,0.1]", "network.links.loss.p", "[0, 0.1] is not a finite number"),
        ("network.links.loss=loss", "network.links.loss.p", "missing; add p: with a number"),
        ("network.links.delay=delay", "network.links.delay.time", "missing; add time: with a value with its unit"),
        ("network.links.loss.q=3", "network.links.loss.q", "is not a key here; known are kind, p"),
        ("network.links=[1]", "network.links", "[1] is not a mapping"),
        ("repeat=3", "repeat", "is not a key here; did you mean repeats?"),
        ("data_seed=3", "data_seed", "is not a key here; did you mean data-seed?"),
        ("modl.penalty.alpha=1", "modl", "is not a key here; did you mean model?"),
        ("slot=20", "slot", "20 is not a time; write a number with its unit, like 20ms (ns, us, ms, s, min)"),
        ("about=5", "about", "5 is not text"),
        ("about=", "about", "null is not text"),
        ("record=5", "record", "5 is not a mapping with the keys every, theory, parameters"),
        (
            "network.links.more={p: 1}",
            "network.links.more",
            "the kind of link element is missing; add kind: with one of delay, delay-table, reorder, loss, "
            "gilbert-elliott, burst-loss, distance-loss, duplicate, corrupt, rate",
        ),
        ("network.weights={kind: metropolis, lazy: []}", "network.weights.lazy", "[] is not true or false"),
        ("model.features=fourie", "model.features", "'fourie' is not a kind of feature map; did you mean fourier?"),
        ("model.loss.reduce=men", "model.loss.reduce", "'men' is not one of sum, mean; did you mean mean?"),
        ("model.loss.reduce=3", "model.loss.reduce", "3 is not one of sum, mean"),
        ("scaling={kind: z-score, from: x}", "scaling.from", "'x' is not one of training-set, node"),
        ("baselines=isolated", "baselines", "'isolated' is not a list"),
        (
            "baselines=[isolate]",
            "baselines.0",
            "'isolate' is not one of centralised, centralised-features, isolated, single-machine; "
            "did you mean isolated?",
        ),
        ("data=csv", "data.path", "missing; add path: with text"),
        (
            "model.features={kind: additive-chi2, steps: 4}",
            "model.features.steps",
            "4 is not one of 1, 2, 3",
        ),
        (
            "model.features={kind: fourier, sigma: 1e-200}",
            "model.features",
            "sigma 1e-200 makes a kernel that is 0 or 1 everywhere; take 1e-100 to 1e100",
        ),
        (
            "network.topology={kind: grid, rows: 0, columns: 2}",
            "network.topology.rows",
            "0 is not a whole number of 1 or more",
        ),
        (
            "network.overrides=[{edges: [[1, 2, 3]], links: {}}]",
            "network.overrides.0.edges.0",
            "[1, 2, 3] is not a list of 2 values",
        ),
        (
            "network.overrides=[{edges: [[1]], links: {}}]",
            "network.overrides.0.edges.0",
            "[1] is not a list of 2 values",
        ),
        (
            "network.overrides=[{edges: [[1, -2]], links: {}}]",
            "network.overrides.0.edges.0.1",
            "-2 is not a whole number of 0 or more",
        ),
    ],
)
def test_each_kind_of_mistake_has_a_message_of_its_own(write: Write, setting: str, key: str, message: str) -> None:
    """The key path holds no kinds or names of types, and the message names the value and the remedy."""
    found = [each for each in mistakes_of(write(), setting) if each.key == key]
    assert [(each.where, each.message) for each in found] == [(f"--set {setting}", message)]


def test_all_mistakes_of_all_sections_come_at_once(write: Write) -> None:
    """Every wrong key of a file is told with its line and column, in the order of the file."""
    text = """\
name: x y
roundz: 5
data: {kind: rings, noise: -1}
network:
  topology: {kind: ring, nodes: none}
  links:
    loss: {kind: loss, loss: 3}
    delay: {kind: delay, time: 1ms, jitter: 2ms}
model:
  features: linear
  loss: hingd
"""
    path = write(text=text)
    assert [str(each).removeprefix(path) for each in mistakes_of(path)] == [
        ":1:1: name: 'x y' is not a name; use letters, digits, dots, dashes and underscores",
        ":2:1: roundz: is not a key here; did you mean rounds?",
        ":3:21: data.noise: -1 is not a number of 0 or more",
        ":5:26: network.topology.nodes: 'none' is not a whole number of 1 or more",
        ":7:5: network.links.loss.p: missing; add p: with a number",
        ":7:24: network.links.loss.loss: is not a key here; known are kind, p",
        ":8:5: network.links.delay: jitter 2ms is longer than time 1ms, so that frames would arrive before they are "
        "sent; make it at most the time",
        ":11:3: model.loss: 'hingd' is not a kind of loss; did you mean hinge?",
    ]


def test_mistakes_of_the_whole_scenario_have_no_key(write: Write) -> None:
    """Both of rounds and passes is a mistake of the scenario as a whole, told at its beginning."""
    path = write("passes: 2\n")
    (mistake,) = mistakes_of(path)
    assert (mistake.where, mistake.key) == (f"{path}:1:1", "")
    assert str(mistake).startswith(f"{path}:1:1: exactly one of rounds and passes must be given")


def test_missing_sections_are_told_by_name(write: Write) -> None:
    """A scenario of a name alone lacks data, network and model."""
    found = mistakes_of(write(text="name: x\nrounds: 3\n"))
    assert [each.key for each in found] == ["data", "network", "model"]
    assert all(each.message.startswith(f"missing; add {each.key}: with") for each in found)


@pytest.mark.parametrize(
    ("value", "text"), [(None, "null"), (True, "true"), ("a", "'a'"), ([1, "x"], '[1, "x"]'), ({"a": 1}, '{"a": 1}')]
)
def test_values_are_shown_as_yaml(value: Any, text: str) -> None:
    """null and true, not None and True; long values are cut."""
    assert shown(value) == text
    assert len(shown("x" * 1000)) < 70


def test_no_message_is_longer_than_a_few_lines(write: Write) -> None:
    """A list of thousands of numbers in place of a piece is not printed whole."""
    (mistake,) = mistakes_of(write(), f"data={list(range(5000))}")
    assert mistake.message.startswith("[0, 1, 2, ")
    assert len(str(mistake)) < 700
