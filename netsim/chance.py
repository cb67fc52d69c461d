"""Keys of random streams: a pure function of the seed and of what is drawn for."""

from __future__ import annotations

from hashlib import blake2b


def key(seed: int, purpose: str, *ids: int) -> int:
    """The 128-bit key of one stream; nothing that is added elsewhere changes it."""
    text = f"{seed}/{purpose}/" + "/".join(map(str, ids))
    return int.from_bytes(blake2b(text.encode(), digest_size=16).digest())
