"""Reasons as a report keeps them: for each row the causes of some labels' scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from truepath.errors import TruePathError
from truepath.hierarchy import Hierarchy

__all__ = ["Reasons", "check_reasons"]

#: Node -> pairs (cause, what it adds)
Reasons = dict[int, list[tuple[str, float]]]


def check_reasons(given: Sequence[Any], hierarchy: Hierarchy, n_samples: int, of: str) -> tuple[Reasons | None, ...]:
    """Return each row's reasons by node; labels may be given by name or number."""
    if len(given) != n_samples:
        raise TruePathError(
            f"reasons {of} has {len(given)} entries for {n_samples} rows.", "Give one per row, or None."
        )
    return tuple(None if of_row is None else _check_row(of_row, hierarchy, of) for of_row in given)


def _check_row(of_row: Any, hierarchy: Hierarchy, of: str) -> Reasons:
    """Return one row's reasons by node, in the order of nodes."""
    if not isinstance(of_row, Mapping):
        raise TypeError(f"reasons {of} must be mappings from labels to pairs (cause, value); got {of_row!r:.80}.")
    found: Reasons = {}
    for label, causes in of_row.items():
        node = hierarchy.index(label) if isinstance(label, str) else int(label)
        if not 0 <= node < hierarchy.n_nodes:
            raise TruePathError(f"reasons {of} name the label {label!r}; there are {hierarchy.n_nodes}.")
        pairs = causes.items() if isinstance(causes, Mapping) else causes
        found[node] = [(str(cause), float(value)) for cause, value in pairs]
    return dict(sorted(found.items()))
