"""Arcs: the edges of a hierarchy with those from the implicit root, and the conditional scores that live on them.

A label's *conditional* score p(y_v = 1 | y_u = 1, x) belongs to an edge, not to a node. The conditional matrix
``C`` has one column per arc. Arcs are sorted by child, then by parent; a top-level node has one arc, from the
root, written as parent -1. So there are ``n_edges + len(roots)`` of them, the arcs into ``v`` are the columns
``arc_ptr[v]:arc_ptr[v + 1]``, and on a tree column ``v`` is simply node ``v``.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from truepath import _kernels
from truepath.errors import ConstraintError
from truepath.hierarchy.matrices import as_dense
from truepath.hierarchy.propagation import find_incoherent

if TYPE_CHECKING:
    from truepath.hierarchy.hierarchy import Hierarchy

# A child's score may exceed its parent's by this much, as rounding does; the ratio then counts as 1.
COHERENCE_TOLERANCE = 1e-6


@lru_cache(maxsize=16)  # asked for again by every block of rows
def arc_pointers(hierarchy: Hierarchy) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the arcs as index arrays: where each node's arcs begin, and each arc's parent (-1 for the root).

    Parameters
    ----------
    hierarchy : Hierarchy

    Returns
    -------
    arc_ptr : ndarray of int32, shape (n_nodes + 1,)
        The arcs into ``v`` are ``arc_ptr[v]:arc_ptr[v + 1]``.
    arc_parent : ndarray of int32, shape (n_arcs,)

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> h = Hierarchy.from_edges([(None, "a"), (None, "b"), ("a", "c"), ("b", "c")])
    >>> ptr, parent = arc_pointers(h)
    >>> ptr.tolist(), parent.tolist()
    ([0, 1, 2, 4], [-1, -1, 0, 1])
    """
    n_parents = np.diff(hierarchy.parent_ptr)
    arc_ptr = np.concatenate([[0], np.cumsum(np.maximum(n_parents, 1))]).astype(np.int32)
    arc_parent = np.full(arc_ptr[-1], -1, np.int32)
    arc_parent[np.repeat(n_parents > 0, np.maximum(n_parents, 1))] = hierarchy.parent_idx
    arc_ptr.flags.writeable = arc_parent.flags.writeable = False
    return arc_ptr, arc_parent


def conditional_from_marginals(S: Any, hierarchy: Hierarchy, *, zero_division: float = 0.0) -> NDArray[Any]:
    """Return p(y_v = 1 | y_u = 1) = S[v] / S[u] for every arc; the root's score is 1.

    Parameters
    ----------
    S : ndarray or csr_array of float, shape (n_samples, n_nodes)
        Coherent marginals in [0, 1]; sparse scores are made dense.
    hierarchy : Hierarchy
    zero_division : float, default=0.0
        The conditional below a parent whose score is 0.

    Returns
    -------
    C : ndarray of the float type of S, shape (n_samples, n_arcs)
        See :func:`arc_pointers` for the order of the columns.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b"])
    >>> conditional_from_marginals(np.array([[0.8, 0.4, 0.2, 0.5]]), h).tolist()
    [[0.8, 0.5, 0.25, 0.5]]
    """
    S = as_dense(S)
    arc_ptr, arc_parent = arc_pointers(hierarchy)
    C = np.empty((S.shape[0], arc_parent.size), S.dtype)
    if not _kernels.hierarchy.arcs.divide_by_parents(S, arc_ptr, arc_parent, zero_division, COHERENCE_TOLERANCE, C):
        raise _incoherent(S, hierarchy)
    return C


def marginals_from_conditional(C: NDArray[Any], hierarchy: Hierarchy) -> NDArray[np.float64]:
    """Return p(y_v = 1) as the least of C[u -> v] * p(y_u = 1) over the parents u.

    As v implies u, each of these products estimates the same number; only the least is sure not to exceed any parent.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b"])
    >>> marginals_from_conditional(np.array([[0.5, 0.5, 0.25, 0.5]]), h).tolist()
    [[0.5, 0.25, 0.125, 0.5]]
    """
    of_arc = np.array(C.T, np.float64, order="C")  # one contiguous row per arc
    S = np.empty((hierarchy.n_nodes, C.shape[0]))
    arc_ptr, _ = arc_pointers(hierarchy)
    for v in range(hierarchy.n_nodes):
        own, parents = of_arc[arc_ptr[v] : arc_ptr[v + 1]], hierarchy.parents(v)
        S[v] = (own * S[parents]).min(axis=0) if parents.size else own[0]
    return np.ascontiguousarray(S.T)


def _incoherent(S: NDArray[Any], hierarchy: Hierarchy) -> ConstraintError:
    """Say where a score exceeds its parent's: their ratio is not a probability."""
    broken = find_incoherent(S, hierarchy, COHERENCE_TOLERANCE)
    if broken is None:  # it is a top-level score that exceeds the root's
        return ConstraintError(f"S must hold probabilities in [0, 1]; found {S.max()}.")
    rows, where = broken.describe(hierarchy, "above")
    return ConstraintError(
        f"S has {rows} with a score above its parent's ({where}), so S[v] / S[parent] is not a probability.",
        "Make S coherent with one of truepath.combiners, or pass the conditional scores themselves.",
    )
