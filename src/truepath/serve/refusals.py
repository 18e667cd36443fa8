"""Refusals of a server: a status, what is wrong, and the way out, as one JSON object; never a traceback."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from truepath.errors import TruePathError, explain
from truepath.files.strict_json import dump_json

if TYPE_CHECKING:
    from starlette.responses import Response

#: All that a client learns of an internal error
INTERNAL_ERROR = "internal server error; see the log of the server."


class RefusedError(TruePathError):
    """A request that is not answered, with the HTTP status that says why."""

    def __init__(self, status: int, problem: str, remedy: str = ""):
        super().__init__(problem, remedy)
        self.status = status


@contextmanager
def as_client_errors() -> Iterator[None]:
    """Turn input errors of truepath or the model in the block into a refusal of the request; others are internal."""
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
    return dump_json(said).encode()


def respond(refusal: RefusedError, headers: Mapping[str, str] | None = None) -> Response:
    """Return the answer that says what is wrong, with further headers."""
    from starlette.responses import Response

    body = write_refusal(refusal.problem, refusal.remedy)
    return Response(body, refusal.status, headers, media_type="application/json")
