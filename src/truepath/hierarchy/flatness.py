"""Warnings about labels that look different from how they were read: paths as flat names, several labels as one."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise
from typing import Any

from truepath.errors import FlatLabelsWarning, JoinedLabelsWarning, MissingLabelsWarning
from truepath.hierarchy.prefixes import CODE, are_prefixed
from truepath.hierarchy.separators import find_separator, weak_separator

#: What people write between the levels of a path
SEPARATORS = (" > ", "::", "|", "/", "->", "\\")
#: What people write between the labels of a row
BETWEEN = (";", "|", ",", "&", "\n")
#: What pandas reads as a missing value, and so what it, R, databases and spreadsheets write for one
MISSING = frozenset(
    [
        *("#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA"),
        *("NULL", "NaN", "None", "n/a", "nan", "null", "NaT", "\\N", "-", "--", "?", "n.a.", "N.A."),
    ]
)
#: Such as GO:0006915 or E11.9
_LONG_CODE = re.compile(r"[A-Za-z]{1,5}[-_:]?\d[\w.:-]{2,}")
#: Fewer different rows, not all of one length, do not show whether they are paths
FEWEST_PATHS = 3
#: From this many on, labels that look like several count as several: a single one may be a name
FEWEST_LISTS = 2


def warn_about_lists(names: Iterable[str], sep: str) -> str | None:
    """Warn if labels are others with something between them; return what that is.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as said:
    ...     warnings.simplefilter("always")
    ...     found = warn_about_lists(["a/1", "a/2", "b", "a/1|b", "b | a/2"], "/")
    >>> print(said[0].message)
    2 of the 5 labels, such as 'a/1|b', look like several with '|' between them, and were read as one each. If they ...
    >>> warn_about_lists(["a", "a|1", "a|2"], "/")  # levels of a path: nothing is called 1 or 2
    """
    listed = list(names)
    for other in (*BETWEEN, " "):
        if other == sep.strip():
            continue
        joined = [name for name in listed if other in name]
        if other == " " and not _are_lists_of_codes(joined, other):
            continue
        plain = [name for name in listed if other not in name]
        known = {sep.join(parts[:k]) for parts in (name.split(sep) for name in plain) for k in range(1, len(parts) + 1)}
        parts = [part.strip() for name in joined for part in name.split(other)]
        lists = [name for name in joined if all(part.strip() in known for part in name.split(other))]
        mostly = len(joined) >= FEWEST_LISTS and 3 * sum(part in known for part in parts) >= 2 * len(parts)
        hold_paths = any(sep in part for name in lists for part in name.split(other))
        if not lists and _are_lists_of_codes(joined, other):
            lists, mostly = joined, True
        if lists and (mostly or hold_paths) and 2 * len(lists) >= len(joined):
            warnings.warn(
                f"{len(lists)} of the {len(listed)} labels, such as {lists[0][:60]!r}, look like several with "
                f"{other!r} between them, and were read as one each. If they are several, pass between={other!r} "
                "(--between).",
                JoinedLabelsWarning,
                stacklevel=3,
            )
            return other
    return None


def _are_lists_of_codes(labels: Sequence[str], between: str) -> bool:
    """Say whether labels are codes with something between them."""
    code = CODE if between.strip() else _LONG_CODE  # a year or a quarter is part of a name
    parts = (part.strip() for label in labels for part in label.split(between))
    return len(labels) >= FEWEST_LISTS and all(code.fullmatch(part) for part in parts)


def warn_about_nested(rows: Iterable[Sequence[str]], between: str) -> None:
    """Warn if the labels of each row, taken side by side, nest like the levels of one path.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as said:
    ...     warnings.simplefilter("always")
    ...     warn_about_nested([["Life", "Plant"], ["Life", "Pet", "Cat"], ["Life", "Pet", "Dog"]], ";")
    >>> print(said[0].message)
    the labels of a row, such as ['Life', 'Plant'], were read as several, but nest like the levels of one path. If ...
    """
    several = {tuple(row) for row in rows if len(row) > 1}
    before: dict[str, set[tuple[int, str]]] = {}
    for row in several:
        for k, name in enumerate(row):
            before.setdefault(name, set()).add((k, row[k - 1] if k else ""))
    below = [found for found in before.values() if min(found)[0]]
    n_above = len({(k, above) for found in below for k, above in found})
    is_clear = 10 * sum(len(found) == 1 for found in before.values()) >= 8 * len(before)
    nest = is_clear and n_above < len(below)  # some stand above several
    if len(several) >= FEWEST_PATHS and (nest or _have_ranks(before)):
        shown = list(next(row for row in sorted(several, key=len)))
        warnings.warn(
            f"the labels of a row, such as {shown!r}, were read as several, but nest like the levels of one path. If "
            f"they are levels, pass sep={between!r} (--sep) and something else as between= (--between), such as '|'.",
            FlatLabelsWarning,
            stacklevel=3,
        )


#: The letter of a rank before a name, as in k__Bacteria
_RANK = re.compile(r"[a-z]{1,2}__")


def _have_ranks(names: Collection[str]) -> bool:
    """Say whether names begin with their rank in a lineage."""
    return all(_RANK.match(name) for name in names)


def warn_about_separators(labels: Iterable[str], sep: str, between: str | None = None) -> None:
    """Warn if labels that were split at ``sep`` look like paths with something else between their levels.

    So they do if another sign clearly explains them better, or if none has ``sep`` and some contain what usually
    separates the levels of a path. ``between`` is known to separate labels.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as said:
    ...     warnings.simplefilter("always")
    ...     warn_about_separators(["Food > Fruit", "Tools"], "/")
    >>> print(said[0].message)
    the 2 labels are flat: no name has the separator '/', but 'Food > Fruit' has ' > '. If that separates the ...
    """
    listed = list(labels)
    n_split = sum(sep in name for name in listed)
    clear = find_separator(dict.fromkeys(listed, 1), between)
    if clear is not None and clear.mark != sep.strip() and n_split < clear.n_with:
        found, other = next(name for name in listed if clear.mark in name), clear.sep
    elif not n_split and not are_prefixed(listed) and (weak := weak_separator(listed)) is not None:
        found, other = weak
    else:
        signs = (other for other in SEPARATORS if other not in (sep, between) and not n_split)
        pairs = ((name, other) for other in signs for name in listed if other in name)
        found, other = next(pairs, ("", ""))
    if found:
        n = f"{n_split} of" if n_split else "no name has"
        read = f"{n} the {len(listed)} labels have" if n_split else f"the {len(listed)} labels are flat: {n}"
        warnings.warn(
            f"{read} the separator {sep!r}, but {found[:60]!r} has {other!r}. If that separates the levels of a path, "
            f"pass sep={other!r} (--sep); if it separates labels, between={other!r} (--between).",
            FlatLabelsWarning,
            stacklevel=3,
        )


def warn_about_missing(names: Iterable[str]) -> None:
    """Warn if labels given in Python are called as missing values are written; they stay labels."""
    found = [name for name in names if name in MISSING]
    if found:
        shown = ", ".join(map(repr, found[:5]))
        warnings.warn(
            f"labels are called as missing values are written: {shown}. They are learned as labels; give a row "
            "without a label as [], or a hierarchy (hierarchy=) if they are labels.",
            MissingLabelsWarning,
            stacklevel=3,
        )


def warn_about_levels(rows: Sequence[Any]) -> None:
    """Warn if the rows of a flat result look like the levels of one path each, of one length or of several.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as said:
    ...     warnings.simplefilter("always")
    ...     warn_about_levels([["Bird"], ["Bird", "Duck"], ["Fish", "Shark", "White"], ["Fish", "Shark"]])
    >>> print(said[0].message)
    the labels are flat: each row, such as ['Bird', 'Duck'], was read as 2 labels side by side, but the rows nest ...
    """
    if not all(isinstance(row, (list, tuple)) and all(isinstance(name, str) for name in row) for row in rows):
        return
    paths = dict.fromkeys(tuple(row) for row in rows if row)
    if _nest(paths):
        first = next(path for path in paths if len(path) > 1)
        warnings.warn(
            f"the labels are flat: each row, such as {list(first)!r}, was read as {len(first)} labels side by side, "
            "but the rows nest like the levels of a path. If they are levels, pass np.array(y) where all have one "
            "length, or a tuple for each path: [[tuple(row)] for row in y].",
            FlatLabelsWarning,
            stacklevel=3,
        )


def _nest(paths: Collection[tuple[str, ...]]) -> bool:
    """Say whether each name stands in one place, most stand below one other, and some share what is above them."""
    places = {(name, k) for path in paths for k, name in enumerate(path)}
    is_even = len({len(path) for path in paths}) == 1
    if len(paths) < (2 if is_even else FEWEST_PATHS) or len(places) != len({name for name, _ in places}):
        return False
    pairs = {pair for path in paths for pair in pairwise(path)}
    above = Counter(lower for _, lower in pairs)
    below = Counter(upper for upper, _ in pairs)
    once = sum(n == 1 for n in above.values())
    shares = any(n > 1 for n in below.values()) or any(path[:-1] in paths for path in paths if len(path) > 1)
    return bool(pairs) and shares and 2 * once > len(above)
