"""Logs of a server: one JSON object per line on stderr."""

from __future__ import annotations

import logging
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
