# SPDX-License-Identifier: GPL-3.0-or-later
"""A TCP connection that never waits, with TLS where the address demands it."""

import errno
import os
import selectors
import socket
import ssl

from .address import Address

Place = tuple[int, tuple[object, ...]]
"""A family and an address, as socket takes them."""
_BUSY = {errno.EINPROGRESS, errno.EWOULDBLOCK, errno.EALREADY, errno.EAGAIN, errno.EINTR}
_PIECE = 64 * 1024


def look_up(address: Address) -> list[Place]:
    """Returns where a host is. Only numbers and this computer are found without waiting; other
    names take as long as the network's name server does. Raises OSError."""
    if address.host == "localhost":
        return [
            (socket.AF_INET, ("127.0.0.1", address.port)),
            (socket.AF_INET6, ("::1", address.port, 0, 0)),
        ]
    flags = socket.AI_NUMERICHOST if address.is_numeric else 0
    found = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM, flags=flags)
    places = [(int(family), tuple(place)) for family, _, _, _, place in found]
    return list(dict.fromkeys(places))


class LiveStream:
    """One try at one place. A failure raises OSError, with the system's words."""

    def __init__(self, address: Address, place: Place) -> None:
        family, where = place
        self._is_there = False
        self._socket: socket.socket = socket.socket(family, socket.SOCK_STREAM)
        try:
            self._socket.setblocking(False)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            problem = self._socket.connect_ex(where)
            # Windows says WSAEWOULDBLOCK.
            if problem and problem not in _BUSY and problem != getattr(errno, "WSAEWOULDBLOCK", -1):
                raise OSError(problem, os.strerror(problem))
        except OSError:
            self._socket.close()
            raise
        self._tls: ssl.SSLSocket | None = None
        self._address = address

    def advance(self) -> bool:
        """Continues connecting; returns whether bytes can be sent."""
        if not self._is_there:
            with selectors.DefaultSelector() as selector:
                selector.register(self._socket, selectors.EVENT_WRITE)
                if not selector.select(0):
                    return False
            problem = self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            if problem:
                raise OSError(problem, os.strerror(problem))
            self._is_there = True
            if self._address.is_secure:
                self._tls = ssl.create_default_context().wrap_socket(
                    self._socket,
                    server_hostname=self._address.host,
                    do_handshake_on_connect=False,
                )
                self._socket = self._tls
        if self._tls is None:
            return True
        try:
            self._tls.do_handshake()
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return False
        return True

    def read(self) -> bytes | None:
        """Returns the received bytes; None where there are none, nothing where the other side is
        gone."""
        try:
            return self._socket.recv(_PIECE)
        except (BlockingIOError, InterruptedError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return None
        except ssl.SSLEOFError:
            return b""

    def write(self, data: bytes) -> int:
        """Sends as much as possible without waiting; returns how much that was."""
        try:
            return self._socket.send(data)
        except (BlockingIOError, InterruptedError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return 0

    def close(self) -> None:
        """Ends it."""
        self._socket.close()
