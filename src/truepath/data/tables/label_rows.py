"""The label paths of each row, from a column of cells or one column for each level: what a table of labels says."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from truepath.data.tables.columns import Columns
from truepath.data.tables.label_cells import LabelCells, whole_numbers
from truepath.english import counted
from truepath.errors import FlatLabelsWarning, FoundSeparatorWarning, JoinedLabelsWarning, SpellingsWarning
from truepath.files import Limits
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.prefixes import CODE, leading_code
from truepath.hierarchy.separators import USUAL, explains_little, find_separator
from truepath.hierarchy.spellings import find_spellings, plain_spelling, warn_about_spellings

#: What may stand between levels that come in columns: the first that no cell holds
JOINS = (USUAL, " > ", " | ", " :: ", " -> ")


@dataclass(frozen=True)
class LabelRows:
    """The paths of each row, the parts of each path, and what is between them; equal cells share one list."""

    rows: list[list[str]]
    parts: dict[str, tuple[str, ...]]
    sep: str


def read_label_rows(
    table: Columns,
    labels: str | Sequence[str],
    *,
    between: str = ";",
    sep: str | None = None,
    hierarchy: Hierarchy | None = None,
    prefixes: bool = False,
    merge_spellings: bool = False,
    limits: Limits,
) -> LabelRows:
    """Return the label paths of a table's rows, every part stripped of blanks.

    Parameters
    ----------
    table : Columns
    labels : str or sequence of str
        The column of paths, or one column per level; of codes (``prefixes``) each column holds labels of its own.
    between : str, default=";"
        Separator of the labels in a cell.
    sep : str, optional
        Separator of the parts of a path; None finds it out, unless the hierarchy says it.
    hierarchy : Hierarchy, optional
        The labels that are known: they are taken as they are, under any of their names.
    prefixes : bool, default=False
        Whether labels are codes, which are not split.
    merge_spellings : bool, default=False
        Whether labels that differ only in capitals, accents or blanks are one, spelled as most rows do, or as the
        hierarchy does.
    limits : Limits
        For the paths that a hierarchy is to be built of.
    """
    cells = LabelCells(between, () if hierarchy is None else hierarchy)
    if isinstance(labels, str):
        _check_sizes(table.data[labels], between, limits, table.path)
        lists: list[list[Any]] = [cells.split(cell) for cell in whole_numbers(table.data[labels])]
    else:
        lists = _lists_of_levels(table, labels, cells)
        if prefixes:  # a code has no levels beside it
            lists = [list(dict.fromkeys(cell for path in row for cell in path if cell)) for row in lists]
        else:
            _warn_about_columns(lists, labels)
    counts = Counter(label for row in lists for label in row)
    known = None if hierarchy is None else hierarchy.sep
    if sep is None and (hierarchy is None or known is None) and not prefixes:
        if not isinstance(labels, str):
            sep = _join_of(counts)
        elif hierarchy is None:
            sep = find_sep(counts, between)
        else:  # only to find labels that are not known as they are
            judged = find_separator({label: n for label, n in counts.items() if label not in hierarchy}, between)
            sep = None if judged is None else judged.sep
    sep = sep or known or USUAL
    steps = _steps_of(table, lists, counts, cells, sep, hierarchy, prefixes)
    cells.warn(labels if isinstance(labels, str) else ", ".join(labels))
    if hierarchy is None:
        if not prefixes:
            limits.check_paths(steps.values(), sep, table.path)
        steps = _spell(steps, counts, sep, merge_spellings)
        path_of = {label: sep.join(path) for label, path in steps.items()}
    else:
        spelled = plain_names(hierarchy) if merge_spellings else {}
        path_of = {label: find_path(hierarchy, path, sep, spelled) for label, path in steps.items()}
    renamed: dict[int, list[str]] = {}
    rows = [renamed.setdefault(id(row), [path_of[label] for label in row]) for row in lists]
    return LabelRows(rows, {path_of[label]: path for label, path in steps.items()}, sep)


def _check_sizes(column: Sequence[Any], between: str, limits: Limits, path: str | None) -> None:
    """Refuse a cell of more labels than a hierarchy may have, before it is taken apart."""
    for cell in column:
        if isinstance(cell, str | list | tuple) and len(cell) > limits.max_labels:
            n_labels = cell.count(between) + 1 if isinstance(cell, str) else len(cell)
            limits.check("max_labels", n_labels, "a cell of {:,} labels", path)


def _steps_of(
    table: Columns,
    lists: list[list[Any]],
    counts: Mapping[Any, int],
    cells: LabelCells,
    sep: str,
    hierarchy: Hierarchy | None,
    prefixes: bool,
) -> dict[Any, tuple[str, ...]]:
    """Return the parts of each label; a code, and a label that is known as it is, has one."""
    found: dict[Any, tuple[str, ...]] = {}
    for label, n in counts.items():
        is_whole = prefixes or (hierarchy is not None and label in hierarchy)
        steps = [label] if is_whole else list(label) if isinstance(label, tuple) else split_path(label, sep)
        if not all(steps):
            row = next(i for i, labels in enumerate(lists) if label in labels)
            said = label if isinstance(label, str) else sep.join(label)
            way = "" if isinstance(label, str) else f" {_ONE_COLUMN}"
            raise table.error(f"the label path {said.strip()[:60]!r} has an empty part.{way}", row)
        found[label] = tuple(cells.cut(steps, sep, n))
    return found


def _spell(
    steps: dict[Any, tuple[str, ...]], counts: Mapping[Any, int], sep: str, merge: bool
) -> dict[Any, tuple[str, ...]]:
    """Take the most frequent spelling of each label, or warn that there are several."""
    rows: Counter[tuple[str, ...]] = Counter()
    for label, path in steps.items():
        rows[path] += counts[label]
    if not merge:
        warn_about_spellings(rows, sep)
        _warn_about_dots(rows)
        return steps
    usual = find_spellings(rows)
    return {label: usual.get(path, path) for label, path in steps.items()}


def _warn_about_dots(paths: Collection[tuple[str, ...]]) -> None:
    """Warn about codes that are written with and without a dot, or with and without a sign at the end."""
    codes = list(dict.fromkeys(path[0] for path in paths if len(path) == 1))
    known = {code for code in codes if not code.isdecimal()} | {code.split(".")[0] for code in codes}
    for how, plain in (("a dot", _without_dots), ("a sign at the end", _without_signs)):
        bare = {plain(code): code for code in codes if plain(code) != code and _is_code(code)}
        if (twice := next((code for code in bare if code in known and code), None)) is not None:
            said = f"codes are written with and without {how}: {bare[twice]!r} and {twice!r} are labels of their own."
            warnings.warn(f"{said} Write them alike.", SpellingsWarning, stacklevel=5)


def _is_code(label: str) -> bool:
    """Say whether a label is a code, perhaps with a sign at the end, but no title."""
    return CODE.match(label) is not None and leading_code(label) == label


def _without_dots(code: str) -> str:
    return code.replace(".", "") if CODE.fullmatch(code) else code


def _without_signs(code: str) -> str:
    return code.rstrip(".-+*!# ")


def plain_names(hierarchy: Hierarchy) -> dict[str, str]:
    """Return the labels by what all their spellings have in common, those that share it left out."""
    plain = [plain_spelling(name) for name in hierarchy.names.tolist()]
    once = Counter(plain)
    return {key: name for key, name in zip(plain, hierarchy.names.tolist()) if once[key] == 1}


def split_path(label: str, sep: str) -> list[str]:
    """Return the parts of a path without blanks around them."""
    return [part.strip() for part in label.split(sep.strip() or sep)]


def find_path(hierarchy: Hierarchy, steps: Sequence[str], sep: str, spelled: Mapping[str, str] | None = None) -> str:
    """Return the hierarchy's name of a path, which may be one of its names or lead from name to name; else the path.

    ``spelled`` has names by :func:`plain_spelling`, for those that are not found as they are.
    """
    name = (hierarchy.sep or sep).join(steps)
    if name in hierarchy:
        return _name_in(hierarchy, name)
    if all(step in hierarchy for step in steps):
        nodes = [hierarchy.index(step) for step in steps]
        if all(u in hierarchy.parents(v) for u, v in pairwise(nodes)):
            return str(hierarchy.names[nodes[-1]])
    return (spelled or {}).get(plain_spelling(name), sep.join(steps))


def _name_in(hierarchy: Hierarchy, name: str) -> str:
    """Return what the hierarchy calls a label that it knows by some name."""
    return str(hierarchy.names[hierarchy.index(name)])


def find_sep(counts: Mapping[str, int], between: str | None = None) -> str:
    """Return what separates the levels of labels, and say so unless it is the usual sign and explains them well."""
    found = find_separator(counts, between)
    if found is not None and found.sep.strip() != USUAL:
        tops = {split_path(label, found.sep)[0] for label in counts}
        warnings.warn(
            f"the labels are read as paths with {found.sep!r} between their levels, which {found.with_it:.0%} of them "
            f"have: {len(counts):,} different labels, {len(tops):,} at the top. If it is part of names, pass another "
            "sep= (--sep).",
            FoundSeparatorWarning,
            stacklevel=4,
        )
        _warn_about_others([label for label in counts if found.mark not in label], found.sep, tops)
        return found.sep
    if found is None and (example := explains_little(counts, USUAL)) is not None:
        warnings.warn(
            f"{example[:60]!r} is read as a path, with {split_path(example, USUAL)[0][:60]!r} above it, though few "
            f"of the {len(counts):,} labels have {USUAL!r}. If it is part of names, pass a sep= (--sep) that none has.",
            FlatLabelsWarning,
            stacklevel=4,
        )
    both = next((label for label in counts if f" {USUAL} " in label and USUAL in label.replace(f" {USUAL} ", "")), None)
    if both is not None:
        said = f"{both[:60]!r} has {USUAL!r} with and without blanks around it: read as {both.count(USUAL) + 1} levels."
        warnings.warn(f"{said} Write another separator if one is part of a name.", FlatLabelsWarning, stacklevel=4)
    return USUAL


def _warn_about_others(labels: Iterable[str], sep: str, tops: Collection[str]) -> None:
    """Warn about labels without the separator that another one would put below a label at the top."""
    heads = {label: [label.split(mark)[0].strip() for mark in ("/", ">", "|") if mark in label] for label in labels}
    mixed = [label for label, found in heads.items() if any(head in tops for head in found)]
    if mixed:
        said = f"{counted(len(mixed), 'label')}, such as {mixed[0][:60]!r}, seem to have another separator than {sep!r}"
        warnings.warn(f"{said}: read as names. Write all paths with one.", FlatLabelsWarning, stacklevel=5)


def _join_of(paths: Iterable[Sequence[str]]) -> str:
    """Return what may stand between levels: no cell holds it."""
    held = {sep for sep in JOINS for path in paths for cell in path if sep.strip() in cell}
    return next((sep for sep in JOINS if sep not in held), USUAL)


def _warn_about_columns(lists: Iterable[Sequence[tuple[str, ...]]], columns: Sequence[str]) -> None:
    """Warn if columns that were read as the levels of a path share their names, as columns of several labels do."""
    paths = {path for row in lists for path in row}
    first = {path[0] for path in paths if path[0]}
    lower = {cell for path in paths for cell in path[1:] if cell and cell != path[0]}
    shared = sorted(first & lower)
    if len(lower) > 1 and 2 * len(shared) >= len(lower):
        named = ", ".join(map(repr, columns))
        said = f"the columns {named} are read as the levels of one path, but {shared[0][:60]!r} is in several of them."
        warnings.warn(f"{said} {_ONE_COLUMN}", JoinedLabelsWarning, stacklevel=4)


#: What to do where columns are no levels
_ONE_COLUMN = "Several labels of a row go into one column, with between= (--between) between them, as in 'a;b'."


def _lists_of_levels(table: Columns, columns: Sequence[str], cells: LabelCells) -> list[list[Any]]:
    """Return the path of each row as the tuple of its cells, without the empty ones at its end."""
    levels = [[(cells.split(cell) or [""])[0] for cell in whole_numbers(table.data[column])] for column in columns]
    found = []
    for path in zip(*levels):
        length = max((k + 1 for k, cell in enumerate(path) if cell), default=0)
        found.append([path[:length]] if length else [])
    return found
