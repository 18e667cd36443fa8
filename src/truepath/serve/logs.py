"""Logs of a server: one JSON object per line on stderr."""

from __future__ import annotations

import asyncio
import logging
import time
from datetime import datetime, timezone
from typing import Any

from truepath.files.strict_json import dump_json


class JsonLines(logging.Formatter):
    """Writes a record as one line of JSON; what ``extra={"fields": {...}}`` holds stands beside the message."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        when = datetime.fromtimestamp(record.created, timezone.utc).isoformat(timespec="milliseconds")
        said: dict[str, Any] = {"time": when, "level": record.levelname.lower(), "message": record.getMessage()}
        said |= getattr(record, "fields", {})
        if record.exc_info and record.exc_info[0] is not None:
            said["traceback"] = self.formatException(record.exc_info)
        said["process"] = record.process
        return dump_json(said, default=str)


class Seldom:
    """Logs what happens many times at once: the first time, and then what came since every few seconds at most.

    Examples
    --------
    >>> from truepath.serve.logs import Seldom
    >>> said = Seldom(logging.getLogger("truepath.example"), "something happened")
    >>> said(about="a reason")
    >>> said.n
    0
    """

    #: Seconds between two lines
    PAUSE = 5.0

    def __init__(self, logger: logging.Logger, message: str):
        self.logger, self.message = logger, message
        self.n, self.next = 0, 0.0

    def __call__(self, about: str) -> None:
        """Log, unless the last line is too young; what is not said is counted."""
        self.n += 1
        if (now := time.monotonic()) >= self.next:
            self.next = now + self.PAUSE
            self.logger.warning(self.message, extra={"fields": {"times": self.n, "latest": about}})
            self.n = 0


def log_seldom(loop: asyncio.AbstractEventLoop) -> None:
    """Let what an event loop complains of be one line in some seconds, however often it happens."""
    said = Seldom(logging.getLogger("truepath.serve"), "the system refused something")

    def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if isinstance(error, OSError):
            said(about=f"{context['message']}: {error}")
        else:
            loop.default_exception_handler(context)

    loop.set_exception_handler(handle)


def log_settings(level: str = "info") -> dict[str, Any]:
    """Return what ``logging.config.dictConfig`` takes."""
    loggers = dict.fromkeys(("truepath.serve", "uvicorn", "py.warnings"))
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": {"()": JsonLines}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json", "stream": "ext://sys.stderr"}},
        "loggers": {name: {"handlers": ["stderr"], "level": level.upper(), "propagate": False} for name in loggers},
    }
