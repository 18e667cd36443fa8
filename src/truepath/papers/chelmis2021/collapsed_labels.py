"""The classes of Chelmis & Qi (2021): equal codes of different parents on a level are one class.

That gives their 26, 22 and (two levels of three) 343 classes, where the trees have 96, 46 and 398 nodes. Merged classes
are not a hierarchy: a merged code has several parents, and an instance has one of them. So either the true tree is
learned, or the merged classes as a flat set; predictions are then merged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from truepath.hierarchy import Hierarchy

NO_CLASS = -1


def collapse_levels(hierarchy: Hierarchy, Y: NDArray[Any], max_depth: int | None = None) -> NDArray[Any]:
    """Return the number of each node's merged class; -1 for nodes without rows in Y, and below ``max_depth``.

    Examples
    --------
    >>> import numpy as np
    >>> from truepath import Hierarchy
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> h.names.tolist(), collapse_levels(h, np.ones((1, 5), bool)).tolist()
    (['a', 'a/1', 'a/2', 'b', 'b/1'], [0, 1, 2, 3, 1])
    """
    is_used: NDArray[Any] = np.asarray(Y.any(axis=0))
    keys = [(int(d), str(name).rsplit("/", 1)[-1]) for d, name in zip(hierarchy.depth, hierarchy.names)]
    deepest = hierarchy.height if max_depth is None else max_depth
    kept = dict.fromkeys(key for key, used in zip(keys, is_used) if used and key[0] <= deepest)
    number = {key: k for k, key in enumerate(kept)}
    return np.array([number.get(key, NO_CLASS) for key in keys])


def merge_columns(Y: NDArray[Any], merged: NDArray[Any]) -> NDArray[np.bool_]:
    """Return the labels in the merged classes."""
    from scipy import sparse

    nodes = np.flatnonzero(merged != NO_CLASS)
    ones = np.ones(nodes.size, np.int64)
    membership = sparse.csr_array((ones, (nodes, merged[nodes])), shape=(merged.size, merged.max() + 1))
    return (sparse.csr_array(Y, dtype=np.int64) @ membership).toarray() > 0


def unmerge_scores(S: NDArray[Any], merged: NDArray[Any]) -> NDArray[Any]:
    """Give every node the score of its class; nodes without a class score below all others."""
    spread = np.full((len(S), merged.size), S.min() - 1)
    spread[:, merged != NO_CLASS] = S[:, merged[merged != NO_CLASS]]
    return spread
