"""A worker: a process that runs some nodes of one world after another, as its coordinator says."""

from __future__ import annotations

import os
import signal
import sys
from multiprocessing import parent_process
from pathlib import Path
from threading import Thread
from typing import NamedTuple

from threadpoolctl import threadpool_limits

from netsim import __version__
from netsim.cast import quiet
from netsim.transports.zeromq.assignment import read
from netsim.transports.zeromq.desk import CoordinatorGoneError, Desk
from netsim.transports.zeromq.keys import Keys, new_keys
from netsim.transports.zeromq.peers import Peers
from netsim.transports.zeromq.protocol import Assign, Bound, Bye, Close, Failed, Free, Here, Open
from netsim.transports.zeromq.session import Session
from netsim.transports.zeromq.sockets import Sockets
from nodes.node import told


class Post(NamedTuple):
    """Where a worker finds its coordinator, and how they know each other."""

    endpoint: str
    name: bytes
    """The name under which the coordinator expects it."""
    address: str
    """Where it listens to other workers."""
    wait: float
    """Seconds that it waits for the first command."""
    keys: Keys | None = None
    server: bytes | None = None
    """The coordinator's public key."""
    folder: Path | None = None
    """Where classes of the user's own are looked up, if not in the folder that the coordinator names."""


def serve(post: Post) -> None:
    """A worker's life, up to the coordinator's goodbye or its end."""
    # An interrupt from the keyboard goes to all processes; the coordinator decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    with threadpool_limits(1), Sockets(post.keys) as sockets, quiet():
        desk = Desk(sockets.outlet(post.endpoint, post.name, post.server))
        desk.say(Here(__version__))
        try:
            command = desk.await_command(post.wait)
            while not isinstance(command, Bye):
                if isinstance(command, Open):
                    _take_part(desk, post)
                if isinstance(command, Open | Close):
                    desk.say(Free())
                command = desk.await_command()
        except CoordinatorGoneError:
            sys.exit(1)


def _take_part(desk: Desk, post: Post) -> None:
    """One run, with a port and keys of its own."""
    keys = new_keys() if post.keys else None
    with Sockets(keys, linger=0) as sockets:  # once the run is over, nobody wants what is still queued
        try:
            inlet = sockets.inlet(post.address)
            port = inlet.endpoint.rpartition(":")[2]
            host = f"[{post.address}]" if ":" in post.address else post.address
            desk.say(Bound(f"tcp://{host}:{port}", keys.public if keys else b""))
            command = desk.await_command()
            if not isinstance(command, Assign):
                return  # the run is over before it began
            assignment = read(command.plain, post.folder)
        except CoordinatorGoneError:
            raise
        except Exception as error:  # of anybody's code: it is the coordinator's to tell
            reason = str(error) if isinstance(error, OSError | ValueError) else told(error)
            desk.say(Failed("error", 0, 0, 0, reason))
            while not isinstance(desk.await_command(), Close):
                pass
            return
        Session(desk, Peers(sockets, inlet, assignment), assignment).run()


def _end_with_parent() -> None:
    """A worker whose nodes hang would never notice that nobody is left to work for."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
