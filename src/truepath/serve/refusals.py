"""Refusals of a server: a status, what is wrong, and the way out, as one JSON object; never a traceback."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from truepath.errors import TruePathError, explain

__all__ = ["OWN_MISTAKE", "RefusedError", "blaming_request", "write_refusal"]

#: All that a client learns of a mistake of ours
OWN_MISTAKE = "the server made a mistake; its log says more."


class RefusedError(TruePathError):
    """A request that is not answered, with the HTTP status that says why."""

    def __init__(self, status: int, problem: str, remedy: str = ""):
        super().__init__(problem, remedy)
        self.status = status


@contextmanager
def blaming_request() -> Iterator[None]:
    """Turn what truepath or the model refuse in the block into a refusal of the request; other errors are ours."""
    try:
        yield
    except RefusedError:
        raise
    except (ValueError, TypeError) as error:  # TruePathError is a ValueError
        raise RefusedError(422, *explain(error)) from error


def write_refusal(problem: str, remedy: str = "") -> bytes:
    """Return the body of a refusal.

    Examples
    --------
    >>> write_refusal("the body is empty.", "Send JSON.")
    b'{"error": "the body is empty.", "remedy": "Send JSON."}'
    """
    said: dict[str, Any] = {"error": problem, **({"remedy": remedy} if remedy else {})}
    return json.dumps(said).encode()
