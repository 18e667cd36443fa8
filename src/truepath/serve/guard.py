"""The gate of a server: every request is let in or not, read within limits, answered once, counted and logged.

It stands before the routes: the body is read here, so that one that is too large or too slow is refused before anything
else happens. Routes find it as ``truepath_body`` in the scope of the request.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import re
import time
from typing import Any
from uuid import uuid4

from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from truepath.serve.connection import GuardedConnection, answering
from truepath.serve.metrics import ServerCounts
from truepath.serve.pages import PAGE_FILES
from truepath.serve.refusals import RefusedError, respond, shown
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
#: What is answered however busy the server is
LIGHT = frozenset(["/live", "/health", "/metrics"])
#: What tells nothing of the model, and needs no token
OPEN = frozenset(["/live", "/health", "/docs", "/openapi.json", *PAGE_FILES])
#: Ids of requests that are taken from whoever asks
REQUEST_ID = re.compile(r"[A-Za-z0-9._=+/:@-]{1,100}")
#: Bodies of this size are read even where the request is refused, so that the connection can go on
SMALL_BODY = 1 << 16
#: Times the largest body that all bodies of a worker may take
MOST_BODIES = 16
#: Of paths, logs show this many letters
LOGGED = 300


class Guard:
    """Wraps an ASGI app; ``paths`` are those that counts name, all others are counted together."""

    def __init__(self, app: ASGIApp, settings: ServeSettings, counts: ServerCounts, paths: frozenset[str]):
        self.app, self.settings, self.counts, self.paths = app, settings, counts, paths
        self.hosts = [host.lower().rstrip(".") for host in settings.hosts if host != "*"]
        self.takes_any_host = len(self.hosts) < len(settings.hosts) or not self.hosts
        self.n_requests = self.n_bytes = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun = time.perf_counter()
        # the routes see a copy, in which a HEAD is a GET: what they answer is cut off behind its head
        asked = {**scope, "truepath_method": scope["method"]}
        asked["method"] = "GET" if scope["method"] == "HEAD" else scope["method"]
        request = Request(asked, receive)
        with answering() as connection:
            answer = _Answer(send, connection, scope["method"] == "HEAD", _request_id(request))
            asked["truepath_id"] = answer.id
            self.n_requests += 1
            try:
                await self._answer(request, receive, answer)
            finally:
                self.n_requests -= 1
                self._count_and_log(asked, answer, time.perf_counter() - begun)

    async def _answer(self, request: Request, receive: Receive, answer: _Answer) -> None:
        body = _Body()
        try:
            try:
                self._check_sender(request)
                await self._read(request, body)
                self._check_room(request)
                request.scope["truepath_body"] = bytes(body.content)
                await self.app(request.scope, receive, answer.send)
            finally:
                self.n_bytes -= len(body.content)
        except ClientDisconnect:
            answer.status = 499  # as proxies write it; nobody reads it
        except RefusedError as refusal:
            await self._refuse(refusal, request, receive, answer, is_read=body.is_whole)
        except asyncio.CancelledError:  # the server ends, and waits no longer
            self.counts.cut_off.inc()
            if answer.begun and not answer.is_whole:
                answer.drop()
            elif not answer.begun:
                ending = RefusedError(503, "the server was stopped before the answer was there.", "Try again later.")
                await self._refuse(ending, request, receive, answer, is_read=False)
        except Exception as error:  # its details are not sent
            logger.error("a request failed", exc_info=error, extra={"fields": {"request": answer.id}})
            if not answer.is_whole:
                answer.drop()

    async def _refuse(
        self, refusal: RefusedError, request: Request, receive: Receive, answer: _Answer, *, is_read: bool
    ) -> None:
        """Say what is wrong; if more is coming, it is not read, and the connection ends."""
        headers = {"www-authenticate": "Bearer"} if refusal.status == 401 else {}
        if not is_read:
            headers["connection"] = "close"
            answer.leave_unread()
        await respond(refusal, headers)(request.scope, receive, answer.send)

    # ------------------------------------------------------------------------------- who is let in

    def _check_sender(self, request: Request) -> None:
        """Refuse a host that this server is not, and who does not know the token."""
        if not self.takes_any_host and not self._is_ours(request.headers.get("host", "")):
            problem = f"this server does not answer for the host {shown(request.headers.get('host', ''))}."
            raise RefusedError(400, problem, "Whoever runs it can allow the name: --allow-host NAME.")
        if self.settings.token is not None and request.url.path not in OPEN:
            kind, _, given = request.headers.get("authorization", "").partition(" ")
            is_right = hmac.compare_digest(given.strip().encode(), self.settings.token.encode())
            if kind.lower() != "bearer" or not is_right:
                raise RefusedError(401, "the server wants a token.", "Send the header Authorization: Bearer TOKEN.")

    def _is_ours(self, given: str) -> bool:
        name = re.sub(r":\d*$", "", given.lower()).rstrip(".")
        return any(name == host or (host.startswith("*.") and name.endswith(host[1:])) for host in self.hosts)

    def _check_room(self, request: Request) -> None:
        """Refuse what is too much at a time."""
        if request.scope["path"] not in LIGHT and self.n_requests > self.settings.max_requests:
            problem = f"{self.settings.max_requests:,} requests are being answered already."
            raise RefusedError(503, problem, "Try again later.")

    # ------------------------------------------------------------------------------- what is read

    async def _read(self, request: Request, body: _Body) -> None:
        """Read the body, if it is small enough and comes in time."""
        limit, seconds = self.settings.max_body, self.settings.read_seconds
        said = request.headers.get("content-length", "0")
        has_body = said != "0" or "transfer-encoding" in request.headers
        too_large = RefusedError(413, f"the body is larger than {limit:,} bytes.", "Send fewer rows at a time.")
        if said.isdecimal() and (len(said) > 18 or int(said) > limit):
            raise too_large
        if has_body and said.isdecimal() and int(said) > SMALL_BODY:
            self._check_room(request)
        if request.method in ("GET", "OPTIONS"):
            body.is_whole = not has_body
            return
        try:
            await asyncio.wait_for(self._collect(request, body, too_large), seconds)
        except asyncio.TimeoutError:
            late = f"the body did not arrive within {seconds:g} seconds."
            raise RefusedError(408, late, "Send it without pauses.") from None

    async def _collect(self, request: Request, body: _Body, too_large: RefusedError) -> None:
        most = MOST_BODIES * self.settings.max_body
        async for part in request.stream():
            body.content += part
            self.n_bytes += len(part)
            if len(body.content) > self.settings.max_body:
                raise too_large
            if self.n_bytes > most and len(body.content) > SMALL_BODY:
                raise RefusedError(503, "too many large requests come at the same time.", "Try again later.")
        body.is_whole = True

    def _count_and_log(self, scope: Scope, answer: _Answer, seconds: float) -> None:
        path = scope["path"] if scope["path"] in self.paths else "other"
        self.counts.request(path, answer.status, seconds)
        if logger.isEnabledFor(logging.INFO):
            about = {"method": scope["truepath_method"][:20], "path": scope["path"][:LOGGED], "status": answer.status}
            client = (scope.get("client") or ("",))[0]
            rows = scope.get("truepath_rows")
            fields = {**about, "ms": round(seconds * 1e3, 2), **({"rows": rows} if rows else {}), "client": client}
            logger.info("request", extra={"fields": {**fields, "request": answer.id}})


def _request_id(request: Request) -> str:
    """Return the id that a request came with, if it is sane, or a new one."""
    given = request.headers.get("x-request-id", "")
    return given if REQUEST_ID.fullmatch(given) else uuid4().hex


class _Body:
    """What was read of a body, and whether that is all."""

    def __init__(self) -> None:
        self.content, self.is_whole = bytearray(), False


class _Answer:
    """An answer on its way: its status, whether it has begun, and whether it was sent as a whole."""

    def __init__(self, send: Send, connection: GuardedConnection | None, is_head: bool, id: str):
        self._send, self.connection, self.is_head, self.id = send, connection, is_head, id
        self._status, self.begun, self.is_whole = 500, False, False

    @property
    def status(self) -> int:
        """The status; 499 if nobody read the answer."""
        return 499 if self.connection is not None and self.connection.was_dropped else self._status

    @status.setter
    def status(self, value: int) -> None:
        self._status = value

    async def send(self, message: Message) -> None:
        """Send a part, the first with headers that every answer has."""
        if message["type"] == "http.response.start":
            self.begun, self.status = True, message["status"]
            own = [(b"x-request-id", self.id.encode())]
            message = {**message, "headers": [*message.get("headers", []), *HEADERS, *own]}
            if self.connection is not None:
                size: Any = dict(message["headers"]).get(b"content-length", b"0")
                self.connection.begin_answer(int(size))
        else:
            self.is_whole = not message.get("more_body", False)
            message = {**message, "body": b""} if self.is_head else message
        await self._send(message)

    def leave_unread(self) -> None:
        """Note that what else the client sends is not read."""
        if self.connection is not None:
            self.connection.has_unread = True

    def drop(self) -> None:
        """End the connection in the middle of an answer, so that nobody takes what there is for all of it."""
        if self.connection is not None:
            self.connection.transport.abort()
