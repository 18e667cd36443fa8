"""The columns of a linear learner under a changed hierarchy: groups stay, and new labels stand below their parents.

Groups are nodes that nobody sees (:mod:`truepath.learners.linear.label_groups`), so a change of the hierarchy is one of
the graph of columns. A label whose parents are the same stays in its group; one that is new or has moved is put
straight below its parents, outside the groups there. A column is learned again if other rows train it than before.
"""

from __future__ import annotations

import numpy as np

from truepath.hierarchy import HierarchyDiff
from truepath.learners.linear.label_graph import LabelGraph, sort_columns
from truepath.learners.linear.label_groups import carriers


def carry_columns(
    graph: LabelGraph, diff: HierarchyDiff, *, conditional: bool
) -> tuple[LabelGraph, np.ndarray, np.ndarray]:
    """Return the columns of the new hierarchy, the old column that each is (or -1), and which are to be learned.

    ``conditional`` says that the rows of its parents train a label.
    """
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
    is_other = _other_rows(graph, diff, stays, groups)
    before = np.full(n_new + groups.size, -1)
    before[point[groups]] = groups
    before[np.flatnonzero(origin >= 0)] = graph.columns()[origin[origin >= 0]]
    is_learned = is_other[at] | (before[at] < 0)
    if conditional:
        is_learned |= ~np.append(stays, np.ones(groups.size, bool))[at]
        child, parent = new.edges()
        is_learned[child[is_other[at][parent]]] = True
    node_of = np.where(at < n_new, at, -1).astype(np.int32)
    return new._replace(node_of=node_of), before[at], is_learned


def _tie_again(graph: LabelGraph, diff: HierarchyDiff, point: np.ndarray, stays: np.ndarray) -> np.ndarray:
    """Return pairs (child, parent) of points: those that were for what stays, plain ones for other labels."""
    child, parent = (point[ends] for ends in graph.edges())
    same = (child >= 0) & (parent >= 0) & stays[child]
    plain = np.asarray(diff.new.edges, np.int64)[:, ::-1]
    return np.concatenate([np.column_stack([child[same], parent[same]]), plain[~stays[plain[:, 0]]]])


def _other_rows(graph: LabelGraph, diff: HierarchyDiff, stays: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Say which points other rows carry than before: groups that lost a member, or have one with other rows."""
    relabeled = diff.relabeled
    became = diff.became
    is_other = np.where(became >= 0, (relabeled | ~stays)[became], True)
    return np.append(relabeled, (is_other.astype(np.int64) @ carriers(graph, diff.old.n_nodes)[:, groups]) > 0)
