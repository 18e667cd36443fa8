"""Codes whose beginnings are groups, such as E11 above E11.9: which codes are so, and the hierarchy they make."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from truepath.errors import FlatLabelsWarning
from truepath.hierarchy.build import Numbered, check_name, number_edges

#: A code: letters, then a digit, then letters, digits, dots and dashes
CODE = re.compile(r"[A-Za-z]{0,5}[-_:]?\d[\w.:-]*")
#: A term as ontologies number them, such as GO:0006915
_TERM = re.compile(r"[A-Za-z]{2,}[:_]\d{4,}$")
#: Groups of codes are written with this many characters at least: what two numbers begin with means nothing
SHORTEST = 2
#: Fewer codes show nothing
FEWEST = 5


def number_prefixes(names: Iterable[str], sep: str, whole_parts: bool | None) -> Numbered:
    """Number the codes and the groups they belong to; parameters as for :meth:`Hierarchy.from_prefixes`."""
    code_of = {name: leading_code(name) for name in dict.fromkeys(check_name(name) for name in names)}
    whole = _end_at_separators(code_of.values(), sep) if whole_parts is None else whole_parts
    name_of = {code: name for name, code in reversed(code_of.items())}  # the first of several names
    nodes: dict[str, str] = {}
    for name, code in code_of.items():
        parts = code.split(sep) if sep else [code]
        stems = (sep.join(parts[:k]) for k in range(1, len(parts)))
        nodes |= {name_of.setdefault(stem, stem): stem for stem in stems if stem} | {name: code}
    edges = [(_parent(code, name_of, sep, whole), name) for name, code in nodes.items()]
    return number_edges(edges, nodes, None)


def leading_code(name: str) -> str:
    """Return the code that a name begins with, if a title follows it; else the name.

    Examples
    --------
    >>> leading_code("E11.9 Diabetes mellitus, type 2"), leading_code("Type 2 diabetes")
    ('E11.9', 'Type 2 diabetes')
    """
    code, _, title = name.partition(" ")
    return code if title and CODE.fullmatch(code) else name


def _parent(code: str, name_of: Mapping[str, str], sep: str, whole: bool) -> str | None:
    """Return the name of the longest other code that this one begins with."""
    for k in range(len(code) - 1, 0, -1):
        is_end = bool(sep) and code.startswith(sep, k)
        if (is_end or not whole) and code[:k] in name_of:
            return name_of[code[:k]]
    return None


def _end_at_separators(codes: Collection[str], sep: str) -> bool:
    """Say whether groups end at separators only, as in 1.1 above 1.1.10; in ICD, E11.6 stands above E11.65."""
    with_sep = [code for code in codes if sep and sep in code]
    widths = {code.index(sep) for code in with_sep}
    return bool(with_sep) and (any(code.count(sep) > 1 for code in with_sep) or len(widths) > 1 or min(widths) < 3)


def are_prefixed(names: Collection[str], sep: str = ".") -> tuple[str, str] | None:
    """Return a code and its group if names look like codes whose beginnings are groups, else None.

    Most of them have the form of a code, and most of those stand below a code that is listed or is the beginning of
    several.

    Examples
    --------
    >>> are_prefixed(["E11.9", "E11.65", "E10.1", "E10.2", "I10"]), are_prefixed(["GO:1", "GO:2", "GO:3", "a", "b"])
    (('E11.9', 'E11'), None)
    >>> are_prefixed(["E11.9 type 2", "E11.6 foot", "E10.1 coma", "E10.9 type 1", "I10 pressure"])
    ('E11.9', 'E11')
    """
    codes = list(dict.fromkeys(code for name in names if CODE.fullmatch(code := leading_code(name))))
    if len(codes) < max(FEWEST, 0.8 * len(names)) or _are_numbers(codes):
        return None
    stems = Counter(code.rpartition(sep)[0] for code in codes)
    known = set(codes)
    below = {code: stem for code in codes if (stem := _stem(code, known, stems, sep)) is not None}
    return next(iter(below.items())) if 2 * len(below) >= len(codes) else None


def _stem(code: str, known: Collection[str], stems: Counter[str], sep: str) -> str | None:
    stem = code.rpartition(sep)[0]
    if stem and (stems[stem] > 1 or stem in known):
        return stem
    return next((code[:k] for k in range(len(code) - 1, SHORTEST - 1, -1) if code[:k] in known), None)


def _are_numbers(codes: Collection[str]) -> bool:
    """Say whether codes are fractions, or numbers one after the other: what they begin with means nothing."""
    if not all(code.isdecimal() for code in codes):
        return False
    numbers = sorted(map(int, codes))
    return numbers[-1] - numbers[0] < 4 * len(numbers)


def warn_about_codes(names: Collection[str]) -> None:
    """Warn if the labels of a hierarchy without edges look like codes whose beginnings are groups."""
    found = are_prefixed(names)
    if found is None and names and all(_TERM.match(name) for name in names):
        warnings.warn(
            f"the {len(names)} labels are flat, but they look like terms of an ontology, as {next(iter(names))!r}. "
            "Its file says which stand above others: pass hierarchy= (--hierarchy), such as go-basic.obo.",
            FlatLabelsWarning,
            stacklevel=3,
        )
    if found is not None:
        warnings.warn(
            f"the {len(names)} labels are flat, but they look like codes that begin with their group, as {found[0]!r} "
            f"with {found[1]!r}. If so, pass hierarchy=Hierarchy.from_prefixes(codes) (prefixes=True in a reader, "
            "--prefixes).",
            FlatLabelsWarning,
            stacklevel=3,
        )


def warn_about_whole_codes(names: Collection[str]) -> None:
    """Warn that a hierarchy that was asked for by prefixes has no edge."""
    example = next(iter(names))
    warnings.warn(
        f"none of the {len(names)} labels, such as {example[:60]!r}, begins with another or has '.': they are flat. "
        "Write codes with the dot, or give a file of the codes and their groups by hierarchy= (--hierarchy).",
        FlatLabelsWarning,
        stacklevel=3,
    )
