"""Groups of siblings inside a linear learner: a balanced tree over the children of every wide node.

Where a node has more children than ``max_children``, the rows that reach it would train each of them. So similar
children are put into groups, groups into larger groups: a group is a column like a label, positive where one of its
members is, and a row goes on to the groups it is positive for. Scores multiply through groups as through labels, so
that the probability of a label stays one product of conditional probabilities.

Children are halved again and again by balanced two-means on their centroids, the mean rows of each label, until no set
is larger than ``max_children``; the halvings in between are skipped where groups may have more members than two.

References
----------
Prabhu, Y. et al. (2018). Parabel: partitioned label trees for extreme classification. WWW.
Jasinska, K. et al. (2016). Extreme F-measure maximization using sparse probability estimates. ICML (label trees).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.preprocessing import normalize

from truepath import _kernels
from truepath.adapters.parallel import run_parallel
from truepath.hierarchy import Hierarchy
from truepath.learners.linear.label_graph import LabelGraph, order_labels, share_out, sort_columns

TOP = -1
#: Groups have no more groups than this: all their rows train each, and there are most rows above
MOST_GROUPS = 16


def group_labels(
    hierarchy: Hierarchy, X: sparse.csr_array, Y: Any, max_children: int, seed: int, n_jobs: int | None
) -> LabelGraph:
    """Return the columns of a hierarchy, wide families grouped."""
    plain = order_labels(hierarchy)
    home = np.full(hierarchy.n_nodes, TOP)
    home[plain.node_of] = np.append(plain.node_of, TOP)[plain.home()]
    wide = list(_wide_families(home, max_children))
    if not wide:
        return plain
    codes = _codes(X, sparse.csc_array(Y), wide, max_children, seed, n_jobs)
    parent, child, node_of = _tie(hierarchy, wide, codes)
    return sort_columns(child, parent, node_of)


def _wide_families(home: np.ndarray, max_children: int) -> Iterator[tuple[int, np.ndarray]]:
    """Yield each home with more labels than allowed, and these."""
    order = np.argsort(home, kind="stable")
    for family in np.split(order, np.flatnonzero(np.diff(home[order])) + 1):
        if family.size > max_children:
            yield int(home[family[0]]), family


def _codes(
    X: sparse.csr_array,
    labels: sparse.csc_array,
    wide: list[tuple[int, np.ndarray]],
    max_children: int,
    seed: int,
    n_jobs: int | None,
) -> list[list[np.ndarray]]:
    """Return, for each wide family, its groupings from coarse to fine: the group's number of each label."""
    family = np.concatenate([members for _, members in wide])
    V = sparse.csr_array(normalize(sparse.csr_array(labels[:, family].T.astype(np.float32) @ X.astype(np.float32))))
    V.sort_indices()
    sizes = np.array([members.size for _, members in wide])
    n_halvings = np.ceil(np.log2(sizes / max_children)).astype(np.int64)
    number = np.repeat(np.arange(sizes.size), sizes)  # of the set each label is in: family, then half, then quarter
    codes = [number]
    for done in range(n_halvings.max()):
        going = np.repeat(n_halvings, sizes) > done
        number = 2 * number
        number[going] += _halve(V, number[going], np.flatnonzero(going), seed + done, n_jobs)
        codes.append(number)
    ends = np.cumsum(sizes)
    return [
        [codes[bits][end - size : end] for bits in _kept_halvings(int(n), max_children)]
        for n, size, end in zip(n_halvings, sizes, ends)
    ]


