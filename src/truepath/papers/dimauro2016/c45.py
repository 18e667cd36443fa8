"""Quinlan's C4.5 for 0/1 features and a 0/1 label: what MEKA's base learner J48 does on the cutset paper's data.

Trees are grown by gain ratio among the splits of at least average gain, with at least two rows per side. They are
pruned from the leaves up where the pessimistic errors of a leaf, or of the larger branch raised to the node's place,
are no more than the subtree's. The pessimistic errors of a leaf are the upper end of the confidence interval of its
error rate, level 25 %.

References
----------
J. R. Quinlan. C4.5: Programs for Machine Learning. Morgan Kaufmann, 1993.
I. H. Witten, E. Frank. Data Mining, section 6.1. Morgan Kaufmann, 2005.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Any

import numpy as np
from scipy.special import ndtri, xlogy
from sklearn.base import BaseEstimator, ClassifierMixin

from truepath.hierarchy.matrices import as_dense

MIN_ROWS = 2
CONFIDENCE = 0.25
SLACK = 0.1  # errors by which a subtree must beat its leaf
Z = float(ndtri(1.0 - CONFIDENCE))


@dataclass(frozen=True)
class Node:
    """Rows in a node, those of them with the label, and the split if there is one."""

    n_rows: int
    n_on: int
    feature: int = -1
    below: tuple[Node, Node] | None = None

    @cached_property
    def expected_errors(self) -> float:
        """Pessimistic errors of the subtree."""
        if self.below is not None:
            return self.below[0].expected_errors + self.below[1].expected_errors
        errors = min(self.n_on, self.n_rows - self.n_on)
        return errors + extra_errors(self.n_rows, errors)


class C45(ClassifierMixin, BaseEstimator):
    """A pruned decision tree over 0/1 features; leaves predict their shares.

    Examples
    --------
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5)
    >>> C45().fit(X, X[:, 1] == 1).predict_proba([[1, 0], [1, 1]])
    array([[1., 0.],
           [0., 1.]])
    """

    def fit(self, X: Any, y: Any) -> C45:
        """Grow and prune."""
        X = as_dense(X).astype(np.uint8)
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.n_features_in_ = X.shape[1]
        y = codes == self.classes_.size - 1
        everything = pack(np.ones((y.size, 1)))[0]
        self.root_ = prune(grow(X, y), pack(X), pack(y[:, None])[0], everything)
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the shares of the leaf that each row falls into, one column per class."""
        X = as_dense(X) > 0
        share = np.empty(X.shape[0])
        _answer(self.root_, X, np.arange(X.shape[0]), share)
        return np.column_stack([1.0 - share, share])[:, -self.classes_.size :]

    def predict(self, X: Any) -> np.ndarray:
        """Return the more frequent class of the leaf."""
        labels: np.ndarray = self.classes_[self.predict_proba(X).argmax(axis=1)]
        return labels


def grow(X: np.ndarray, y: np.ndarray) -> Node:
    """Return the unpruned tree of the rows ``X`` (uint8) with labels ``y`` (bool)."""
    n_rows, n_on = y.size, int(y.sum())
    feature = -1 if n_on in (0, n_rows) or n_rows < 2 * MIN_ROWS else _choose(X, y)
    if feature < 0:
        return Node(n_rows, n_on)
    side = X[:, feature] > 0
    return Node(n_rows, n_on, feature, (grow(X[~side], y[~side]), grow(X[side], y[side])))


def _choose(X: np.ndarray, y: np.ndarray) -> int:
    """Return the feature of largest gain ratio among those of at least average gain, -1 if none gains."""
    n, n_on = y.size, int(y.sum())
    ones, both = X.sum(axis=0, dtype=np.int64), X[y].sum(axis=0, dtype=np.int64)
    usable = np.flatnonzero((ones >= MIN_ROWS) & (n - ones >= MIN_ROWS))
    if usable.size == 0:
        return -1
    ones, both = ones[usable], both[usable]
    after = _bits(both, ones) + _bits(n_on - both, n - ones)
    gain = (_bits(np.array([n_on]), np.array([n])) - after) / n
    ratio = np.where(
        (gain > 1e-10) & (gain >= gain.mean() - 1e-3), gain / (_bits(ones, np.full(ones.size, n)) / n), 0.0
    )
    best = int(ratio.argmax())
    return int(usable[best]) if ratio[best] > 0 else -1


def _bits(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """Return ``whole`` times the entropy of the share ``part / whole``, in bits."""
    total: np.ndarray = xlogy(whole, whole) - xlogy(part, part) - xlogy(whole - part, whole - part)
    return total / np.log(2.0)


def pack(columns: np.ndarray) -> list[int]:
    """Return 0/1 columns as integers, one bit per row: Python intersects and counts such sets at memory speed.

    Examples
    --------
    >>> [bin(column).count("1") for column in pack(np.array([[1, 0], [1, 1], [1, 0]]))]
    [3, 1]
    """
    return [int.from_bytes(row.tobytes(), "big") for row in np.packbits(columns.T > 0, axis=1)]


def prune(node: Node, columns: list[int], on: int, rows: int) -> Node:
    """Return the tree with every subtree that brings no gain replaced by a leaf or by its larger branch.

    ``rows`` are the training rows of the node, ``on`` all rows with the label; both, and the columns, as bit-sets.
    """
    if node.below is None:
        return node
    side = rows & columns[node.feature]
    low, high = prune(node.below[0], columns, on, rows ^ side), prune(node.below[1], columns, on, side)
    leaf, kept = Node(node.n_rows, node.n_on), Node(node.n_rows, node.n_on, node.feature, (low, high))
    raised = recount(high if high.n_rows > low.n_rows else low, columns, on, rows)
    if leaf.expected_errors <= min(kept.expected_errors, raised.expected_errors) + SLACK:
        return leaf
    return prune(raised, columns, on, rows) if raised.expected_errors <= kept.expected_errors + SLACK else kept


def recount(node: Node, columns: list[int], on: int, rows: int) -> Node:
    """Return the same tree with the counts of other rows."""
    n_rows, n_on = rows.bit_count(), (rows & on).bit_count()
    if node.below is None:
        return Node(n_rows, n_on)
    side = rows & columns[node.feature]
    below = recount(node.below[0], columns, on, rows ^ side), recount(node.below[1], columns, on, side)
    return Node(n_rows, n_on, node.feature, below)


def extra_errors(n: int, errors: float) -> float:
    """Return what the upper confidence limit adds to the errors seen among ``n`` rows.

    Examples
    --------
    >>> round(extra_errors(6, 0), 3), round(extra_errors(14, 5), 2)
    (1.238, 1.76)
    """
    if n == 0:
        return 0.0
    if errors == 0:
        return n * (1.0 - CONFIDENCE ** (1.0 / n))
    if errors + 0.5 >= n:
        return max(n - errors, 0.0)
    f = (errors + 0.5) / n  # the continuity correction
    upper = (f + Z * Z / (2 * n) + Z * sqrt(f / n - f * f / n + Z * Z / (4 * n * n))) / (1 + Z * Z / n)
    return upper * n - errors


def _answer(node: Node, X: np.ndarray, rows: np.ndarray, share: np.ndarray) -> None:
    """Write the share of the label in the leaf of every row."""
    if node.n_rows > 0:  # otherwise the parent's share stays: raising may leave a branch without rows
        share[rows] = node.n_on / node.n_rows
    if node.below is None:
        return
    side = X[rows, node.feature]
    _answer(node.below[0], X, rows[~side], share)
    _answer(node.below[1], X, rows[side], share)
