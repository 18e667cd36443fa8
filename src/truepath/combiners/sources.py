"""What the fitted combiners are given: one score matrix or several side by side, labels, weights, centring."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from truepath.hierarchy import Hierarchy, check_scores
from truepath.hierarchy.checks import check_truth, hierarchy_for, weight_or_ones
from truepath.hierarchy.matrices import as_dense

__all__ = [
    "Rows",
    "System",
    "check_held_out",
    "check_sources",
    "list_sources",
    "make_system",
    "scale_rows",
    "stack_sources",
]


class Rows(NamedTuple):
    """Checked training rows."""

    X: Any  # (n_samples, n_sources * n_nodes), float64
    y: sparse.csr_array  # (n_samples, n_nodes), float64
    weight: np.ndarray
    hierarchy: Hierarchy
    n_sources: int

    @property
    def x_mean(self) -> np.ndarray:
        """The weighted mean of the scores."""
        return np.asarray(self.weight @ self.X).ravel() / self.weight.sum()

    @property
    def y_mean(self) -> np.ndarray:
        """The weighted mean of the labels."""
        return np.asarray(self.weight @ self.y).ravel() / self.weight.sum()


class System(NamedTuple):
    """Rows scaled by the roots of their weights, scores centred if an intercept is fitted."""

    Z: Any
    Yw: Any  # not centred: centred scores are orthogonal to what centring would take away
    root: np.ndarray | None  # the roots of the weights, if an intercept is fitted

    @property
    def is_wide(self) -> bool:
        """Whether there are fewer rows than columns, so that the dual form is the smaller one."""
        return self.Z.shape[0] < self.Z.shape[1]


def list_sources(S: Any) -> list[Any]:
    """Return the score matrices: a list or tuple of matrices as it is, anything else as the only one."""
    if isinstance(S, (list, tuple)) and len(S) and all(len(np.shape(part)) == 2 for part in S):
        return list(S)
    return [S]


def check_sources(S: Any, hierarchy: Hierarchy) -> list[Any]:
    """Return the checked score matrices, which must have rows of the same instances."""
    several = isinstance(S, (list, tuple))
    parts = [
        check_scores(part, hierarchy, name=f"S[{j}]" if several else "S") for j, part in enumerate(list_sources(S))
    ]
    if len({part.shape[0] for part in parts}) > 1:
        raise ValueError(f"the score matrices have different numbers of rows: {[part.shape[0] for part in parts]}.")
    return parts


def stack_sources(S: Any, hierarchy: Hierarchy) -> tuple[Any, np.dtype, int]:
    """Return the sources side by side as float64 (CSR if all are), their float type and their number."""
    parts = check_sources(S, hierarchy)
    dtype = np.result_type(*(part.dtype for part in parts))
    if all(sparse.issparse(part) for part in parts):
        return sparse.hstack([part.astype(np.float64) for part in parts], format="csr"), dtype, len(parts)
    arrays = [as_dense(part) for part in parts]
    X = arrays[0] if len(arrays) == 1 else np.hstack(arrays)
    return np.ascontiguousarray(X, np.float64), dtype, len(parts)


def check_held_out(hierarchy: Hierarchy | None, S: Any, Y: Any, sample_weight: Any) -> Rows:
    """Check scores, labels and weights."""
    hierarchy = hierarchy_for(hierarchy, list_sources(S)[0])
    X, _, n_sources = stack_sources(S, hierarchy)
    Y = check_truth(Y, X, hierarchy)
    labels = sparse.csr_array(Y, dtype=np.float64)  # few cells are set, whatever form they came in
    return Rows(X, labels, weight_or_ones(sample_weight, X.shape[0]), hierarchy, n_sources)


def make_system(rows: Rows, fit_intercept: bool) -> System:
    """Centre the scores if asked, then scale."""
    X = rows.X
    if fit_intercept:
        X = as_dense(X) - rows.x_mean
    root = np.sqrt(rows.weight)
    if (root == 1).all():
        return System(X, rows.y, root if fit_intercept else None)
    return System(scale_rows(X, root), scale_rows(rows.y, root), root if fit_intercept else None)


def scale_rows(M: Any, scale: np.ndarray) -> Any:
    """Multiply each row by its number."""
    return sparse.diags_array(scale) @ M if sparse.issparse(M) else scale[:, None] * M
