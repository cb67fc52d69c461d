"""Pairs of keys for CURVE, in memory and in files."""

from __future__ import annotations

import os
import struct
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import zmq
from zmq.auth import create_certificates, load_certificate
from zmq.utils import z85

COORDINATOR = "coordinator"
"""The name of the coordinator's key file, and so of no host."""


class Keys(NamedTuple):
    """A public key, which others are given, and the secret key that belongs to it: 40 characters of z85 each."""

    public: bytes
    secret: bytes


def new_keys() -> Keys:
    """A pair that nobody else has."""
    return Keys(*zmq.curve_keypair())


def write_keys(folder: Path, names: Sequence[str]) -> list[Path]:
    """Make a pair for each name: NAME.key holds the public key, NAME.key_secret, for its owner's eyes alone, both.

    Returns the files written. A name of which the folder has both files already is passed over, so that keys which
    are in use stay. ``ValueError`` if a name cannot be that of a file, or has only one of its files.
    """
    for name in names:
        if not name or Path(name).name != name:
            raise ValueError(f"a key cannot be named {name!r}; name it by letters, digits, dots and hyphens alone")
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name in names:
        public, secret = _files(folder, name)
        if public.exists() and secret.exists():
            continue
        for file in (public, secret):
            if file.exists():
                raise ValueError(f"{file} has lost its other half; put that back, or delete this to make a new pair")
        with TemporaryDirectory() as private:
            sources = create_certificates(private, name)
            _create(public, Path(sources[0]).read_bytes(), 0o644)
            _create(secret, Path(sources[1]).read_bytes(), 0o600)
        written += [public, secret]
    return written


def read_keys(folder: Path, name: str) -> Keys:
    """The pair of NAME.key_secret; ``ValueError`` if the file is missing or damaged."""
    file = _files(folder, name)[1]
    public, secret = _read(file)
    if secret is None or not _is_key(secret) or zmq.curve_public(secret) != public:
        raise ValueError(f"{file} does not hold a secret key and its public key; {_again(file)}")
    return Keys(public, secret)


def read_public(folder: Path, name: str) -> bytes:
    """The public key of NAME.key; ``ValueError`` if the file is missing or damaged."""
    return _read(_files(folder, name)[0])[0]


def _files(folder: Path, name: str) -> tuple[Path, Path]:
    """Where the public and the secret key of a name are."""
    return folder / f"{name}.key", folder / f"{name}.key_secret"


def _create(file: Path, content: bytes, mode: int) -> None:
    """Write a file that must not be there yet, and has its mode before it has content."""
    with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as stream:
        stream.write(content)


def _read(file: Path) -> tuple[bytes, bytes | None]:
    if not file.is_file():
        raise ValueError(f"there is no key {file}; copy it from where the keys were made, or {_making(file)}")
    try:
        public, secret = load_certificate(file)
    except ValueError:
        public, secret = b"", None
    if not _is_key(public):
        raise ValueError(f"{file} does not hold a public key; {_again(file)}")
    return public, secret


def _is_key(text: bytes) -> bool:
    try:
        return len(z85.decode(text)) == 32
    except (ValueError, KeyError, struct.error):  # not in fives, not of the alphabet, above 32 bits
        return False


def _again(file: Path) -> str:
    return f"copy it again from where the keys were made, or delete both halves of the pair and {_making(file)}"


def _making(file: Path) -> str:
    return f"make new keys with 'netsim keys' and give all hosts the new {file.stem}.key"
