"""Labels in any form: the hierarchy they imply, their paths split, and the label matrix."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath.hierarchy import Hierarchy
from truepath.hierarchy.checks import check_labels, resolve_hierarchy
from truepath.hierarchy.encode import paths_of_levels
from truepath.hierarchy.flatness import (
    warn_about_levels,
    warn_about_lists,
    warn_about_missing,
    warn_about_separators,
)
from truepath.hierarchy.names import WAYS
from truepath.hierarchy.prefixes import warn_about_codes
from truepath.hierarchy.spellings import warn_about_spellings


def derive_hierarchy(Y: Any, sep: str = "/") -> Hierarchy:
    """Return the hierarchy that labels without one imply: flat for a matrix, the tree of paths for names.

    ``sep`` separates the parts of a path. A warning names labels that become flat though they look like paths.

    Examples
    --------
    >>> import numpy as np
    >>> from truepath.adapters.labels import derive_hierarchy
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
    warn_about_missing(path for path in paths if isinstance(path, str))
    found = Hierarchy.from_paths(paths, sep=sep)
    named = [path if isinstance(path, str) else sep.join(map(str, path)) for path in paths]
    between = warn_about_lists(named, sep)
    if found.n_nodes > 1:
        warn_about_separators(named, sep, between)
        warn_about_spellings({tuple(name.split(sep)): 1 for name in named}, sep)
    if found.n_edges == 0 and found.n_nodes > 1:
        warn_about_codes(found.names.tolist())
        if values.ndim == 1:
            warn_about_levels(values.tolist())
    return found


_NO_LABEL = "y has no label in any row, so there is nothing to learn. Give hierarchy= if that is intended."


def split_paths(Y: Any, sep: str = "/", between: str | None = None) -> Any:
    """Return label names with the separators of their paths, and of the labels in a cell, taken apart.

    Parameters
    ----------
    Y : labels in any form
        Matrices, and rows that are not names, come back as they are.
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
    """Say what to write instead of numbers of classes, or of levels."""
    listed = list(values)
    shown = ", ".join(str(value) for value in listed[:3])
    if listed and all(np.size(value) > 1 for value in listed):
        way = "For levels whose labels are numbers give texts: [[tuple(map(str, row))] for row in y]."
    else:
        way = (
            "For class ids give their names, as in [[str(label)] for label in y]; for a matrix of one label reshape "
            "your data using y.reshape(-1, 1)."
        )
    return (
        "y must be a label matrix (n_samples, n_nodes) of 0 and 1, or a list of label collections; got numbers "
        f"({shown}, ...). {way}"
    )


def _holds_numbers(row: Any) -> bool:
    """Say whether a row is a sequence of numbers, and so part of a 0/1 matrix (or a number by mistake)."""
    if isinstance(row, (str, bytes)) or (not isinstance(row, (list, tuple)) and np.ndim(row) > 1):
        return False
    values = row if isinstance(row, (list, tuple)) else np.ravel(row).tolist()
    return all(isinstance(value, (bool, int, float, np.number, np.bool_)) for value in values)


def _paths(values: NDArray[Any]) -> Iterator[Any]:
    """Yield every label path of an array of label collections or of columns of levels."""
    if values.ndim == 1:
        for i, row in enumerate(values.tolist()):
            if not isinstance(row, (str, Collection)) or isinstance(row, Mapping):
                raise TypeError(f"row {i} of y is {_shown(row)}, not a label or a collection of labels. {WAYS}")
            yield from (_path(label, i) for label in ([row] if isinstance(row, str) else row))
        return
    yield from chain.from_iterable(paths_of_levels(values))


def _path(label: Any, row: int) -> Any:
    """Return a label name or path; anything else is an error that names the row."""
    if isinstance(label, str) or (isinstance(label, tuple) and all(isinstance(part, (str, int)) for part in label)):
        return label
    raise TypeError(f"row {row} of y holds {_shown(label)}, which is not a label. {WAYS}")


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
