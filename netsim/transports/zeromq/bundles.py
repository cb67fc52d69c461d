"""What workers send each other: in lockstep bundles of frames with a promise, on real time single frames."""

from __future__ import annotations

import struct
from collections.abc import Container, Sequence
from typing import Final

import msgpack

from netsim.ports import Parcel

FOREVER: Final = (1 << 63) - 1
"""The promise of one who will not send any more."""

Edges = Container[tuple[int, int]]
"""The directed edges (source, target) along which a sender may send."""
Frames = Sequence[tuple[int, Parcel]]
"""Parcels, each with the node it is for."""

_ENVELOPE: Final = struct.Struct("<IIIQqqq")
ENVELOPE: Final = _ENVELOPE.size
"""Bytes that a frame which travels singly has before its data."""


class BundleError(ValueError):
    """A message is not what this sender can have to say."""


def pack_bundle(promise: int, frames: Frames) -> bytes:
    """A bundle: all frames that the sender has for the receiver and sent before ``promise``, less those it sent.

    The data of a broadcast, whose frames follow each other, are in it once.
    """
    contents: list[bytes] = []
    heads = []
    last = None
    for target, (source, slot, due, number, sent, end, content) in frames:
        if content is not last:
            contents.append(content)
            last = content
        heads.append((target, source, slot, due, number, sent, end, len(contents) - 1))
    data: bytes = _PACKER.pack((promise, contents, heads))
    return data


def unpack_bundle(data: bytes, edges: Edges) -> tuple[int, Frames]:
    """Promise and frames of a bundle; ``BundleError`` for any other bytes."""
    frames = []
    try:
        promise, contents, heads = msgpack.unpackb(data, use_list=False)
        if type(promise) is not int or not all(type(content) is bytes for content in contents):
            raise BundleError("a bundle is a promise, contents and heads")
        for target, source, slot, due, number, sent, end, at in heads:
            if (source, target) not in edges or at < 0:
                raise BundleError(f"no frame comes along edge {source!r} to {target!r}")
            if not type(slot) is type(due) is type(number) is type(sent) is type(end) is int:
                raise BundleError("slot, number and times are whole numbers")
            frames.append((target, (source, slot, due, number, sent, end, contents[at])))
    except (ValueError, TypeError, IndexError, msgpack.UnpackException) as error:
        raise BundleError(f"not a bundle: {error}") from None
    return promise, frames


def pack_frame(target: int, parcel: Parcel) -> bytes:
    """A single frame in its envelope."""
    source, slot, due, number, sent, end, data = parcel
    return _ENVELOPE.pack(target, source, slot, number, due, sent, end) + data


def unpack_frame(message: bytes, edges: Edges) -> tuple[int, Parcel]:
    """A single frame and the node it is for; ``BundleError`` for what cannot be one."""
    if len(message) < ENVELOPE:
        raise BundleError(f"{len(message)} bytes are less than an envelope")
    target, source, slot, number, due, sent, end = _ENVELOPE.unpack_from(message)
    if (source, target) not in edges:
        raise BundleError(f"no frame comes along edge {source} to {target}")
    return target, (source, slot, due, number, sent, end, message[ENVELOPE:])


_PACKER: Final = msgpack.Packer()
