"""Finding and reading the files that a scenario names."""

from __future__ import annotations

import gzip
import os
import zlib
from hashlib import file_digest, sha256
from pathlib import Path


def find(path: str, folder: Path, directory: bool = False) -> Path:
    """The file (with ``directory`` also a directory) of this name in the scenario's folder or else in the current one.

    Raises ``ValueError`` that names both places where there is none.
    """
    name = os.path.expanduser(path)
    folders = [Path(os.path.abspath(place)) for place in (folder, Path.cwd())]
    places = list(dict.fromkeys(place / name for place in folders))
    for place in places:
        if os.path.isfile(place):
            return place
    for place in places:
        if os.path.isdir(place):
            if directory:
                return place
            raise ValueError(f"{path!r} is not a file but the directory {place}; name a file in it")
    if len(places) == 1:
        raise ValueError(f"there is no file {places[0]}")
    raise ValueError(f"there is no file {path!r} in the scenario's folder {folders[0]} or in {folders[1]}")


def read_text(file: Path) -> str:
    """The text of a UTF-8 file, unpacked where its name ends in ``.gz``; ``ValueError`` where it is something else."""
    content = read_bytes(file)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ValueError(
            f"{file.name} is not UTF-8 text: byte 0x{content[error.start]:02x} in line {line}; "
            "save it as UTF-8 (the name of a gzip file must end in .gz)"
        ) from error


def read_bytes(file: Path) -> bytes:
    """The file's content, unpacked where its name ends in ``.gz``; ``ValueError`` where it cannot be read."""
    try:
        content = file.read_bytes()
        return gzip.decompress(content) if file.name.endswith(".gz") else content
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ValueError(f"{file.name} is not a whole gzip file: {error}; pack it again") from error
    except OSError as error:
        raise ValueError(f"{file} cannot be read: {error.strerror}") from error


def fingerprint(place: Path) -> str:
    """A digest of a file's content; of a directory's, of the names and contents of the files in it."""
    if place.is_dir():
        files = sorted(file for file in place.iterdir() if file.is_file())
        return sha256("".join(f"{file.name} {fingerprint(file)}\n" for file in files).encode()).hexdigest()
    with place.open("rb") as stream:
        return file_digest(stream, "sha256").hexdigest()
