"""Connections: heads that are too slow, answers that nobody reads, too many at once; each is ended, and told why.

uvicorn waits for the head of a request as long as the connection lasts, so that a client that sends a byte now and then
would hold a place for ever, and keeps an answer until it is read. Here a head has as many seconds as a body, and so has
an answer beside the time that a slow line takes. When there is no room for another connection, the one that has been
silent longest makes room; if none has been silent for a while, the new one gets 503.

:class:`GuardedConnection` is given to uvicorn by its setting ``http``. It stands between asyncio and the protocol that
uvicorn uses otherwise, and passes on what asyncio says. That a head is whole is known from the app: :func:`answering`
surrounds each of its requests, and finds the connection in the context in which the request was started.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any, ClassVar
from uuid import uuid4

from truepath.serve.logs import Seldom
from truepath.serve.refusals import write_refusal
from truepath.serve.settings import ServeSettings

#: How requests begin that are refused first, with the name of the model
PREDICT = re.compile(rb"POST (?:/models/([^ /?]+))?/predict[ ?]")
#: Seconds for which a connection may be silent in any case
SILENCE = 1.0
#: Seconds in which a client that was refused may go on sending; what it sends is thrown away
LINGER = 2.0
#: The slowest line, in bytes per second
SLOWEST = 1 << 18
#: Refusals of connections that are no requests yet, by the first words of the answer
STATUSES = {400: "400 Bad Request", 408: "408 Request Timeout", 503: "503 Service Unavailable"}

logger = logging.getLogger("truepath.serve")
_connection: ContextVar[GuardedConnection | None] = ContextVar("truepath_connection", default=None)


class GuardedConnection(asyncio.Protocol):
    """One connection with time limits; ``given`` is what uvicorn tells its protocols.

    Attributes
    ----------
    read_seconds, write_seconds, most : float, float, int
        The limits of the whole process, see :class:`~truepath.serve.ServeSettings`.
    n_open : int
        Connections that are open.
    is_full : callable
        ``is_full(name)`` says whether predictions of a model are refused: then a request for one is not even read.
    headless : dict
        Those that owe the head of a request, the one that has been silent longest first.
    """

    read_seconds: ClassVar[float] = 10.0
    write_seconds: ClassVar[float] = 10.0
    most: ClassVar[int] = 2_000
    n_open: ClassVar[int] = 0
    headless: ClassVar[dict[int, GuardedConnection]] = {}
    is_full: ClassVar[Any] = staticmethod(lambda name: False)
    count: ClassVar[Any] = staticmethod(lambda status: None)
    said: ClassVar[Seldom] = Seldom(logger, "connections were refused")

    @classmethod
    def limit(cls, settings: ServeSettings, most: int, count: Any) -> None:
        """Set the limits of the process, and what counts refusals by their status."""
        cls.read_seconds, cls.write_seconds = settings.read_seconds, settings.write_seconds
        cls.most, cls.count = most, staticmethod(count)

    def __init__(self, **given: Any):
        self.http = _http_of_uvicorn()(**given)
        self.n_answering, self.is_idle = 0, True
        self.is_surplus = self.is_over = self.has_unread = self.was_dropped = False
        self.deadline: asyncio.TimerHandle | None = None
        self.write_deadline: asyncio.TimerHandle | None = None
        self.answer_ends = 0.0

    def connection_made(self, transport: Any) -> None:
        """Start the timer for the first head."""
        self.transport, self.loop = transport, asyncio.get_running_loop()
        GuardedConnection.n_open += 1
        self.http.connection_made(_OnlyAnswers(self))
        self.await_head()
        if self.n_open > self.most:
            self._make_room()

    def _make_room(self) -> None:
        """Refuse the connection that has been silent longest, or this one as soon as it asks."""
        silent = next(iter(self.headless.values()))
        if silent.deadline is not None and silent.deadline.when() - self.loop.time() < self.read_seconds - SILENCE:
            silent.refuse(503, "there is no room for connections that send nothing.")
        else:
            self.is_surplus = True

    def data_received(self, data: bytes) -> None:
        """Pass on what came; between requests it is the beginning of a head, which has its time."""
        if self.is_over:
            return
        if self.is_idle and (asked := PREDICT.match(data)) and self.is_full(asked[1]):
            self.refuse(503, "too many rows are to be predicted first.")
            return
        self.is_idle = False
        if self.is_surplus:
            self.refuse(503, f"{self.most:,} connections are open already.")
            return
        if not self.n_answering:
            self.await_head()
        before = _connection.set(self)
        self.http.data_received(data)
        _connection.reset(before)

    def eof_received(self) -> bool | None:
        """Pass on that the client sends no more."""
        return None if self.is_over else self.http.eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        GuardedConnection.n_open -= 1
        self.stop_waiting()
        self.resume_writing()
        self.http.connection_lost(exc)

    def pause_writing(self) -> None:
        """Start the timer for a client that is slow to read."""
        if self.write_deadline is None:
            now = self.loop.time()
            left = min(self.write_seconds, max(self.answer_ends - now, 0.1))
            self.write_deadline = self.loop.call_at(now + left, self._drop)
        self.http.pause_writing()

    def resume_writing(self) -> None:
        """Pass on that the client has read."""
        if self.write_deadline is not None:
            self.write_deadline.cancel()
            self.write_deadline = None
        self.http.resume_writing()

    def begin_answer(self, n_bytes: int) -> None:
        """Note until when an answer has to be read."""
        self.answer_ends = self.loop.time() + self.write_seconds + n_bytes / SLOWEST

    def _drop(self) -> None:
        """Give up a client that does not read."""
        self.was_dropped = True
        self.said(about="nobody read an answer")
        self.transport.abort()

    def await_head(self) -> None:
        """Start the timer for a head, unless it runs already."""
        if self.deadline is None and not self.transport.is_closing():
            self.deadline = self.loop.call_later(self.read_seconds, self._refuse_late)
            self.headless[id(self)] = self

    def stop_waiting(self) -> None:
        """Stop the timer."""
        if self.deadline is not None:
            self.deadline.cancel()
            self.deadline = None
            self.headless.pop(id(self), None)

    def _refuse_late(self) -> None:
        self.refuse(408, f"no request arrived within {self.read_seconds:g} seconds.")

    def refuse(self, status: int, problem: str) -> None:
        """Say what is wrong, in JSON as all refusals are, and close."""
        self.stop_waiting()
        if self.is_over or self.transport.is_closing():
            return
        self.count(status)
        self.said(about=problem)
        body = write_refusal(problem, "Try again later." if status == 503 else "Send a whole request of HTTP/1.1.")
        lines = [f"HTTP/1.1 {STATUSES[status]}", "content-type: application/json", f"content-length: {len(body)}"]
        lines += [f"x-request-id: {uuid4().hex}", "connection: close", *["retry-after: 1"] * (status == 503)]
        self.transport.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        self.has_unread = True
        self.close()

    def close(self) -> None:
        """End the connection when everything is sent.

        A system that has what nobody reads tells the other side so in place of the answer. Therefore a client that may
        be sending still is listened to for a moment.
        """
        if self.is_over or self.transport.is_closing():
            return
        if not self.has_unread or not self.transport.can_write_eof():
            self._end()
            return
        self.is_over = True
        self.transport.write_eof()
        self.transport.resume_reading()
        self.loop.call_later(LINGER, self._end)

    def _end(self) -> None:
        """Close; if nobody reads the rest of an answer, without it."""
        self.transport.close()
        if self.transport.get_write_buffer_size():
            self.loop.call_later(self.write_seconds, self.transport.abort)


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
            self._connection.refuse(400, "this is not valid HTTP/1.1.")

    def is_closing(self) -> bool:
        """Say whether nothing more is to be written."""
        return self._connection.is_over or self._transport.is_closing()

    def close(self) -> None:
        """End the connection."""
        self._connection.close()


@contextmanager
def answering() -> Iterator[GuardedConnection | None]:
    """Tell the connection that the head of a request is whole, and that it is answered while the block runs."""
    connection = _connection.get()
    if connection is None:  # another server's
        yield None
        return
    connection.stop_waiting()
    connection.n_answering += 1
    try:
        yield connection
    finally:
        connection.n_answering -= 1
        connection.is_idle = not connection.n_answering


@cache
def _http_of_uvicorn() -> Any:
    """Return the protocol that uvicorn itself uses."""
    import uvicorn

    config = uvicorn.Config(_no_app, http="h11", ws="none", lifespan="off", log_config=None)
    config.load()
    return config.http_protocol_class


async def _no_app(scope: Any, receive: Any, send: Any) -> None:
    """Stand for an app where uvicorn is only asked for its protocol."""
