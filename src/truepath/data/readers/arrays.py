"""Arrays of numbers, such as embeddings, with the labels of their rows: ``.npz``, ``.npy`` and HDF5 files.

Labels are an array of the same file, or a table beside it whose rows are found by ids, or by their order.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from os import fspath
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from truepath.data.dataset import Dataset
from truepath.data.readers.base import Paths, Reader, make_dataset, named_paths, split_of_labels, title_of
from truepath.data.readers.label_paths import read_label_column
from truepath.data.readers.numbered import NumberedNames
from truepath.data.tables.arrays import ALONE, HDF5, read_arrays, read_csr
from truepath.data.tables.columns import Columns, no_column, stack_columns
from truepath.data.tables.frames import read_columns
from truepath.data.tables.join import RowKeys, find_keys, join_rows
from truepath.data.tables.row_ids import as_texts, check_ids
from truepath.errors import DataFormatError, InputWarning
from truepath.files.limits import Limits, usual_limits
from truepath.files.names import PathType
from truepath.hierarchy import Hierarchy

#: What people call the array of ids
IDS = ("ids", "id", "names", "keys", "index", "proteins", "accessions")


class ArrayRows(NamedTuple):
    """The rows of a file of arrays, their ids, and the other arrays of the file."""

    X: Any
    ids: NDArray[np.object_] | None
    others: dict[str, NDArray[Any]]
    path: str

    def error(self, problem: str, row: int | None = None, remedy: str = "") -> DataFormatError:
        """Make the error for a problem in this file."""
        where = "" if row is None else f"row {row}: "
        return DataFormatError(f"{where}{problem}", self.path, remedy=remedy)


def read_array_rows(path: PathType, ids: str | None = None, limits: Limits | None = None) -> ArrayRows:
    """Return the matrix of numbers of a file, and the names of its rows.

    Parameters
    ----------
    path : path
        ``.npy``, a matrix; ``.npz`` or HDF5 (``.h5``, ``.hdf5``), with one matrix of numbers, which is called X if
        there are several, and perhaps an array of ids, or with one vector for each row under its id; or a sparse matrix
        as SciPy writes it.
    ids : str, optional
        The array of ids; by default the one called ``ids`` or similar, or else the only one of different texts.
    limits : Limits, optional
    """
    arrays = read_arrays(path, limits)
    if {"indices", "indptr", "data", "shape"} <= arrays.keys():
        return ArrayRows(read_csr(path, limits), None, {}, fspath(path))
    rows = ArrayRows(None, None, arrays, fspath(path))
    matrices = [name for name, values in arrays.items() if values.ndim == 2 and values.dtype.kind in "fiu"]
    if not matrices and (vectors := _vectors(arrays)):
        return ArrayRows(np.array(_as_floats(list(vectors.values()))), as_texts(vectors), {}, fspath(path))
    called = next((name for name in matrices if name == ALONE or name.lower() == "x"), None)
    if called is None and len(matrices) != 1:
        listed = ", ".join(f"{name!r} {values.shape}" for name, values in arrays.items())
        raise rows.error(f"{len(matrices)} arrays are matrices of numbers, not one: {listed}.", remedy="Call it X.")
    X = arrays[called if called is not None else matrices[0]]
    others = {name: values for name, values in arrays.items() if values is not X}
    names = None if ids is None and called == ALONE else _find_ids(rows, ids, others, X.shape[0])
    return ArrayRows(_as_floats([X])[0], names, others, fspath(path))


def _vectors(arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return the arrays if they are one vector of fractions for each row, under its id."""
    shapes = {values.shape for values in arrays.values()}
    is_each = len(shapes) == 1 and len(shapes.pop()) == 1 and all(v.dtype.kind == "f" for v in arrays.values())
    return dict(arrays) if is_each else {}


def _as_floats(arrays: list[NDArray[Any]]) -> list[NDArray[Any]]:
    """Return arrays as float32 if none holds more, else as float64."""
    is_single = all(values.dtype.kind == "f" and values.dtype.itemsize <= 4 for values in arrays)
    return [np.asarray(values, np.float32 if is_single else np.float64) for values in arrays]


def _find_ids(rows: ArrayRows, ids: str | None, others: Mapping[str, Any], n_rows: int) -> NDArray[np.object_] | None:
    """Return the names of the rows, each once; None if there are none."""
    if ids is not None and ids not in others:
        raise rows.error(no_column(ids, list(others)).replace("columns are", "arrays are"))
    called = ids or next((name for name in others if name.lower() in IDS and others[name].ndim == 1), None)
    if called is None:
        texts = [name for name, cells in others.items() if cells.shape == (n_rows,) and cells.dtype.kind in "UST"]
        distinct = [name for name in texts if len(np.unique(others[name])) == n_rows]
        called = distinct[0] if len(distinct) == 1 and n_rows > 1 else None
    if called is None:
        return None
    found = as_texts(others[called].tolist())
    if len(found) != n_rows:
        raise rows.error(f"array {called!r} has {len(found):,} ids, the matrix {n_rows:,} rows.")
    check_ids(found, lambda problem, row: rows.error(problem, row))
    return found


