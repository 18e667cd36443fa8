"""What the fitted combiners are given: one score matrix or several, labels, weights; side by side, and centred."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from truepath.hierarchy import Hierarchy, check_scores
from truepath.hierarchy.checks import check_truth, hierarchy_for, weight_or_ones
from truepath.hierarchy.matrices import as_dense


class Rows(NamedTuple):
    """Training rows, all scores side by side."""

    X: Any  # (n_samples, n_sources * n_nodes), float64
    y: sparse.csr_array  # (n_samples, n_nodes), float64
    weight: np.ndarray
    hierarchy: Hierarchy
    n_sources: int
    groups: np.ndarray | None = None  # the number of each row's group

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


def _list_sources(S: Any) -> list[Any]:
    """Return the score matrices: a list or tuple of matrices as it is, anything else as the only one."""
    if isinstance(S, (list, tuple)) and len(S) and all(len(np.shape(part)) == 2 for part in S):
        return list(S)
    return [S]


def check_sources(S: Any, hierarchy: Hierarchy, n_sources: int | None = None) -> list[Any]:
    """Return the checked score matrices, which must have rows of the same instances, and be as many as in ``fit``."""
    several = isinstance(S, (list, tuple))
    parts = [
        check_scores(part, hierarchy, name=f"S[{j}]" if several else "S") for j, part in enumerate(_list_sources(S))
    ]
    if len({part.shape[0] for part in parts}) > 1:
        raise ValueError(f"the score matrices have different numbers of rows: {[part.shape[0] for part in parts]}.")
    if n_sources is not None and len(parts) != n_sources:
        raise ValueError(f"S has {len(parts)} score matrices but fit was given {n_sources}.")
    return parts


def check_held_out(
    hierarchy: Hierarchy | None, S: Any, y: Any, sample_weight: Any
) -> tuple[list[Any], Any, np.ndarray, Hierarchy]:
    """Return the checked arguments of ``fit``: score matrices, labels, weights, and the hierarchy."""
    hierarchy = hierarchy_for(hierarchy, _list_sources(S)[0])
    parts = check_sources(S, hierarchy)
    Y = check_truth(y, parts[0], hierarchy)
    return parts, Y, weight_or_ones(sample_weight, Y.shape[0]), hierarchy


def float_type(parts: list[Any]) -> np.dtype:
    """Return the float type of combined scores."""
    return np.result_type(*(part.dtype for part in parts))


def stack_sources(parts: list[Any]) -> Any:
    """Return the score matrices side by side as float64, CSR if all are."""
    if all(sparse.issparse(part) for part in parts):
        return sparse.hstack([part.astype(np.float64) for part in parts], format="csr")
    arrays = [as_dense(part) for part in parts]
    return np.ascontiguousarray(arrays[0] if len(arrays) == 1 else np.hstack(arrays), np.float64)


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
