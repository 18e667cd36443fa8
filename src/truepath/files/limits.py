"""How much readers take from one file, and how environment variables change that."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

from truepath.errors import DataFormatError, TruePathError

_NUMBER = re.compile(r"(\d{1,18})([KMGT]?)", re.IGNORECASE)
_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


@dataclass(frozen=True)
class Limits:
    """The most that readers take from one file.

    Parameters
    ----------
    max_bytes : int, default=2**32
        Bytes of a file, unpacked if it is compressed; of the arrays in an archive; and of a matrix or of label
        names that take more room than the file they are written in.
    max_labels : int, default=2**22
        Labels that a file announces or names; the largest public collection has 2.8 million.
    max_features : int, default=2**27
        Features of a sparse text file, by its first line or by its largest index.
    max_depth : int, default=1000
        Levels of a hierarchy.

    Notes
    -----
    The variables ``TRUEPATH_MAX_BYTES``, ``TRUEPATH_MAX_LABELS``, ``TRUEPATH_MAX_FEATURES`` and
    ``TRUEPATH_MAX_DEPTH`` replace these numbers where no limits are given; ``16G`` means 16 * 2**30.

    Examples
    --------
    >>> from truepath.files import Limits
    >>> Limits(max_bytes=16 * 2**30).max_labels
    4194304
    """

    max_bytes: int = 2**32
    max_labels: int = 2**22
    max_features: int = 2**27
    max_depth: int = 1000

    def check(self, limit: str, found: int, problem: str, path: str | None, line: int | None = None) -> None:
        """Refuse what is above a limit; ``problem`` says what was found, the number in place of ``{}``."""
        most = getattr(self, limit)
        if found > most:
            raise DataFormatError(
                f"{problem.format(found)}, more than {limit}={most:,}.",
                path,
                line,
                remedy=f"If you expect a file like this, pass limits=truepath.files.Limits({limit}=...) with a larger "
                f"number, or set the environment variable {_variable(limit)}.",
            )

    def check_paths(self, paths: Iterable[Sequence[str]], sep: str, path: str | None) -> None:
        """Refuse label paths that are too deep, too many, or whose names, each a whole path, take too much room."""
        n_labels = n_characters = 0
        tree: dict[str, Any] = {}
        for parts in paths:
            self.check("max_depth", len(parts), "a label path of {:,} parts", path)
            node, length = tree, -len(sep)
            for part in parts:
                length += len(sep) + len(part)
                if part not in node:
                    node[part] = {}
                    n_labels, n_characters = n_labels + 1, n_characters + length
                node = node[part]
        self.check("max_labels", n_labels, "{:,} labels", path)
        self.check("max_bytes", n_characters, "names of labels that take {:,} bytes", path)

    def check_hierarchy(self, n_nodes: int, height: int, path: str | None) -> None:
        """Refuse a hierarchy with too many labels or too many levels."""
        self.check("max_labels", n_nodes, "{:,} labels", path)
        self.check("max_depth", height, "a hierarchy of {:,} levels", path)


def usual_limits() -> Limits:
    """Return the limits where none are given: those of the environment, else the defaults.

    Examples
    --------
    >>> usual_limits().max_depth
    1000
    """
    given = {field.name: os.environ.get(_variable(field.name)) for field in fields(Limits)}
    return Limits(**{limit: _parse(limit, text) for limit, text in given.items() if text})


def _variable(limit: str) -> str:
    return f"TRUEPATH_{limit.upper()}"


def _parse(limit: str, text: str) -> int:
    found = _NUMBER.fullmatch(text.strip())
    if found is None:
        raise TruePathError(
            f"the environment variable {_variable(limit)} is {text!r}, not a number.", "Write 20000000000 or 20G."
        )
    return int(found[1]) * _UNITS[found[2].upper()]
