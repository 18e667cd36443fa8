"""Tables with a column of label paths, such as ``Science/Physics;Art``: CSV, TSV, Parquet or a data frame.

CSV and TSV are read with Python's own ``csv`` module, so that a file gives the same data with any frame library
installed; Parquet files and frames (pandas, polars, pyarrow) go through narwhals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath.data.dataset import Dataset
from truepath.data.hierarchies.base import read_hierarchy
from truepath.data.readers.base import (
    Paths,
    Reader,
    make_dataset,
    named_paths,
    split_of_labels,
    title_of,
    written_labels,
)
from truepath.data.tables.columns import Columns, no_column, stack_columns
from truepath.data.tables.frames import TABLES, TextForm, read_columns
from truepath.data.tables.labels import split_labels
from truepath.errors import DataFormatError
from truepath.files.limits import Limits, usual_limits
from truepath.files.names import PathType, naming_file
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.flatness import BETWEEN, warn_about_lists, warn_about_separators


def read_paths_csv(
    path: Paths | Any,
    labels: str | Sequence[str] = "labels",
    *,
    sep: str = "/",
    between: str = ";",
    text: str | None = None,
    ids: str | None = None,
    split: str | None = None,
    features: Sequence[str] | None = None,
    categorical_features: Sequence[str] = (),
    cells: bool = False,
    hierarchy: Hierarchy | PathType | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    name: str | None = None,
    limits: Limits | None = None,
) -> Dataset:
    r"""Read a table in which each row has one or several label paths.

    Parameters
    ----------
    path : path, mapping from str to path, or data frame
        ``.csv``, ``.tsv``, ``.tab``, ``.parquet`` or ``.pq``, perhaps compressed (.xz, .gz, .bz2). The first line of a
        text file names the columns. A mapping such as ``{"train": ..., "test": ...}`` names the splits, whose files
        must have the same columns.
    labels : str or sequence of str, default="labels"
        The column of paths; or one column per level, whose cells make one path (empty cells at its end are left
        out). A cell of a Parquet list column is a list of paths.
    sep : str, default="/"
        Separator of the parts of a path. Ancestors need not be written.
    between : str, default=";"
        Separator of the paths in a cell.
    text : str, optional
        A column of texts to keep as the only feature: ``X`` is then an array of strings, ready for a vectorizer.
    ids : str, optional
        A column with the row ids.
    split : str, optional
        A column that says which split each row belongs to; otherwise all rows are the split ``"all"``.
    features : sequence of str, optional
        The feature columns; by default all columns without another use (none if ``text`` is given).
    categorical_features : sequence of str, optional
        Feature columns to take as categories even if all their values look like numbers.
    cells : bool, default=False
        Whether to keep the cells of the features as they are written, in an array of objects. The kind of
        a column is then decided by :class:`truepath.preprocessing.AutoFeatures`, from training rows, for all files.
    hierarchy : Hierarchy or path, optional
        The labels to expect, or a file of them (see :func:`read_hierarchy`); a path outside it is an
        error. By default the hierarchy is built from the paths found.
    delimiter : str, optional
        Separator of the cells of a text file, or its name (``"tab"``); by default detected from its first lines.
    encoding : str, optional
        Of a text file, such as ``"latin-1"``; by default UTF-8 or UTF-16, or Latin-1 with a warning.
    name : str, optional
        The name of the data set; by default the file's.
    limits : Limits, optional
        The most that is taken from a file; see :class:`truepath.files.Limits`.

    Returns
    -------
    ds : Dataset

    Notes
    -----
    A column whose values are all numbers is numeric, any other categorical, with the values found, sorted, as the
    declared ones. An empty cell is missing (NaN); in the labels it means a row without labels.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "books.csv"
    >>> _ = file.write_text("title,pages,topics\nOptics,200,Science/Physics;Art\nCells,,Science/Biology\n")
    >>> ds = read_paths_csv(file, "topics", text="title")
    >>> ds["all"].X.tolist(), ds.hierarchy.decode(ds["all"].y)
    (['Optics', 'Cells'], [('Science/Physics', 'Art'), ('Science/Biology',)])
    """
    limits = limits or usual_limits()
    table, part = _read(path, TextForm.of(delimiter, encoding), split, limits)
    level_columns = [labels] if isinstance(labels, str) else list(labels)
    used = [*level_columns, *(c for c in (text, ids, split) if c is not None)]
    if missing := [column for column in level_columns if column not in table.data]:
        raise table.error(f"{no_column(missing[0], table.names)} Name that of the label paths by labels= (--labels).")
    table.check(used + list(features or ()) + list(categorical_features))
    rows = _path_rows(table, labels, sep, between)
    hierarchy, index = _hierarchy(table, rows, hierarchy, sep, limits)

    def unknown(row: int, label: str) -> DataFormatError:
        return table.error(f"label {label[:60]!r} is not in the hierarchy given.", row)

    written = written_labels(rows, index, hierarchy.n_nodes, unknown)
    if features is None:
        features = [] if text is not None else [c for c in table.names if c not in used]
    X, feature_names, codes = _features(table, text, list(features), set(categorical_features), cells)
    whole = split_of_labels(X, written, hierarchy, None if ids is None else table.texts(ids))
    names = list(dict.fromkeys(part.tolist()))
    parts = {str(p): whole if len(names) == 1 else whole.take(np.flatnonzero(part == p)) for p in names}
    is_file = isinstance(path, (str, PathLike, Mapping))
    files = {split: fspath(file) for split, file in named_paths(path).items()} if is_file else {"all": None}
    title = name or (title_of(path) if is_file else "frame")
    provenance: dict[str, Any] = {"files": files}
    if cells or text is not None:  # new rows can be read in the same way
        provenance["columns"] = {"text": text, "ids": ids}
    return make_dataset(title, hierarchy, parts, feature_names, codes, provenance)


def _read(path: Any, form: TextForm, split: str | None, limits: Limits) -> tuple[Columns, NDArray[np.object_]]:
    """Read one table, or one per split, joined; return it and the split of each row."""
    if isinstance(path, Mapping):
        if split is not None:
            raise ValueError("split and one file per split exclude each other: the files are the splits.")
        tables = {name: read_columns(file, form, limits) for name, file in named_paths(path).items()}
        part = np.repeat(np.array(list(tables), object), [table.n_rows for table in tables.values()])
        return stack_columns(list(tables.values())), part
    table = read_columns(path, form, limits)
    if split is None:
        return table, np.full(table.n_rows, "all", object)
    table.check([split])
    return table, table.texts(split)


def _path_rows(table: Columns, labels: str | Sequence[str], sep: str, between: str) -> list[list[str]]:
    """Give the paths of each row, every part stripped of blanks."""
    if not isinstance(labels, str):
        levels = [table.texts(column) for column in labels]
        return [_path_of_levels(table, i, cells, sep) for i, cells in enumerate(zip(*levels))]
    rows: list[list[str]] = []
    known: dict[str, list[str]] = {}  # most cells occur many times
    for i, cell in enumerate(table.data[labels]):
        found = known.get(cell) if isinstance(cell, str) else None
        if found is None:
            found = [_clean(table, i, path, sep) for path in split_labels(cell, between)]
            if isinstance(cell, str):
                known[cell] = found
        rows.append(found)
    return rows


def _path_of_levels(table: Columns, row: int, cells: tuple[str, ...], sep: str) -> list[str]:
    path = sep.join(cell.strip() for cell in cells)
    while path.endswith(sep):
        path = path[: -len(sep)]
    return [_clean(table, row, path, sep)] if path else []


def _clean(table: Columns, row: int, path: str, sep: str) -> str:
    parts = [part.strip() for part in path.split(sep.strip() or sep)]
    if not all(parts):
        raise table.error(f"the label path {path.strip()[:60]!r} has an empty part.", row)
    return sep.join(parts)


def _hierarchy(
    table: Columns, rows: list[list[str]], hierarchy: Hierarchy | PathType | None, sep: str, limits: Limits
) -> tuple[Hierarchy, dict[str, int]]:
    if hierarchy is not None and not isinstance(hierarchy, Hierarchy):
        hierarchy = read_hierarchy(hierarchy, sep=sep, limits=limits)
    if hierarchy is None:
        paths = list(dict.fromkeys(path for row in rows for path in row))
        if not paths:
            raise table.error("no row has a label: there is no hierarchy to read. Pass hierarchy=.")
        parts = [tuple(path.split(sep)) for path in paths]
        limits.check_paths(parts, sep, table.path)
        with naming_file(table.path):
            hierarchy = Hierarchy.from_paths(parts, sep=sep)
        holds_marks = any(mark in path for mark in BETWEEN for path in paths)  # few names do
        between = warn_about_lists(paths, sep) if holds_marks else None
        if hierarchy.n_edges == 0:
            warn_about_separators(hierarchy.names.tolist(), sep, between)
    return hierarchy, {label: v for v, label in enumerate(hierarchy.names.tolist())}


def _features(
    table: Columns, text: str | None, features: list[str], categorical: set[str], cells: bool
) -> tuple[Any, list[str], dict[int, tuple[str, ...]]]:
    if text is not None:
        if features:
            raise ValueError("text and features exclude each other: X is either texts or numbers.")
        return table.texts(text), [text], {}
    if cells:
        return table.cells(features), features, {}
    X, is_number = table.numbers(features)
    others = [j for j, column in enumerate(features) if column in categorical or not is_number[j]]
    if not others:
        return X, features, {}
    found, words = table.codes([features[j] for j in others])
    X[:, others] = found
    return X, features, dict(zip(others, words))


class LabelPaths(Reader):
    """Tables with a column of label paths."""

    name = "paths"
    summary = "a table (CSV, TSV, Parquet) with a column of label paths such as 'Science/Physics;Art'"
    endings = tuple(TABLES)
    file_options = ("hierarchy",)
    read = staticmethod(read_paths_csv)
    columns = staticmethod(read_columns)
