"""Columns of numbers on one scale, as kernels want them: standardised or spread to a normal shape, gaps marked."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.preprocessing import QuantileTransformer, StandardScaler

from truepath.graph import Graph
from truepath.graph.transformers import export_transformer

NORMALIZATIONS = ("standard", "quantile", None)
# Quantiles beyond this many standard deviations carry no information
FARTHEST_QUANTILE = 3.0
MAX_QUANTILES = 1000
#: The scale of columns without any value; single precision holds its square root's square, and ONNX runs in it
WIDEST = 1e30


def fit_scaler(X: Any, kind: str | None, weight: np.ndarray) -> tuple[Any, np.ndarray]:
    """Return a fitted scaler (None: columns stay as they are) and the columns that have gaps.

    Weights count for means and deviations, not for ranks. A column without any value is scaled so widely that whatever
    it holds later lies in its middle.
    """
    if sparse.issparse(X):
        return None, np.empty(0, np.int64)
    scaler: Any = None
    is_gap = np.isnan(X)
    is_empty = is_gap.all(axis=0)
    X = np.where(is_empty, X.dtype.type(0), X) if is_empty.any() else X
    if kind == "standard":
        scaler = StandardScaler().fit(X, sample_weight=weight)
        scaler.scale_[is_empty] = WIDEST
    elif kind == "quantile":
        n_quantiles = min(MAX_QUANTILES, X.shape[0])
        scaler = QuantileTransformer(n_quantiles=n_quantiles, output_distribution="normal", subsample=None).fit(X)
        scaler.quantiles_[:, is_empty] = np.linspace(-WIDEST, WIDEST, n_quantiles)[:, None]
    return scaler, np.flatnonzero(is_gap.any(axis=0))


def apply_scaler(X: Any, scaler: Any, with_gaps: np.ndarray) -> Any:
    """Scale the columns, put zeros (the middle of a scaled column) in gaps, and add 0/1 columns that mark the gaps.

    A gap in a column that had none in training counts as the middle.
    """
    if sparse.issparse(X):
        return X
    scaled = X if scaler is None else scaler.transform(X)
    if isinstance(scaler, QuantileTransformer):
        scaled = np.clip(scaled, -FARTHEST_QUANTILE, FARTHEST_QUANTILE)
    return np.column_stack([np.nan_to_num(scaled, posinf=np.inf, neginf=-np.inf), np.isnan(X[:, with_gaps])])


def export_scaler(graph: Graph, rows: str, scaler: Any, with_gaps: np.ndarray) -> str:
    """Add what :func:`apply_scaler` does to dense rows."""
    is_gap = graph.add("IsNaN", rows)
    scaled = rows if scaler is None else export_transformer(graph, scaler, rows)
    if isinstance(scaler, QuantileTransformer):
        scaled = graph.clip(scaled, -FARTHEST_QUANTILE, FARTHEST_QUANTILE)
    filled = graph.double(graph.add("Where", is_gap, graph.number(0.0, scaled), scaled))
    if not with_gaps.size:
        return filled
    marks = graph.double(graph.columns(graph.cast(is_gap, "INT64"), with_gaps))
    return graph.add("Concat", filled, marks, axis=1)
