"""What every metric requires of its arguments, checked in one place, and the counts that most are computed from.

Metrics take matrices as they are: a prediction that breaks the hierarchy is measured, it is not an
error. What is checked is the shape, that labels are 0 and 1, and that scores are finite.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from truepath.hierarchy import Hierarchy
from truepath.hierarchy.checks import as_labels, as_scores, check_weight, flat_like, resolve_hierarchy
from truepath.hierarchy.matrices import as_bool, as_dense, as_matrix, by_name, row_blocks


class Pair(NamedTuple):
    """A truth and what is compared with it, both dense or both CSR; ``nodes`` and ``weight`` None mean all and one."""

    true: Any
    pred: Any
    nodes: NDArray[np.int64] | None
    weight: NDArray[np.float64] | None
    given: Hierarchy | None

    @property
    def hierarchy(self) -> Hierarchy:
        return resolve_hierarchy(self.given, self.true.shape[1])

    @property
    def n_counted(self) -> int:
        return int(self.true.shape[1] if self.nodes is None else self.nodes.size)

    @property
    def row_weight(self) -> NDArray[np.float64]:
        """The weight of each row, 1 if none was given."""
        return np.ones(self.true.shape[0]) if self.weight is None else self.weight

    def of_counted(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the numbers of the counted classes, from one number per class."""
        return values if self.nodes is None else values[self.nodes]

    def counted(self) -> tuple[Any, Any]:
        """Return both matrices with the counted columns only."""
        if self.nodes is None:
            return self.true, self.pred
        return take_columns(self.true, self.nodes), take_columns(self.pred, self.nodes)

    def mean_over_rows(self, values: NDArray[Any]) -> float:
        """Return the weighted mean of a number per row."""
        return float(np.mean(values) if self.weight is None else np.average(values, weights=self.weight))


def check_label_pair(
    y_true: Any, y_pred: Any, hierarchy: Hierarchy | None, nodes: Any = None, sample_weight: Any = None
) -> Pair:
    """Return truth and predicted labels as boolean matrices of one kind: CSR when either is sparse."""
    order = hierarchy or flat_like(y_true, y_pred)
    true, pred = (as_labels(by_name(y, order, name), name) for y, name in ((y_true, "y_true"), (y_pred, "y_pred")))
    if sparse.issparse(true) or sparse.issparse(pred):
        true, pred = as_bool(sparse.csr_array(true)), as_bool(sparse.csr_array(pred))
    return _pair(true, pred, "y_pred", hierarchy, nodes, sample_weight)


def check_label_scores(
    y_true: Any, y_score: Any, hierarchy: Hierarchy | None, nodes: Any = None, sample_weight: Any = None
) -> Pair:
    """Return truth and scores as matrices of one kind: the scores' own."""
    order = hierarchy or flat_like(y_true, y_score)
    true = as_labels(by_name(y_true, order, "y_true"), "y_true")
    scores = as_scores(by_name(y_score, order), labels=getattr(order, "names", None))
    true = as_bool(sparse.csr_array(true)) if sparse.issparse(scores) else as_dense(true)
    return _pair(true, scores, "S", hierarchy, nodes, sample_weight)


def _pair(true: Any, pred: Any, name: str, hierarchy: Any, nodes: Any, sample_weight: Any) -> Pair:
    """Check what both kinds of pairs have in common."""
    if true.shape != pred.shape:
        raise ValueError(f"y_true and {name} must have the same shape; got {true.shape} and {pred.shape}.")
    check_rows(true, hierarchy, "y_true")
    counted = check_nodes(nodes, hierarchy, true.shape[1])
    return Pair(true, pred, counted, check_weight(sample_weight, true.shape[0]), hierarchy)


def check_rows(matrix: Any, hierarchy: Hierarchy | None, name: str) -> None:
    """Refuse a matrix without rows, or without one column per node of the hierarchy."""
    if matrix.shape[0] == 0 or matrix.shape[1] == 0:
        raise ValueError(f"{name} must have at least one row and one column; got shape {matrix.shape}.")
    if hierarchy is not None:
        as_matrix(matrix, resolve_hierarchy(hierarchy, 0).n_nodes, name)


