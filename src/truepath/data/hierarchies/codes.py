"""Lists with a code in front of every label: ``3237 - Animals > Live``, ``E11.9 Type 2 diabetes``."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence

import numpy as np

from truepath.data.tables.label_rows import split_path
from truepath.errors import FoundSeparatorWarning
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.prefixes import CODE, are_prefixed
from truepath.hierarchy.separators import USUAL, find_separator

#: What stands between code and label in a line
BETWEEN = (re.compile(r"\s*\t\s*"), re.compile(r"\s+[-–:|]\s+"), re.compile(r"\s+"))


def split_codes(lines: Sequence[str]) -> list[tuple[str, str]] | None:
    """Return the code and the label of every line; None if not all lines begin with a code of their own.

    Examples
    --------
    >>> split_codes(["1 - Animals", "3237 - Animals > Live"]), split_codes(["Animals", "Animals > Live"])
    ([('1', 'Animals'), ('3237', 'Animals > Live')], None)
    """
    for between in BETWEEN:
        pairs = [tuple(between.split(line.strip(), maxsplit=1)) for line in lines]
        if all(len(pair) == 2 and CODE.fullmatch(pair[0]) for pair in pairs):
            return [(pair[0], pair[1]) for pair in pairs]
    return None


def coded_hierarchy(pairs: Sequence[tuple[str, str]], sep: str | None) -> Hierarchy | None:
    """Return the hierarchy of codes and labels, if it is clear that they are no edges; a header may come first.

    Labels that are paths make the hierarchy, and their codes become other names of them; other labels are the titles of
    codes that begin with their group.
    """
    rows = pairs[1:] if pairs and not CODE.fullmatch(pairs[0][0]) else pairs
    codes = [code for code, _ in rows]
    if not rows or not all(map(CODE.fullmatch, codes)) or len(set(codes)) < len(codes):
        return None
    if set(codes) & {label for _, label in rows}:
        return None
    found = find_separator({label: 1 for _, label in rows})
    if found is not None:
        return _of_paths(rows, sep or found.sep)
    return _of_prefixes(rows) if are_prefixed(codes) else None


def _of_paths(rows: Sequence[tuple[str, str]], sep: str) -> Hierarchy:
    steps = {code: split_path(label, sep) for code, label in rows}
    tree = Hierarchy.from_paths(steps.values(), sep=sep)
    aliases = {code: sep.join(path) for code, path in steps.items() if code not in tree}
    remark(
        f"paths with {sep!r} between their levels, and the codes before them, such as {rows[0][0]!r}, as other names"
    )
    return Hierarchy(tree.names.tolist(), tree.edges.astype(np.int64), aliases, sep)


def _of_prefixes(rows: Sequence[tuple[str, str]]) -> Hierarchy:
    remark(f"codes with their titles, such as {rows[0][0]!r}, each below the code that it begins with")
    return Hierarchy.from_prefixes([code for code, _ in rows], titles=dict(rows))


def remark(what: str) -> None:
    """Say how the lines of a hierarchy are read."""
    usual = f"edges or paths with {USUAL!r}"
    said = f"the hierarchy is read as {what}. If its lines are {usual}, write them as JSON."
    warnings.warn(said, FoundSeparatorWarning, stacklevel=4)
