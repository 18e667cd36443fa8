"""The order in which a linear learner keeps labels: one column per label, siblings side by side.

Columns are sorted by depth (the longest way from the top), then by the column of their *home*, the deepest parent, then
by number. So parents come before children, and the columns at home under one parent are a range: a row of weights,
sorted by column, holds the weights of siblings as one run that can be found by bisection.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy import sparse

from truepath.hierarchy import Hierarchy

#: About this many jobs: more than workers, so that none waits long for another
N_JOBS = 64


class LabelGraph(NamedTuple):
    """Columns and their parents.

    Attributes
    ----------
    parent_ptr, parent_idx : ndarray of int32
        The parents of column c are ``parent_idx[parent_ptr[c]:parent_ptr[c + 1]]``, the home first.
    node_of : ndarray of int32, shape (n_columns,)
        The label of each column; -1 for a column that stands for several labels.
    """

    parent_ptr: np.ndarray
    parent_idx: np.ndarray
    node_of: np.ndarray

    @property
    def n_columns(self) -> int:
        """Return the number of columns."""
        return int(self.node_of.size)

    def edges(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the child and the parent of every link."""
        return np.repeat(np.arange(self.n_columns), np.diff(self.parent_ptr)), self.parent_idx

    def columns(self) -> np.ndarray:
        """Return the column of each label."""
        columns = np.flatnonzero(self.node_of >= 0)
        return columns[np.argsort(self.node_of[columns])]

    def home(self) -> np.ndarray:
        """Return the home of each column, -1 at the top."""
        home = np.full(self.n_columns, -1, np.int32)
        has_parent = np.diff(self.parent_ptr) > 0
        home[has_parent] = self.parent_idx[self.parent_ptr[:-1][has_parent]]
        return home

    def parents(self, c: int) -> np.ndarray:
        """Return the parents of a column."""
        return self.parent_idx[self.parent_ptr[c] : self.parent_ptr[c + 1]]

    def above(self, columns: np.ndarray) -> np.ndarray:
        """Return some columns and all above them, ascending."""
        found, more = np.unique(columns), np.asarray(columns)
        while more.size:
            more = np.setdiff1d(np.concatenate([self.parents(c) for c in more]), found)
            found = np.union1d(found, more)
        return found

    def ranges(self) -> np.ndarray:
        """Return where the columns at home under each column begin; those under c end where c + 1's begin.

        The top comes first: entry 0 is its range, entry c + 1 that of column c.
        """
        return np.searchsorted(self.home(), np.arange(-1, self.n_columns + 1)).astype(np.int32)

    def children(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the children as pointers and columns: entry 0 is about the top, entry c + 1 about column c."""
        sizes = np.diff(self.parent_ptr)
        top = np.flatnonzero(sizes == 0)
        parent = np.concatenate([np.zeros(top.size, np.int64), self.parent_idx.astype(np.int64) + 1])
        child = np.concatenate([top, np.repeat(np.arange(self.n_columns), sizes)])
        ptr = np.concatenate([[0], np.cumsum(np.bincount(parent, minlength=self.n_columns + 1))])
        return ptr, child[np.argsort(parent, kind="stable")].astype(np.int32)

    def depth(self) -> np.ndarray:
        """Return how many columns lie above each on the way by homes."""
        home, depth = self.home(), np.zeros(self.n_columns, np.int32)
        for c in np.flatnonzero(home >= 0).tolist():
            depth[c] = depth[home[c]] + 1
        return depth

    def check(self, n_nodes: int) -> None:
        """Raise ValueError unless all links stay inside and parents come before children."""
        sizes = np.diff(self.parent_ptr)
        if not (
            self.parent_ptr.size == self.n_columns + 1
            and self.parent_ptr[0] == 0
            and (sizes >= 0).all()
            and self.parent_ptr[-1] == self.parent_idx.size
            and (self.parent_idx >= 0).all()
            and (self.parent_idx < np.repeat(np.arange(self.n_columns), sizes)).all()
            and (np.diff(self.home()) >= 0).all()
            and np.array_equal(np.sort(self.node_of[self.node_of >= 0]), np.arange(n_nodes))
        ):
            raise ValueError("the order of labels of a linear learner leads outside")


def check_order(graph: LabelGraph, hierarchy: Hierarchy) -> None:
    """Raise ValueError unless each label has its parents above it, directly or by columns of several labels."""
    label, starts, columns = graph.node_of.tolist(), graph.parent_ptr.tolist(), graph.parent_idx.tolist()
    ptr, parents = hierarchy.parent_ptr.tolist(), hierarchy.parent_idx.tolist()
    above: list[set[int]] = []
    for c, v in enumerate(label):
        own: set[int] = set()
        for p in columns[starts[c] : starts[c + 1]]:
            own |= {label[p]} if label[p] >= 0 else above[p]
        above.append(own)
        if v >= 0 and own != set(parents[ptr[v] : ptr[v + 1]]):
            raise ValueError("the order of labels of a linear learner is not that of the hierarchy")


def order_labels(hierarchy: Hierarchy) -> LabelGraph:
    """Return the columns of a hierarchy.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> h = Hierarchy.from_edges([(None, "a"), (None, "b"), ("a", "c"), ("b", "d"), ("a", "d"), ("b", "e")])
    >>> graph = order_labels(h)
    >>> h.names[graph.node_of].tolist(), graph.ranges().tolist()
    (['a', 'b', 'c', 'd', 'e'], [0, 2, 4, 5, 5, 5, 5])
    """
    edges = np.asarray(hierarchy.edges, np.int64)
    return sort_columns(edges[:, 1], edges[:, 0], np.arange(hierarchy.n_nodes))


def sort_columns(child: np.ndarray, parent: np.ndarray, node_of: np.ndarray) -> LabelGraph:
    """Return the columns of a graph of points, given by its edges; ``node_of`` is the label of each point, or -1."""
    depth = _longest_ways(child, parent, node_of.size)
    edges = np.lexsort((parent, -depth[parent], child))  # a child's deepest parent first: its home
    child, parent = child[edges], parent[edges]
    home = np.full(node_of.size, -1)
    first = np.flatnonzero(np.diff(child, prepend=-1))
    home[child[first]] = parent[first]
    column = np.full(node_of.size + 1, -1)  # the last is that of the top
    n_placed = 0
    for level in range(int(depth.max(initial=-1)) + 1):
        points = np.flatnonzero(depth == level)
        points = points[np.lexsort((points, column[home[points]]))]
        column[points] = n_placed + np.arange(points.size)
        n_placed += points.size
    by_column = np.argsort(column[child], kind="stable")
    sizes = np.bincount(column[child], minlength=node_of.size)
    placed = np.empty(node_of.size, np.int32)
    placed[column[:-1]] = node_of
    ptr = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    return LabelGraph(ptr, column[parent[by_column]].astype(np.int32), placed)


def _longest_ways(child: np.ndarray, parent: np.ndarray, n_points: int) -> np.ndarray:
    """Return the number of edges on the longest way from the top to each point."""
    depth = np.zeros(n_points, np.int64)
    while True:
        deeper = depth.copy()
        np.maximum.at(deeper, child, depth[parent] + 1)
        if (deeper == depth).all():
            return depth
        depth = deeper


def training_sizes(labels: sparse.csc_array, graph: LabelGraph) -> np.ndarray:
    """Return how many rows train each column, at most: those of its home."""
    home = graph.home()
    return np.where(home < 0, labels.shape[0], np.diff(labels.indptr)[home])


def share_out(sizes: np.ndarray) -> Iterator[np.ndarray]:
    """Yield the columns of each job, the largest first, about as many rows in each."""
    order = np.argsort(-sizes, kind="stable")
    done = np.cumsum(sizes[order])
    share = max(int(done[-1]) // N_JOBS, 1) if done.size else 1
    yield from np.split(order, np.flatnonzero(np.diff(done // share)) + 1)


def is_wide(hierarchy: Hierarchy, max_children: int) -> bool:
    """Say whether more labels than a number stand under one label, or at the top."""
    widest = max(int(np.diff(hierarchy.child_ptr).max(initial=0)), int(hierarchy.roots.size))
    return widest > max_children
