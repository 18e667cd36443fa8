"""Connections that dawdle: a request whose head does not arrive in time is refused, and so is one that is not HTTP.

uvicorn waits for the head of a request as long as the connection lasts, so that a client that sends a byte now and then
would hold a place for ever. Here a head has as many seconds as a body, and if too many connections have sent none, the
one that has waited longest makes room.
"""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol

from truepath.serve.refusals import write_refusal

__all__ = ["GuardedConnection", "guarded"]

#: Connections of one worker that may be without the head of a request
MOST_HEADLESS = 500


class GuardedConnection(H11Protocol):
    """uvicorn's protocol with a time limit for the head of a request."""

    read_seconds = 10.0
    headless: ClassVar[dict[int, GuardedConnection]] = {}

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Start the time for the first head."""
        super().connection_made(transport)
        self._await_head()

    def data_received(self, data: bytes) -> None:
        """Take what came; stop the time once a head is whole, start it with the next head."""
        super().data_received(data)
        if self.cycle is None or self.cycle.response_complete:
            self._await_head()
        else:
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._stop_waiting()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Leave it to uvicorn to close the connection if nothing more comes."""
        self._stop_waiting()
        super().on_response_complete()

    def _await_head(self) -> None:
        if self._deadline is None and not self.transport.is_closing():
            self._deadline = self.loop.call_later(self.read_seconds, self._refuse)
            self.headless[id(self)] = self
            if len(self.headless) > MOST_HEADLESS:
                next(iter(self.headless.values()))._refuse()

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
            self.headless.pop(id(self), None)

    def _refuse(self) -> None:
        """Say that it took too long, and close."""
        self._stop_waiting()
        if not self.transport.is_closing():
            self._say("408 Request Timeout", f"no request arrived within {self.read_seconds:g} seconds.")

    def send_400_response(self, msg: str) -> None:
        """Say that this is not HTTP, in JSON as all refusals are."""
        self._say("400 Bad Request", "this is not HTTP/1.1 as it should be: " + msg)

    def _say(self, status: str, problem: str) -> None:
        body = write_refusal(problem)
        head = f"HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n"
        self.transport.write(head.encode() + b"connection: close\r\n\r\n" + body)
        self.transport.close()


def guarded(seconds: float) -> type[GuardedConnection]:
    """Return the protocol with another time limit, for the whole process."""
    GuardedConnection.read_seconds = seconds
    return GuardedConnection
