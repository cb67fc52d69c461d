"""Traffic: what was counted on directed edges, and sums of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

SENT = ("sent", "lost", "overrun", "sent_bytes", "positions", "values", "envelope", "zmtp")
"""What the source's end of an edge counts. Overrun are frames that it found no room for."""
RECEIVED = ("delivered", "late", "stale", "refused", "overrun", "delivered_bytes")
"""What the target's end counts. Overrun are frames that came after the drain they were due for."""


class Traffic(NamedTuple):
    """Frames and bytes, in the words of a results file. What was sent is delivered, lost or still in flight.

    ``overrun`` counts frames that were not there at the drain they were due for, because a real clock did not wait.
    ``envelope`` and ``zmtp`` are bytes that a transport put around frames which travelled singly.
    """

    sent: int = 0
    delivered: int = 0
    lost: int = 0
    late: int = 0
    stale: int = 0
    refused: int = 0
    overrun: int = 0
    sent_bytes: int = 0
    delivered_bytes: int = 0
    positions: int = 0
    values: int = 0
    envelope: int = 0
    zmtp: int = 0

    def __add__(self, other: Traffic) -> Traffic:  # type: ignore[override]
        return Traffic(*map(int.__add__, self, other))

    def frames(self) -> dict[str, int]:
        """The counts of frames."""
        names = ("sent", "delivered", "lost", "late", "stale", "refused", "overrun")
        return {name: getattr(self, name) for name in names}

    @property
    def in_flight(self) -> int:
        """Frames that were neither lost nor delivered yet; for edges and whole networks."""
        return self.sent - self.delivered - self.lost

    def bytes(self) -> dict[str, int]:
        """The counts of bytes; header, positions and values make up what was sent."""
        counts = {
            "sent": self.sent_bytes,
            "delivered": self.delivered_bytes,
            "header": self.sent_bytes - self.positions - self.values,
            "positions": self.positions,
            "values": self.values,
        }
        return {**counts, "envelope": self.envelope, "zmtp": self.zmtp} if self.envelope else counts


def total(parts: Iterable[Traffic]) -> Traffic:
    """The traffic of all these together."""
    return Traffic(*map(sum, zip(Traffic(), *parts, strict=True)))


def of_node(outgoing: Iterable[Traffic], incoming: Iterable[Traffic]) -> Traffic:
    """What one node sent, and what it received, by the traffic of its edges."""
    out, into = total(outgoing), total(incoming)
    return out._replace(**{name: getattr(into, name) for name in RECEIVED})