def read_arrays_with_labels(
    path: Paths,
    labels: str | PathType = "labels",
    *,
    ids: str | None = None,
    sep: str | None = None,
    between: str = ";",
    prefixes: bool = False,
    merge_spellings: bool = False,
    hierarchy: Hierarchy | PathType | None = None,
    name: str | None = None,
    limits: Limits | None = None,
) -> Dataset:
    r"""Read a matrix of numbers, such as embeddings, and the labels of its rows.

    Parameters
    ----------
    path : path or mapping from str to path
        Files as :func:`read_array_rows` takes them; a mapping names the splits.
    labels : str or path, default="labels"
        An array of label paths in the file (texts, not Python objects); or a table, such as ``labels.csv``, with a
        column ``labels``: its rows are found by the ids of both, or by their order where one has none.
    ids : str, optional
        The array of row ids; by default the one called ``ids`` or similar.
    sep, between, prefixes, merge_spellings, hierarchy, name, limits
        As for :func:`read_paths_csv`.

    Returns
    -------
    ds : Dataset

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "rows.npz"
    >>> np.savez(file, X=np.eye(3), ids=["p", "q", "r"], labels=["a/1", "a/2", "b"])
    >>> read_arrays_with_labels(file)
    Dataset('rows': all 3; 3 features, 4 labels)
    """
    limits = limits or usual_limits()
    parts = {split: read_array_rows(file, ids, limits) for split, file in named_paths(path).items()}
    widths = {rows.X.shape[1] for rows in parts.values()}
    if len(widths) > 1:
        raise next(iter(parts.values())).error(f"the splits have {sorted(widths)} columns of numbers; they must agree.")
    table = stack_columns([_labels_of(rows, labels, limits) for rows in parts.values()])
    how = {"between": between, "sep": sep, "prefixes": prefixes, "merge_spellings": merge_spellings}
    _, tree, written = read_label_column(table, "labels", hierarchy, how, limits)
    splits, start = {}, 0
    for split, rows in parts.items():
        own = written[start : start + rows.X.shape[0]]
        splits[split] = split_of_labels(rows.X, own, tree, rows.ids)
        start += rows.X.shape[0]
    files = {split: rows.path for split, rows in parts.items()}
    return make_dataset(name or title_of(path), tree, splits, NumberedNames(widths.pop()), None, {"files": files})


def _labels_of(rows: ArrayRows, labels: str | PathType, limits: Limits) -> Columns:
    """Return the labels of the rows as a table of one column."""
    n_rows = rows.X.shape[0]
    if fspath(labels) in rows.others:
        cells = rows.others[fspath(labels)]
        if cells.ndim != 1 or cells.dtype.kind not in "UST" or len(cells) != n_rows:
            what = f"{cells.dtype} of shape {cells.shape}"
            raise rows.error(f"array {labels!r} is {what}; labels are {n_rows:,} texts, such as 'a/1;b'.")
        found = [cell.decode() if isinstance(cell, bytes) else str(cell) for cell in cells.tolist()]
        return Columns({"labels": found}, rows.path)
    if isinstance(labels, str) and not Path(labels).is_file():
        way = "Name an array of labels, or a table of them, such as labels.csv, by labels= (--labels)."
        raise rows.error(no_column(labels, list(rows.others)).replace("columns are", "arrays are"), remedy=way)
    table = read_columns(labels, limits=limits)
    if "labels" not in table.data:
        raise table.error(f"{no_column('labels', table.names)} The column of labels is called labels.")
    keys = RowKeys(fspath(labels), table.n_rows, find_keys(table, "labels", None))
    own = RowKeys(rows.path, n_rows, {} if rows.ids is None else {"ids": rows.ids})
    if rows.ids is None and keys.keys:
        called = next(iter(keys.keys))
        said = f"{rows.path} has no ids: its rows are taken as those of {fspath(labels)}, in the same order, whatever "
        warnings.warn(
            f"{said}column {called!r} says. Save ids beside the matrix, in an .npz file.", InputWarning, stacklevel=3
        )
    order = join_rows(own, keys).rows
    return Columns({"labels": [table.data["labels"][i] for i in order.tolist()]}, fspath(labels))


class Arrays(Reader):
    """Files of arrays."""

    name = "arrays"
    summary = "a matrix of numbers (NumPy, HDF5), with an array of label paths or a table of them (labels=labels.csv)"
    endings = (".npz", ".npy", *HDF5)
    file_options = ("hierarchy",)
    read = staticmethod(read_arrays_with_labels)
    rows = staticmethod(read_array_rows)
