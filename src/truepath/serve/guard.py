"""The gate of a server: every request is read within limits, answered once, counted and logged.

It stands before the routes: the body is read here, so that one that is too large or too slow is refused before anything
else happens. Routes find it as ``truepath_body`` in the scope of the request.
"""

from __future__ import annotations

import asyncio
import logging
import time

from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from truepath.serve.connection import answering
from truepath.serve.metrics import ServerCounts
from truepath.serve.refusals import INTERNAL_ERROR, RefusedError, respond
from truepath.serve.settings import ServeSettings

logger = logging.getLogger("truepath.serve")

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


class Guard:
    """Wraps an ASGI app; ``paths`` are those that counts name, all others are counted together."""

    def __init__(self, app: ASGIApp, settings: ServeSettings, counts: ServerCounts, paths: frozenset[str]):
        self.app, self.settings, self.counts, self.paths = app, settings, counts, paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun, answer = time.perf_counter(), _Answer(send)
        with answering():
            try:
                scope["truepath_body"] = await self._read(Request(scope, receive))
                await self.app(scope, receive, answer.send)
            except ClientDisconnect:
                answer.status = 499  # as proxies write it; nobody reads it
            except RefusedError as refusal:  # what else comes is not read
                await respond(refusal, {"connection": "close"})(scope, receive, answer.send)
            except Exception as error:  # its details are not sent
                logger.error("a request failed", exc_info=error)
                if not answer.begun:
                    await respond(RefusedError(500, INTERNAL_ERROR))(scope, receive, answer.send)
            finally:
                self._count_and_log(scope, answer, time.perf_counter() - begun)

    async def _read(self, request: Request) -> bytes:
        """Return the body, if it is small enough and comes in time."""
        limit, seconds = self.settings.max_body, self.settings.read_seconds
        said = request.headers.get("content-length", "0")
        too_large = RefusedError(413, f"the body is larger than {limit:,} bytes.", "Send fewer rows at a time.")
        if said.isdecimal() and int(said) > limit:
            raise too_large
        if request.method in ("GET", "HEAD", "OPTIONS"):
            return b""
        try:
            return await asyncio.wait_for(_collect(request, limit, too_large), seconds)
        except asyncio.TimeoutError:
            late = f"the body did not arrive within {seconds:g} seconds."
            raise RefusedError(408, late, "Send it without pauses.") from None

    def _count_and_log(self, scope: Scope, answer: _Answer, seconds: float) -> None:
        path = scope["path"] if scope["path"] in self.paths else "other"
        self.counts.request(path, answer.status, seconds)
        if logger.isEnabledFor(logging.INFO):
            about = {"method": scope["method"], "path": scope["path"], "status": answer.status}
            client = (scope.get("client") or ("",))[0]
            rows = scope.get("truepath_rows")
            fields = {**about, "ms": round(seconds * 1e3, 2), **({"rows": rows} if rows else {}), "client": client}
            logger.info("request", extra={"fields": fields})


async def _collect(request: Request, limit: int, too_large: RefusedError) -> bytes:
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > limit:
            raise too_large
    return bytes(body)


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
