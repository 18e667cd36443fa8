"""What separates the levels of label paths, judged by how well it explains all labels, not by one that contains it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

#: Signs that people write between levels, with the least share of rows that each must explain to be clear. Arrows mean
#: little else; the others occur in names too
MARKS = {
    **dict.fromkeys(("->", "=>", ">>", ">", "→", "»", "›", "::"), 0.25),
    **dict.fromkeys(("/", "|", "\\"), 0.5),
}
#: Signs that are too common in names to be taken, and are only told of
WEAK = (" - ", " – ", " — ", ": ", ".")
#: Signs that must explain more than this separate labels as well as levels
LISTED = 0.25
#: The separator where nothing else is clear
USUAL = "/"
#: From this many labels on, few names with the usual separator, which explain little, are told of
MANY = 10
FEW = 0.2


class Separator(NamedTuple):
    """What a sign explains as the separator of levels.

    Attributes
    ----------
    sep : str
        As it is written mostly: with a blank on both sides, or none.
    n_with : int
        The labels that contain it.
    with_it, explained : float
        The share of rows whose label contains it; and of those where another label begins with the same first part.
    """

    sep: str
    n_with: int
    with_it: float
    explained: float

    @property
    def mark(self) -> str:
        """The sign without blanks."""
        return self.sep.strip()

    @property
    def is_clear(self) -> bool:
        """Whether it separates levels beyond doubt: in half of the rows at least, and many share what is before it."""
        return self.with_it >= 0.5 and self.explained >= MARKS[self.mark]


def find_separator(labels: Mapping[str, int], between: str | None = None) -> Separator | None:
    """Return what separates the levels of labels; None if nothing is clear.

    Parameters
    ----------
    labels : mapping of str to int
        Each label as it is written, and how many rows have it.
    between : str, optional
        What separates the labels of a row, which cannot separate levels too.

    Examples
    --------
    >>> find_separator({"Food > Fruit": 5, "Food > Dairy": 3, "Tools > Saws/Axes": 1}).sep
    ' > '
    >>> find_separator({"Food": 5, "Pots/Pans": 3})
    """
    return next((found for found in judge_separators(labels, between) if found.is_clear), None)


def judge_separators(labels: Mapping[str, int], between: str | None = None) -> Iterator[Separator]:
    """Yield what each sign explains that some label contains; of two that both are clear the first is outside."""
    for mark in MARKS:
        if between and (between.strip() or between) in mark:
            continue
        found = _judge(mark, labels)
        if found is not None:
            yield found


def weak_separator(labels: Iterable[str]) -> tuple[str, str] | None:
    """Return a label, and a sign in it that explains most labels as a separator, though it is common in names.

    Examples
    --------
    >>> weak_separator(["Toys - Lego", "Toys - Dolls", "Home"])
    ('Toys - Lego', ' - ')
    """
    counts = dict.fromkeys(labels, 1)
    for mark in WEAK:
        found = _judge(mark, counts)
        if found is not None and found.n_with > 1 and found.with_it >= 0.5 <= found.explained:
            return next(label for label in counts if mark in label), mark
    return None


def sep_of_edges(edges: Iterable[tuple[str | None, str]]) -> str | None:
    """Return what joins the parts of names if every name below another is a path that begins with that of its parent.

    Examples
    --------
    >>> sep_of_edges([(None, "a"), ("a", "a > b")]), sep_of_edges([("E08", "E08.7")])
    (' > ', None)
    """
    found = set()
    for parent, child in edges:
        if parent is not None:
            if not child.startswith(parent):
                return None
            found.add(
                next((m[0] for mark in MARKS if (m := re.match(rf" ?{re.escape(mark)} ?", child[len(parent) :]))), None)
            )
    return found.pop() if len(found) == 1 else None


def explains_little(labels: Mapping[str, int], sep: str) -> str | None:
    """Return a label that is read as a path though the separator seems to be part of its name; None if all is well.

    So it is where many labels are there, few contain the separator, and hardly any of them share what is before it.
    """
    found = _judge(sep.strip() or sep, labels) if len(labels) >= MANY else None
    if found is None or found.n_with > FEW * len(labels) or 2 * found.explained >= found.with_it:
        return None
    return next(label for label in labels if found.mark in label)


def _judge(mark: str, labels: Mapping[str, int]) -> Separator | None:
    """Count what a sign explains."""
    inside = [other for other in MARKS if mark in other and mark != other]
    paths = {}
    for label in (label for label in labels if mark in label):
        parts = [part.strip() for part in label.split(mark)]
        while parts and not parts[-1]:  # a separator at the end
            parts.pop()
        if len(parts) > 1 and all(parts) and not any(other in label for other in inside):
            paths[label] = parts
    if not paths:
        return None
    plain = {label.strip() for label in labels if label not in paths}
    tops = Counter(parts[0] for parts in paths.values())
    explained = {label for label, parts in paths.items() if tops[parts[0]] > 1 or parts[0] in plain}
    if MARKS.get(mark, LISTED) > LISTED:  # several labels with the sign between them are no path
        heads = plain | tops.keys()
        explained -= {label for label, parts in paths.items() if not heads.isdisjoint(parts[1:])}
    heads = {paths[label][0] for label in explained}
    explained |= {label for label in labels if label not in paths and label.strip() in heads}
    n_rows = sum(labels.values())
    spaced = sum(len(re.findall(rf"\s{re.escape(mark)}\s", label)) * labels[label] for label in paths)
    all_of_it = sum((len(parts) - 1) * labels[label] for label, parts in paths.items())
    return Separator(
        f" {mark} " if 2 * spaced > all_of_it else mark,
        len(paths),
        sum(labels[label] for label in paths) / n_rows,
        sum(labels[label] for label in explained) / n_rows,
    )
