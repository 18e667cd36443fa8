"""What people give: rows in any container, labels in any form, and which columns hold categories."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath.hierarchy import Hierarchy
from truepath.hierarchy.build import is_missing
from truepath.hierarchy.checks import check_labels, resolve_hierarchy
from truepath.hierarchy.flatness import warn_of_levels, warn_of_lists, warn_of_separators
from truepath.hierarchy.names import WAYS, nearest

__all__ = [
    "TEXTS_TO_SEE",
    "UNKNOWN",
    "count_rows",
    "derive_hierarchy",
    "encode_labels",
    "find_places",
    "is_embedding",
    "is_unspaced",
    "plain_rows",
    "refuse_complex",
    "resolve_categorical",
    "split_paths",
    "take_rows",
]

#: Dense float32 arrays of this many columns and more are taken as embeddings
COLUMNS_OF_EMBEDDING = 64
#: The first texts show what script they are in
TEXTS_TO_SEE = 1000
#: Thai, Lao, Burmese, Khmer, Japanese and Chinese signs
_UNSPACED = re.compile("[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")


def is_embedding(X: Any) -> bool:
    """Say whether rows look like what an encoder of texts or images gives: 64 columns or more of float32, none missing.

    Examples
    --------
    >>> import numpy as np
    >>> is_embedding(np.zeros((2, 384), np.float32)), is_embedding(np.zeros((2, 384))), is_embedding(["a text"])
    (True, False, False)
    """
    if not isinstance(X, np.ndarray) or X.dtype != np.float32 or X.ndim != 2 or X.shape[1] < COLUMNS_OF_EMBEDDING:
        return False
    return bool(np.isfinite(X).all())


def derive_hierarchy(Y: Any, sep: str = "/") -> Hierarchy:
    """Return the hierarchy that labels without one imply: flat for a matrix, the tree of paths for names.

    ``sep`` separates the parts of a path. Labels that become flat though they look like paths are warned of.

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
            raise ValueError(_class_ids(values))
        if not values.shape[1]:
            raise ValueError(_NO_LABEL)
        return resolve_hierarchy(None, values.shape[1])
    paths = dict.fromkeys(_paths(values))
    if not paths:
        raise ValueError(_NO_LABEL)
    found = Hierarchy.from_paths(paths, sep=sep)
    between = warn_of_lists([path if isinstance(path, str) else sep.join(map(str, path)) for path in paths], sep)
    if found.n_edges == 0 and found.n_nodes > 1:
        warn_of_separators(found.names.tolist(), sep, between)
        if values.ndim == 1:
            warn_of_levels(values.tolist())
    return found


_NO_LABEL = "y has no label in any row, so there is nothing to learn. Give hierarchy= if that is right."


def split_paths(Y: Any, sep: str = "/", between: str | None = None) -> Any:
    """Return label names with the separators of their paths, and of the labels in a cell, taken apart.

    Parameters
    ----------
    Y : labels in any form
        Matrices, and rows that are no names, come back as they are.
    sep : str, default="/"
        Separator of the parts of a path. Blanks around parts are dropped, unless it is the default.
    between : str, optional
        Separator of the labels in a row that is one string; None takes such a row as one label.

    Examples
    --------
    >>> split_paths(["Food > Fruit | Gifts", "Tools"], sep=">", between="|")
    [[('Food', 'Fruit'), ('Gifts',)], [('Tools',)]]
    """
    if not isinstance(sep, str) or not sep or (between is not None and not between):
        raise ValueError(f"sep and between must be strings that are not empty; got {sep!r} and {between!r}.")
    if (sep == "/" and between is None) or sparse.issparse(Y) or hasattr(Y, "columns"):
        return Y
    values = _as_array(Y)
    if values.ndim != 1 or values.dtype.kind in "biuf":
        return Y
    return [_split_row(row, sep, between) for row in values.tolist()]


def _split_row(row: Any, sep: str, between: str | None) -> Any:
    """Split the labels of a row, if it has any, and their paths."""
    if isinstance(row, str):
        row = [row] if between is None else [label for label in row.split(between) if label.strip()]
    if not isinstance(row, Collection) or isinstance(row, Mapping):
        return row
    mark = sep.strip() or sep
    return [tuple(part.strip() for part in label.split(mark)) if isinstance(label, str) else label for label in row]


def _as_array(Y: Any) -> NDArray[Any]:
    """Return a numeric or string matrix as it is, and rows of label collections as an array of objects."""
    is_array = hasattr(Y, "__array__")
    if is_array and np.ndim(Y):
        return np.asarray(Y)
    if is_array or isinstance(Y, str | Mapping):
        way = "Give a list in the order of the rows of X." if isinstance(Y, Mapping) else "Put it in a list."
        raise TypeError(f"y must have one entry per row; got {_shown(Y)}. {way}")
    rows = list(Y)
    if rows and all(map(_holds_numbers, rows)):
        if len({np.size(row) for row in rows}) > 1:
            raise ValueError(_class_ids(rows))
        return np.asarray(rows)
    listed = np.empty(len(rows), object)
    listed[:] = rows
    return listed


