"""What coordinator and workers tell each other: small messages as msgpack arrays, checked when they are read."""

from __future__ import annotations

from functools import cache
from typing import Any, Final, NamedTuple, get_args, get_origin, get_type_hints

import msgpack


class Here(NamedTuple):
    """A worker is there, and of this version of netsim."""

    version: str


class Open(NamedTuple):
    """Bind a port for other workers."""


class Bound(NamedTuple):
    """Where a worker hears others, and its public key (empty without CURVE)."""

    endpoint: str
    key: bytes


class Assign(NamedTuple):
    """What a worker has to do, as plain data (:mod:`netsim.transports.zeromq.assignment`)."""

    plain: dict[str, Any]


class Listening(NamedTuple):
    """A worker has its assignment, and lets those in whom it is linked to."""


class Link(NamedTuple):
    """All are listening: connect."""


class Ready(NamedTuple):
    """A worker has heard all whom it is linked to."""


class Start(NamedTuple):
    """All are ready: time begins, on a real clock at this reading of the machine's monotonic one (0 for at once)."""

    at: float


class Told(NamedTuple):
    """What nodes told after so many rounds: their numbers, their parameters one after the other, their traffic."""

    completed: int
    nodes: tuple[int, ...]
    estimates: bytes
    traffic: tuple[tuple[int, ...], ...]


class Took(NamedTuple):
    """So many bytes of parameters that were told have been looked at."""

    size: int


class Alive(NamedTuple):
    """A worker's scheduled time, and the workers for whose promises it waits."""

    time: int
    waits_for: tuple[int, ...]


class Failed(NamedTuple):
    """A worker cannot go on after this time. ``what`` is node, diverged, limit, deadlock or error."""

    what: str
    time: int
    node: int
    round: int
    reason: str


class Done(NamedTuple):
    """A worker has no more to do.

    It tells the traffic of each directed edge at its ends here, what link elements have done (name, rate, frames,
    acted), and the simulator's own counts.
    """

    edges: tuple[tuple[int, ...], ...]
    acted: tuple[tuple[Any, ...], ...]
    counts: dict[str, int]


class Dead(NamedTuple):
    """A worker is dead: take nothing more of it, and answer with what it has promised."""

    worker: int


class Held(NamedTuple):
    """The last promise that was heard of a dead worker."""

    worker: int
    promise: int


class Silent(NamedTuple):
    """From this time on a dead worker's nodes have not sent anything, for anyone."""

    worker: int
    time: int


class Until(NamedTuple):
    """Do nothing that lies after this time."""

    time: int


class Probe(NamedTuple):
    """Nothing; it shows whether the connection is still there."""


class Close(NamedTuple):
    """The run is over."""


class Free(NamedTuple):
    """A worker has left a run, and says nothing more of it."""


class Bye(NamedTuple):
    """There will be no other run."""


Message = (
    Here
    | Open
    | Bound
    | Assign
    | Listening
    | Link
    | Ready
    | Start
    | Told
    | Took
    | Alive
    | Failed
    | Done
    | Dead
    | Held
    | Silent
    | Until
    | Probe
    | Close
    | Free
    | Bye
)

_KINDS: Final = get_args(Message)


class ProtocolError(ValueError):
    """Bytes that are no message."""


def pack(message: Message) -> bytes:
    """A message as bytes."""
    data: bytes = msgpack.packb((_KINDS.index(type(message)), *message))
    return data


def unpack(data: bytes) -> Message:
    """The message; ``ProtocolError`` for any other bytes."""
    try:
        number, *fields = msgpack.unpackb(data, use_list=False, strict_map_key=False)
        kind = _KINDS[number]
        message: Message = kind(*fields)
    except (ValueError, TypeError, IndexError, msgpack.UnpackException) as error:
        raise ProtocolError(f"not a message: {error}") from None
    for value, wanted in zip(message, _types(kind), strict=True):
        if type(value) is not wanted:
            raise ProtocolError(
                f"{kind.__name__} has a field of type {type(value).__name__} in place of {wanted.__name__}"
            )
    return message


@cache
def _types(kind: type) -> tuple[type, ...]:
    return tuple(get_origin(hint) or hint for hint in get_type_hints(kind).values())
