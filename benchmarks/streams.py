"""Streams of messages between two processes: what the transport costs over raw sockets.

Each measurement runs ours and what it is held against one after the other, in one process that has others started
beside it, and gives their ratio. Both sides of a stream are equal in all but the code that is measured: a sender that
is at most two windows of messages ahead of what its receiver has acknowledged, and messages that are there beforehand.
Raw is blocking pyzmq, a connected DEALER that sends to a bound ROUTER over TCP on loopback.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from itertools import repeat
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import zmq

from benchmarks.beside import PATIENCE, awaited, beside
from benchmarks.worlds import world
from netsim.edges import Incoming, Outgoing
from netsim.pacing import SlotClock, Slots
from netsim.parts import Part
from netsim.ports import Inbox, NodePort, Parcel
from netsim.transports.zeromq.assignment import Assignment, Peer, parts_of
from netsim.transports.zeromq.bundles import pack_bundle, pack_frame
from netsim.transports.zeromq.desk import Desk
from netsim.transports.zeromq.inlet import Inlet
from netsim.transports.zeromq.peers import Peers
from netsim.transports.zeromq.realtime import RealTime
from netsim.transports.zeromq.sockets import Outlet, Sockets
from netsim.virtual import VirtualLoop

SENDER, RECEIVER = 0, 1
NAMES = (b"the sender", b"the receiver")
FROM, TO = 0, 3
"""The nodes between which frames go, of five that are all linked to each other: 0 to 2 send, 3 and 4 receive."""
PARCEL: Parcel = (FROM, 0, 100_000_000, 1, 0, 100_000_000, bytes(range(200)) * 2)
"""A frame of 400 bytes under way."""


class Load(NamedTuple):
    """How much is sent: so many windows of so many messages."""

    window: int
    windows: int


BUNDLES, FRAMES = Load(20, 250), Load(2000, 100)
"""What takes about a second."""


def bundles(load: Load = BUNDLES) -> dict[str, float]:
    """Bundles of 1000 frames of 400 bytes per second, over those of raw sockets with the same bytes."""
    distinct = [(*PARCEL[:-1], number.to_bytes(400)) for number in range(1000)]
    bundle = pack_bundle(100_000_000, [(TO, parcel) for parcel in distinct])
    return _over_raw(_our_bundles(bundle, load), _raw(bundle, load))


def frames(load: Load = FRAMES) -> dict[str, float]:
    """Single frames of 400 bytes per second on real time, over raw messages of the same length."""
    return _over_raw(_our_frames(load), _raw(pack_frame(TO, PARCEL), load))


def _over_raw(ours: float, raw: float) -> dict[str, float]:
    return {"per second": ours, "raw per second": raw, "over raw": ours / raw}


def _rate(send: Callable[[], object], acknowledged: Callable[[], object], load: Load) -> float:
    """Messages per second, from the first that is sent to the last that is acknowledged."""
    send()
    acknowledged()  # so the connection is there
    start = time.perf_counter()
    for number in range(load.windows):
        for _ in repeat(None, load.window):
            send()
        if number:
            acknowledged()
    acknowledged()
    return load.window * load.windows / (time.perf_counter() - start)


def _counts(load: Load) -> list[int]:
    """After how many messages the receiver acknowledges, each time."""
    return [1, *repeat(load.window, load.windows)]


def _raw(message: bytes, load: Load) -> float:
    with beside(_hear_raw, load) as pipe, zmq.Context() as context, context.socket(zmq.DEALER) as dealer:
        dealer.linger, dealer.rcvtimeo, dealer.sndtimeo = 0, PATIENCE, PATIENCE
        dealer.connect(awaited(pipe))
        return _rate(partial(dealer.send, message), dealer.recv, load)


def _hear_raw(pipe: Connection[Any, Any], load: Load) -> None:
    with pipe, zmq.Context() as context, context.socket(zmq.ROUTER) as router:
        router.linger, router.rcvtimeo = 0, PATIENCE
        pipe.send(f"tcp://127.0.0.1:{router.bind_to_random_port('tcp://127.0.0.1')}")
        for count in _counts(load):
            for _ in repeat(None, count):
                name, _ = router.recv_multipart()
            router.send_multipart([name, b""])
        pipe.poll(PATIENCE / 1000)


def _our_bundles(bundle: bytes, load: Load) -> float:
    with beside(_hear_bundles, load) as pipe, Sockets() as sockets:
        outlet = sockets.outlet(awaited(pipe), NAMES[SENDER])
        return _rate(partial(outlet.send, bundle), partial(_answered, outlet), load)


def _hear_bundles(pipe: Connection[Any, Any], load: Load) -> None:
    with pipe, Sockets() as sockets:
        inlet = sockets.inlet()
        inlet.admit(NAMES[SENDER], SENDER)
        pipe.send(inlet.endpoint)
        for count in _counts(load):
            while count:
                if inlet.receive() is not None:
                    count -= 1
                else:
                    _wait(inlet)
            inlet.send(SENDER, b"")
        pipe.poll(PATIENCE / 1000)


def _our_frames(load: Load) -> float:
    with beside(_hear_frames, load) as pipe, Sockets() as sockets:
        peers, part = _connected(SENDER, sockets, pipe)
        outlet, edge = peers.outlets[RECEIVER], Outgoing(part.channel(FROM, TO))
        real = RealTime(peers, Desk(outlet), lambda *_: None, lambda _: None)
        rate = _rate(partial(real.way(TO, edge), PARCEL), partial(_answered, outlet), load)
    if edge.overrun:
        raise RuntimeError(f"{edge.overrun} frames found the queue full; take smaller windows")
    return rate


def _hear_frames(pipe: Connection[Any, Any], load: Load) -> None:
    with pipe, Sockets() as sockets, closing(VirtualLoop()) as loop:
        peers, part = _connected(RECEIVER, sockets, pipe)
        inbox: Inbox = []
        incoming = {other: Incoming() for other in part.neighbours[TO]}
        slots = Slots(SlotClock(loop), part.period, part.rounds, part.recorded)
        ports = {TO: NodePort(TO, part.neighbours[TO], slots, {}, incoming, inbox)}

        def arrive(target: int, parcel: Parcel) -> None:
            ports[target].arrive(parcel)

        real = RealTime(peers, Desk(peers.outlets[SENDER]), arrive, lambda _: None)
        for count in _counts(load):
            real.take()
            while len(inbox) < count:
                _wait(peers.inlet)
                real.take()
            del inbox[:count]
            peers.inlet.send(SENDER, b"")
        pipe.poll(PATIENCE / 1000)


def _connected(worker: int, sockets: Sockets, pipe: Connection[Any, Any]) -> tuple[Peers, Part]:
    """Two workers that are linked to each other, as a run of five nodes on real time would have them."""
    other, nodes, built = 1 - worker, parts_of(5, 2), world(5, "squared", 10, 1)
    inlet = sockets.inlet()
    pipe.send(inlet.endpoint)
    peer = Peer(other, nodes[other], awaited(pipe), b"", NAMES[worker], NAMES[other])
    assignment = Assignment(built.part(nodes[worker]), (peer,), "real")
    peers = Peers(sockets, inlet, assignment)
    peers.connect()
    return peers, assignment.part


def _answered(outlet: Outlet) -> None:
    while outlet.receive() is None:
        if not outlet.socket.poll(PATIENCE):
            raise RuntimeError("the receiver acknowledges nothing any more")


def _wait(inlet: Inlet) -> None:
    if not inlet.wait(PATIENCE):
        raise RuntimeError("the sender sends nothing any more")
