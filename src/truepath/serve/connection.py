"""Slow connections: a request whose head does not arrive in time is refused, and so is one that is not HTTP.

uvicorn waits for the head of a request as long as the connection lasts, so that a client that sends a byte now and then
would hold a place for ever. Here a head has as many seconds as a body, and if too many connections have sent none, the
one that has waited longest makes room.

:class:`GuardedConnection` is given to uvicorn by its setting ``http``. It stands between asyncio and the protocol that
uvicorn uses otherwise, and passes on what asyncio says. That a head is whole is known from the app: :func:`answering`
surrounds each of its requests, and finds the connection in the context in which the request was started.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any, ClassVar

from truepath.serve.refusals import write_refusal

#: Connections of one worker that may be without the head of a request
MOST_HEADLESS = 500

_connection: ContextVar[GuardedConnection | None] = ContextVar("truepath_connection", default=None)


class GuardedConnection(asyncio.Protocol):
    """One connection with a time limit for the head of a request; ``given`` is what uvicorn tells its protocols."""

    read_seconds = 10.0  # set once for the whole process
    headless: ClassVar[dict[int, GuardedConnection]] = {}

    def __init__(self, **given: Any):
        self.http = _http_of_uvicorn()(**given)
        self.n_answering = 0
        self.deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Start the timer for the first head."""
        self.transport = transport
        self.http.connection_made(_OnlyAnswers(self))
        self.await_head()

    def data_received(self, data: bytes) -> None:
        """Pass on what came; between requests it is the beginning of a head, which has its time."""
        if not self.n_answering:
            self.await_head()
        before = _connection.set(self)
        self.http.data_received(data)
        _connection.reset(before)

    def eof_received(self) -> bool | None:
        """Pass on that the client sends no more."""
        return self.http.eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self.stop_waiting()
        self.http.connection_lost(exc)

    def pause_writing(self) -> None:
        """Pass on that the client is slow to read."""
        self.http.pause_writing()

    def resume_writing(self) -> None:
        """Pass on that the client has read."""
        self.http.resume_writing()

    def await_head(self) -> None:
        """Start the timer for a head, unless it runs already."""
        if self.deadline is None and not self.transport.is_closing():
            self.deadline = asyncio.get_running_loop().call_later(self.read_seconds, self._refuse_late)
            self.headless[id(self)] = self
            if len(self.headless) > MOST_HEADLESS:
                next(iter(self.headless.values()))._refuse_late()

    def stop_waiting(self) -> None:
        """Stop the timer."""
        if self.deadline is not None:
            self.deadline.cancel()
            self.deadline = None
            self.headless.pop(id(self), None)

    def _refuse_late(self) -> None:
        self.refuse("408 Request Timeout", f"no request arrived within {self.read_seconds:g} seconds.")

    def refuse(self, status: str, problem: str) -> None:
        """Say what is wrong, in JSON as all refusals are, and close."""
        self.stop_waiting()
        if not self.transport.is_closing():
            body = write_refusal(problem)
            head = f"HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n"
            self.transport.write(head.encode() + b"connection: close\r\n\r\n" + body)
            self.transport.close()


class _OnlyAnswers:
    """The transport of a connection as uvicorn sees it: what is written while no request is answered is not sent.

    uvicorn writes then only to say, as plain text, that it cannot read a head as HTTP; we say so ourselves.
    """

    def __init__(self, connection: GuardedConnection):
        self._connection = connection
        self._transport = connection.transport

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Send a part of an answer."""
        if self._connection.n_answering:
            self._transport.write(data)
        else:
            self._connection.refuse("400 Bad Request", "this is not valid HTTP/1.1.")


@contextmanager
def answering() -> Iterator[None]:
    """Tell the connection that the head of a request is whole, and that it is answered while the block runs."""
    connection = _connection.get()
    if connection is None:  # another server's
        yield
        return
    connection.stop_waiting()
    connection.n_answering += 1
    try:
        yield
    finally:
        connection.n_answering -= 1


@cache
def _http_of_uvicorn() -> Any:
    """Return the protocol that uvicorn itself uses."""
    import uvicorn

    config = uvicorn.Config(_no_app, http="h11", ws="none", lifespan="off", log_config=None)
    config.load()
    return config.http_protocol_class


async def _no_app(scope: Any, receive: Any, send: Any) -> None:
    """Stand for an app where uvicorn is only asked for its protocol."""
