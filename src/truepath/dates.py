"""The dates and times that files keep: those of the clock, or under ``SOURCE_DATE_EPOCH`` the same in every run.

``SOURCE_DATE_EPOCH`` is what builds that are to be repeated byte by byte set: seconds since 1970
(https://reproducible-builds.org/specs/source-date-epoch). Files then hold that date, and 0 for how long things took, so
that the same fit on the same data writes the same bytes.
"""

from __future__ import annotations

import os
import time
from datetime import datetime, timezone

from truepath.errors import TruePathError

VARIABLE = "SOURCE_DATE_EPOCH"


def fixed_date() -> datetime | None:
    """Return the date that the environment asks for, if it does."""
    given = os.environ.get(VARIABLE)
    if not given:
        return None
    try:
        return datetime.fromtimestamp(int(given), timezone.utc)
    except (ValueError, OverflowError, OSError):
        raise TruePathError(
            f"{VARIABLE} must be a whole number of seconds since 1970; got {given!r:.40}.", "Correct or unset it."
        ) from None


def now() -> datetime:
    """Return the date that files are to hold, with its time zone."""
    return fixed_date() or datetime.now().astimezone()


def seconds_since(start: float) -> float:
    """Return the seconds since a :func:`time.perf_counter`, as files are to hold them."""
    return time.perf_counter() - start if fixed_date() is None else 0.0
