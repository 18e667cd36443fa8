"""Refusals of a server: a status, what is wrong, and the way out, as one JSON object; never a traceback."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from truepath.errors import CellError, TruePathError, explain
from truepath.files.strict_json import dump_json

if TYPE_CHECKING:
    from starlette.responses import Response

#: All that a client learns of an internal error
INTERNAL_ERROR = "internal server error; see the log of the server."
#: Of what a client sent, refusals show this many letters
SHOWN = 80
#: The longest refusal, in letters
LONGEST = 400
_LONG_QUOTE = re.compile(r"""(['"])((?:(?!\1).){60})(?:(?!\1).){20,}\1""", re.DOTALL)


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
    except (RefusedError, CellError):  # the second is told by the names that clients know
        raise
    except (ValueError, TypeError) as error:  # TruePathError is a ValueError
        raise RefusedError(422, *explain(error)) from error


def shown(value: str) -> str:
    """Return what a client sent, quoted, as far as a refusal repeats it.

    Examples
    --------
    >>> shown("price"), len(shown("x" * 1000))
    ("'price'", 83)
    """
    return repr(value if len(value) <= SHOWN else f"{value[:SHOWN]}…")


def _cut(said: str) -> str:
    """Shorten what others quote at length."""
    if len(said) <= LONGEST // 2:
        return said
    said = _LONG_QUOTE.sub(r"\1\2…\1", said[: 20 * LONGEST])
    return said if len(said) <= LONGEST else f"{said[:LONGEST]}…"


def write_refusal(problem: str, remedy: str = "") -> bytes:
    """Return the body of a refusal; what it repeats of the request is cut.

    Examples
    --------
    >>> write_refusal("the body is empty.", "Send JSON.")
    b'{"error": "the body is empty.", "remedy": "Send JSON."}'
    """
    said: dict[str, Any] = {"error": _cut(problem), "remedy": _cut(remedy or "See /docs.")}
    return dump_json(said).encode()


def respond(refusal: RefusedError, headers: Mapping[str, str] | None = None) -> Response:
    """Return the answer that says what is wrong, with further headers; one that is no fault of the client says when
    to ask again.
    """
    from starlette.responses import Response

    later = {"retry-after": "1"} if refusal.status == 503 else {}
    body = write_refusal(refusal.problem, refusal.remedy)
    return Response(body, refusal.status, {**later, **(headers or {})}, media_type="application/json")
