"""SparseLinear under a changed hierarchy: the columns of touched labels fitted again, those of all others kept."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from truepath.errors import TruePathError
from truepath.hierarchy import HierarchyDiff
from truepath.learners.base import check_fit_input
from truepath.learners.linear import sparse_linear as linear
from truepath.learners.linear.label_graph import order_labels

__all__ = ["update_linear"]


def update_linear(new: Any, fitted: Any, diff: HierarchyDiff, X: Any, y: Any, before: dict[str, str]) -> Any:
    """Fit the touched labels of ``new``, an unfitted copy, and take all others over from ``fitted``."""
    if (fitted._graph[-1] < 0).any():
        raise TruePathError("its labels were put into groups, which the change would break.", "Fit it again.")
    factors = new._check_parameters()
    X, Y, _, hierarchy = check_fit_input(new, X, y, None)
    X = linear._as_rows(X)
    new.train_on_, new.loss_ = fitted.train_on_, fitted.loss_
    graph = order_labels(hierarchy)
    labels = sparse.csc_array(Y)[:, graph.node_of]
    parents = (graph.parent_ptr, graph.parent_idx) if new.train_on_ == "parents" else graph.without_parents()
    cost = np.ones(X.shape[0]) * float(linear._usual_c(new.loss_, X) if new.C is None else new.C)
    rows, settings = linear._rows_for_fitting(X), (factors, *new._settings())
    names = hierarchy.names[graph.node_of]
    touched = np.array([name not in before for name in names]) | np.isin(graph.node_of, diff.touched)
    common = (rows, (labels.indptr, labels.indices), parents, cost, settings)
    fits = [linear._fit_columns(*common, np.flatnonzero(touched))] if touched.any() else []
    weights, intercepts = _kept(fitted, [before.get(name) for name in names], touched)
    if fits:
        found, fresh, new.n_iter_ = linear._assemble(fits, X.shape[1], graph.n_columns)
        weights, intercepts = sparse.csr_array(weights + found), np.where(touched, fresh, intercepts)
        weights.sort_indices()
    new._weights, new._intercepts, new._graph = weights, intercepts, tuple(graph)
    new.n_iter_ = getattr(new, "n_iter_", fitted.n_iter_)
    new._seen = tuple(linear.Seen.of(X, None))
    return new


def _kept(fitted: Any, names: list[str | None], touched: np.ndarray) -> tuple[Any, np.ndarray]:
    """Return the weights and intercepts of labels that stay, by new column; 0 and minus infinity for the others."""
    place = dict(zip(fitted.hierarchy_.names.tolist(), fitted._columns().tolist()))
    stays = [k for k, name in enumerate(names) if name is not None and not touched[k]]
    old = [place[str(names[k])] for k in stays]
    move = sparse.csr_array((np.ones(len(old), np.float32), (old, stays)), shape=(fitted._intercepts.size, len(names)))
    intercepts = np.full(len(names), -np.inf)
    intercepts[stays] = fitted._intercepts[old]
    weights = sparse.csr_array(fitted._weights @ move)
    weights.sort_indices()
    return weights, intercepts
