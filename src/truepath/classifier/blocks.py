"""Prediction in blocks of rows: what a fitted classifier makes of any input, collected in memory or in a file.

The classifier gives a function of rows; :func:`map_blocks` applies it to one block after another and hands the results
to a sink: an array, a sparse matrix, an array of yours, or a ``.npy`` file that is never in memory as a whole.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from itertools import chain
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath.adapters.blocks import choose_batch_size, is_arrow_stream, is_lazy, known_rows, map_lazily, take_blocks
from truepath.adapters.rows import count_rows, plain_rows
from truepath.data.tables.frames import read_columns
from truepath.english import counted, did_you_mean
from truepath.errors import LeftOutWarning, TruePathError
from truepath.files.writing import open_atomically
from truepath.hierarchy.matrices import DENSE_LIMIT, as_dense, stack_sparse
from truepath.preprocessing.auto_features import is_frame

if TYPE_CHECKING:
    from truepath.classifier.fitted_on import FittedOn

#: ``function(rows, start)``: the matrix of some rows, the first of which has this number
Predict = Callable[[Any, int], Any]


def map_blocks(
    X: Any,
    predict: Predict,
    *,
    n_nodes: int,
    dtype: Any,
    fitted_on: FittedOn,
    batch_size: int | None = None,
    is_sparse: bool = False,
    out: Any = None,
) -> Any:
    """Return the matrix that ``predict`` makes of all rows, block by block.

    Parameters
    ----------
    X : any input of a fitted classifier
        A Dask array or frame gives a lazy Dask array.
    predict : callable
    n_nodes : int
        The columns of the result.
    dtype : type
        Of a lazy result, and of a file.
    fitted_on : FittedOn
        How the rows of a pyarrow dataset are given to the classifier.
    batch_size : int, optional
    is_sparse : bool, default=False
        Whether ``predict`` returns CSR.
    out : array (n_samples, n_nodes) or path of a ``.npy`` file, optional
        Where the result goes.
    """
    if is_lazy(X):
        if out is not None:
            raise ValueError("out cannot be given with a Dask array: store the array that is returned.")
        meta: Any = sparse.csr_array((0, n_nodes), dtype=dtype) if is_sparse else np.empty((0, n_nodes), dtype)
        options = {"dtype": dtype, "fitted_on": fitted_on, "batch_size": batch_size, "is_sparse": is_sparse}
        return map_lazily(X, partial(_predict_chunk, predict, n_nodes=n_nodes, **options), n_nodes, meta)
    if out is not None and is_sparse:
        raise ValueError("out holds all scores; leave out min_score, or out.")
    n_rows = known_rows(X)
    parts = block_results(X, predict, n_nodes, fitted_on, batch_size)
    if out is not None:
        return _fill(out, parts, n_rows, n_nodes, dtype)
    return _collect(parts, n_rows, n_nodes, is_sparse)


def _predict_chunk(predict: Predict, X: Any, **options: Any) -> Any:
    found = map_blocks(X, predict, **options)
    return found if options["is_sparse"] else as_dense(found).astype(options["dtype"], copy=False)


def block_results(X: Any, predict: Predict, n_nodes: int, fitted_on: FittedOn, batch_size: Any) -> Iterator[Any]:
    """Yield what is predicted for each block; parameters as for :func:`map_blocks`."""
    n_features = X.shape[1] if len(getattr(X, "shape", ())) == 2 else 0
    is_given_otherwise = is_arrow_stream(X) or is_table_as_frame(X, fitted_on)
    size, start = choose_batch_size(batch_size, n_nodes, n_features), 0
    for block in take_blocks(X, size, fitted_on.columns if fitted_on.kind in ("table", "frame") else ()):
        rows = fitted_rows(block, fitted_on) if is_given_otherwise else block
        found = predict(rows, start)
        start += count_rows(found)
        yield found


def _collect(parts: Iterator[Any], n_rows: int | None, n_nodes: int, is_sparse: bool) -> Any:
    """Put the results below each other: scores in one array, labels in CSR where an array would be too large."""
    first = next(parts)
    if first.shape[0] == n_rows and not is_sparse:
        return first
    parts = chain([first], parts)
    is_large = first.dtype == bool and (n_rows is None or n_rows * n_nodes >= DENSE_LIMIT)
    if is_sparse or is_large or sparse.issparse(first):
        return stack_sparse(parts, n_nodes)
    if n_rows is None:
        return np.concatenate(list(parts))
    return _fill(np.empty((n_rows, n_nodes), first.dtype), parts, n_rows, n_nodes, first.dtype)


def _fill(out: Any, parts: Iterator[Any], n_rows: int | None, n_nodes: int, dtype: Any) -> Any:
    """Write the results to an array, or to a new ``.npy`` file that appears when it is whole."""
    if isinstance(out, (str, PathLike)):
        return _write_npy(out, parts, n_rows, n_nodes, dtype)
    if getattr(out, "shape", None) != (n_rows, n_nodes):
        raise ValueError(f"out must be an array of shape ({n_rows}, {n_nodes}); got {getattr(out, 'shape', out)!r}.")
    start = 0
    for part in parts:
        out[start : start + part.shape[0]] = as_dense(part)
        start += part.shape[0]
    return out


def _write_npy(path: Any, parts: Iterator[Any], n_rows: int | None, n_nodes: int, dtype: Any) -> Any:
    """Write the results one after another; return the file as a read-only memory map."""
    if not fspath(path).endswith(".npy"):
        raise ValueError(f"out must be an array or a path that ends in .npy; got {fspath(path)!r}.")
    if n_rows is None:
        raise ValueError("out needs the number of rows, which a stream does not have; give a pyarrow dataset.")
    with open_atomically(path) as file:
        header = {"descr": np.lib.format.dtype_to_descr(np.dtype(dtype)), "fortran_order": False}
        np.lib.format.write_array_header_2_0(file, {**header, "shape": (n_rows, n_nodes)})
        for part in parts:
            file.write(np.ascontiguousarray(as_dense(part), dtype).data)
    return np.load(path, mmap_mode="r")


def check_min_score(min_score: float | None) -> None:
    """Refuse what cannot be the least score to keep."""
    is_number = isinstance(min_score, (int, float, np.integer, np.floating)) and not isinstance(min_score, bool)
    if min_score is not None and not (is_number and min_score > 0):
        raise ValueError(f"min_score must be a number above 0, or None for all scores; got {min_score!r}.")


def keep_high(S: NDArray[Any], min_score: float) -> sparse.csr_array:
    """Return the scores of at least ``min_score`` as a ``csr_array``; coherent scores stay coherent.

    Examples
    --------
    >>> keep_high(np.array([[0.9, 0.004], [0.01, 0.0]]), 0.01).toarray().tolist()
    [[0.9, 0.0], [0.01, 0.0]]
    """
    return sparse.csr_array(np.where(S >= min_score, S, 0))


def is_table_as_frame(X: Any, fitted_on: FittedOn) -> bool:
    """Say whether X is a data frame with the columns of the file that the classifier was fitted on.

    Refuses one that lacks columns, and warns about those that the file did not have: they are not looked at.
    """
    if fitted_on.kind != "table" or not is_frame(X) or is_arrow_stream(X):
        return False
    import narwhals.stable.v1 as nw

    names, wanted = list(map(str, nw.from_native(plain_rows(X)).columns)), list(fitted_on.columns)
    if missing := [name for name in wanted if name not in names]:
        lacks = f"X lacks {counted(len(missing), 'column')} that the model was fitted on: "
        has = f"Its columns are {', '.join(map(repr, names))}."
        raise TruePathError(f"{lacks}{', '.join(map(repr, missing))}.", did_you_mean(missing[0], names, has))
    extra = [name for name in names if name not in wanted and name not in fitted_on.others]
    if extra and fitted_on.others:  # files of models say which other columns there were
        told = f"X has {counted(len(extra), 'column')} that the model was not fitted on: "
        warnings.warn(told + f"{', '.join(map(repr, extra))}. Not looked at.", LeftOutWarning, stacklevel=4)
    return True


def frame_rows(X: Any, fitted_on: FittedOn) -> Any:
    """Return a data frame with the columns of a file as rows of the file; anything else as it is."""
    return fitted_rows(X, fitted_on) if is_table_as_frame(X, fitted_on) else X


def fitted_rows(table: Any, fitted_on: FittedOn) -> Any:
    """Return the rows of a pyarrow table, or a frame, as the classifier was given rows in ``fit``."""
    if fitted_on.kind == "table":
        return table_rows(read_columns(table), fitted_on)
    if fitted_on.kind == "frame":
        table = table.select(list(fitted_on.columns))
        return table.to_pandas() if find_spec("pandas") else table
    if fitted_on.kind == "texts":
        if table.num_columns != 1:
            raise TruePathError(
                f"the classifier was fitted on texts; a table of {table.num_columns} columns is ambiguous.",
                "Select the column of texts: dataset.scanner(columns=[...]).to_reader().",
            )
        return ["" if text is None else str(text) for text in table.column(0).to_pylist()]
    return np.column_stack([column.to_numpy() for column in table.columns])


def table_rows(table: Any, fitted_on: FittedOn) -> Any:
    """Return the columns of a table read from a file that the classifier was fitted on: cells, or one text per row."""
    table.check(list(fitted_on.columns))
    return table.joined_texts(fitted_on.texts) if fitted_on.texts else table.cells(list(fitted_on.columns))
