"""Severity of bearing faults from vibration, as in the dSVOR paper, section 5.2."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np

from netsim.chance import key
from netsim.data.cache import kept
from netsim.data.dataset import Dataset, Samples, divide
from netsim.data.files import find
from netsim.data.records import LOADS, Record, read_records
from netsim.data.vibration import Entropies, features, method
from netsim.data.windows import Shuffled, WindowSplit, draw_starts
from nodes.arrays import Floats, Integers
from nodes.draws import generator
from nodes.quantities import Count, Fraction, Index, NonNegative, Written

# There is no outer race fault of 28 mil at 12 kHz, so that a normal bearing is its first level.
LEVELS = {
    "IR": (("IR", 7), ("IR", 14), ("IR", 21), ("IR", 28)),
    "B": (("B", 7), ("B", 14), ("B", 21), ("B", 28)),
    "OR": (("normal", 0), ("OR", 7), ("OR", 14), ("OR", 21)),
}


def _load(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < LOADS:
        raise ValueError(f"{value!r} is not a load in horsepower; write one of 0 to {LOADS - 1}")
    return value


@dataclass(frozen=True, kw_only=True)
class Bearings:
    """Four levels of a bearing's fault: inner race (IR), ball (B) or outer race (OR), at a motor load of 0 to 3 hp.

    ``path`` is a folder with the records of Case Western Reserve University (:mod:`netsim.data.records`). Ranks are the
    widths 7, 14, 21 and 28 mil; for OR a normal bearing and 7, 14 and 21 mil. Normal bearings were recorded at 48 kHz,
    all others at 12 kHz, and windows are of ``length`` samples of either.

    Of each record ``train`` windows start in its first ``share`` and ``test`` windows in the rest, at places that
    depend on ``windows_seed`` alone. They become five permutation entropies (:mod:`netsim.data.vibration`), which are
    kept in the user's cache directory. Which windows train is a matter of ``split``.
    """

    kind: Literal["bearings"] = "bearings"
    path: str
    fault: Literal["IR", "B", "OR"] = "IR"
    load_: Annotated[int, Written(_load)] = 0
    train: Count = 300
    """Windows of each rank that train."""
    test: Count = 200
    length: Count = 2400
    split: WindowSplit = field(default_factory=Shuffled)
    share: Fraction = 0.6
    windows_seed: Index = 0
    trials: Count = 100
    noise: NonNegative = 0.2
    noise_of: Literal["deviation", "range"] = "deviation"
    """What the noise is a multiple of; most of the literature has the standard deviation, PyEMD's EEMD the range."""
    order: Count = 5
    delay: Count = 1

    def __post_init__(self) -> None:
        """Refuse entropies that are not defined."""
        if self.order < 2:
            raise ValueError(f"order: {self.order} has one permutation only; take 2 or more")
        if self.length <= (self.order - 1) * self.delay:
            raise ValueError(
                f"length: {self.length} is too short for order: {self.order} and delay: {self.delay}, which take "
                f"{(self.order - 1) * self.delay + 1} samples at a time"
            )

    def load(self, generator: np.random.Generator, repeat: int, folder: Path) -> Dataset:
        """The features of all windows, X of five columns; ``ValueError`` tells of records that are missing or wrong."""
        place = find(self.path, folder, directory=True)
        records = [Record(fault, width, self.load_) for fault, width in LEVELS[self.fault]]
        signals = read_records(place, records)
        X = np.concatenate([self._features(record, signal) for record, signal in zip(records, signals, strict=True)])
        y = np.repeat(np.arange(len(records)) + 1, self.train + self.test)
        first = np.arange(len(records))[:, None] * (self.train + self.test)
        dealt = [self.split.deal(self.train, self.test, generator) for _ in records]
        train, test = ((first + np.stack(rows)).reshape(-1) for rows in zip(*dealt, strict=True))
        return divide(Samples(place.name, X, y), train, test, len(records))

    def _features(self, record: Record, signal: Floats) -> Floats:
        """The features of a record's windows, (train + test, 5), from the cache or computed."""
        draws = generator(key(self.windows_seed, "bearing windows", record.number))
        starts = draw_starts(len(signal), self.share, self.length, self.train, self.test, draws)
        windows = _cut(record, signal, starts, self.length)
        keys = [key(self.windows_seed, "bearing noise", record.number, int(start)) for start in starts]
        entropies = Entropies(
            trials=self.trials, noise=self.noise, noise_of=self.noise_of, order=self.order, delay=self.delay
        )
        inputs = {
            "windows": sha256(windows.astype("<f8").tobytes()).hexdigest(),
            "shape": windows.shape,
            "noise": sha256(repr(keys).encode()).hexdigest(),
            **asdict(entropies),
            **method(),
        }
        return kept("bearings", inputs, lambda: features(entropies, windows, keys, f"bearings: {record}"))


def _cut(record: Record, signal: Floats, starts: Integers, length: int) -> Floats:
    windows: Floats = np.lib.stride_tricks.sliding_window_view(signal, length)[starts]
    flat = starts[np.ptp(windows, axis=1) == 0]
    if len(flat):
        raise ValueError(f"the record of {record} does not move from sample {flat[0]} on; its file must be damaged")
    return windows
