"""All nodes as coroutines of one process, on virtual or on real time."""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass
from typing import Literal

from netsim.cast import Cast, quiet
from netsim.pacing import SECOND, SlotClock
from netsim.transports.base import DivergedError, Observer, Outcome
from netsim.virtual import TimeLimitError, VirtualLoop
from netsim.world import World
from nodes.node import NodeError


@dataclass(frozen=True, kw_only=True)
class InProcess:
    """Nodes as coroutines in one process.

    On ``virtual`` time the clock jumps from slot to slot; on ``real`` time the run sleeps for each slot. The numbers
    are the same.
    """

    kind: Literal["in-process"] = "in-process"
    time: Literal["virtual", "real"] = "virtual"

    def run(self, world: World, observer: Observer) -> Outcome:
        """Run all rounds of all nodes."""
        cast = Cast(world.part(), observer.tell)
        try:
            self._play(cast, world)
        except DivergedError as error:
            return Outcome(cast.traffic(), diverged=error.completed)
        except NodeError as error:
            if not error.diverged:
                raise
            return Outcome(cast.traffic(), diverged=error.round)
        return Outcome(cast.traffic(), acted=cast.acted())

    def _play(self, cast: Cast, world: World) -> None:
        limit = math.inf if world.limit is None else world.limit / SECOND

        async def play() -> None:
            await cast.play(SlotClock(asyncio.get_running_loop()))

        if self.time == "virtual":
            with quiet(), asyncio.Runner(loop_factory=lambda: VirtualLoop(limit)) as runner:
                runner.run(play())
            return
        with quiet(), asyncio.Runner() as runner:
            try:
                # The last slot may end right at the limit, and a real loop wakes a little later.
                runner.run(asyncio.wait_for(play(), limit + world.period / SECOND))
            except TimeoutError:
                raise TimeLimitError(f"the run would pass its time limit of {limit:g} s; raise limit") from None
