"""Workers as a run sees them: seats, and what is found out when one is empty."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from netsim.edges import Acted
from netsim.traffic import Traffic
from netsim.transports.base import Death
from netsim.transports.zeromq.protocol import Dead, Done, Failed, Message, Silent, Told
from netsim.world import World


@dataclass
class Seat:
    """A worker in a run: its name and nodes, whom they have edges to, and what is known of it."""

    name: str
    nodes: tuple[int, ...]
    links: frozenset[int]
    time: int = 0
    waits_for: tuple[int, ...] = ()
    silence: float = 0.0
    """Seconds for which nothing was heard."""
    done: Done | Failed | None = None

    def may_say(self, message: Message, world: World) -> bool:
        """Whether a message is about its own nodes, and comes when it can come."""
        counts = len(Traffic._fields)
        match message:
            case Told(completed, nodes, estimates, traffic):
                return (
                    completed in world.recorded
                    and set(nodes) <= set(self.nodes)
                    and len(estimates) == 8 * world.task.told * len(nodes)
                    and len(traffic) == len(nodes)
                    and all(len(each) == counts for each in traffic)
                )
            case Done(edges, acted, _):
                own = set(self.nodes)
                whole = all(len(edge) == 2 + counts and own & set(edge[:2]) for edge in edges)
                return self.done is None and whole and all(len(each) == len(Acted._fields) for each in acted)
            case Failed():
                return self.done is None
        return True

    def __str__(self) -> str:
        first, last = self.nodes[0], self.nodes[-1]
        return f"{self.name} (node {first})" if first == last else f"{self.name} (nodes {first}-{last})"


@dataclass
class Inquest:
    """One dead worker: how it died, whose answers are still out, and the last promise that anybody had of it."""

    seat: Seat
    reason: str
    unanswered: set[int]
    promise: int = 0


@dataclass
class Inquests:
    """Finds the slot from which a dead worker's nodes are silent for all.

    Each living worker that is linked to the dead one takes nothing more of it and answers with the last promise that
    it has of it. No frame that was sent at the largest of these times or later has been heard by anyone, so that is
    when silence begins; who has a smaller promise waits no longer. ``tell`` sends a message to a worker, ``seats`` are
    the living.
    """

    seats: Mapping[int, Seat]
    tell: Callable[[int, Message], object]
    period: int
    end: int
    """The time at which the run ends, in nanoseconds."""
    deaths: list[Death] = field(default_factory=list)
    """Those of which all is known."""
    _open: dict[int, Inquest] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self._open)

    def begin(self, worker: int, seat: Seat, reason: str) -> Death | None:
        """Ask the others about a worker that is dead; gives the death if there is nobody to ask."""
        survivors = {other for other in seat.links if other in self.seats}
        self._open[worker] = Inquest(seat, reason, survivors)
        for other in survivors:
            self.tell(other, Dead(worker))
        return self._concluded(worker)

    def answered(self, worker: int, dead: int, promise: int) -> Death | None:
        """A worker's answer about a dead one; gives the death if it was the last."""
        inquest = self._open.get(dead)
        if inquest is None or worker not in inquest.unanswered:
            return None
        inquest.unanswered.remove(worker)
        inquest.promise = max(inquest.promise, promise)
        return self._concluded(dead)

    def without(self, worker: int) -> list[Death]:
        """Wait for no answer of a worker that is dead itself; gives the deaths that are known by that."""
        return [death for dead in list(self._open) if (death := self.answered(worker, dead, 0)) is not None]

    def _concluded(self, dead: int) -> Death | None:
        inquest = self._open[dead]
        if inquest.unanswered:
            return None
        del self._open[dead]
        seat = inquest.seat
        silent = min(inquest.promise or seat.time, self.end)
        for other in seat.links & self.seats.keys():
            self.tell(other, Silent(dead, silent))
        death = Death(seat.name, seat.nodes, silent // self.period, inquest.reason)
        self.deaths.append(death)
        return death
