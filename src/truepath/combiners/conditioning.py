r"""Scores given that no forbidden label is true: what ``allowed=`` does to them.

Let E be "none of the forbidden labels is true". The result is :math:`p(y_v = 1 \mid E, x)`, under the paths' own
probabilities:

* *Any number of paths*, on a tree. Children are independent of each other given their parent, with
  :math:`c_v = p(y_v = 1 \mid y_u = 1) = S_v / S_u`. Let :math:`q_v` be the probability of E among what is below v,
  given that v is true: the product of :math:`1 - c_w` over its forbidden children and of :math:`1 - c_w + c_w q_w`
  over the others. Then :math:`p(y_v = 1 \mid y_u = 1, E) = c_v q_v / (1 - c_v + c_v q_v)`: one pass up, one down. A
  parent of a forbidden label becomes less likely, for it might have been true because of that label.
* *Any number of paths, on a DAG*. A label is true with probability :math:`c_v` where all its parents are, so that
  :math:`S_v` is the product of c over v and its ancestors. Exact inference is done as long as no more than 12 labels
  have to be looked at together (:mod:`truepath.combiners.dag_inference`). Beyond, each label depends on one parent
  alone, in each row that which scores least (the *least-parent approximation*): a tree, whose scores are capped by all
  parents afterwards. Which of the two is done depends on the hierarchy and the set, never on the rows.
* *One path*, on trees and DAGs. The path ends at v with the probability :math:`f_v`, the score of v less the f of all
  below it. Ends at forbidden labels are ruled out, and all others divided by what is left; scores are sums of f again.
  What was forbidden goes to the labels that may be.

All three leave scores as they are where nothing is forbidden. Where a row is certain of something forbidden, the
condition has probability 0 and there is no answer to it: a label that was certain itself stays so, and one path keeps
its scores, without those of forbidden labels.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath import _kernels
from truepath.combiners.base import BLOCK_CELLS
from truepath.combiners.dag_inference import conditional_changes, plan_elimination
from truepath.hierarchy import Hierarchy, cap_down, check_scores
from truepath.hierarchy.allowed import AllowedSets, find_allowed
from truepath.hierarchy.checks import as_probabilities, hierarchy_for
from truepath.hierarchy.matrices import as_dense, row_blocks, stack_sparse

Floats = NDArray[np.float64]

#: The way out for scores that are no probabilities
MASK_ONLY = "Calibrate them (truepath.combiners.Calibrator), or only mask: AllowedLabels(..., renormalize=False)."


def condition_scores(S: Any, hierarchy: Hierarchy | None, allowed: Any) -> Any:
    """Return the probabilities of labels given that no forbidden label is true.

    Parameters
    ----------
    S : array-like or sparse matrix, shape (n_samples, n_nodes)
        Coherent probabilities.
    hierarchy : Hierarchy or None
        None means a flat label set.
    allowed : names, flags or AllowedLabels
        See :class:`truepath.hierarchy.AllowedLabels`; rows have any number of paths unless it says ``paths="one"``.

    Returns
    -------
    S : ndarray or csr_array, shape (n_samples, n_nodes)
        Coherent, 0 for forbidden labels; of the form and float type of ``S``.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.combiners import condition_scores
    >>> from truepath.hierarchy import AllowedLabels
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b"])
    >>> S = [[0.5, 0.25, 0.25, 0.5]]
    >>> condition_scores(S, h, ["a/2", "b"]).round(3).tolist()
    [[0.333, 0.0, 0.167, 0.5]]
    >>> condition_scores(S, h, AllowedLabels(["a/2", "b"], paths="one")).round(3).tolist()
    [[0.333, 0.0, 0.333, 0.667]]
    """
    hierarchy = hierarchy_for(hierarchy, S)
    S = check_scores(S, hierarchy)
    return restrict_scores(S, hierarchy, find_allowed(allowed, hierarchy, S.shape[0]))


def restrict_scores(S: Any, hierarchy: Hierarchy, sets: AllowedSets) -> Any:
    """Return checked scores as some sets of possible labels say: conditioned on, or only masked."""
    if not sets.renormalize:
        return sets.keep_possible(S)
    S = as_probabilities(S, labels=hierarchy.names, remedy=MASK_ONLY)

    def restrict(block: Floats, rows: slice) -> Floats:
        distinct, which = sets.distinct(rows, S.shape[0])
        masks = as_dense(sets.possible[distinct])
        if sets.paths == "one":
            ones = np.ones(masks.shape)
            return weigh_rows(block, hierarchy, SetWeights(masks * ones, ones, ones[:, 0].copy()), which, "one")
        nodes = [part for flags in (sets.possible[distinct], sets.nearest[distinct]) for part in _lists(flags)]
        out, up = np.zeros(block.shape), (hierarchy.parent_ptr, hierarchy.parent_idx)
        _kernels.combiners.weighing.condition_many(block, which, *nodes, *up, out)
        if not hierarchy.is_tree:
            _condition_exactly(block, hierarchy, masks, which, out)
        return out

    return change_rows(restrict, S)


class SetWeights(NamedTuple):
    """What label sets weigh against what they were: one row for each way of weighing.

    A set weighs ``on`` for each label that is true, ``off`` for each that is not while its parents are; where a row has
    one path, ``on`` of its end alone, and ``none`` without any.
    """

    on: NDArray[Any]
    off: NDArray[Any]
    none: Floats


def weigh_rows(S: Floats, hierarchy: Hierarchy, weights: SetWeights, which: Any, paths: str) -> Floats:
    """Return the probabilities of labels where row i's label sets weigh what ``which[i]`` says, on one path or many."""
    out, up, kernels = np.empty_like(S), (hierarchy.parent_ptr, hierarchy.parent_idx), _kernels.combiners.weighing
    if paths == "one":
        kernels.weigh_one(S, weights.on, weights.none, which, hierarchy.is_tree, *_below(hierarchy), *up, out)
    else:
        kernels.weigh_many(S, weights.on, weights.off, which, *up, out)
    return out


