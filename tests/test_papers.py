"""The page of results: its scenarios load, and its numbers are those of the run directories."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from benchmarks.numbers.measure import Runs
from benchmarks.papers.experiments import EXPERIMENTS, Experiment
from benchmarks.papers.page import Page, difference, spread, table, verdict
from benchmarks.papers.sections import PAPERS
from netsim.scenario.load import builtin, load


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda experiment: experiment.name)
def test_every_experiment_is_a_scenario(experiment: Experiment, full: bool) -> None:
    """Of its own name, valid with the quick and with the full settings, whether its data are there or not."""
    loaded = load(f"papers/{experiment.name}", experiment.settings(full, Path("/nowhere")))
    assert loaded.name == experiment.name
    assert loaded.points[0].scenario.about


def test_every_scenario_of_the_papers_belongs_to_an_experiment() -> None:
    """None is left over, but that of the published partitions, which belongs to no paper."""
    scenarios = {name.removeprefix("papers/") for name in builtin() if name.startswith("papers/")}
    assert scenarios - {"published-partitions"} == {experiment.name for experiment in EXPERIMENTS}


def test_the_page_tells_what_is_in_the_runs(tmp_path: Path) -> None:
    """Numbers of the first table are means over the records; what was not run is left out with a reason."""
    small = ("network.topology={kind: ring, nodes: 5}", "baselines=[centralised, centralised-features, isolated]")
    run = Runs(tmp_path, 1).run("papers/dsvor-strips", "repeats=2", "record={every: 500, parameters: true}", *small)
    page = Page({"dsvor-strips": run}, {"klms": "nobody asked for it"}, tmp_path / "docs")
    text = "\n".join(part for paper in PAPERS for part in paper.write(page))
    last = [record.rows[-1]["mae"]["mean"] for record in run.records if record.method == "network"]
    assert f"| dSVOR | 2000 | {_accuracy(run)} | {np.mean(last):.4f} ± {np.std(last, ddof=1):.4f} |" in text
    assert "Left out: nobody asked for it." in text
    assert "Left out: pegasos-mnist was not run this time." in text
    figures = re.findall(r"\]\((figures/[a-z0-9-]+\.svg)\)", text)
    assert len(figures) == 3
    assert all((tmp_path / "docs" / figure).stat().st_size > 1000 for figure in figures)


def _accuracy(run: object) -> str:
    found = [record.rows[-1]["accuracy"]["mean"] for record in run.records if record.method == "network"]  # type: ignore[attr-defined]
    return f"{np.mean(found):.4f} ± {np.std(found, ddof=1):.4f}"


def test_experiments_without_data_say_so(tmp_path: Path) -> None:
    """The reason names what is missing."""
    absent = {experiment.name: experiment.absent(tmp_path) for experiment in EXPERIMENTS}
    assert absent["klms"] is None
    assert absent["pegasos-banana"] == "its data are not there: binary/banana.npz in the folder of data"


def test_words_and_numbers() -> None:
    """Verdicts, spreads, paired differences and tables."""
    assert verdict(True, True) == "holds"
    assert verdict(False) == "**does not hold**"
    assert verdict(True, False, True) == "**holds in 2 of 3 cases only**"
    assert spread(np.array([0.1, 0.3]), 2) == "0.20 ± 0.14"
    assert spread(np.array([0.123]), 1, 100) == "12.3"
    assert difference(np.array([1.0, 2.0]), np.array([0.5, 0.5]), 1) == "+1.0 ± 0.5"
    assert table(["a", "b"], [[1, "x"]]) == "| a | b |\n| --- | --- |\n| 1 | x |"
