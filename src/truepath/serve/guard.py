"""The gate of a server: every request is read within limits, answered once, counted and logged.

It stands before the routes and speaks ASGI itself: the body is read here, so that one that is too large or too slow is
refused before anything else happens.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from truepath.serve.connection import answering
from truepath.serve.metrics import ServerCounts
from truepath.serve.refusals import INTERNAL_ERROR, RefusedError, write_refusal
from truepath.serve.settings import ServeSettings

__all__ = ["Guard"]

logger = logging.getLogger("truepath.serve")

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

#: What every answer says: browsers must not guess types, embed pages, or fetch from elsewhere
HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        b"base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
]


class DisconnectedError(Exception):
    """The client went away before it had sent all."""


class Guard:
    """Wraps an ASGI app; ``paths`` are those that counts name, all others are counted together."""

    def __init__(self, app: App, settings: ServeSettings, counts: ServerCounts, paths: frozenset[str]):
        self.app, self.settings, self.counts, self.paths = app, settings, counts, paths

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun, answer = time.perf_counter(), _Answer(send)
        with answering():
            try:
                body = await self._read(scope, receive)
                await self.app(scope, _replay(body, receive), answer.send)
            except DisconnectedError:
                answer.status = 499  # as proxies write it; nobody reads it
            except Exception as error:
                await answer.refuse(error)
            finally:
                self._count_and_log(scope, answer, time.perf_counter() - begun)

    async def _read(self, scope: MutableMapping[str, Any], receive: Receive) -> bytes:
        """Return the body, if it is small enough and comes in time."""
        limit, seconds = self.settings.max_body, self.settings.read_seconds
        said = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
        problem = f"the body is larger than {limit:,} bytes."
        if said.isdigit() and int(said) > limit:
            raise RefusedError(413, problem, "Send fewer rows at a time.")
        if scope["method"] in ("GET", "HEAD", "OPTIONS"):
            return b""
        try:
            return await asyncio.wait_for(_collect(receive, limit, problem), seconds)
        except asyncio.TimeoutError:
            late = f"the body did not arrive within {seconds:g} seconds."
            raise RefusedError(408, late, "Send it without pauses.") from None

    def _count_and_log(self, scope: MutableMapping[str, Any], answer: _Answer, seconds: float) -> None:
        path = scope["path"] if scope["path"] in self.paths else "other"
        self.counts.request(path, answer.status, seconds)
        if logger.isEnabledFor(logging.INFO):
            about = {"method": scope["method"], "path": scope["path"], "status": answer.status}
            client = (scope.get("client") or ("",))[0]
            rows = scope.get("truepath_rows")
            fields = {**about, "ms": round(seconds * 1e3, 2), **({"rows": rows} if rows else {}), "client": client}
            logger.info("request", extra={"fields": fields})


async def _collect(receive: Receive, limit: int, problem: str) -> bytes:
    parts, size, more = [], 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise DisconnectedError
        parts.append(message.get("body", b""))
        size, more = size + len(parts[-1]), message.get("more_body", False)
        if size > limit:
            raise RefusedError(413, problem, "Send fewer rows at a time.")
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a way to receive that gives the body at once, and then what else comes."""
    is_given = False

    async def replay() -> Message:
        nonlocal is_given
        if is_given:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


class _Answer:
    """An answer on its way: its status, and whether it has begun."""

    def __init__(self, send: Send):
        self._send, self.status, self.begun = send, 500, False

    async def send(self, message: Message) -> None:
        """Send a part, the first with headers that every answer has."""
        if message["type"] == "http.response.start":
            self.begun, self.status = True, message["status"]
            message = {**message, "headers": [*message.get("headers", []), *HEADERS]}
        await self._send(message)

    async def refuse(self, error: Exception) -> None:
        """Answer with what is wrong; an internal error is logged, and its details are not sent."""
        refusal = error if isinstance(error, RefusedError) else None
        if refusal is None:
            logger.error("a request failed", exc_info=error)
            refusal = RefusedError(500, INTERNAL_ERROR)
        if self.begun:
            return
        body = write_refusal(refusal.problem, refusal.remedy)
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        if refusal.status in (408, 413):
            headers.append((b"connection", b"close"))  # what else comes is not read
        await self.send({"type": "http.response.start", "status": refusal.status, "headers": headers})
        await self._send({"type": "http.response.body", "body": body})
