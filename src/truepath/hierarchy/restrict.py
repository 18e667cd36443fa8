"""Smaller hierarchies: keep some of the labels, or drop the rare ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from truepath.errors import HierarchyError
from truepath.hierarchy.checks import check_labels
from truepath.hierarchy.names import node_number

if TYPE_CHECKING:
    from truepath.hierarchy.hierarchy import Hierarchy


def subgraph(hierarchy: Hierarchy, nodes: ArrayLike | Sequence[str]) -> Hierarchy:
    """Keep ``nodes``, each hung from the kept ancestors it reaches through dropped ones only."""
    kept = [node_number(hierarchy, v) for v in np.asarray(nodes).tolist()]
    mask = np.zeros(hierarchy.n_nodes, bool)
    mask[kept] = True
    if not mask.any():
        raise HierarchyError("no node would be left; keep at least one.")
    nearest: list[set[int]] = []  # per node: itself if kept, else the kept nodes nearest above it
    pairs: list[tuple[int, int]] = []
    for v in range(hierarchy.n_nodes):
        above: set[int] = set().union(*(nearest[u] for u in hierarchy.parents(v)))
        if mask[v]:
            pairs += [(u, v) for u in above]
        nearest.append({v} if mask[v] else above)
    rank = np.cumsum(mask) - 1
    edges = rank[np.array(pairs, np.int64).reshape(-1, 2)]
    names = hierarchy.names[mask].tolist()
    aliases = {alias: name for alias, name in hierarchy.aliases.items() if mask[hierarchy.index(name)]}
    kept_names = set(names)
    titles = {name: title for name, title in hierarchy.titles.items() if name in kept_names}
    return type(hierarchy)(names, edges, aliases, hierarchy.sep, titles)


def prune(hierarchy: Hierarchy, min_count: int, Y: Any) -> Hierarchy:
    """Keep the labels with at least ``min_count`` positives in ``Y``."""
    Y = check_labels(Y, hierarchy)
    counts = np.asarray(Y.sum(axis=0)).ravel()
    if counts.max(initial=0) < min_count:
        raise HierarchyError(
            f"min_count={min_count} leaves no label: the commonest has {int(counts.max(initial=0))} positives."
        )
    return subgraph(hierarchy, np.flatnonzero(counts >= min_count))
