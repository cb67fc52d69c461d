"""Reading numpy archives: plain arrays only, nothing that is pickled."""

from __future__ import annotations

import io
import tokenize
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from netsim.data.files import read_bytes

Arrays = Mapping[str, npt.NDArray[Any]]
# What numpy and zipfile raise for a damaged archive; RuntimeError is zipfile's for encryption and unknown packing.
DAMAGED = (
    OSError,
    EOFError,
    ValueError,
    RuntimeError,
    MemoryError,
    zipfile.BadZipFile,
    zlib.error,
    tokenize.TokenError,
)


def read_arrays(file: Path, keys: Sequence[str]) -> dict[str, npt.NDArray[Any]]:
    """Those arrays of an archive that have these keys; ``ValueError`` for one that is damaged or no archive."""
    try:
        # By way of the bytes, because numpy leaves a file open that it cannot read.
        archive = np.load(io.BytesIO(read_bytes(file)), allow_pickle=False)
    except DAMAGED as error:
        raise ValueError(f"{file.name} is not a whole .npz file; write it with numpy.savez") from error
    if not isinstance(archive, np.lib.npyio.NpzFile):
        raise ValueError(f"{file.name} is one array, not an archive of X and y; write it with numpy.savez")
    with archive:
        return {key: _read(archive, key, file.name) for key in keys if key in archive.files}


def _read(archive: np.lib.npyio.NpzFile, key: str, source: str) -> npt.NDArray[Any]:
    try:
        array = archive[key]
    except DAMAGED as error:
        raise ValueError(
            f"array {key} of {source} cannot be read: {error}; it must be a plain array of numbers"
        ) from error
    if not isinstance(array, np.ndarray):
        raise ValueError(f"{key} of {source} is not an array; write the file with numpy.savez")
    return array
