"""Modules of the user's own: a file in the scenario's folder, or else what is installed."""

from __future__ import annotations

import importlib
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from types import ModuleType


def find_module(name: str, folder: Path) -> tuple[ModuleType, tuple[Path, ...]]:
    """The module of a dotted name, and the files in the folder that were read for it.

    ``ValueError`` where there is none, or where it fails while it is imported.
    """
    file = folder.joinpath(*name.split(".")).with_suffix(".py")
    try:
        if file.is_file():
            return _from_file(name, file, folder)
        return importlib.import_module(name), ()
    except (Exception, SystemExit) as error:
        absent = isinstance(error, ModuleNotFoundError) and f"{name}.".startswith(f"{error.name}.")
        if absent and not file.is_file():
            raise ValueError(
                f"there is no file {file.name} in {file.parent}, and no module {name} is installed"
            ) from None
        source = file.name if file.is_file() else f"module {name}"
        raise ValueError(f"{source} cannot be imported: {_reason(error, file)}") from error


def _from_file(name: str, file: Path, folder: Path) -> tuple[ModuleType, tuple[Path, ...]]:
    """The module of a file, run once for each content of it; files beside it can be imported while it runs."""
    content = file.read_bytes()
    # The name holds folder and content, so that fade.py of two folders, or of two days, are two modules.
    digest = sha256(b"%s\0%s" % (str(file.resolve()).encode(), content)).hexdigest()[:16]
    unique = f"own_{digest}.{name}"
    if unique not in sys.modules:
        module = ModuleType(unique)
        module.__file__ = str(file)
        sys.modules[unique] = module
        try:
            with _beside(folder) as files:
                exec(compile(content, str(file), "exec", dont_inherit=True), module.__dict__)
        except BaseException:
            del sys.modules[unique]
            raise
        module.__dict__["__files__"] = (file, *files)
    module = sys.modules[unique]
    return module, module.__dict__["__files__"]


@contextmanager
def _beside(folder: Path) -> Iterator[list[Path]]:
    """Lets modules in the folder be imported for a while; gives the files of those that were, afterwards."""
    files: list[Path] = []
    before = set(sys.modules)
    place = str(folder.resolve())
    sys.path.insert(0, place)
    importlib.invalidate_caches()
    try:
        yield files
    finally:
        sys.path.remove(place)
        for name in sorted(set(sys.modules) - before):
            file = getattr(sys.modules[name], "__file__", None)
            if file and not name.startswith("own_") and Path(file).resolve().is_relative_to(place):
                files.append(Path(file))
                # Another folder's module of this name must not find this one in its place.
                del sys.modules[name]


def _reason(error: BaseException, file: Path) -> str:
    """What went wrong, with the last line of the file that had a part in it."""
    if isinstance(error, SyntaxError) and error.filename == str(file):
        return f"line {error.lineno}: {error.msg}"
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(file)]
    return (f"line {lines[-1]}: " if lines else "") + f"{type(error).__name__}: {error}"
