"""Arrays that are costly to compute, kept in the user's cache directory."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import numpy as np
from platformdirs import user_cache_path

from netsim.data.arrays import read_arrays
from nodes.arrays import Floats

VARIABLE = "NETSIM_CACHE"
"""The environment variable that names another directory."""


def cache_folder() -> Path:
    """Where files are kept: the directory that ``NETSIM_CACHE`` names, or else the user's cache of this system."""
    named = os.environ.get(VARIABLE)
    return Path(named).expanduser() if named else user_cache_path("netsim", appauthor=False)


def kept(kind: str, inputs: Mapping[str, Any], compute: Callable[[], Floats]) -> Floats:
    """The array that was kept for these inputs, or else a computed one, which is kept.

    ``inputs`` is plain data, all that the array depends on. A damaged file counts as none. Two processes may compute
    the same array at once: files appear whole. Raises ``ValueError`` where nothing can be written, before computing.
    """
    text = json.dumps(inputs, sort_keys=True)
    file = cache_folder() / kind / f"{sha256(text.encode()).hexdigest()[:32]}.npz"
    found = _read(file, text)
    if found is not None:
        return found
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        # Opened before computing, so that hours of it are not lost to a directory that cannot be written.
        part = NamedTemporaryFile(dir=file.parent, suffix=".part", delete=False)  # noqa: SIM115
    except OSError as error:
        raise ValueError(
            f"cannot write {error.filename or file.parent}: {error.strerror}; name another directory in {VARIABLE}"
        ) from error
    with part:
        try:
            values = compute()
            np.savez(part, inputs=np.array(text), values=values)
            part.close()
            os.replace(part.name, file)
        finally:
            Path(part.name).unlink(missing_ok=True)
    return values


def _read(file: Path, inputs: str) -> Floats | None:
    if not file.exists():
        return None
    try:
        arrays = read_arrays(file, ("inputs", "values"))
    except ValueError:
        return None
    # Its inputs are compared as well, because the name is a part of their digest only.
    whole = arrays.keys() == {"inputs", "values"} and str(arrays["inputs"]) == inputs
    return arrays["values"] if whole and arrays["values"].dtype == np.float64 else None
