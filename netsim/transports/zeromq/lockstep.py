"""Virtual time in lockstep: no worker runs ahead of what the others have promised.

A conservative parallel simulation (Chandy and Misra, "Distributed Simulation", IEEE Trans. Software Eng. 5, 1979). A
bundle carries all frames that one worker has for another, and a promise: whatever it sends later is sent at that time
or later. A worker wakes its nodes at an instant once all workers that it is linked to have promised it.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from typing import Final

import zmq

from netsim.cast import Cast
from netsim.edges import Outgoing
from netsim.pacing import SECOND, SlotClock
from netsim.parts import Part
from netsim.ports import Deliver, Parcel
from netsim.transports.zeromq.bundles import FOREVER, BundleError, Frames, pack_bundle, unpack_bundle
from netsim.transports.zeromq.desk import BEAT, Desk
from netsim.transports.zeromq.peers import Peers
from netsim.transports.zeromq.protocol import Message
from netsim.transports.zeromq.sockets import Outlet
from netsim.virtual import VirtualLoop

_LARGE: Final = 1 << 24
"""Bytes of frames in a bundle beyond which it is sent in parts."""


class Lockstep:
    """Keeps one worker in step. ``arrive`` takes the frames that come in, ``obey`` the coordinator's commands."""

    def __init__(
        self, peers: Peers, desk: Desk, arrive: Callable[[int, Parcel], object], obey: Callable[[Message], object]
    ) -> None:
        self._peers, self._desk, self._arrive, self._obey = peers, desk, arrive, obey
        self._promised = dict.fromkeys(peers.edges, 0)
        self._waiting: dict[int, list[tuple[int, Parcel]]] = {worker: [] for worker in peers.edges}
        self._poller = zmq.Poller()
        self._poller.register(peers.inlet.socket, zmq.POLLIN)
        self._poller.register(desk.socket, zmq.POLLIN)
        self.now = 0
        self.counts = {"bundles": 0, "bundle-bytes": 0}

    def way(self, target: int, end: Outgoing) -> Deliver:
        """How a node's parcels get into the next bundle for the worker of another node."""
        waiting = self._waiting[self._peers.worker_of[target]]
        return lambda parcel: waiting.append((target, parcel))

    def play(self, cast: Cast, part: Part, before: Callable[[int], object], start: float) -> None:
        """All rounds, on virtual time, which begins at once."""

        async def play() -> None:
            await cast.play(SlotClock(asyncio.get_running_loop(), before))

        limit = math.inf if part.limit is None else part.limit / SECOND
        with asyncio.Runner(loop_factory=lambda: VirtualLoop(limit)) as runner:
            runner.run(play())
        self.send(FOREVER)

    def before(self, time: int) -> None:
        """Send off what was sent before ``time``, and wait until all that others sent before it is here."""
        self._desk.flush()
        self.send(time)
        for command in self._desk.commands():
            self._obey(command)
        while self._desk.behind or min(self._promised.values(), default=FOREVER) < time:
            self._hear(time)
        self._desk.alive(time)
        self.now = time

    def send(self, promise: int) -> None:
        """A bundle to each peer."""
        for worker, frames in self._waiting.items():
            outlet = self._peers.outlets.get(worker)
            if outlet is not None:
                *parts, last = _parts(frames)
                for part in parts:
                    self._send(outlet, pack_bundle(0, part))
                self._send(outlet, pack_bundle(promise, last))
            frames.clear()

    def take(self) -> None:
        """All bundles that are here by now."""
        for worker, data in self._peers.messages():
            try:
                promise, frames = unpack_bundle(data, self._peers.edges[worker])
            except BundleError:
                self._peers.malformed += 1
                continue
            for target, parcel in frames:
                self._arrive(target, parcel)
            self._promised[worker] = max(promise, self._promised[worker])

    def lose(self, worker: int) -> int:
        """Take nothing more of a dead worker than what is here; gives the last it has promised."""
        self.take()
        self._peers.lose(worker)
        return self._promised.get(worker, 0)

    def silence(self, worker: int) -> None:
        """Wait for a dead worker no longer."""
        self._promised.pop(worker, None)

    def _hear(self, time: int) -> None:
        self._poller.poll(int(BEAT * 1000))
        for command in self._desk.commands():
            self._obey(command)
        self.take()
        self._desk.alive(self.now, tuple(worker for worker, promise in self._promised.items() if promise < time))

    def _send(self, outlet: Outlet, bundle: bytes) -> None:
        self.counts["bundles"] += 1
        self.counts["bundle-bytes"] += len(bundle)
        outlet.send(bundle)


def _parts(frames: Frames) -> list[Frames]:
    """The same frames in parts that are not too large for one bundle each; one at least."""
    if len(frames) < 2 or sum(len(parcel[-1]) for _, parcel in frames) <= _LARGE:
        return [frames]
    half = len(frames) // 2
    return [*_parts(frames[:half]), *_parts(frames[half:])]
