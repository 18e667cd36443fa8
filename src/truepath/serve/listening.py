"""The socket that a server listens on: it accepts nothing for a second where the system has no room for more.

asyncio tries to accept as many connections at once as may wait. If the system refuses one, it tries the others all the
same, says so for each, and for each comes back a second later: with no file descriptor left, that never ends. Here the
first refusal ends the trying, so that there is one pause, and others are served meanwhile.
"""

from __future__ import annotations

import errno
import os
import socket
import time
from multiprocessing import reduction
from typing import Any

from truepath.errors import TruePathError

#: What the system says when it has no room
NO_ROOM = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
#: asyncio comes back after a second
PAUSE = 0.9
#: Files that a server opens beside its connections
OTHER_FILES = 100
#: Connections that may wait to be accepted
BACKLOG = 2048


class PatientSocket(socket.socket):
    """A socket whose ``accept`` has nothing for a while after the system has refused."""

    closed_until = 0.0

    def accept(self) -> tuple[socket.socket, Any]:
        """Accept a connection."""
        if time.monotonic() < self.closed_until:
            raise BlockingIOError
        try:
            return super().accept()
        except OSError as problem:
            if problem.errno in NO_ROOM:
                self.closed_until = time.monotonic() + PAUSE
            raise


def listen_on(host: str, port: int) -> socket.socket:
    """Return a socket that listens; refuse an address that cannot be listened on."""
    wanted = socket.AF_INET6 if ":" in host else socket.AF_INET
    make = socket.socket if os.name == "nt" else PatientSocket  # Windows has no limit that is met
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, wanted, socket.SOCK_STREAM)[0]
        found = make(family, kind, protocol)
        try:
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            found.bind(address)
            found.listen(BACKLOG)
        except OSError:
            found.close()
            raise
    except OSError as problem:
        said = f"cannot listen on {host}:{port}: {(problem.strerror or str(problem)).lower()}."
        raise TruePathError(said, "Choose another port or host.") from None
    found.set_inheritable(True)
    return found


def room_for_connections(wanted: int) -> int:
    """Return how many connections may be open, after asking the system for as many files as they need."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return wanted
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = wanted + BACKLOG + OTHER_FILES
    if 0 <= soft < needed:
        soft = needed if hard < 0 else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return wanted if soft < 0 else max(1, min(wanted, soft - OTHER_FILES))


def _reduce(found: PatientSocket) -> Any:
    return _rebuild, (reduction.DupFd(found.fileno()), found.family, found.type, found.proto)


def _rebuild(duplicate: Any, family: int, kind: int, protocol: int) -> PatientSocket:
    return PatientSocket(family, kind, protocol, fileno=duplicate.detach())


reduction.register(PatientSocket, _reduce)  # so that workers get it
