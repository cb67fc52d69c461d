"""The paper's claims, cut short: fewer seeds and rounds than ``make numbers`` takes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.numbers.bearings import on_reference_features
from benchmarks.numbers.dsvor import NO_FAULTS, PAPER, mixing
from benchmarks.numbers.measure import Runs, at
from benchmarks.numbers.published import SETS, errors, optima


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    """Runs scenarios into a folder of the test, two at a time."""
    return Runs(tmp_path, 2)


@pytest.mark.parametrize(("name", "least"), [("strips", 0.005), ("rings", 0.02)])
def test_the_network_comes_close_to_the_optimum_and_isolated_nodes_do_not(runs, name, least):
    """Over four paired seeds, 600 rounds: MAE within 0.02 of cSVOR, and isolated nodes behind by a margin."""
    settings = ("repeats=4", "rounds=600", "record.every=600", "baselines=[centralised, isolated]", *PAPER)
    records = runs.records(name, *settings, *(NO_FAULTS if name == "rings" else ()))
    network, centralised = at(records, "network", "mae"), at(records, "centralised", "mae")
    isolated = at(records, "isolated", "mae")
    assert len(network) == len(centralised) == len(isolated) == 4
    assert (network - centralised).mean() <= 0.02
    assert (isolated - network).mean() >= least


def test_only_proximal_steps_make_exact_zeros(runs):
    """At alpha 0.9 proximal steps leave some per cent of the weights at exactly zero, subgradients none."""
    sweep = "sweep={model.penalty.zeros: [proximal, subgradient]}"
    settings = ("repeats=1", "rounds=400", "record.every=400", "baselines=[centralised-features]", *PAPER)
    records = runs.records("rings", *settings, "network.links={}", sweep)
    assert 0.02 < at(records, "network", "zeros", point={"zeros": "proximal"})[0] < 0.15
    assert at(records, "network", "zeros", point={"zeros": "subgradient"})[0] == 0
    assert at(records, "centralised-features", "zeros", point={"zeros": "proximal"})[0] == pytest.approx(0.76, abs=0.06)


def test_an_even_ring_is_refused_and_diverges_where_it_is_forced(runs):
    """With weights 1/max it is an error; forced, the run is reported as diverged."""
    assert [number for number in mixing(runs) if not number.good] == []


def test_half_of_all_frames_lost_costs_little_under_both_policies(runs):
    """At loss 0.5 after 400 rounds the MAE stays within 0.02 of that without loss, and nodes are further apart."""
    sweep = "sweep={algorithm.on-silence: [self, hold], network.links.loss.p: [0, 0.5]}"
    records = runs.records("rings", "repeats=2", "rounds=400", "record.every=400", "baselines=[]", sweep)
    for policy in ("self", "hold"):
        clean, lossy = ({"p": p, "on-silence": policy} for p in (0, 0.5))
        difference = at(records, "network", "mae", point=lossy) - at(records, "network", "mae", point=clean)
        assert abs(difference.mean()) <= 0.02
    apart = {p: at(records, "network", "consensus", point={"p": p, "on-silence": "self"}) for p in (0, 0.5)}
    assert (apart[0.5] > apart[0]).all()


def test_the_centralised_baseline_reaches_published_optima(runs, shared_data):
    """Objectives to 1e-6 and the published MAE, through whole runs."""
    numbers = list(optima(runs))
    assert len(numbers) == 6
    assert [number for number in numbers if not number.good] == []


def test_published_partitions_of_ten_sets(runs, shared_data):
    """On one partition of each: MAE within 0.03 of cSVOR in the mean, 0.1 on every set, and isolated nodes behind."""
    maes = [errors(runs, name, 1) for name in SETS]
    assert [len(each["network"]) for each in maes] == [1] * 10
    near = np.array([each["network"][0] - each["centralised"][0] for each in maes])
    behind = np.array([each["isolated"][0] - each["network"][0] for each in maes])
    assert near.mean() <= 0.03
    assert near.max() <= 0.1
    assert behind.mean() >= 0.05


def test_bearing_faults_on_the_reference_s_features(runs, shared_data):
    """Inner race faults without load: three methods' errors and their order are those of the reference."""
    numbers = list(on_reference_features(runs, "IR", 0, "repeats=2"))
    assert len(numbers) == 4
    assert [number for number in numbers if not number.good] == []
