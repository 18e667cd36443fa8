"""Dense and sparse matrices alike: which form a label matrix is given in, and rows made dense, whole or in blocks.

Label matrices that people get are plain arrays while those are small, and sparse beyond. Sparse matrices stay sparse
until a loop needs rows with every cell; then a bounded number of cells is made dense.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath.english import did_you_mean
from truepath.errors import TruePathError, UnknownLabelError

if TYPE_CHECKING:
    from truepath.hierarchy.hierarchy import Hierarchy

#: Rows are made dense this many cells at a time (8 MB of float64)
CELLS_AT_A_TIME = 1 << 20

#: A label matrix is a plain boolean array while that takes fewer bytes than this (256 MB), and CSR beyond
DENSE_LIMIT = 256 << 20


SparseOutput: TypeAlias = bool | Literal["auto"]


def choose_form(Y: Any, sparse_output: SparseOutput = "auto") -> Any:
    """Return a label matrix in the form asked for: a plain array, or a ``csr_array``.

    Parameters
    ----------
    Y : ndarray or sparse matrix of bool, shape (n_samples, n_nodes)
    sparse_output : bool or "auto", default="auto"
        True or False forces the form; ``"auto"`` gives an array if it takes fewer than ``DENSE_LIMIT`` bytes.

    Examples
    --------
    >>> Y = sparse.csr_array([[True, False], [False, True]])
    >>> choose_form(Y).tolist()
    [[True, False], [False, True]]
    >>> sparse.issparse(choose_form(Y, sparse_output=True))
    True
    """
    if isinstance(sparse_output, str) and sparse_output != "auto":
        raise ValueError(f"sparse_output must be 'auto', True or False; got {sparse_output!r}.")
    n_rows, n_columns = Y.shape
    is_sparse = n_rows * n_columns >= DENSE_LIMIT if sparse_output == "auto" else bool(sparse_output)
    return sparse.csr_array(Y) if is_sparse else as_dense(Y)


def as_matrix(M: Any, n_nodes: int | None = None, name: str = "S") -> Any:
    """Return a two-dimensional array or ``csr_array``, with one column per node if their number is given."""
    M = sparse.csr_array(M) if sparse.issparse(M) else as_array(M, name)
    if M.ndim != 2:
        raise ValueError(f"{name} must be a matrix (n_samples, n_nodes); got {M.ndim} dimension(s).")
    if n_nodes is not None and M.shape[1] != n_nodes:
        raise ValueError(
            f"{name} has {M.shape[1]} columns but the hierarchy has {n_nodes} nodes; columns follow hierarchy.names."
        )
    return M


def as_array(M: Any, name: str = "S") -> NDArray[Any]:
    """Return anything but a sparse matrix as an array; rows of several lengths are an error."""
    try:
        return np.asarray(M)
    except ValueError:
        raise ValueError(
            f"{name} must be a matrix (n_samples, n_nodes); its rows differ in length or in kind."
        ) from None


def as_bool(Y: Any) -> Any:
    """Return a label matrix as a C-ordered boolean array or a boolean ``csr_array`` in canonical form."""
    if sparse.issparse(Y):
        Y = sparse.csr_array(Y, dtype=bool, copy=False)
        if not Y.has_canonical_format:
            Y = Y.copy()
            Y.sum_duplicates()
        if not Y.data.all():
            Y = Y.copy()
            Y.eliminate_zeros()
        return Y
    return np.ascontiguousarray(Y, dtype=bool)


def as_dense(M: Any) -> NDArray[Any]:
    """Return a sparse matrix, or anything else, as an array with contiguous rows, copied only if needed."""
    return np.ascontiguousarray(M.toarray() if sparse.issparse(M) else M)


def dense_column(X: Any, j: int) -> NDArray[Any]:
    """Return one column in full; CSC is the fastest sparse form for this."""
    return X[:, [j]].toarray().ravel() if sparse.issparse(X) else X[:, j]


def row_blocks(n_rows: int, n_columns: int, cells: int = CELLS_AT_A_TIME) -> Iterator[slice]:
    """Yield slices of consecutive rows with about ``cells`` cells each.

    Examples
    --------
    >>> list(row_blocks(5, 10, cells=20))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    step = max(1, cells // max(1, n_columns))
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))


def dense_blocks(*matrices: Any, cells: int = CELLS_AT_A_TIME) -> Iterator[tuple[slice, tuple[NDArray[Any], ...]]]:
    """Yield ``(rows, blocks)``: the same rows of all matrices, dense and C-ordered, about ``cells`` cells at a time."""
    n_rows, n_columns = matrices[0].shape
    for rows in row_blocks(n_rows, n_columns, cells):
        yield rows, tuple(as_dense(M[rows]) for M in matrices)


def from_rows(columns: NDArray[Any], ends: NDArray[Any], shape: tuple[int, int]) -> sparse.csr_array:
    """Return a boolean ``csr_array`` from the true columns of all rows, ascending in each, and where each row ends.

    Examples
    --------
    >>> from_rows(np.array([0, 2, 1]), np.array([0, 2, 3]), (2, 3)).toarray().astype(int).tolist()
    [[1, 0, 1], [0, 1, 0]]
    """
    kind = np.int32 if columns.size <= np.iinfo(np.int32).max else np.int64  # one index type, or scipy copies the other
    parts = (np.ones(columns.size, bool), columns.astype(kind, copy=False), ends.astype(kind, copy=False))
    Y = sparse.csr_array(parts, shape=shape)
    Y.has_canonical_format = True
    return Y


def stack_sparse(parts: Iterable[Any], n_columns: int, dtype: Any = bool) -> sparse.csr_array:
    """Return blocks of rows, sparse or dense, below each other as one ``csr_array``; without any, no rows.

    Examples
    --------
    >>> stack_sparse([np.eye(2, 3), sparse.csr_array([[0.0, 0.0, 2.0]])], 3).toarray().tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 2.0]]
    """
    blocks = [sparse.csr_array(part) for part in parts] or [sparse.csr_array((0, n_columns), dtype=dtype)]
    stacked = blocks[0] if len(blocks) == 1 else sparse.csr_array(sparse.vstack(blocks, format="csr"))
    if all(block.has_canonical_format for block in blocks):
        stacked.has_canonical_format = True
    return stacked


def has_negative(M: Any) -> bool:
    """Say whether a matrix, dense or sparse, holds a number below 0."""
    values = M.data if sparse.issparse(M) else M
    return bool(values.dtype != bool and values.size and values.min() < 0)


IDS = "Leave a column of row ids out of the frame, or make it the index."


def by_name(M: Any, hierarchy: Hierarchy | None, name: str = "S") -> Any:
    """Return a frame as an array whose columns follow the hierarchy; anything else is returned as it is.

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
        For a column that is not a node, with the nearest names.
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
    """Return the names of a frame's columns; None for anything else, or if they are only numbered from 0."""
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
        more = f" and {len(unknown) - 1} more" if len(unknown) > 1 else ""
        problem = f"the column {unknown[0]!r}{more} is not in the hierarchy of {len(nodes)} labels."
        raise UnknownLabelError(f"{where}: {problem}", unknown, did_you_mean(unknown[0], nodes, ids))
    if missing := [name for name in nodes if name not in place]:
        shown = ", ".join(map(repr, missing[:5])) + (", …" if len(missing) > 5 else "")
        raise error(f"no column for {len(missing)} of the hierarchy's {len(nodes)} nodes: {shown}.")
    return [place[name] for name in nodes]


def _is_frame(M: Any) -> bool:
    """Say whether something is a table with columns by name; a lazy one, which has no shape, is not."""
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
