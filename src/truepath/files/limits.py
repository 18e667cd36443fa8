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
    max_line : int, default=2**27
        Bytes of a line of text, and of a cell of a table. Files that are read a piece at a time, which may be larger
        than ``max_bytes``, are held to it too.
    max_columns : int, default=2**22
        Cells of a line of a table of text, its line of names too.
    max_ratio : int, default=200
        How many times its size a compressed file unpacks to, once that is more than ``2 * max_line`` bytes; the texts
        of a Parquet file and the arrays of an archive likewise. Real data stay below 100 as a rule.

    Notes
    -----
    The variables ``TRUEPATH_MAX_BYTES``, ``TRUEPATH_MAX_LABELS``, ``TRUEPATH_MAX_FEATURES``, ``TRUEPATH_MAX_DEPTH``,
    ``TRUEPATH_MAX_LINE``, ``TRUEPATH_MAX_COLUMNS`` and ``TRUEPATH_MAX_RATIO`` replace these numbers where no limits are
    given; ``16G`` means 16 * 2**30.

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
    max_line: int = 2**27
    max_columns: int = 2**22
    max_ratio: int = 200

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

    def check_cells(self, line: str, delimiter: str, path: str | None, number: int) -> None:
        """Refuse a line of a table that would be cut into too many cells."""
        if len(line) > self.max_columns:  # a sign each
            self.check("max_columns", line.count(delimiter) + 1, "a line of {:,} cells", path, number)

    def check_ratio(self, found: int, packed: int, path: str | None) -> None:
        """Refuse what unpacks to much, and to much more than the file takes that it came in."""
        if found > 2 * self.max_line:
            ratio = -(-found // max(packed, 1))
            self.check("max_ratio", ratio, f"{packed:,} bytes unpack to {found:,} or more, {{:,}} times as many", path)

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