def _kept_halvings(n_halvings: int, max_children: int) -> list[int]:
    """Return after how many halvings the sets become groups, so that none holds more groups than allowed.

    Examples
    --------
    >>> _kept_halvings(3, 32), _kept_halvings(11, 16), _kept_halvings(5, 4)
    ([3], [4, 8, 11], [2, 4, 5])
    """
    at_once = max(int(np.log2(min(max_children, MOST_GROUPS))), 1)
    n_levels = -(-n_halvings // at_once)
    return [-(-n_halvings * level // n_levels) for level in range(1, n_levels + 1)]


def _halve(V: sparse.csr_array, number: np.ndarray, rows: np.ndarray, seed: int, n_jobs: int | None) -> np.ndarray:
    """Return the half, 0 or 1, of each of the rows of V in the set it is in."""
    order = np.argsort(number, kind="stable")
    starts = np.flatnonzero(np.diff(number[order], prepend=-1))
    ptr = np.append(starts, order.size)
    common = ((V.data, V.indices, V.indptr), V.shape[1], rows[order], ptr, number[order][starts], seed)
    jobs = [(np.sort(sets),) for sets in share_out(np.diff(ptr))]
    half = np.empty(order.size, np.int64)
    found = run_parallel(_halve_some, jobs, common=common, n_jobs=n_jobs, shared_memory=True)
    for (sets,), own in zip(jobs, found):
        half[order[_spans(ptr, sets)]] = own
    return half


def _spans(ptr: np.ndarray, sets: np.ndarray) -> np.ndarray:
    """Return the places of some sets' members."""
    return np.concatenate([np.arange(ptr[j], ptr[j + 1]) for j in sets])


def _halve_some(
    V: tuple[np.ndarray, ...],
    n_features: int,
    members: np.ndarray,
    ptr: np.ndarray,
    numbers: np.ndarray,
    seed: int,
    sets: np.ndarray,
) -> np.ndarray:
    """Return the half of each member of some sets."""
    own = np.concatenate([[0], np.cumsum(np.diff(ptr)[sets])])
    return _kernels.linear.label_halves.halve_sets(V, n_features, members[_spans(ptr, sets)], own, numbers[sets], seed)


def _tie(
    hierarchy: Hierarchy, wide: list[tuple[int, np.ndarray]], codes: list[list[np.ndarray]]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the hierarchy's edges, parents and children, with groups between wide nodes and their children.

    Groups are numbered after the labels; also return the label of each point, -1 for a group.
    """
    edges = np.asarray(hierarchy.edges, np.int64)
    n_points, made = hierarchy.n_nodes, []
    above = np.full(hierarchy.n_nodes, TOP)  # the finest group of each label
    for (home, family), groupings in zip(wide, codes):
        upper = np.full(family.size, home)
        for number in groupings:
            _, first, group = np.unique(number, return_index=True, return_inverse=True)
            own = n_points + np.arange(first.size)
            made.append(np.column_stack([upper[first], own]))
            upper, n_points = own[group], n_points + first.size
        above[family] = upper
        edges = edges[~((edges[:, 0] == home) & np.isin(edges[:, 1], family))]
    grouped = np.flatnonzero(above != TOP)
    edges = np.concatenate([edges, *made, np.column_stack([above[grouped], grouped])])
    edges = edges[edges[:, 0] != TOP]
    node_of = np.append(np.arange(hierarchy.n_nodes), np.full(n_points - hierarchy.n_nodes, -1))
    return edges[:, 0], edges[:, 1], node_of


def column_rows(Y: Any, graph: LabelGraph) -> sparse.csc_array:
    """Return the rows that carry each column: the label, or a member of the group."""
    labels = sparse.csc_array(Y)
    if (graph.node_of >= 0).all():
        return labels[:, graph.node_of]
    counts = sparse.csc_array(labels.astype(np.int32) @ carriers(graph, labels.shape[1]))
    counts.sort_indices()
    return sparse.csc_array((np.ones(counts.nnz, bool), counts.indices, counts.indptr), shape=counts.shape)


def carriers(graph: LabelGraph, n_nodes: int) -> sparse.csr_array:
    """Return, one row per label, the columns that carry it: its own, its group's, and those of larger groups."""
    child, parent = graph.edges()
    inside = graph.node_of[parent] < 0
    shape = (graph.n_columns, graph.n_columns)
    up = sparse.csr_array((np.ones(inside.sum(), np.int32), (child[inside], parent[inside])), shape=shape)
    own = np.flatnonzero(graph.node_of >= 0)
    step = sparse.csr_array((np.ones(own.size, np.int32), (graph.node_of[own], own)), shape=(n_nodes, graph.n_columns))
    found = step
    while (step := step @ up).nnz:
        found = found + step
    return sparse.csr_array(found)
