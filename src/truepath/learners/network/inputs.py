r"""What networks take of a row: columns on one scale, gaps marked, and numbers encoded piecewise if asked for.

Piecewise-linear encoding (Gorishniy, Rubachev & Babenko 2022): the quantiles :math:`b_0 < b_1 < \ldots < b_T` of a
column cut it into intervals, and each interval becomes an input

.. math:: e_t(x) = \min(1, \max(0, (x - b_{t-1}) / (b_t - b_{t-1}))),

so that a linear layer on top can bend at every quantile. The outer intervals end at the least and the greatest value
seen; the paper lets them go on.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from truepath.graph import Graph
from truepath.held import an_object, flag, holds, integers, maybe, numbers
from truepath.learners.kernel.scaling import apply_scaler, export_scaler, fit_scaler
from truepath.records import Record

#: Inputs beyond this would soon overflow in products of single precision
FARTHEST_INPUT = 1e6


@holds(counts=integers(None, least=0), start=numbers("k"), length=numbers("k", least=1e-300))
class PiecewiseLinear(Record, home="truepath.learners"):
    """The intervals of all columns.

    Attributes
    ----------
    counts : ndarray, shape (n_columns,)
        How many intervals each column has.
    start, length : ndarray, shape (n_intervals,)
        Where each interval starts, and how long it is, column after column.
    """

    def __init__(self, counts: np.ndarray, start: np.ndarray, length: np.ndarray):
        self.counts, self.start, self.length = counts, start, length

    @property
    def column(self) -> np.ndarray:
        """The column of each interval."""
        return np.repeat(np.arange(self.counts.size), self.counts)

    def check_loaded(self) -> None:
        """Refuse intervals from a file that are not those of the columns."""
        if self.counts.sum() != self.start.size:
            raise ValueError("a PiecewiseLinear has other intervals than its columns")

    @classmethod
    def of(cls, X: np.ndarray, n_pieces: int) -> PiecewiseLinear:
        """Cut every column at quantiles, equal ones once; a column of one value gets no interval.

        Examples
        --------
        >>> found = PiecewiseLinear.of(np.array([[0.0, 5.0], [1.0, 5.0], [3.0, 5.0]]), 2)
        >>> found.encode(np.array([[2.0, 5.0], [-1.0, 7.0]])).tolist()
        [[1.0, 0.5], [0.0, 0.0]]
        """
        cuts = np.quantile(X, np.linspace(0, 1, n_pieces + 1), axis=0).T
        edges = [np.unique(cut) for cut in cuts]
        counts = np.array([edge.size - 1 for edge in edges])
        start, length = (np.concatenate(parts) for parts in ([e[:-1] for e in edges], [np.diff(e) for e in edges]))
        return cls(counts, start, length)

    def encode(self, X: np.ndarray) -> np.ndarray:
        """Return the inputs, shape (n_samples, n_intervals)."""
        E = (X[:, self.column] - self.start) / self.length
        return np.clip(E, 0.0, 1.0, out=E)


@holds(
    is_sparse=flag,
    scaler=maybe(an_object("transform")),
    with_gaps=integers(None, least=0, below="n_features"),
    pieces=maybe(an_object("encode", knows=())),
)
class NetworkInputs(Record, home="truepath.learners"):
    """How the columns of X become inputs.

    Attributes
    ----------
    is_sparse : bool
        Whether the rows learned from were sparse; such rows are taken as they are.
    scaler, with_gaps
        See :func:`truepath.learners.kernel.scaling.fit_scaler`.
    pieces : PiecewiseLinear or None
    """

    def __init__(self, is_sparse: bool, scaler: Any, with_gaps: np.ndarray, pieces: PiecewiseLinear | None):
        self.is_sparse, self.scaler, self.with_gaps, self.pieces = is_sparse, scaler, with_gaps, pieces

    def count(self, n_features: int) -> int:
        """Return the number of inputs that so many columns become."""
        n_columns = n_features if self.is_sparse else n_features + int(self.with_gaps.size)
        if self.pieces is None:
            return n_columns
        if self.pieces.counts.size != n_columns:
            raise ValueError("a network has pieces of other columns")
        return int(self.pieces.start.size)

    @classmethod
    def of(cls, X: Any, normalize: str | None, n_pieces: int | None, weight: Any = None) -> NetworkInputs:
        """Learn the scales and quantiles of columns."""
        is_sparse = sparse.issparse(X)
        scaler, with_gaps = fit_scaler(X, normalize, np.ones(X.shape[0]) if weight is None else weight)
        pieces = None
        if n_pieces is not None and not is_sparse:
            pieces = PiecewiseLinear.of(apply_scaler(X, scaler, with_gaps), n_pieces)
        return cls(is_sparse, scaler, with_gaps, pieces)

    def export(self, graph: Graph, rows: str) -> str:
        """Add what :meth:`take` does to an ONNX graph."""
        if self.is_sparse:
            return graph.cast(rows, "FLOAT")
        x = export_scaler(graph, rows, self.scaler, self.with_gaps)
        if self.pieces is not None:
            x = graph.add("Sub", graph.columns(x, self.pieces.column), graph.constant(self.pieces.start, float))
            x = graph.clip(graph.add("Div", x, graph.constant(self.pieces.length, float)), 0.0, 1.0)
        return graph.cast(graph.clip(x, -FARTHEST_INPUT, FARTHEST_INPUT), "FLOAT")

    def middle(self, n_columns: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the inputs of the row in the middle of all columns, and the column that each input is made of."""
        column = np.concatenate([np.arange(n_columns), self.with_gaps])
        middle = np.zeros((1, column.size))
        if self.pieces is None:
            return middle[0], column
        return self.pieces.encode(middle)[0], column[self.pieces.column]

    def take(self, X: Any) -> Any:
        """Return rows as float32, dense or, where sparse rows were learned from, as they come."""
        if self.is_sparse:
            return sparse.csr_array(X, dtype=np.float32) if sparse.issparse(X) else X.astype(np.float32)
        X = apply_scaler(X.toarray() if sparse.issparse(X) else X, self.scaler, self.with_gaps)
        if self.pieces is not None:
            X = self.pieces.encode(X)
        return np.clip(X, -FARTHEST_INPUT, FARTHEST_INPUT).astype(np.float32)
