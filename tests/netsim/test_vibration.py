"""Modes and entropies of vibration."""

from __future__ import annotations

import os

import numpy as np
import ordpy
import pytest
from PyEMD import EEMD

from netsim.data.vibration import MODES, SIFTS, Entropies, features
from nodes.draws import generator

TIME = np.arange(800.0)
TONES = np.sin(0.9 * TIME) + np.sin(0.05 * TIME)
FEW = Entropies(trials=10)


def test_modes_of_two_tones_are_the_tones():
    """The fast tone is in the first mode, or the two first; what is left after them is the slow one."""
    modes = Entropies(trials=40).decompose(TONES, generator(1)) * TONES.std()
    fast, slow = modes[:2].sum(axis=0), modes[2:].sum(axis=0)
    inner = slice(50, -50)
    assert np.corrcoef(fast[inner], np.sin(0.9 * TIME)[inner])[0, 1] > 0.98
    assert np.corrcoef(slow[inner], np.sin(0.05 * TIME)[inner])[0, 1] > 0.98


@pytest.mark.parametrize("noise_of", ["deviation", "range"])
def test_one_long_signal_gives_what_a_decomposition_for_each_trial_gives(noise_of):
    """Entropies differ from those of PyEMD's own ensemble, of two seeds each, by less than 0.02."""
    signal = TONES[:500]
    scale = signal.std() / np.ptp(signal) if noise_of == "deviation" else 1.0
    entropies = Entropies(trials=40, noise=0.2, noise_of=noise_of)
    ensemble = EEMD(trials=40, noise_width=0.2 * scale, parallel=False, FIXE=SIFTS)
    theirs = []
    for seed in range(2):
        ensemble.noise_seed(seed)
        modes = ensemble.eemd(signal, max_imf=MODES)[:MODES]
        theirs.append([ordpy.permutation_entropy(mode, dx=5) for mode in modes])
    ours = [entropies.of(signal, generator(seed)) for seed in range(2)]
    assert np.abs(np.mean(ours, axis=0) - np.mean(theirs, axis=0)).max() < 0.02


def test_features_do_not_depend_on_the_unit_or_the_offset():
    """A signal in other units, or with a constant added, has the same features."""
    draws = [FEW.of(signal, generator(3)) for signal in (TONES, 1e-4 * TONES, 7 + 1000 * TONES)]
    assert np.allclose(draws[0], draws[1], atol=1e-6)
    assert np.allclose(draws[0], draws[2], atol=1e-6)


@pytest.mark.parametrize("noise_of", ["deviation", "range"])
def test_noise_has_the_amplitude_that_was_asked_for(noise_of):
    """The modes of one trial add up to signal and noise, but for a slow rest; so what is no signal is the noise."""
    signal = np.diff(generator(7).normal(size=2001))
    modes = Entropies(trials=1, noise=0.3, noise_of=noise_of).decompose(signal, generator(5))
    noise = modes.sum(axis=0) - (signal - signal.mean()) / signal.std()
    unit = 1.0 if noise_of == "deviation" else np.ptp(signal) / signal.std()
    assert noise.std() == pytest.approx(0.3 * unit, rel=0.1)


def test_entropies_tell_order_from_noise():
    """White noise is near the maximum of 1 in its first mode, slower modes are more orderly."""
    found = FEW.of(generator(0).normal(size=800), generator(1))
    assert 0.85 < found[0] <= 1
    assert (np.diff(found) < 0).all()
    other = Entropies(trials=10, order=3, delay=2).of(generator(0).normal(size=800), generator(1))
    assert np.abs(other - found).max() > 0.01


def test_a_window_too_short_for_five_modes_is_refused():
    """Few samples have few extrema."""
    with pytest.raises(ValueError, match=r"a window of 6 samples has \d modes, and 5 are needed"):
        Entropies(trials=1).of(np.array([0.0, 1, 0, 1, 0.5, 0.2]), generator(0))


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="processors cannot be taken away here")
def test_neither_processes_nor_company_change_features():
    """A window's features are the same on one processor and on all, alone and among others, to the last bit."""
    windows = np.stack([np.roll(TONES, 37 * i) + 0.1 * generator(i).normal(size=800) for i in range(20)])
    keys = list(range(100, 120))
    many = features(FEW, windows, keys, "test")
    before = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(before)})
        one = features(FEW, windows, keys, "test")
    finally:
        os.sched_setaffinity(0, before)
    assert np.array_equal(many, one)
    assert np.array_equal(features(FEW, windows[5:6], keys[5:6], "test"), many[5:6])
    assert len(np.unique(many[:, 0])) == 20


@pytest.mark.parametrize(("fault", "record"), [("OR", "cwru_normal"), ("IR", "cwru_de12k_IR007")])
def test_windows_of_real_records_have_the_reference_features(shared_data, fault, record):
    """Features that another program has computed, with noise of its own, lie within 0.03.

    For the normal bearing too, whose record is taken at its own 48 kHz.
    """
    with (
        np.load(shared_data / "bearings" / f"{fault}_load0.npz") as reference,
        np.load(shared_data / "bearings" / "records" / f"{record}_load0.npz") as archive,
    ):
        start, known = reference["start"][100, 1], reference["X"][100]
        window = archive["signal_counts"][start : start + 2400] * archive["scale"]
    assert np.abs(Entropies().of(window, generator(0)) - known).max() < 0.03
