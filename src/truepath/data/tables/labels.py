"""Label sets in files: ids and most specific labels, or a matrix of 0 and 1 with one column per label."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from os import fspath
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from truepath.data.tables.columns import Columns, no_column
from truepath.data.tables.frames import TableForm, format_of, read_columns
from truepath.data.tables.join import RowKeys, find_keys
from truepath.data.tables.label_cells import LabelCells, split_labels
from truepath.data.tables.label_rows import find_path, split_path
from truepath.data.tables.matrices import column_names, read_matrix
from truepath.data.tables.row_ids import is_id_name
from truepath.data.tables.sinks import open_label_sink
from truepath.data.tables.write import as_ids
from truepath.errors import ConstraintError, DataFormatError, explain
from truepath.files.limits import Limits
from truepath.files.names import PathType
from truepath.files.strict_json import read_json
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.checks import check_labels
from truepath.hierarchy.matrices import choose_form
from truepath.hierarchy.names import unknown_label


@dataclass(frozen=True)
class LabelTable:
    """Closed labels with the names of their rows.

    Attributes
    ----------
    y : ndarray of bool, shape (n_samples, n_nodes)
        A csr_array if it takes 256 MB or more.
    ids : ndarray of str, or None
    path : str
    keys : dict of str to ndarray of str
        The columns that rows may be found by, those of different values.
    """

    y: Any
    ids: NDArray[np.object_] | None
    path: str
    keys: Mapping[str, NDArray[np.object_]] = field(default_factory=dict, repr=False)

    @property
    def row_keys(self) -> RowKeys:
        """What the rows are found by in other tables."""
        return RowKeys(self.path, self.y.shape[0], self.keys)


def read_labels(
    path: PathType,
    hierarchy: Hierarchy,
    *,
    labels: str = "labels",
    ids: str | None = None,
    sep: str | None = None,
    between: str = ";",
    close: bool = False,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    limits: Limits | None = None,
) -> LabelTable:
    r"""Read label sets: what :func:`write_labels` wrote, or a matrix of 0 and 1.

    Parameters
    ----------
    path : path
        ``.csv``, ``.tsv``, ``.xlsx``, ``.jsonl`` or ``.parquet`` with a column ``labels`` of label names (in the last
        two also lists), or with one column per label; ``.json``, a list of objects with ``id`` and ``labels``;
        ``.npy``, ``.npz``, ``.h5`` or ``.hdf5``, a matrix.
    hierarchy : Hierarchy
    labels : str, default="labels"
        The column of label names. Ancestors need not be listed.
    ids : str, optional
        The column of row ids; by default the first that is called ``id`` or similar, or the first of all if every
        value in it is different.
    sep : str, optional
        Separator of the parts of a label path, such as ``" > "``, if not that of the hierarchy's names.
    between : str, default=";"
        Separator of the labels in a cell. A file whose labels are all known when split at ``;`` is read that way.
    close : bool, default=False
        For matrices: whether to add missing ancestors; otherwise they are an error.
    delimiter, encoding, sheet : str, optional
        See :func:`read_scores`.
    limits : Limits, optional
        The most that is taken from a file; see :class:`truepath.files.Limits`.

    Returns
    -------
    table : LabelTable

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from truepath import Hierarchy
    >>> from truepath.data import read_labels
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "labels.csv"
    >>> _ = file.write_text("id,labels\nx,a/1;b\ny,\n")
    >>> table = read_labels(file, Hierarchy.from_paths(["a/1", "b"]))
    >>> table.ids.tolist(), table.y.astype(int).tolist()
    (['x', 'y'], [[1, 1, 1], [0, 0, 0]])
    """
    if format_of(path) == "json":
        return _from_columns(_read_json(path, labels, limits), hierarchy, labels, ids, sep, between)
    form = TableForm.of(delimiter, encoding, sheet)
    columns = column_names(path, form, limits)
    if labels not in hierarchy and labels in columns:
        return _from_columns(read_columns(path, form, limits), hierarchy, labels, ids, sep, between)
    if columns and not any(column in hierarchy for column in columns):
        raise DataFormatError(
            f"neither a column {labels!r} of label names nor a column for any label: {no_column(labels, columns)} "
            "Name the column of labels by labels= (--labels).",
            fspath(path),
        )
    matrix = read_matrix(path, hierarchy, ids=ids, form=form, limits=limits)
    try:
        Y = check_labels(matrix.values, hierarchy, name="the matrix", close=close)
    except ConstraintError as found:
        raise ConstraintError(f"{path}: {found.problem}", "Pass close=True (--close) to add the ancestors.") from None
    except ValueError as found:
        problem, remedy = explain(found)
        raise DataFormatError(problem, fspath(path), remedy=remedy) from None
    called = "id" if matrix.id_name is None else matrix.id_name
    return LabelTable(choose_form(Y), matrix.ids, fspath(path), {} if matrix.ids is None else {called: matrix.ids})


def _from_columns(
    table: Columns, hierarchy: Hierarchy, labels: str, ids: str | None, sep: str | None, between: str
) -> LabelTable:
    """Encode a column of label names."""
    table.check([labels, *([ids] if ids is not None else [])])
    cells = table.data[labels]
    readers = [LabelCells(sign, hierarchy) for sign in (between, ";")]
    ways = [[[_find(part, hierarchy, sep) for part in reader.split(cell)] for cell in cells] for reader in readers]
    found = next((k for k, rows in enumerate(ways) if _first_unknown(rows, hierarchy) is None), None)
    if found is None:
        i, label = _first_unknown([readers[0].split(cell) for cell in cells], hierarchy, sep)
        raise table.error(f"{unknown_label(hierarchy, label)}{likely_option(label, hierarchy)}", i)
    readers[found].warn(labels)
    rows = ways[found]
    keys = find_keys(table, labels, ids)
    called = next((name for name in keys if name in (ids, table.names[0]) or is_id_name(name)), None)
    return LabelTable(hierarchy.encode(rows), None if called is None else keys[called], str(table.path), keys)


def _find(label: str, hierarchy: Hierarchy, sep: str | None) -> str:
    """Return the hierarchy's name of a label path with other separators; a label that is not known, as it is."""
    sep = sep or hierarchy.sep
    if sep is None or label in hierarchy:
        return label
    name = find_path(hierarchy, split_path(label, sep), sep)
    return name if name in hierarchy else label


