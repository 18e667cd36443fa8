"""The English of messages: numbers with what they count, and names that may have been meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

# difflib compares with every name: past this many, only names that share a beginning are compared
MANY_NAMES = 20_000


def counted(n: int, what: str) -> str:
    """Return a number with what it counts, as messages say it.

    Examples
    --------
    >>> counted(1, "row"), counted(1200, "row"), counted(0, "leaf")
    ('1 row', '1,200 rows', '0 leaves')
    """
    many = "leaves" if what == "leaf" else f"{what}s"
    return f"{n:,} {what if n == 1 else many}"


def nearest(name: str, names: Iterable[str], n: int = 3) -> list[str]:
    """Return the few names most like one that is not known; capitals, and what is before a slash, may be missing.

    Examples
    --------
    >>> nearest("cellcycle_fun", ["hmc/cellcycle_FUN", "mulan/enron"])
    ['hmc/cellcycle_FUN']
    """
    pool = list(names)
    if len(pool) > MANY_NAMES:
        pool = [other for other in pool if other[:3] == name[:3]][:MANY_NAMES]
    spelled: dict[str, list[str]] = {}
    for other in pool:
        for form in {other.strip().lower(), other.strip().lower().rpartition("/")[2]}:
            spelled.setdefault(form, []).append(other)
    close = get_close_matches(name.strip().lower(), spelled, n=n)
    return list(dict.fromkeys(other for form in close for other in spelled[form]))[:n]


def did_you_mean(name: object, names: Iterable[str], then: str = "") -> str:
    """Ask whether one of the nearest names was meant, if any is near, and go on with ``then``.

    Examples
    --------
    >>> did_you_mean("lables", ["id", "labels"]), did_you_mean("x", ["id", "labels"])
    ("Did you mean 'labels'?", '')
    """
    near = nearest(str(name), names)
    return f"Did you mean {' or '.join(map(repr, near))}? {then}".rstrip() if near else then


def suggest(name: object, names: Iterable[str]) -> str:
    """Ask whether one of the nearest names was meant, or list all names if none is near.

    Examples
    --------
    >>> suggest("x", ["id", "labels"])
    'Available: id, labels.'
    """
    names = list(names)
    return did_you_mean(name, names) or f"Available: {', '.join(names)}."
