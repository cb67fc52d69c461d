"""Traffic: what was counted on directed edges, and sums of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

SENT = (
    "sent", "duplicated", "lost", "corrupted", "flipped", "overrun",
    "sent_bytes", "positions", "values", "envelope", "zmtp",
)  # fmt: skip
"""What the source's end of an edge counts. Overrun are frames that it found no room for."""
RECEIVED = ("delivered", "late", "stale", "refused", "waiting", "overrun", "delivered_bytes")
"""What the target's end counts. Overrun are frames that came after the drain they were due for, waiting those that lie
in its inbox when all is over."""

FRAMES = ("sent", "duplicated", "delivered", "lost", "corrupted", "flipped", "late", "stale", "refused", "overrun")
"""The counts of frames, in the order in which they are told."""


class Traffic(NamedTuple):
    """Frames and bytes, in the words of a results file.

    What was sent and what was ``duplicated`` on its way is delivered, lost, ``corrupted`` or still in flight. Corrupted
    are frames of which a checksum told that bits had flipped, ``flipped`` those that went on with a flipped bit.
    ``overrun`` counts frames that were not there at the drain they were due for, because a real clock did not wait.
    ``envelope`` and ``zmtp`` are bytes that a transport put around frames which travelled singly.
    """

    sent: int = 0
    duplicated: int = 0
    delivered: int = 0
    lost: int = 0
    corrupted: int = 0
    flipped: int = 0
    late: int = 0
    stale: int = 0
    refused: int = 0
    waiting: int = 0
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
        return {name: getattr(self, name) for name in FRAMES}

    @property
    def in_flight(self) -> int:
        """Frames that have come to no end yet; for edges and whole networks."""
        return self.sent + self.duplicated - self.delivered - self.lost - self.corrupted

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


def require_balance(edges: Mapping[tuple[int, int], Traffic]) -> None:
    """That on each directed edge all that was sent is accounted for; ``RuntimeError`` names the first where it is not.

    What was counted at both ends is held against the frames that lie in the target's inbox.
    """
    for (source, target), edge in sorted(edges.items()):
        if edge.in_flight != edge.waiting:
            raise RuntimeError(
                f"frames from node {source} to node {target} are not accounted for: {edge.in_flight} should be under "
                f"way and {edge.waiting} are, of {edge}; please report this"
            )


def total(parts: Iterable[Traffic]) -> Traffic:
    """The traffic of all these together."""
    return Traffic(*map(sum, zip(Traffic(), *parts, strict=True)))


def of_node(outgoing: Iterable[Traffic], incoming: Iterable[Traffic]) -> Traffic:
    """What one node sent, and what it received, by the traffic of its edges."""
    out, into = total(outgoing), total(incoming)
    return out._replace(**{name: getattr(into, name) for name in RECEIVED})
