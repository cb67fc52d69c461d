"""Sums of what edges have counted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from netsim.edges import Edge


class Traffic(NamedTuple):
    """Frames and bytes, in the words of a results file. What was sent is delivered, lost or still in flight."""

    sent: int = 0
    delivered: int = 0
    lost: int = 0
    late: int = 0
    stale: int = 0
    refused: int = 0
    sent_bytes: int = 0
    delivered_bytes: int = 0
    positions: int = 0
    values: int = 0

    def __add__(self, other: Traffic) -> Traffic:  # type: ignore[override]
        return Traffic(*map(int.__add__, self, other))

    def frames(self) -> dict[str, int]:
        """The counts of frames."""
        return {name: getattr(self, name) for name in ("sent", "delivered", "lost", "late", "stale", "refused")}

    @property
    def in_flight(self) -> int:
        """Frames that were neither lost nor delivered yet; for edges and whole networks."""
        return self.sent - self.delivered - self.lost

    def bytes(self) -> dict[str, int]:
        """The counts of bytes; header, positions and values make up what was sent."""
        return {
            "sent": self.sent_bytes,
            "delivered": self.delivered_bytes,
            "header": self.sent_bytes - self.positions - self.values,
            "positions": self.positions,
            "values": self.values,
        }


def total(edges: Iterable[Edge]) -> Traffic:
    """The traffic of all these edges together."""
    counts = [[getattr(edge, name) for name in Traffic._fields] for edge in edges]
    return Traffic(*map(sum, zip(*counts, strict=True))) if counts else Traffic()


def of_node(outgoing: Iterable[Edge], incoming: Iterable[Edge]) -> Traffic:
    """What one node sent, and what it received."""
    out, into = total(outgoing), total(incoming)
    return out._replace(
        delivered=into.delivered,
        late=into.late,
        stale=into.stale,
        refused=into.refused,
        delivered_bytes=into.delivered_bytes,
    )