def _first_unknown(rows: list[list[str]], hierarchy: Hierarchy, sep: str | None = None) -> Any:
    """Return the row and the name of the first label that the hierarchy does not have, None if it has all."""
    found = ((i, label) for i, row in enumerate(rows) for label in row if _find(label, hierarchy, sep) not in hierarchy)
    return next(found, None)


def likely_option(label: str, hierarchy: Hierarchy) -> str:
    """Return the option that would make labels of the hierarchy out of a name, in words."""
    for sign in (";", "|", ",", "&", " "):
        if len(parts := split_labels(label, sign)) > 1 and all(part in hierarchy for part in parts):
            return f" If {sign!r} separates labels, say so with between={sign!r} (--between)."
    for sign in (" > ", ">", "::", "|", "/", ".", "\\"):
        if sign in label and _find(label, hierarchy, sign) in hierarchy:
            return f" If {sign!r} separates the parts of a path, say so with sep={sign!r} (--sep)."
    return ""


def _read_json(path: PathType, labels: str, limits: Limits | None) -> Columns:
    rows = read_json(path, limits)
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise DataFormatError(f"the file must hold a list of objects with 'id' and {labels!r}.", fspath(path))
    for number, row in enumerate(rows):
        if set(row) != set(rows[0]):
            raise DataFormatError(f"row {number}: has the keys {sorted(row)}, not {sorted(rows[0])}.", fspath(path))
    return Columns({str(key): [row[key] for row in rows] for key in rows[0]}, fspath(path))


def write_labels(
    path: PathType | TextIO,
    labels: Any,
    hierarchy: Hierarchy,
    *,
    ids: Iterable[Any] | None = None,
    id_name: str = "id",
    between: str = ";",
    matrix: bool = False,
    format: str | None = None,
    safe_csv: bool = False,
) -> None:
    r"""Write label sets: ids and most specific labels, or a matrix of 0 and 1.

    Parameters
    ----------
    path : path or text stream
        ``.csv``, ``.tsv``, ``.json``, ``.jsonl`` or ``.parquet``, written whole or not at all; or a stream, for text
        formats.
    labels : label matrix (n_samples, n_nodes), closed, or a sequence of collections of names
    hierarchy : Hierarchy
    ids : sequence, optional
        Names of the rows; their numbers by default.
    id_name : str, default="id"
        What the column of ids is called.
    between : str, default=";"
        Separator of the labels in a cell in CSV and TSV.
    matrix : bool, default=False
        Whether to write one column of 0 and 1 per label, ancestors included, instead of the most specific names.
    format : {"csv", "tsv", "json", "jsonl", "parquet"}, optional
        By default that of the ending; CSV for a stream.
    safe_csv : bool, default=False
        Whether to put an apostrophe before text in CSV and TSV that a spreadsheet would run as a formula (see
        :func:`write_scores`).

    Examples
    --------
    >>> import sys
    >>> from truepath import Hierarchy
    >>> from truepath.data import write_labels
    >>> h = Hierarchy.from_paths(["a/1", "b"])
    >>> write_labels(sys.stdout, [["a/1", "b"], ["a"]], h, ids=["x", "y"])
    id,labels
    x,a/1;b
    y,a
    """
    Y = hierarchy.encode(labels, sparse_output=True)
    names = as_ids(ids, Y.shape[0])
    options: dict[str, Any] = {"matrix": matrix, "between": between, "format": format, "safe_csv": safe_csv}
    with open_label_sink(path, hierarchy, id_name=id_name, **options) as write:
        write(Y, names)
