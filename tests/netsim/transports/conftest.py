"""What tests of transports share: waiting with an end, and a proxy that counts bytes on the wire."""

from __future__ import annotations

import selectors
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress

import pytest


@pytest.fixture(scope="session")
def until() -> Callable[..., None]:
    """Looks at a condition again and again until it holds; fails after some seconds."""

    def wait(condition: Callable[[], object], seconds: float = 5) -> None:
        pause = threading.Event()
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, "it did not come about in time"
            pause.wait(0.001)

    return wait


class CountingProxy:
    """Passes TCP connections on to an endpoint; counts the bytes in each direction before it passes them on."""

    def __init__(self, endpoint: str) -> None:
        host, port = endpoint.removeprefix("tcp://").rsplit(":", 1)
        self.forth = 0
        self.back = 0
        self.cut = False
        """Set it to have the next bytes swallowed, with the connection they came by; new connections are passed on."""
        self._target = (host, int(port))
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.endpoint = f"tcp://127.0.0.1:{self._listener.getsockname()[1]}"
        self._end, self._ended = socket.socketpair()
        self._sockets = ExitStack()
        for opened in (self._listener, self._end, self._ended):
            self._sockets.enter_context(opened)
        self._thread = threading.Thread(target=self._pass_on)
        self._thread.start()

    def _pass_on(self) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._listener, selectors.EVENT_READ)
            selector.register(self._ended, selectors.EVENT_READ)
            while True:
                for key, _ in selector.select():
                    if key.fileobj is self._ended:
                        return
                    if key.fileobj is self._listener:
                        self._accept(selector)
                    else:
                        self._copy(selector, key.fileobj, *key.data)

    def _accept(self, selector: selectors.BaseSelector) -> None:
        ours = self._sockets.enter_context(self._listener.accept()[0])
        theirs = self._sockets.enter_context(socket.create_connection(self._target))
        for one in (ours, theirs):
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        selector.register(ours, selectors.EVENT_READ, (theirs, "forth"))
        selector.register(theirs, selectors.EVENT_READ, (ours, "back"))

    def _copy(self, selector: selectors.BaseSelector, source: socket.socket, target: socket.socket, way: str) -> None:
        data = b""
        with suppress(ConnectionError):
            data = source.recv(1 << 16)
        if self.cut and way == "forth":
            self.cut = False
            for one in (source, target):
                selector.unregister(one)
                one.close()
            return
        setattr(self, way, getattr(self, way) + len(data))
        with suppress(OSError):
            if data:
                target.sendall(data)
            else:
                selector.unregister(source)
                target.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        """End all connections."""
        self._end.send(b".")
        self._thread.join()
        self._sockets.close()


@pytest.fixture
def counting_proxy() -> Iterator[Callable[[str], CountingProxy]]:
    """Opens proxies before endpoints ``tcp://HOST:PORT``, and closes them."""
    with ExitStack() as proxies:

        def opened(endpoint: str) -> CountingProxy:
            proxy = CountingProxy(endpoint)
            proxies.callback(proxy.close)
            return proxy

        yield opened
