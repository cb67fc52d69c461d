"""Vibration records of the bearing data center of Case Western Reserve University, drive end, faults at 12 kHz.

https://engineering.case.edu/bearingdatacenter. A record is known by the variable that holds its signal, such as
``X105_DE_time``: names of files differ from copy to copy, and 99.mat, for one, holds the record of 98.mat as well.
The site has normal bearings at 48 kHz only; their signals are taken as they are, as in most work on these data.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from netsim.data.arrays import DAMAGED, read_arrays
from nodes.arrays import Floats

LOADS = 4
# The number in the variable of the record at 0 hp, by fault and width in mil; those at 1, 2 and 3 hp follow it. The
# files of 28 mil are called 3001.mat to 3008.mat. Outer race faults are those centred in the load zone, at 6:00.
NUMBERS = {
    ("normal", 0): 97,
    ("IR", 7): 105,
    ("IR", 14): 169,
    ("IR", 21): 209,
    ("IR", 28): 56,
    ("B", 7): 118,
    ("B", 14): 185,
    ("B", 21): 222,
    ("B", 28): 48,
    ("OR", 7): 130,
    ("OR", 14): 197,
    ("OR", 21): 234,
}
KEYS = ("signal_counts", "scale")


class Record(NamedTuple):
    """One record: the fault, its width in mil (0 for a normal bearing) and the motor's load in horsepower."""

    fault: str
    width: int
    load: int

    @property
    def number(self) -> int:
        """The number in the name of its variable."""
        return NUMBERS[self.fault, self.width] + self.load

    @property
    def variable(self) -> str:
        """The variable of its signal in MATLAB files."""
        return f"X{self.number:03d}_DE_time"

    def __str__(self) -> str:
        return f"{self.fault}{f' {self.width} mil' if self.width else ''} at {self.load} hp"


def read_records(folder: Path, records: Sequence[Record]) -> list[Floats]:
    """The signals of these records, (samples,), from the files in a folder.

    They are ``.mat`` files as downloaded, or ``.npz`` archives of whole numbers ``signal_counts`` in units of
    ``scale`` whose ``mat_variable`` says which record they are. Files of other records are passed over. Raises
    ``ValueError`` for records that are missing, all in one message, for damaged files, and for a signal that is none.
    """
    if not folder.is_dir():
        raise ValueError(f"{folder} is not a directory; name the one that holds the records")
    # Of files that share a record the one comes first that holds the fewest, and so is its own.
    holders = sorted(_holders(folder), key=lambda holder: (len(holder[1]), holder[0].name))
    files = {record: [file for file, names in holders if record.variable in names] for record in records}
    missing = [f"{record} (variable {record.variable})" for record in records if not files[record]]
    if missing:
        raise ValueError(f"the records of {', '.join(missing)} are missing in {folder}; put their files there")
    return [_signal(files[record][0], record.variable) for record in records]


def _holders(folder: Path) -> Iterator[tuple[Path, list[str]]]:
    """The files with records of the drive end, and the names of the variables that they hold."""
    for file in sorted(folder.iterdir()):
        if file.suffix == ".mat":
            names = [name for name, *_ in _matlab(file, "whosmat") if name.endswith("_DE_time")]
        elif file.suffix == ".npz":
            names = [str(array) for array in read_arrays(file, ("mat_variable",)).values()]
        else:
            continue
        yield file, names


def _matlab(file: Path, function: str, **options: Any) -> Any:
    import scipy.io  # a quarter of a second, which other data should not pay
    from scipy.io.matlab import MatReadError

    try:
        return getattr(scipy.io, function)(file, **options)
    except (*DAMAGED, IndexError, TypeError, MatReadError) as error:
        raise ValueError(f"{file.name} is not a whole .mat file of MATLAB 5 to 7; download it again") from error


def _signal(file: Path, variable: str) -> Floats:
    if file.suffix == ".mat":
        values: npt.NDArray[Any] = np.asarray(_matlab(file, "loadmat", variable_names=[variable])[variable])
        signal = values.reshape(-1) if values.ndim == 2 and 1 in values.shape else values
    else:
        arrays = read_arrays(file, KEYS)
        if len(arrays) < len(KEYS) or any(array.dtype.kind not in "iuf" for array in arrays.values()):
            raise ValueError(f"{file.name} needs arrays of numbers {KEYS[0]} (samples,) and {KEYS[1]}")
        signal = arrays["signal_counts"] * arrays["scale"]
    if signal.ndim != 1 or signal.dtype.kind not in "iuf" or not np.isfinite(signal).all():
        raise ValueError(
            f"{variable} of {file.name} is {signal.dtype} of shape {signal.shape}; it must be one row of finite numbers"
        )
    return signal.astype(np.float64)
