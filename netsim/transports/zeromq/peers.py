"""A worker's connections to the workers that it is linked to, for one run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from netsim.transports.zeromq.assignment import Assignment
from netsim.transports.zeromq.inlet import Inlet
from netsim.transports.zeromq.sockets import Outlet, Sockets

HAIL = b""
"""The first message to every peer: an empty one, which is no bundle and no frame."""
END = b"\0"
"""The last message to every peer on real time, which is neither."""
MOST_QUEUED = 10_000
"""Single frames that wait for a peer which does not take them."""


class Peers:
    """Who sends to this worker and to whom it sends; a worker that was lost is neither."""

    def __init__(self, sockets: Sockets, inlet: Inlet, assignment: Assignment) -> None:
        self.inlet = inlet
        self.curve = sockets.curve
        """Whether connections are encrypted."""
        self.edges = assignment.edges()
        """The directed edges along which each peer may send."""
        self.worker_of = {node: peer.worker for peer in assignment.peers for node in peer.nodes}
        self.outlets: dict[int, Outlet] = {}
        self.malformed = 0
        """Messages of peers that made no sense."""
        self._sockets, self._assignment = sockets, assignment
        self._unheard = set(self.edges)
        for peer in assignment.peers:
            inlet.admit(peer.hear_as, peer.worker, peer.key or None)

    def connect(self) -> None:
        """Connect to all peers, who are listening, and hail them."""
        most = MOST_QUEUED if self._assignment.time == "real" else 0  # a bundle must not be lost
        for peer in self._assignment.peers:
            # What a cut connection has lost is lost: to go on without it would give wrong numbers.
            outlet = self._sockets.outlet(peer.endpoint, peer.send_as, peer.key or None, most, again=False)
            outlet.send(HAIL)
            self.outlets[peer.worker] = outlet

    def unheard(self) -> set[int]:
        """The peers that have not been heard yet; takes what is there of hails."""
        while self._unheard and (received := self.inlet.receive()) is not None:
            self._unheard.discard(received[0])
        return self._unheard

    def messages(self) -> Iterator[tuple[int, bytes]]:
        """All that peers have sent by now, with who sent it."""
        while (received := self.inlet.receive()) is not None:
            if received[1]:
                yield received

    def lose(self, worker: int) -> None:
        """Take nothing more of a worker, and send it nothing more."""
        if self.outlets.pop(worker, None) is not None:
            self.inlet.expel(worker)

    def strange(self) -> Counter[str]:
        """Counts of what came to the port and was not taken."""
        return self.inlet.strange() + Counter(malformed=self.malformed)
