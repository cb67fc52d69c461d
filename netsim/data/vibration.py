"""Features of vibration: permutation entropies of the modes that ensemble empirical mode decomposition finds.

Z. Wu and N. E. Huang, Ensemble empirical mode decomposition, Adv. Adapt. Data Anal. 1 (2009) 1-41; C. Bandt and
B. Pompe, Permutation entropy, Phys. Rev. Lett. 88 (2002) 174102.
"""

from __future__ import annotations

import math
import multiprocessing
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Literal, NamedTuple

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from threadpoolctl import threadpool_limits

from netsim.processes import processors
from netsim.workers import side_by_side
from nodes.arrays import Floats
from nodes.draws import generator

MODES = 5
SIFTS = 10
"""How often the mean of the envelopes is taken off to get one mode."""
TOGETHER = 20
"""Trials that are decomposed as one signal; more are hardly faster."""
SMALL = 150_000
"""Samples over all trials that are decomposed before a process would have started."""
LIBRARIES = ("EMD-signal", "numpy", "ordpy", "scipy")
"""Whatever features depend on: decomposition, noise, entropies and splines."""
METHOD = 1
"""The version of what is done here with them; raised with every change of a feature."""


@dataclass(frozen=True, kw_only=True)
class Entropies:
    """How a window becomes features.

    It is decomposed ``trials`` times with white noise of ``noise`` times the window's standard deviation or its range
    (maximum minus minimum) added. The first five modes are averaged over the trials; a feature is the permutation
    entropy of one, of this order and delay, divided by its maximum, log(order!).
    """

    trials: int = 100
    noise: float = 0.2
    noise_of: Literal["deviation", "range"] = "deviation"
    order: int = 5
    delay: int = 1

    def of(self, window: Floats, draws: np.random.Generator) -> Floats:
        """The five features of a window, each 0 to 1; ``ValueError`` for one so short that it has fewer modes."""
        import ordpy

        modes = self.decompose(window, draws)
        entropies = [ordpy.permutation_entropy(mode, dx=self.order, taux=self.delay) for mode in modes]
        return np.array(entropies, dtype=np.float64)

    def decompose(self, window: Floats, draws: np.random.Generator) -> Floats:
        """The first modes of a window, averaged over the trials, (5, samples); their unit is its standard deviation."""
        scaled = (window - window.mean()) / window.std()
        amplitude = self.noise * (1.0 if self.noise_of == "deviation" else np.ptp(scaled))
        total = np.zeros((MODES, len(window)))
        for trials in np.array_split(np.arange(self.trials), math.ceil(self.trials / TOGETHER)):
            total += _summed_modes(scaled, amplitude, len(trials), draws)
        return total / self.trials


def _summed_modes(window: Floats, amplitude: float, trials: int, draws: np.random.Generator) -> Floats:
    """The modes of so many trials, added up.

    Envelopes depend on a few extrema around, so one signal of all trials, the window forwards and backwards in turn,
    is to each trial its mirror extension. Its decomposition is three to five times as fast as one for each trial.
    """
    from PyEMD import EMD

    backwards = np.arange(trials) % 2 == 1
    repeated = np.where(backwards[:, None], window[::-1], window)
    decomposition = EMD(FIXE=SIFTS)
    decomposition.emd((repeated + draws.normal(0.0, amplitude, repeated.shape)).reshape(-1), max_imf=MODES)
    modes, _ = decomposition.get_imfs_and_residue()
    if len(modes) < MODES:
        raise ValueError(
            f"a window of {len(window)} samples has {len(modes)} modes, and {MODES} are needed; take longer ones"
        )
    each = modes.reshape(MODES, trials, -1)
    summed: Floats = each[:, ~backwards].sum(axis=1) + each[:, backwards, ::-1].sum(axis=1)
    return summed


class _Job(NamedTuple):
    entropies: Entropies
    window: Floats
    key: int


def _features(job: _Job, progress: Callable[[int], None]) -> Floats:
    with threadpool_limits(1):
        return job.entropies.of(job.window, generator(job.key))


def features(entropies: Entropies, windows: Floats, keys: Sequence[int], about: str) -> Floats:
    """Features (windows, 5) of windows (windows, samples), each with noise of its own key.

    They are computed on all processors, with a progress bar on a terminal; neither changes them.
    """
    jobs = [_Job(entropies, window, key) for window, key in zip(windows, keys, strict=True)]
    # A process that was started for something else has others beside it that use the processors.
    alone = multiprocessing.parent_process() is not None or entropies.trials * windows.size < SMALL
    count = 1 if alone else min(processors(), len(jobs))
    found = np.empty((len(jobs), MODES))
    with _bar() as bar:
        task = bar.add_task(about, total=len(jobs))
        if count == 1:
            for number, job in enumerate(jobs):
                found[number] = _features(job, lambda done: None)
                bar.advance(task)
            return found
        for news in side_by_side(_features, jobs, count):
            if news.error is not None:
                raise news.error
            assert news.result is not None
            found[news.number] = news.result
            bar.advance(task)
    return found


def _bar() -> Progress:
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    times = (TimeElapsedColumn(), TimeRemainingColumn())
    shown = console.is_terminal and multiprocessing.parent_process() is None
    return Progress(*columns, *times, console=console, transient=True, disable=not shown)


def method() -> dict[str, object]:
    """All that features depend on apart from windows, noise and settings, as plain data."""
    return {
        "method": METHOD,
        "modes": MODES,
        "sifts": SIFTS,
        "together": TOGETHER,
        **{name: version(name) for name in LIBRARIES},
    }
