"""Names by which an inlet knows who may send, and the keys that belong to them."""

from __future__ import annotations

import secrets


def fresh_name() -> bytes:
    """A name for an outlet that nobody guesses: 16 bytes, the first of which is not 0, as ZeroMQ's own names have."""
    return bytes([1 + secrets.randbelow(255)]) + secrets.token_bytes(15)


def check_name(name: bytes) -> None:
    """``ValueError`` for what ZeroMQ does not take for a name."""
    if not 1 <= len(name) <= 255 or name[0] == 0:
        raise ValueError(f"{name!r} cannot be a name; take one of fresh_name()")


def check_key(key: bytes | None, curve: bool, owner: str) -> None:
    """``ValueError`` if a public key is missing with CURVE, or given without."""
    if curve and not key:
        raise ValueError(f"{owner} has no public key; give the one that was made with its secret key")
    if key and not curve:
        raise ValueError(f"{owner} has a public key, but there are no keys here; give Sockets a pair of its own")