def _class_ids(values: Any) -> str:
    """Say what to write instead of numbers of classes."""
    shown = ", ".join(str(value) for value in list(values)[:3])
    return (
        f"y must be a label matrix (n_samples, n_nodes) of 0 and 1, or a list of label collections; got numbers "
        f"({shown}, ...). For class ids give their names, as in [[str(label)] for label in y]; for a matrix of one "
        "label reshape your data using y.reshape(-1, 1)."
    )


def _holds_numbers(row: Any) -> bool:
    """Say whether a row is a sequence of numbers, and so part of a 0/1 matrix (or a number by mistake)."""
    if isinstance(row, (list, tuple)):
        return all(isinstance(value, (bool, int, float, np.number, np.bool_)) for value in row)
    if isinstance(row, (str, bytes)) or np.ndim(row) > 1:
        return False
    return all(isinstance(value, (bool, int, float, np.number, np.bool_)) for value in np.ravel(row).tolist())


def _paths(values: NDArray[Any]) -> Iterator[Any]:
    """Yield every label path of an array of label collections or of columns of levels."""
    if values.ndim == 1:
        for i, row in enumerate(values.tolist()):
            if not isinstance(row, (str, Collection)) or isinstance(row, Mapping):
                raise TypeError(f"row {i} of y is {_shown(row)}, not a label or a collection of labels. {WAYS}")
            yield from (_path(label, i) for label in ([row] if isinstance(row, str) else row))
        return
    for path in values.reshape(-1, values.shape[-1]).tolist():
        filled = [not (is_missing(cell) or cell == "") for cell in path]
        length = filled.index(False) if False in filled else len(path)
        if length:
            yield tuple(str(cell) for cell in path[:length])


def _path(label: Any, row: int) -> Any:
    """Return a label name or path; anything else is an error that names the row."""
    if isinstance(label, str) or (isinstance(label, tuple) and all(isinstance(part, (str, int)) for part in label)):
        return label
    raise TypeError(f"row {row} of y holds {_shown(label)}, which is no label. {WAYS}")


def _shown(value: Any) -> str:
    return f"{str(value)[:40]!r} ({type(value).__name__})"


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
    if hasattr(Y, "columns"):
        _refuse_numbered_levels(Y)
        return hierarchy.encode(Y)
    values = _as_array(Y)
    if values.dtype.kind in "biuf":
        if values.size and (values.ndim == 1 or (values.dtype.kind in "iu" and values.max() > 1)):
            raise ValueError(_class_ids(values))
        return check_labels(values, hierarchy)
    return hierarchy.encode(values)


def _refuse_numbered_levels(frame: Any) -> None:
    """Refuse a frame of whole numbers that are not all 0 and 1: levels whose names are numbers."""
    import narwhals.stable.v1 as nw

    table = nw.from_native(frame, eager_only=True)
    if not all(kind.is_integer() for kind in table.schema.values()):
        return
    for column in table.columns:
        if (most := table.get_column(column).max()) is not None and most > 1:
            raise ValueError(
                f"column {str(column)!r} of y holds {most}, not only 0 and 1. If the columns are levels whose labels "
                "are numbers, make them texts: y.astype(str)."
            )


#: Libraries whose columns are not indexed by position alone
_OF_FRAMES = ("pandas", "polars", "pyarrow")


def plain_rows(X: Any) -> Any:
    """Return a column of pandas, polars or pyarrow as an array, a missing text as ""; anything else as it is.

    A column has an index of its own, which may begin anywhere: its rows could not be taken by number.

    Examples
    --------
    >>> import pandas as pd
    >>> plain_rows(pd.Series(["red fox", None], index=[7, 8])).tolist()
    ['red fox', '']
    """
    is_column = type(X).__module__.split(".")[0] in _OF_FRAMES and not hasattr(X, "columns") and hasattr(X, "__len__")
    if not is_column:
        return X
    cells = X.to_pylist() if hasattr(X, "to_pylist") else X.to_list() if hasattr(X, "to_list") else list(X)
    if not all(isinstance(cell, str) or is_missing(cell) for cell in cells):
        return np.asarray(cells)
    texts = np.empty(len(cells), object)
    texts[:] = ["" if is_missing(cell) else cell for cell in cells]
    return texts


