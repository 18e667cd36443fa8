"""Rows and labels as people give them: arrays, frames and lists; 0/1 matrices, names, paths, columns of levels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath.hierarchy import Hierarchy
from truepath.hierarchy.checks import check_labels, resolve_hierarchy

__all__ = ["count_rows", "derive_hierarchy", "encode_labels", "take_rows"]


def derive_hierarchy(Y: Any) -> Hierarchy:
    """Return the hierarchy that labels without one imply: flat for a matrix, the tree of paths for names.

    Examples
    --------
    >>> import numpy as np
    >>> from truepath.adapters import derive_hierarchy
    >>> derive_hierarchy([["a/1", "b"], ["a/2"]])
    Hierarchy(4 nodes, 2 edges, tree, 3 leaves, height 2)
    >>> derive_hierarchy(np.eye(3))
    Hierarchy(3 nodes, 0 edges, flat, 3 leaves, height 1)
    """
    values = Y if sparse.issparse(Y) or hasattr(Y, "columns") else _as_array(Y)
    if hasattr(values, "columns"):
        import narwhals.stable.v1 as nw

        frame = nw.from_native(values, eager_only=True)
        if all(kind.is_numeric() or kind == nw.Boolean for kind in frame.schema.values()):
            return Hierarchy.flat([str(column) for column in frame.columns])
        values = frame.to_numpy().astype(object)
    if sparse.issparse(values) or values.dtype.kind in "biuf":
        if values.ndim != 2:
            raise ValueError(
                "y must be a label matrix (n_samples, n_nodes) or a list of label collections; got one column. "
                "Reshape your data using y.reshape(-1, 1) for one label, or give names."
            )
        return resolve_hierarchy(None, values.shape[1])
    return Hierarchy.from_paths(dict.fromkeys(_paths(values)))


def _as_array(Y: Any) -> NDArray[Any]:
    """Return a numeric or string matrix as it is, and rows of label collections as an array of objects."""
    if hasattr(Y, "__array__"):
        return np.asarray(Y)
    rows = list(Y)
    if rows and all(map(_holds_numbers, rows)):
        return np.asarray(rows)
    listed = np.empty(len(rows), object)
    listed[:] = rows
    return listed


def _holds_numbers(row: Any) -> bool:
    """Say whether a row is a sequence of numbers, thus part of a 0/1 matrix (or a number by mistake)."""
    if isinstance(row, (str, bytes)) or np.ndim(row) > 1:
        return False
    return all(isinstance(value, (bool, int, float, np.number, np.bool_)) for value in np.ravel(row).tolist())


def _paths(values: NDArray[Any]) -> Iterator[Any]:
    """Yield every label path of an array of label collections or of columns of levels."""
    if values.ndim == 1:
        for row in values.tolist():
            yield from [row] if isinstance(row, str) else row
        return
    for path in values.reshape(-1, values.shape[-1]).tolist():
        filled = [not (cell is None or cell == "" or cell != cell) for cell in path]
        length = filled.index(False) if False in filled else len(path)
        if length:
            yield tuple(str(cell) for cell in path[:length])


def encode_labels(Y: Any, hierarchy: Hierarchy) -> Any:
    """Return labels as a closed boolean matrix: 0/1 matrices are checked, names and paths encoded.

    Parameters
    ----------
    Y : one of
        * a 0/1 matrix (n_samples, n_nodes), dense or sparse, closed under ancestors;
        * anything :meth:`Hierarchy.encode` takes: collections of label names or tuple paths, columns of levels,
          frames. Ancestors are added.
    hierarchy : Hierarchy

    Returns
    -------
    Y : ndarray or csr_array of bool, shape (n_samples, n_nodes)
    """
    resolve_hierarchy(hierarchy, 0)
    if sparse.issparse(Y):
        return check_labels(Y, hierarchy)
    values = Y if hasattr(Y, "columns") else _as_array(Y)
    if not hasattr(values, "columns") and values.dtype.kind in "biuf":
        return check_labels(values, hierarchy)
    return hierarchy.encode(values)


def count_rows(X: Any) -> int:
    """Return the number of instances of an array, sparse matrix, frame or list."""
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def take_rows(X: Any, rows: Any) -> Any:
    """Return some rows of an array, CSR matrix, data frame or list; ``rows=None`` means all, without a copy."""
    if rows is None:
        return X
    if hasattr(X, "columns"):
        import narwhals.stable.v1 as nw

        return nw.from_native(X, eager_only=True)[rows].to_native()
    if hasattr(X, "shape"):
        return X[rows]
    return [X[i] for i in np.asarray(rows).tolist()]
