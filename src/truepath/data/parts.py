"""Parts of data by the names people give them: train, valid, test, and what else these are called."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

#: Other names of the parts, as they are compared: small letters without blanks and signs between them
NAMES: Mapping[str, tuple[str, ...]] = {
    "train": ("train", "training", "trn", "trainset", "trainingset", "learn", "learning"),
    "valid": ("valid", "validation", "val", "validate", "dev", "devel", "development", "tune", "tuning"),
    "test": ("test", "testing", "tst", "testset", "holdout", "heldout"),
}
_PART_OF = {other: part for part, others in NAMES.items() for other in others}


def usual_part(name: str) -> str | None:
    """Return the part that a name means, None if it is none of the usual names.

    Examples
    --------
    >>> usual_part("TEST"), usual_part(" Validation "), usual_part("held-out"), usual_part("fold 1")
    ('test', 'valid', 'test', None)
    """
    return _PART_OF.get(re.sub(r"[\s_-]+", "", name).lower())


def list_values(values: Iterable[str], n_shown: int = 8) -> str:
    """Return the values of a column with how many rows each has, the most frequent first, in words.

    Examples
    --------
    >>> list_values(["a", "b", "a"])
    "'a' (2 rows), 'b' (1 row)"
    """
    found = Counter(values).most_common()
    shown = [f"{value[:40]!r} ({n:,} {'row' if n == 1 else 'rows'})" for value, n in found[:n_shown]]
    return ", ".join([*shown, *([f"{len(found) - n_shown} more"] if len(found) > n_shown else [])])