def check_nodes(nodes: Any, hierarchy: Hierarchy | None, n_nodes: int) -> NDArray[np.int64] | None:
    """Return the counted classes as ascending node numbers, or None for all; names, numbers or a boolean mask."""
    if nodes is None:
        return None
    given = np.atleast_1d(np.asarray(nodes, dtype=None if hasattr(nodes, "dtype") else object))
    if given.size and isinstance(given.flat[0], str):
        if hierarchy is None:
            raise ValueError("nodes given by name need a hierarchy; pass hierarchy= or node numbers.")
        return np.unique(hierarchy.indices(given.tolist()))
    numbers = np.asarray(given.tolist())
    if numbers.dtype == bool and numbers.shape == (n_nodes,):
        numbers = np.flatnonzero(numbers)
    if numbers.size == 0:
        raise ValueError("nodes is empty; pass None to count every class.")
    if numbers.dtype.kind not in "iu" or numbers.min() < 0 or numbers.max() >= n_nodes:
        raise ValueError(f"nodes must be names, numbers from 0 to {n_nodes - 1} or a mask of all nodes; got {nodes!r}.")
    return np.unique(numbers).astype(np.int64)


def check_costs(costs: str | ArrayLike, hierarchy: Hierarchy) -> NDArray[np.float64]:
    """Return c_v: ``"normalized"`` (split among children from c_root = 1), ``"uniform"`` (all 1) or given ones."""
    if isinstance(costs, str):
        if costs not in ("normalized", "uniform"):
            raise ValueError(f"costs must be 'normalized', 'uniform' or an array; got {costs!r}.")
        return hierarchy.costs if costs == "normalized" else np.ones(hierarchy.n_nodes)
    return check_per_node(costs, hierarchy.n_nodes, "costs")


def check_per_node(values: ArrayLike, n_nodes: int, name: str) -> NDArray[np.float64]:
    """Return one non-negative number per node, a single number repeated."""
    try:
        numbers = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a number or one number per node ({n_nodes}); got {values!r:.60}.") from None
    if numbers.shape not in ((), (n_nodes,)):
        raise ValueError(f"{name} must be a number or one number per node ({n_nodes}); got shape {numbers.shape}.")
    if not np.isfinite(numbers).all() or (numbers < 0).any():
        raise ValueError(f"{name} must be finite and not negative.")
    return np.broadcast_to(numbers, (n_nodes,))


def take_columns(matrix: Any, nodes: NDArray[np.int64]) -> Any:
    """Return some columns, dense as dense and CSR as CSR."""
    return matrix[:, nodes] if sparse.issparse(matrix) else np.take(matrix, nodes, axis=1)


class Counts(NamedTuple):
    """Weighted numbers of cells that are true and predicted, true, and predicted; one entry per group."""

    hits: NDArray[Any]
    true: NDArray[Any]
    predicted: NDArray[Any]


def count_each_row(pair: Pair) -> Counts:
    """Count each row's cells among the counted classes; rows are not weighted."""
    true, pred = pair.counted()
    return Counts(*(M.sum(axis=1) for M in (_hits(true, pred), true, pred)))


def count_classes(pair: Pair) -> Counts:
    """Count each counted class's cells, rows weighted."""
    true, pred = pair.counted()
    return Counts(*(_sum_rows(M, pair.weight) for M in (_hits(true, pred), true, pred)))


def find_mistakes(true: Any, pred: Any) -> Any:
    """Return the boolean matrix of cells where two matrices of one kind differ."""
    return true != pred if sparse.issparse(true) else true ^ pred


def has_any(matrix: Any) -> NDArray[np.bool_]:
    """Return for each row whether any cell is set."""
    return matrix.sum(axis=1) > 0 if sparse.issparse(matrix) else matrix.any(axis=1)


def divide(above: NDArray[Any], below: NDArray[Any], zero_division: float) -> NDArray[np.float64]:
    """Divide; ``0 / 0`` is ``zero_division``."""
    out = np.full(np.shape(below), float(zero_division))
    return np.divide(above, below, out=out, where=np.asarray(below) > 0)


def mean_of_defined(values: NDArray[np.float64], weight: NDArray[np.float64] | None = None) -> float:
    """Return the weighted mean of the values that are not NaN; NaN when none is left."""
    defined = ~np.isnan(values)
    if weight is None:
        return float(values[defined].mean()) if defined.any() else float("nan")
    total = weight[defined].sum()
    return float(values[defined] @ weight[defined] / total) if total > 0 else float("nan")


def _hits(true: Any, pred: Any) -> Any:
    """Return the cells set in both."""
    return true.multiply(pred).tocsr() if sparse.issparse(true) else true & pred


def _sum_rows(matrix: Any, weight: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """Sum a boolean matrix over its rows, without a float copy of all of it."""
    if weight is None:
        return np.asarray(matrix.sum(axis=0), np.float64)
    if sparse.issparse(matrix):
        return np.asarray(matrix.T @ weight, np.float64)
    total = np.zeros(matrix.shape[1])
    for rows in row_blocks(*matrix.shape):
        total += weight[rows] @ matrix[rows].astype(np.float64)
    return total
