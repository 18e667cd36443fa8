"""Tables with a column of label paths, such as ``Science/Physics;Art``: CSV, TSV, .xlsx, Parquet or a data frame.

CSV and TSV are read with Python's own ``csv`` module, so that a file gives the same data with any frame library
installed; Parquet files and frames (pandas, polars, pyarrow) go through narwhals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike, fspath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath.data.dataset import Dataset
from truepath.data.hierarchies.base import read_hierarchy
from truepath.data.parts import usual_part
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
from truepath.data.tables.frames import TABLES, TableForm, read_columns
from truepath.data.tables.label_rows import LabelRows, find_path, plain_names, read_label_rows
from truepath.data.tables.labels import likely_option
from truepath.errors import DataFormatError
from truepath.files.limits import Limits, usual_limits
from truepath.files.names import PathType, naming_file
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.flatness import BETWEEN, warn_about_lists, warn_about_nested, warn_about_separators
from truepath.hierarchy.prefixes import warn_about_codes, warn_about_whole_codes


def read_paths_csv(
    path: Paths | Any,
    labels: str | Sequence[str] = "labels",
    *,
    sep: str | None = None,
    between: str = ";",
    text: str | Sequence[str] | None = None,
    ids: str | None = None,
    split: str | None = None,
    groups: str | None = None,
    features: Sequence[str] | None = None,
    categorical_features: Sequence[str] = (),
    cells: bool = False,
    hierarchy: Hierarchy | PathType | None = None,
    prefixes: bool = False,
    merge_spellings: bool = False,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    name: str | None = None,
    limits: Limits | None = None,
) -> Dataset:
    r"""Read a table in which each row has one or several label paths.

    Parameters
    ----------
    path : path, mapping from str to path, or data frame
        ``.csv``, ``.tsv``, ``.tab``, ``.jsonl``, ``.ndjson``, ``.xlsx``, ``.xlsm``, ``.parquet`` or ``.pq``, perhaps
        compressed (.xz, .gz, .bz2). The first line of a text file, or row of a sheet, names the columns. A mapping such
        as ``{"train": ..., "test": ...}`` names the splits, whose files must have the same columns.
    labels : str or sequence of str, default="labels"
        The column of paths; or one column per level, whose cells make one path (empty cells at its end are left
        out). A cell of a Parquet list column is a list of paths.
    sep : str, optional
        Separator of the parts of a path, such as ``" > "``. By default it is judged by how well it explains the
        labels; where that is not clear it is ``"/"``. Ancestors need not be written.
    between : str, default=";"
        Separator of the paths in a cell.
    text : str or sequence of str, optional
        A column of texts to keep as the only feature: ``X`` is then an array of strings, ready for a vectorizer. The
        texts of several columns are put below each other.
    ids : str, optional
        A column with the row ids.
    split : str, optional
        A column that says which split each row belongs to; otherwise all rows are the split ``"all"``. The usual
        names of train, valid and test are taken as these, such as ``"Training"``, ``"dev"`` or ``"TEST"``.
    groups : str, optional
        A column that says what each row belongs to, such as its patient or its document: rows of one group stay
        together when rows are divided or held out. It is not a feature; no cell may be empty.
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
    prefixes : bool, default=False
        Whether labels are codes that begin with their group, as E11.9 below E11: the hierarchy is then built by
        :meth:`Hierarchy.from_prefixes`.
    merge_spellings : bool, default=False
        Whether labels that differ only in capitals, accents (one character or two) or blanks are one label, spelled
        as in most rows, or as in the hierarchy given. Otherwise a warning names the first.
    delimiter : str, optional
        Separator of the cells of a text file, or its name (``"tab"``); by default detected from its first lines.
    encoding : str, optional
        Of a text file, such as ``"latin-1"``; by default UTF-8 or UTF-16, or Latin-1 with a warning.
    sheet : str, optional
        Of a workbook (.xlsx); by default the only one with rows.
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
    declared ones. An empty cell is missing (NaN); in the labels it means a row without labels. So do the usual
    spellings of a missing value (NA, N/A, nan, None, null, ...), with a warning that counts them, unless a given
    hierarchy has a label of that name.

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
    table, part = _read(path, TableForm.of(delimiter, encoding, sheet), split, limits)
    level_columns = [labels] if isinstance(labels, str) else list(labels)
    texts = () if text is None else (text,) if isinstance(text, str) else tuple(text)
    used = [*level_columns, *texts, *(c for c in (ids, split, groups) if c is not None)]
    if missing := [column for column in level_columns if column not in table.data]:
        raise table.error(f"{no_column(missing[0], table.names)} Name that of the label paths by labels= (--labels).")
    table.check(used + list(features or ()) + list(categorical_features))
    how: dict[str, Any] = {"between": between, "sep": sep, "prefixes": prefixes, "merge_spellings": merge_spellings}
    found, hierarchy, written = read_label_column(table, labels, hierarchy, how, limits)
    if features is None:
        features = [] if texts else [c for c in table.names if c not in used]
    X, feature_names, codes = _features(table, texts, list(features), set(categorical_features), cells)
    whole = split_of_labels(X, written, hierarchy, None if ids is None else table.texts(ids))
    if groups is not None:
        whole = replace(whole, groups=_read_groups(table, groups))
    names = list(dict.fromkeys(part.tolist()))
    parts = {str(p): whole if len(names) == 1 else whole.take(np.flatnonzero(part == p)) for p in names}
    is_file = isinstance(path, (str, PathLike, Mapping))
    files = {split: fspath(file) for split, file in named_paths(path).items()} if is_file else {"all": None}
    title = name or (title_of(path) if is_file else "frame")
    provenance: dict[str, Any] = {"files": files}
    if cells or texts:  # new rows can be read in the same way
        columns = {
            "texts": texts,
            "ids": ids,
            "split": split,
            "all": tuple(table.names),
            "labels": tuple(level_columns),
        }
        provenance["columns"] = {**columns, **how, "sep": found.sep}
    return make_dataset(title, hierarchy, parts, feature_names, codes, provenance)


