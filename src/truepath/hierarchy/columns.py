"""Columns by name: score and label frames of any library, put in the hierarchy's order; plain arrays go by position."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath.errors import TruePathError, UnknownLabelError
from truepath.hierarchy.names import nearest

if TYPE_CHECKING:
    from truepath.hierarchy.hierarchy import Hierarchy

__all__ = ["by_name", "find_node_columns", "frame_names"]

IDS = "Leave a column of row ids out of the frame, or make it the index."


def by_name(M: Any, hierarchy: Hierarchy | None, name: str = "S") -> Any:
    """Return a frame as an array whose columns follow the hierarchy; whatever is no frame is returned as it is.

    Parameters
    ----------
    M : pandas, polars or pyarrow frame, or anything else
        The columns may be in any order. Those of a pandas frame without names (0, 1, 2, ...) go by position.
    hierarchy : Hierarchy or None
        None takes the columns in the frame's order.
    name : str, default="S"
        What the error messages call it.

    Raises
    ------
    UnknownLabelError
        For a column that is no node, with the nearest names.
    TruePathError
        For a node without column, a column that occurs twice, or one that holds no numbers.

    Examples
    --------
    >>> import pandas
    >>> from truepath import Hierarchy
    >>> frame = pandas.DataFrame({"b": [0.1], "a/1": [0.4], "a": [0.9]})
    >>> by_name(frame, Hierarchy.from_paths(["a/1", "b"])).tolist()
    [[0.9, 0.4, 0.1]]
    """
    if not _is_frame(M):
        return M
    import narwhals.stable.v1 as nw

    names = frame_names(M)
    order = None
    if names is not None and hierarchy is not None:

        def error(problem: str) -> TruePathError:
            return TruePathError(f"{name}: {problem}", "The columns of a frame are found by name.")

        order = find_node_columns(names, hierarchy, name, error, IDS)
    return _numbers(nw.from_native(M, eager_only=True), order, name)


def frame_names(M: Any) -> list[str] | None:
    """Return the names of a frame's columns; None for what is no frame, or has only numbers from 0 for names."""
    if not _is_frame(M):
        return None
    columns = list(M.column_names if hasattr(M, "column_names") else M.columns)
    return None if columns == list(range(len(columns))) else list(map(str, columns))


def find_node_columns(
    names: Sequence[str], hierarchy: Hierarchy, where: str, error: Callable[[str], Exception], ids: str
) -> list[int]:
    """Return the place of each node's column; there must be one for each, and no other.

    ``error(problem)`` makes the exception for what is missing; ``ids`` says what to do about a column of row ids.
    """
    if len(set(names)) != len(names):
        twice = next(name for name in names if list(names).count(name) > 1)
        raise error(f"two columns are called {twice!r}; columns are found by name.")
    place = {hierarchy.aliases.get(name, name): j for j, name in enumerate(names)}
    nodes = hierarchy.names.tolist()
    if unknown := [name for name in place if name not in hierarchy]:
        near = nearest(unknown[0], nodes)
        hint = f" Nearest: {', '.join(map(repr, near))}." if near else ""
        more = f" and {len(unknown) - 1} more" if len(unknown) > 1 else ""
        problem = f"the column {unknown[0]!r}{more} is not in the hierarchy of {len(nodes)} labels.{hint} {ids}"
        raise UnknownLabelError(f"{where}: {problem}", unknown)
    if missing := [name for name in nodes if name not in place]:
        shown = ", ".join(map(repr, missing[:5])) + (", …" if len(missing) > 5 else "")
        raise error(f"no column for {len(missing)} of the hierarchy's {len(nodes)} nodes: {shown}.")
    return [place[name] for name in nodes]


def _is_frame(M: Any) -> bool:
    """Say whether something is a table with columns by name; a lazy one, which has no shape, is none."""
    if isinstance(M, (np.ndarray, list, tuple)) or sparse.issparse(M):
        return False
    return hasattr(M, "shape") and hasattr(M, "columns")


def _numbers(table: Any, order: list[int] | None, name: str) -> NDArray[Any]:
    """Return some columns as one array: of their own type if they share one, else float64; NaN is a missing value."""
    import narwhals.stable.v1 as nw

    for column, dtype in table.schema.items():
        if not (dtype.is_numeric() or dtype == nw.Boolean):
            raise TypeError(f"{name} must hold numbers; its column {column!r} holds {dtype}.")
    values = table.to_numpy()
    if values.dtype.kind not in "biuf":  # values are missing, or types are mixed
        parts = [np.asarray(table[:, j].cast(nw.Float64).to_numpy(), np.float64) for j in range(values.shape[1])]
        values = np.column_stack(parts)
    return np.ascontiguousarray(values if order is None else values[:, order])
