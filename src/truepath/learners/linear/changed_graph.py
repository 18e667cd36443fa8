"""The columns of a linear learner under a changed hierarchy: groups stay, and new labels stand below their parents.

Groups are nodes that nobody sees (:mod:`truepath.learners.linear.label_groups`), so a change of the hierarchy is one of
the graph of columns. A label whose parents are the same stays in its group; one that is new or has moved is put
straight below its parents, outside the groups there. A column is learned again if other rows train it than before:
the marks of the rows that have each column (:func:`truepath.adapters.rows.mark_rows`) are kept, and tell.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from truepath.adapters.rows import mark_rows
from truepath.hierarchy import HierarchyDiff
from truepath.learners.linear.label_graph import LabelGraph, sort_columns


def mark_columns(X: sparse.csr_array, labels: sparse.csc_array, weight: np.ndarray | None) -> np.ndarray:
    """Return a number for the rows that have each column, and last one for all rows; those of more rows add up."""
    marks = mark_rows(X, weight)
    has = sparse.csc_array((np.ones(labels.nnz, np.uint64), labels.indices, labels.indptr), shape=labels.shape)
    return np.append(has.T @ marks, marks.sum()).astype(np.uint32)


def carry_columns(graph: LabelGraph, diff: HierarchyDiff) -> tuple[LabelGraph, np.ndarray]:
    """Return the columns of the new hierarchy, and the old column that each is, or -1."""
    n_new, became, origin = diff.new.n_nodes, diff.became, diff.origin
    stays = origin >= 0
    stays[diff.new.indices(list(diff.moved))] = False
    groups = np.flatnonzero(graph.node_of < 0)
    point = became[graph.node_of]  # of each old column: a label, or after all labels a group
    point[groups] = n_new + np.arange(groups.size)
    edges = _tie_again(graph, diff, point, np.append(stays, np.ones(groups.size, bool)))
    has_members = np.isin(np.arange(n_new + groups.size), edges[:, 1]) | (np.arange(n_new + groups.size) < n_new)
    while not has_members[edges[:, 0]].all():  # a group of groups without members has none
        edges = edges[has_members[edges[:, 0]]]
        has_members[n_new:] = np.isin(np.arange(n_new, n_new + groups.size), edges[:, 1])
    kept = np.flatnonzero(has_members)
    number = np.cumsum(has_members) - 1
    new = sort_columns(number[edges[:, 0]], number[edges[:, 1]], np.arange(kept.size))
    at = kept[new.node_of]  # the point of each new column
    before = np.full(n_new + groups.size, -1)
    before[point[groups]] = groups
    before[np.flatnonzero(origin >= 0)] = graph.columns()[origin[origin >= 0]]
    node_of = np.where(at < n_new, at, -1).astype(np.int32)
    return new._replace(node_of=node_of), before[at]


def find_changed(
    old: LabelGraph,
    new: LabelGraph,
    origin: np.ndarray,
    marks: tuple[np.ndarray, np.ndarray],
    *,
    conditional: bool,
) -> np.ndarray:
    """Say which new columns other rows train than the old columns that they are.

    ``marks`` are those of the old and the new columns; ``conditional`` says that the rows of its parents train a label.
    """
    before, after = marks
    has_other = (origin < 0) | (before[:-1][origin] != after[:-1])
    if not conditional:
        return has_other | (before[-1] != after[-1])
    child, parent = new.edges()
    found = has_other | (np.diff(new.parent_ptr) != np.diff(old.parent_ptr)[origin])
    known = np.isin(_pairs(origin[child], origin[parent], old), _pairs(*old.edges(), old))
    found[child[has_other[parent] | ~known]] = True
    found[np.diff(new.parent_ptr) == 0] |= before[-1] != after[-1]
    return found


def _pairs(child: np.ndarray, parent: np.ndarray, graph: LabelGraph) -> np.ndarray:
    """Return a number for each link."""
    return child.astype(np.int64) * graph.n_columns + parent


def _tie_again(graph: LabelGraph, diff: HierarchyDiff, point: np.ndarray, stays: np.ndarray) -> np.ndarray:
    """Return pairs (child, parent) of points: those that were for what stays, plain ones for other labels."""
    child, parent = (point[ends] for ends in graph.edges())
    same = (child >= 0) & (parent >= 0) & stays[child]
    plain = np.asarray(diff.new.edges, np.int64)[:, ::-1]
    return np.concatenate([np.column_stack([child[same], parent[same]]), plain[~stays[plain[:, 0]]]])
