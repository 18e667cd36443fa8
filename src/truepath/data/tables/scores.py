"""Scores from any model: one row per instance, one column per label, found by name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath.data.tables.frames import TableForm
from truepath.data.tables.join import RowKeys
from truepath.data.tables.matrices import read_matrix
from truepath.data.tables.sinks import open_score_sink
from truepath.data.tables.write import as_ids
from truepath.files.limits import Limits
from truepath.files.names import PathType, ending_of
from truepath.files.writing import open_atomically
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.checks import check_scores
from truepath.hierarchy.matrices import as_dense


@dataclass(frozen=True)
class ScoreTable:
    """Scores with the names of their columns and rows.

    Attributes
    ----------
    S : ndarray or csr_array of float, shape (n_samples, n_nodes)
    names : tuple of str, or None
        The columns; the hierarchy's nodes in its order if one was given.
    ids : ndarray of str, or None
        The rows.
    path : str
    id_name : str, default="id"
        What the column of ids is called.
    """

    S: Any
    names: tuple[str, ...] | None
    ids: NDArray[np.object_] | None
    path: str
    id_name: str = "id"

    @property
    def row_keys(self) -> RowKeys:
        """What the rows are found by in other tables."""
        return RowKeys(self.path, self.S.shape[0], {} if self.ids is None else {self.id_name: self.ids})


def read_scores(
    path: PathType,
    hierarchy: Hierarchy | None = None,
    *,
    ids: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    limits: Limits | None = None,
) -> ScoreTable:
    r"""Read a table of scores.

    Parameters
    ----------
    path : path
        ``.csv`` or ``.tsv`` (perhaps compressed: .gz, .xz, .bz2) whose first line names the columns; ``.xlsx``;
        ``.jsonl``; ``.parquet``; ``.npy``; ``.npz`` with a sparse matrix or one array, and perhaps ``names`` and
        ``ids``; ``.h5`` or ``.hdf5`` likewise.
    hierarchy : Hierarchy, optional
        Puts the columns in its order. A column too many or too few is an error. A file without names must have its
        columns in the hierarchy's order.
    ids : str, optional
        The column of row ids; by default the only one beside those of the hierarchy's nodes, or the first if it is
        called ``id`` or similar, or holds no numbers.
    delimiter : str, optional
        What separates the cells of a text file, or its name (``"tab"``); by default detected from its first lines.
    encoding : str, optional
        Of a text file, such as ``"latin-1"``; by default UTF-8 or UTF-16, or Latin-1 with a warning.
    sheet : str, optional
        Of a workbook (.xlsx); by default the only one with rows.
    limits : Limits, optional
        The most that is taken from a file; see :class:`truepath.files.Limits`.

    Returns
    -------
    table : ScoreTable

    Raises
    ------
    DataFormatError
        For rows of unequal length, cells that are not finite numbers, ids or columns that occur twice; with the line.
    UnknownLabelError
        For a column that is not a node of the hierarchy; the message has the nearest names.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from truepath import Hierarchy
    >>> from truepath.data import read_scores
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "scores.csv"
    >>> _ = file.write_text("id,a/1,a,b\nx,0.4,0.9,0.1\ny,0.2,0.3,0.8\n")
    >>> table = read_scores(file, Hierarchy.from_paths(["a/1", "b"]))
    >>> table.names, table.ids.tolist(), table.S[0].tolist()
    (('a', 'a/1', 'b'), ['x', 'y'], [0.9, 0.4, 0.1])
    """
    matrix = read_matrix(path, hierarchy, ids=ids, form=TableForm.of(delimiter, encoding, sheet), limits=limits)
    called = "id" if matrix.id_name is None else matrix.id_name
    return ScoreTable(matrix.values, matrix.names, matrix.ids, matrix.path, called)


def write_scores(
    path: PathType,
    S: Any,
    hierarchy: Hierarchy,
    *,
    ids: Iterable[Any] | None = None,
    id_name: str = "id",
    safe_csv: bool = False,
) -> None:
    """Write scores so that :func:`read_scores` gives back the same bits.

    Parameters
    ----------
    path : path
        ``.csv``, ``.tsv``, ``.parquet`` or ``.npz``. Written whole or not at all.
    S : array-like or sparse matrix, shape (n_samples, n_nodes)
    hierarchy : Hierarchy
    ids : sequence, optional
        Names of the rows; their numbers by default.
    id_name : str, default="id"
        What the column of ids is called, in the formats other than ``.npz``.
    safe_csv : bool, default=False
        Whether to put an apostrophe before text in CSV and TSV that a spreadsheet would run as a formula: ids and
        names that start with ``=``, ``+``, ``-``, ``@``, a tab or a line end. Such files are for spreadsheets; names
        that were changed are not recognised when the file is read again.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from truepath import Hierarchy
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "scores.csv"
    >>> write_scores(file, [[0.9, 0.25]], Hierarchy.from_paths(["a/1"]), ids=["x"])
    >>> print(file.read_text().strip())
    id,a,a/1
    x,0.9,0.25
    """
    S = check_scores(S, hierarchy)
    names = as_ids(ids, S.shape[0])
    if ending_of(path) == ".npz":
        columns = hierarchy.names.astype(str)
        with open_atomically(path) as file:
            np.savez_compressed(file, S=as_dense(S), names=columns, ids=np.array(names, dtype=str))
        return
    with open_score_sink(path, hierarchy, safe_csv=safe_csv, id_name=id_name) as write:
        write(S, names)
