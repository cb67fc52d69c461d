"""Real time: frames travel singly and at once, and nobody waits for anybody, but at the end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from netsim.cast import Cast
from netsim.edges import Outgoing
from netsim.pacing import SECOND, SlotClock
from netsim.parts import Part
from netsim.ports import Deliver, Parcel
from netsim.transports.zeromq.bundles import ENVELOPE, BundleError, pack_frame, unpack_frame
from netsim.transports.zeromq.desk import Desk
from netsim.transports.zeromq.peers import END, Peers
from netsim.transports.zeromq.protocol import Message
from netsim.transports.zeromq.sockets import framing
from netsim.virtual import TimeLimitError

PAUSE = 0.05
"""Seconds between two looks at what has come, where no slot ends."""


class RealTime:
    """Carries one worker's frames as they are sent. ``arrive`` and ``obey`` as in lockstep."""

    def __init__(
        self,
        peers: Peers,
        desk: Desk,
        arrive: Callable[[int, Parcel], object],
        obey: Callable[[Message], object],
    ) -> None:
        self._peers, self._desk, self._arrive, self._obey = peers, desk, arrive, obey
        self._unended = set(peers.edges)
        self._heard = dict.fromkeys(peers.edges, 0)
        self.now = 0
        self.counts: dict[str, int] = {}

    def way(self, target: int, end: Outgoing) -> Deliver:
        """How a node's parcels reach the worker of another node."""
        outlets, worker, curve = self._peers.outlets, self._peers.worker_of[target], self._peers.curve

        def deliver(parcel: Parcel) -> None:
            outlet = outlets.get(worker)
            if outlet is None:
                return  # it is dead
            message = pack_frame(target, parcel)
            if outlet.send(message):
                end.envelope += ENVELOPE
                end.zmtp += framing(len(message), curve)
            else:
                end.overrun += 1  # the other end is so slow that the frame cannot be in time

        return deliver

    def play(self, cast: Cast, part: Part, before: Callable[[int], object], start: float) -> None:
        """All rounds, on a clock that begins at ``start`` of the machine's monotonic one, or at once."""

        async def play() -> None:
            loop = asyncio.get_running_loop()
            begin = start or loop.time()
            # The last slot may end right at the limit, and a real loop wakes a little later.
            end = None if part.limit is None else begin + (part.limit + part.period) / SECOND
            async with asyncio.timeout_at(end), asyncio.TaskGroup() as group:
                others = [group.create_task(self._tend()), group.create_task(_failure_outside_tasks(loop))]
                await cast.play(SlotClock(loop, before, begin))
                for other in others:
                    other.cancel()

        try:
            asyncio.run(play())
        except ExceptionGroup as failed:
            raise failed.exceptions[0] from None
        except TimeoutError:
            limit = (part.limit or 0) / SECOND
            raise TimeLimitError(f"the run would pass its time limit of {limit:g} s; raise limit") from None
        finally:
            for outlet in self._peers.outlets.values():
                outlet.send(END)
        self._hear_the_end()

    def before(self, time: int) -> None:
        """Take what has come in, before nodes wake for ``time``."""
        self.now = time
        self.take()

    def lose(self, worker: int) -> int:
        """Take nothing more of a dead worker than what is here; gives the end of the last slot heard of it."""
        self.take()
        self._peers.lose(worker)
        return self._heard.get(worker, 0)

    def silence(self, worker: int) -> None:
        """Wait for a dead worker no longer."""
        self._unended.discard(worker)

    def take(self) -> None:
        """All frames that are here by now."""
        for worker, data in self._peers.messages():
            if data == END:
                self._unended.discard(worker)
                continue
            try:
                target, parcel = unpack_frame(data, self._peers.edges[worker])
            except BundleError:
                self._peers.malformed += 1
                continue
            self._arrive(target, parcel)
            self._heard[worker] = max(parcel[5], self._heard[worker])

    def _hear_the_end(self) -> None:
        """Wait for frames that are still under way, since those that were due are to be counted."""
        self.take()
        while self._unended:
            for command in self._desk.commands():
                self._obey(command)
            self.take()
            self._desk.alive(self.now, tuple(sorted(self._unended)))
            self._peers.inlet.wait(int(PAUSE * 1000))

    async def _tend(self) -> None:
        """Report, obey, and take what has come in, until cancelled."""
        while True:
            self.take()
            self._desk.flush()
            self._desk.alive(self.now)
            for command in self._desk.commands():
                self._obey(command)
            await asyncio.sleep(PAUSE)


async def _failure_outside_tasks(loop: asyncio.AbstractEventLoop) -> None:
    """Raises what a callback of the loop raises, such as the one that wakes nodes; never returns."""
    failure: asyncio.Future[None] = loop.create_future()

    def fail(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        if not failure.done():
            failure.set_exception(context.get("exception") or RuntimeError(context["message"]))

    loop.set_exception_handler(fail)
    await failure