def _lists(flags: sparse.csr_array) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the labels of each set, ascending, as the kernel takes them."""
    flags.sort_indices()
    return flags.indptr.astype(np.int64), flags.indices.astype(np.int32)


def change_rows(change: Callable[[Floats, slice], Floats], S: Any) -> Any:
    """Apply a function of dense rows and their numbers to a matrix, some rows at a time; form and type stay."""
    blocks = row_blocks(S.shape[0], S.shape[1], BLOCK_CELLS)
    parts = (change(as_dense(S[rows]).astype(np.float64, copy=False), rows).astype(S.dtype) for rows in blocks)
    if sparse.issparse(S):
        return stack_sparse(map(sparse.csr_array, parts), S.shape[1], S.dtype)
    return np.concatenate([np.zeros((0, S.shape[1]), S.dtype), *parts])


@lru_cache(maxsize=16)  # asked for again by every block of rows
def _below(hierarchy: Hierarchy) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the labels below each one, as the kernel takes them: on a tree the children are enough."""
    if hierarchy.is_tree:
        return hierarchy.child_ptr, hierarchy.child_idx
    below = sparse.csr_array(hierarchy.ancestor_matrix().T)
    below.setdiag(False)
    below.eliminate_zeros()
    return below.indptr, below.indices


def _condition_exactly(S: Floats, hierarchy: Hierarchy, masks: Any, which: Any, out: Floats) -> None:
    """Put exact scores in place of approximate ones, where they can be had."""
    for k, possible in enumerate(masks):
        plan = None if possible.all() else plan_elimination(hierarchy, possible.tobytes())
        own = np.flatnonzero(which == k)
        if plan is None:
            continue
        for part in row_blocks(own.size, plan.size):
            rows = own[part]
            exact = S[rows] * conditional_changes(S[rows], hierarchy, plan)
            found = np.isfinite(exact).all(axis=1)
            out[rows[found]] = cap_down(exact[found], hierarchy)  # but for rounding they are coherent