def read_label_column(
    table: Columns,
    labels: str | Sequence[str],
    hierarchy: Hierarchy | PathType | None,
    how: Mapping[str, Any],
    limits: Limits,
) -> tuple[LabelRows, Hierarchy, Any]:
    """Return the label paths of a table, their hierarchy, built if none is given, and the matrix of what is written.

    ``how`` has the options of :func:`read_label_rows`.
    """
    if hierarchy is not None and not isinstance(hierarchy, Hierarchy):
        hierarchy = read_hierarchy(hierarchy, sep=how["sep"], limits=limits)
    found = read_label_rows(table, labels, hierarchy=hierarchy, limits=limits, **how)
    tree = _build(table, found, how) if hierarchy is None else hierarchy

    def unknown(row: int, label: str) -> DataFormatError:
        spelled = find_path(tree, found.parts[label], found.sep, plain_names(tree))
        meant = f"{spelled[:60]!r} is; merge_spellings=True (--merge-spellings) takes it." if spelled != label else ""
        meant = meant or likely_option(label, tree).strip()
        return table.error(f"label {label[:60]!r} is not in the hierarchy given. {meant}".rstrip(), row)

    return found, tree, written_labels(found.rows, tree.numbers, tree.n_nodes, unknown)


def _read(path: Any, form: TableForm, split: str | None, limits: Limits) -> tuple[Columns, NDArray[np.object_]]:
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
    return table, _read_parts(table, split)


def _read_parts(table: Columns, column: str) -> NDArray[np.object_]:
    """Return the split of each row, usual names as train, valid and test; refuse an empty cell."""
    found = [name.strip() for name in table.texts(column).tolist()]
    if "" in found:
        way = "Write train, valid or test, or leave the row out."
        raise table.error(f"column {column!r} does not say which part this row belongs to. {way}", found.index(""))
    return np.array([usual_part(name) or name for name in found], object)


def _read_groups(table: Columns, column: str) -> NDArray[np.object_]:
    """Return what each row belongs to; refuse an empty cell."""
    found = table.texts(column)
    if empty := np.flatnonzero(found == "").tolist():
        way = "Give a row that belongs to no other a group of its own."
        raise table.error(f"column {column!r} does not say what this row belongs to. {way}", empty[0])
    return found


def _build(table: Columns, found: LabelRows, how: Mapping[str, Any]) -> Hierarchy:
    """Build the hierarchy of the paths found; warn if they look different from how they were read."""
    if not found.parts:
        raise table.error("no row has a label: there is no hierarchy to read. Pass hierarchy=.")
    paths, sep = list(found.parts), found.sep
    if how["prefixes"]:
        with naming_file(table.path):
            codes = Hierarchy.from_prefixes(paths)
        if codes.n_edges == 0:
            warn_about_whole_codes(paths)
        return codes
    with naming_file(table.path):
        hierarchy = Hierarchy.from_paths(found.parts.values(), sep=sep)
    holds_marks = any(mark in path for mark in (*BETWEEN, " ") for path in paths)  # few names do
    between = warn_about_lists(paths, sep) if holds_marks else None
    warn_about_separators(paths, sep, between)
    if hierarchy.n_edges == 0:
        warn_about_codes(paths)
    if 2 * sum(len(parts) > 1 for parts in found.parts.values()) <= len(paths):  # some names may hold the separator
        warn_about_nested(found.rows, how["between"])
    return hierarchy


def _features(
    table: Columns, texts: tuple[str, ...], features: list[str], categorical: set[str], cells: bool
) -> tuple[Any, list[str], dict[int, tuple[str, ...]]]:
    if texts:
        if features:
            raise ValueError("text and features exclude each other: X is either texts or numbers.")
        return table.joined_texts(texts), [" + ".join(texts)], {}
    table.warn_about_groups(features)
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
    summary = "a table (CSV, TSV, .xlsx, .jsonl, Parquet) with a column of label paths such as 'Science/Physics;Art'"
    endings = tuple(TABLES)
    file_options = ("hierarchy",)
    read = staticmethod(read_paths_csv)
    columns = staticmethod(read_columns)
