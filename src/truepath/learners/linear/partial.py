"""Linear classifiers that learn from more rows without the old ones: the weights so far are the prior of the new.

For each label, with the weights ``w0`` that earlier rows led to and the precision ``q`` that those rows gave each
weight (the diagonal of the Hessian of their loss, Laplace's approximation)::

    w = argmin  sum_j q_j (w_j - w0_j)^2 / 2 + C sum_{new rows} omega_i loss(y_i, w . x_i)

``q_j = 1 + C c sum_{old rows} omega_i x_ij^2``, with c the mean curvature of the loss in the new rows. So one number
per feature is all that is kept of the old rows. The minimum is approached by steps that never raise the loss: each
coordinate moves by its gradient divided by a bound of the curvature, ``sum_i |x_ij| ||x_i||_1``.

References
----------
Chapelle, O. & Li, L. (2011). An empirical evaluation of Thompson sampling. NIPS (algorithm 3).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import expit
from sklearn.utils import gen_batches

from truepath.learners.linear.class_weights import carry_parents
from truepath.learners.linear.label_graph import LabelGraph
from truepath.learners.linear.label_groups import column_rows

Floats = NDArray[np.float64]

#: Steps towards the minimum
N_STEPS = 20
#: Cells of the dense weights that are worked on at once
CELLS = 1 << 22
#: Weights that move no score of the new rows by more than this share of ``min_weight`` are dropped
SMALL = 0.1


class Seen(NamedTuple):
    """What is kept of rows: their weight, and the sum of squares of each feature."""

    weight: float
    squares: Floats

    @classmethod
    def of(cls, X: sparse.csr_array, weight: Floats | None) -> Seen:
        """Count rows."""
        own = np.ones(X.shape[0]) if weight is None else weight
        return cls(float(own.sum()), np.asarray(X.astype(np.float64).power(2).T @ own).ravel())

    def more(self, other: Seen) -> Seen:
        """Return the counts of both."""
        return Seen(self.weight + other.weight, self.squares + other.squares)


class LinearState(NamedTuple):
    """Weights by feature, intercepts and loss of a linear learner, the columns in the order of its graph.

    ``factors`` is what a row without and with each column counts.
    """

    weights: sparse.csr_array
    intercepts: Floats
    graph: LabelGraph
    loss: str
    conditional: bool
    cost: float
    factors: Floats
    least: float


class _Rows(NamedTuple):
    """The features that occur in the new rows, their values, and what the rows count."""

    features: NDArray[np.int64]
    X: sparse.csr_array
    weight: Floats
    bound: Floats
    largest: Floats

    @classmethod
    def of(cls, X: sparse.csr_array, weight: Floats | None) -> _Rows:
        features = np.unique(X.indices).astype(np.int64)
        own = sparse.csr_array(X[:, features].astype(np.float64))
        size = abs(own)
        largest = size.max(axis=0).toarray().ravel() if own.shape[0] else np.zeros(features.size)
        counted = np.ones(X.shape[0]) if weight is None else weight
        return cls(features, own, counted, np.asarray(size.sum(axis=1)).ravel() + 1.0, largest)


def learn_more(
    state: LinearState, seen: Seen, X: sparse.csr_array, Y: Any, weight: Floats | None
) -> tuple[sparse.csr_array, Floats]:
    """Return weights and intercepts after more rows; ``Y`` has a column per node of the hierarchy."""
    rows, labels = _Rows.of(X, weight), column_rows(Y, state.graph)
    blocks = gen_batches(state.intercepts.size, max(1, CELLS // max(rows.features.size, 1)))
    weights, intercepts = zip(*(_learn_columns(state, seen, rows, labels, columns) for columns in blocks))
    return _put_rows(state.weights, rows.features, sparse.hstack(weights)), np.concatenate(intercepts)


def _has_parents(state: LinearState, labels: sparse.csc_array, columns: slice) -> NDArray[np.bool_]:
    """Say which rows train which of some columns: those that have all parents, or all."""
    n_parents = np.diff(state.graph.parent_ptr)[columns]
    if not state.conditional:
        return np.ones((labels.shape[0], n_parents.size), bool)
    # by rows: sums over them follow the order in memory
    carried = carry_parents(labels, state.graph, columns).toarray(order="C").astype(bool)
    return np.asarray(carried | (n_parents == 0))


def _learn_columns(
    state: LinearState, seen: Seen, rows: _Rows, labels: sparse.csc_array, columns: slice
) -> tuple[sparse.csr_array, Floats]:
    """Return the weights of the features that occur, and the intercepts, of some columns."""
    true, trains = labels[:, columns].toarray().astype(bool), _has_parents(state, labels, columns)
    cost, (below, above) = state.cost, state.factors[columns].T
    omega = trains * np.where(true, above, below) * rows.weight[:, None]
    w0 = state.weights[rows.features][:, columns].toarray().astype(np.float64)
    given = state.intercepts[columns].astype(np.float64)
    same = np.isinf(given) & np.where(given < 0, ~(true & trains).any(axis=0), (true | ~trains).all(axis=0))
    b0 = _finite(given, state.loss, seen.weight)
    curvature = _slopes(state.loss, rows.X @ w0 + b0, true)[1]
    usual = (curvature * omega).sum(axis=0) / max(rows.weight.sum(), 1e-300)  # rows that do not train count as 0
    q, q_b = 1 + cost * usual * seen.squares[rows.features][:, None], 1 + cost * usual * seen.weight
    steep = cost * (0.25 if state.loss == "log" else 2.0)
    bound = q + steep * (abs(rows.X).T @ (rows.bound[:, None] * omega))
    bound_b = q_b + steep * (rows.bound[:, None] * omega).sum(axis=0)
    w, b = w0.copy(), b0.copy()
    for _ in range(N_STEPS):
        slope = cost * _slopes(state.loss, rows.X @ w + b, true)[0] * omega
        w -= (q * (w - w0) + rows.X.T @ slope) / bound
        b -= (q_b * (b - b0) + slope.sum(axis=0)) / bound_b
    w[np.abs(w) * rows.largest[:, None] < SMALL * state.least] = 0.0
    w, b = np.where(same, w0, w), np.where(same, given, b)
    return sparse.csr_array(w.astype(state.weights.dtype)), b


def _slopes(loss: str, margin: Floats, true: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Return the derivative of the loss by the margin, and the second one."""
    if loss == "log":
        p: Floats = expit(margin)
        return p - true, p * (1 - p)
    sign = np.where(true, 1.0, -1.0)
    short: Floats = np.maximum(0.0, 1 - sign * margin)
    return -2 * sign * short, np.where(short > 0, 2.0, 0.0)


def _finite(intercepts: Floats, loss: str, weight: float) -> Floats:
    """Return intercepts to start from where all rows agreed: as if half a row had not, or a margin of 1."""
    start = np.log(2 * (weight + 1)) if loss == "log" else 1.0
    return np.where(np.isinf(intercepts), np.sign(intercepts) * start, intercepts)


def _put_rows(weights: sparse.csr_array, features: NDArray[np.int64], new: Any) -> sparse.csr_array:
    """Return weights with the rows of some features replaced."""
    source = np.arange(weights.shape[0])
    source[features] = weights.shape[0] + np.arange(features.size)
    found = sparse.vstack([weights, new], format="csr")[source]
    found.eliminate_zeros()
    found.sort_indices()
    return found