def count_rows(X: Any) -> int:
    """Return the number of instances of an array, sparse matrix, frame or list; anything else is an error."""
    shape = getattr(X, "shape", None)
    if isinstance(X, str | bytes) or shape == ():
        raise TypeError(f"X must have one entry per row; got the one value {str(X)[:40]!r}. Put it in a list.")
    if shape is not None:
        return int(shape[0])
    if isinstance(X, Mapping):
        raise TypeError("X must have one entry per row; got a dict. For columns by name pass pandas.DataFrame(X).")
    if not hasattr(X, "__len__"):
        way = "call collect() first" if hasattr(X, "collect") else "put its rows in a list"
        raise TypeError(f"X must be rows in memory; got {type(X).__name__}: {way}.")
    return len(X)


def take_rows(X: Any, rows: Any) -> Any:
    """Return some rows of an array, CSR matrix, data frame or list; ``rows=None`` means all, without a copy."""
    if rows is None:
        return X
    if hasattr(X, "columns"):
        import narwhals.stable.v1 as nw

        return nw.from_native(X, eager_only=True)[rows].to_native()
    X = plain_rows(X)
    if hasattr(X, "shape"):
        return X[rows]
    return [X[i] for i in np.asarray(rows).tolist()]


def refuse_complex(X: Any) -> None:
    """Refuse complex numbers: there is no telling what of them counts."""
    kinds = list(getattr(X, "dtypes", ())) if hasattr(X, "columns") else [getattr(X, "dtype", None)]
    if any(getattr(kind, "kind", None) == "c" for kind in kinds):
        way = "Give X.real and X.imag as columns of their own, or abs(X)."
        raise ValueError(f"Complex data not supported: X holds complex numbers. {way}")


#: The place of a value that is missing or was not seen in training
UNKNOWN = -1


def resolve_categorical(categorical_features: Any, n_features: int, names: Sequence[str] | None = None) -> np.ndarray:
    """Return the columns of categories as a boolean mask.

    Parameters
    ----------
    categorical_features : None, "all", column numbers, column names or a boolean mask
        What estimators take as ``categorical_features``.
    n_features : int
    names : sequence of str, optional
        The names of the columns, where they have any.

    Examples
    --------
    >>> resolve_categorical([0, -1], 3).tolist()
    [True, False, True]
    >>> resolve_categorical(["size"], 2, names=["colour", "size"]).tolist()
    [False, True]
    """
    mask = np.zeros(n_features, bool)
    if categorical_features is None:
        return mask
    if isinstance(categorical_features, str):
        if categorical_features != "all":
            raise ValueError(f"{_WANTED}; got {categorical_features!r}.")
        return ~mask
    given = np.asarray(categorical_features)
    if given.dtype == bool and given.shape == (n_features,):
        return given
    mask[[_number(entry, n_features, names) for entry in given.ravel().tolist()]] = True
    return mask


_WANTED = "categorical_features must be 'all', column numbers, column names, a mask or None"


def _number(entry: Any, n_features: int, names: Sequence[str] | None) -> int:
    """Return the number of a column given by number or name."""
    if isinstance(entry, str):
        if names is None or entry not in list(names):
            near = nearest(entry, map(str, names if names is not None else ()), 1)
            known = "X has no column names" if names is None else f"X has {', '.join(map(repr, list(names)[:5]))}"
            meant = f" Did you mean {near[0]!r}?" if near else ""
            raise ValueError(f"categorical_features names column {entry!r}, but {known}.{meant}")
        return list(names).index(entry)
    if isinstance(entry, bool) or not isinstance(entry, int):
        raise TypeError(f"{_WANTED} of {n_features}; got {entry!r} among them.")
    if not -n_features <= entry < n_features:
        raise ValueError(f"categorical_features names column {entry}, but X has {n_features} columns (from 0).")
    return entry


def find_places(known: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the place of each value among the known ones (ascending), ``UNKNOWN`` where it is none of them.

    Examples
    --------
    >>> find_places(np.array([1.0, 4.0]), np.array([4.0, 2.0, np.nan, 1.0]))
    array([ 1, -1, -1,  0])
    """
    if not known.size:
        return np.full(values.shape, UNKNOWN, np.int64)
    place = np.minimum(np.searchsorted(known, values), known.size - 1)
    return np.where(known[place] == values, place, UNKNOWN)


def is_unspaced(texts: Any) -> bool:
    """Say whether most letters of the first texts are of scripts that do not separate words by blanks.

    Examples
    --------
    >>> is_unspaced(["我喜欢吃苹果"]), is_unspaced(["I like apples"])
    (True, False)
    """
    seen = "".join(texts[:TEXTS_TO_SEE])
    return 2 * len(_UNSPACED.findall(seen)) > sum(sign.isalpha() for sign in seen)
