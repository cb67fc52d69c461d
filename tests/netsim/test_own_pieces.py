"""Pieces of the user's own, in every place that takes one."""

from __future__ import annotations

from pathlib import Path

import pytest

from netsim.cli import main

OWN = """
from __future__ import annotations
from dataclasses import dataclass
import networkx as nx
import numpy as np
from netsim.data import Dataset
from netsim.scaling import Scaler
from nodes.quantities import Positive

@dataclass(frozen=True)
class Lollipop:
    head: int = 3
    first: int = 0
    def build(self, generator, folder):
        return nx.convert_node_labels_to_integers(nx.lollipop_graph(self.head, 2), self.first)

@dataclass(frozen=True)
class Parts:
    def build(self, generator, folder):
        return nx.empty_graph(4)

@dataclass(frozen=True)
class Equal:
    total: float = 1.0
    def row(self, node, neighbours):
        return np.full(len(neighbours) + 1, self.total / (len(neighbours) + 1))

@dataclass(frozen=True)
class Blobs:
    apart: Positive = 3.0
    down: int = 0
    def load(self, generator, repeat, folder):
        y = np.arange(80) % 3 + 1
        X = generator.normal(size=(80, 2)) + self.apart * y[:, None]
        return Dataset(X[:60], y[:60] - self.down, X[60:], y[60:], 3)

@dataclass(frozen=True)
class InTurn:
    skip: int = 0
    def assign(self, y, nodes, generator):
        return [np.arange(len(y))[node + self.skip::nodes] for node in range(nodes)]

@dataclass(frozen=True)
class Halved:
    def fit(self, X_train, parts):
        return [Scaler(np.zeros(X_train.shape[1]), np.full(X_train.shape[1], 2.0))] * len(parts)

@dataclass(frozen=True)
class Squares:
    def open(self, inputs, draws):
        return lambda X: np.hstack([X, X**2])
    def size_for(self, inputs):
        return 2 * inputs

@dataclass(frozen=True)
class Root:
    def size(self, k):
        return 0.1 / (1 + k) ** 0.5

@dataclass(frozen=True)
class Ridge:
    def at_node(self, nodes):
        return 1 / nodes
    def value(self, weights):
        return float(weights @ weights / 2)
    def add_gradient(self, weights, part, gradient):
        gradient += part * weights
    def shrink(self, weights, amount):
        pass

@dataclass(frozen=True)
class Negative:
    value: float = -1.0
    def delays(self, times, chance):
        return np.full(len(times), self.value)
"""

SCENARIO = """\
name: own
rounds: 30
data: own:Blobs
split: own:InTurn
scaling: own:Halved
network: {topology: own:Lollipop, weights: own:Equal}
model: {features: own:Squares, loss: ordinal-hinge, penalty: own:Ridge}
algorithm: {step: own:Root}
baselines: [centralised, centralised-features, isolated]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with the scenario and its classes."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text(OWN)
    (tmp_path / "own.yaml").write_text(SCENARIO)
    return tmp_path


def run(*settings: str) -> int:
    """The exit status of a run with these settings."""
    return main(["run", "own.yaml", "--jobs", "1", *(word for setting in settings for word in ("--set", setting))])


def test_every_place_takes_a_class_of_ones_own(folder, capsys):
    """Data, split, scaling, topology, weights, features, penalty and step; optima say why they are absent."""
    assert run() == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "isolated" in printed
    assert "Squares has no gram" in printed
    assert "not for Ridge" in printed


@pytest.mark.parametrize(
    ("setting", "status", "told"),
    [
        ("network.topology.first=1", 2, "numbered 0, 1, ... without gaps"),
        ("network.topology={kind: own:Parts}", 2, "graph of 4 nodes is not connected"),
        ("network.topology.head=many", 2, "network.topology.head"),
        ("network.weights.total=2", 2, "they must sum to 1"),
        ("data.apart=-1", 2, "data.apart"),
        ("data.down=1", 2, "labels [0 1 2], ...; give whole numbers 1 to 3"),
        ("split.skip=1", 2, "is not one of 60 samples into 5 parts"),
        ("network.links={bad: own:Negative}", 1, "Negative.delays gave"),
        ("network.links={bad: {kind: own:Negative, value: .nan}}", 2, "is not a finite number"),
    ],
)
def test_what_a_class_of_ones_own_gives_is_checked(folder, capsys, setting, status, told):
    """A graph, weights, delays or parameters that cannot be are one sentence that names the place."""
    assert run(setting) == status
    captured = capsys.readouterr()
    assert told in captured.err
    assert "Traceback" not in captured.err


def test_a_derived_loss_has_no_exact_optimum(folder, capsys):
    """A class derived from the ordinal hinge may be any loss, so that the optimum of the hinge is not shown as its."""
    (folder / "derived.py").write_text(
        "from dataclasses import dataclass\nfrom nodes.losses import OrdinalHinge\n\n"
        "@dataclass(frozen=True, kw_only=True)\nclass Derived(OrdinalHinge):\n    more: float = 1.0\n"
    )
    assert run("model.loss={kind: derived:Derived}") == 0
    assert "the optimum is not known for the loss Derived" in " ".join(capsys.readouterr().out.split())
