"""Sparse text formats of many labels: ``l1,l2 f:v f:v ...`` with a header line (XMC) or without (LIBSVM).

The extreme classification repositories write a first line ``n_samples n_features n_labels`` and count features and
labels from 0; LIBSVM files have no header, count features from 1 and take any words as labels. A hierarchy comes in
a file of its own: one edge ``parent child`` per line, separated by a tab or blanks.
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath.data.dataset import Dataset
from truepath.data.files import PathType, plain_name, read_text, split_lines
from truepath.data.readers.assemble import split_of_labels, written_labels
from truepath.data.readers.edges import read_edges
from truepath.data.readers.numbered import NumberedNames
from truepath.errors import DataFormatError, HierarchyError
from truepath.hierarchy import Hierarchy

__all__ = ["read_libsvm", "read_xmc"]

_MOST_LABELS = 2**24  # beyond any collection known; a larger number is a damaged header
_MOST_FEATURES = 2**31 - 1

_Line = tuple[int, str, str]  # line number, labels, features


def read_xmc(
    path: PathType,
    hierarchy: Hierarchy | PathType | None = None,
    *,
    label_names: Sequence[str] | PathType | None = None,
    root: str | None = None,
    name: str | None = None,
) -> Dataset:
    r"""Read the text format of the extreme classification repositories.

    Parameters
    ----------
    path : path
        First line ``n_samples n_features n_labels``, then one row per line, ``l1,l2 f:v f:v``; a row without labels
        starts with a blank. Both numbers count from 0. May be compressed (.xz, .gz, .bz2).
    hierarchy : Hierarchy or path, optional
        Over the labels' names; a file lists edges ``parent child``, one per line. Labels that no edge names are at
        the top; names that are no labels become inner nodes. Flat by default.
    label_names : sequence of str or path, optional
        Names of the labels in order, or a file with one per line; by default their numbers, ``"0", "1", ...``.
    root : str, optional
        The name in the edges that stands for the root.
    name : str, optional
        The name of the data set; by default the file's.

    Returns
    -------
    ds : Dataset
        With the split ``"all"`` and ``X`` in CSR form.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "tiny.txt"
    >>> _ = file.write_text("2 4 3\n0,2 1:0.5 3:1\n 0:2\n")
    >>> ds = read_xmc(file)
    >>> ds["all"].X.toarray().tolist(), ds.hierarchy.decode(ds["all"].y)
    ([[0.0, 0.5, 0.0, 1.0], [2.0, 0.0, 0.0, 0.0]], [('0', '2'), ()])
    """
    where = fspath(path)
    lines = split_lines(read_text(path))
    n_samples, n_features, n_labels = _header(lines[0], where)
    rows = [_cut(line, number, where) for number, line in enumerate(lines[1:], start=2) if line.strip() or line]
    if len(rows) != n_samples:
        raise DataFormatError(f"{len(rows)} rows, but the first line announces {n_samples}.", where, len(lines))
    names = _label_names(label_names, n_labels)
    index = {str(v): v for v in range(n_labels)}
    X = _features(rows, n_features, 0, where)
    written = _labels(rows, index, n_labels, where)
    return _finish(path, name, X, written, names, hierarchy, root)


def read_libsvm(
    path: PathType,
    hierarchy: Hierarchy | PathType | None = None,
    *,
    n_features: int | None = None,
    first_index: int = 1,
    root: str | None = None,
    name: str | None = None,
) -> Dataset:
    """Read multi-label LIBSVM files: ``label,label index:value ...`` with any words as labels.

    Parameters
    ----------
    path : path
        May be compressed (.xz, .gz, .bz2); ``#`` starts a comment.
    hierarchy : Hierarchy or path, optional
        As in :func:`read_xmc`. By default flat over the labels found, in the order of their first row.
    n_features : int, optional
        By default as many as the largest index needs.
    first_index : int, default=1
        The number of the first feature.
    root : str, optional
        The name in the edges that stands for the root.
    name : str, optional
        The name of the data set; by default the file's.

    Returns
    -------
    ds : Dataset
    """
    where = fspath(path)
    bare = ((number, line.split("#", 1)[0]) for number, line in enumerate(split_lines(read_text(path)), start=1))
    rows = [_cut(line, number, where) for number, line in bare if line.strip()]
    if not rows:
        raise DataFormatError("no rows.", where)
    names = list(dict.fromkeys(label for row in rows for label in _names(row)))
    if not names:
        raise DataFormatError("no row has a label.", where)
    X = _features(rows, n_features, first_index, where)
    written = _labels(rows, {label: v for v, label in enumerate(names)}, len(names), where)
    return _finish(path, name, X, written, names, hierarchy, root)


# ------------------------------------------------------------------------------------------------ the rows


def _header(line: str, path: str) -> tuple[int, int, int]:
    parts = line.split()
    if len(parts) != 3 or not all(part.isascii() and part.isdigit() and len(part) < 12 for part in parts):
        raise DataFormatError(
            f"the first line must be 'n_samples n_features n_labels', not {line[:40]!r}. "
            "Without a header use read_libsvm.",
            path,
            1,
        )
    n_samples, n_features, n_labels = map(int, parts)
    if 0 in (n_samples, n_features, n_labels) or n_features > _MOST_FEATURES or n_labels > _MOST_LABELS:
        raise DataFormatError("the first line announces no rows, no features, no labels, or too many.", path, 1)
    return n_samples, n_features, n_labels


def _cut(line: str, number: int, path: str) -> _Line:
    labels, _, features = line.replace("\t", " ").partition(" ")
    if ":" in labels:  # a row without labels whose leading blank was lost
        return number, "", line
    return number, labels, features


def _names(row: _Line) -> list[str]:
    return [label for label in row[1].split(",") if label]


def _labels(rows: list[_Line], index: dict[str, int], n_labels: int, path: str) -> sparse.csr_array[Any]:
    def unknown(i: int, label: str) -> DataFormatError:
        return DataFormatError(f"label {label[:40]!r} is not a number from 0 to {n_labels - 1}.", path, rows[i][0])

    return written_labels([_names(row) for row in rows], index, n_labels, unknown)


def _features(rows: list[_Line], n_features: int | None, first_index: int, path: str) -> sparse.csr_array[Any]:
    counts = [row[2].count(":") for row in rows]
    try:
        indices, values = _pairs_quickly([row[2] for row in rows], counts)
    except (ValueError, OverflowError):
        indices, values = _pairs_carefully(rows, path)
    indices = indices - first_index
    width = n_features if n_features is not None else int(indices.max(initial=0)) + 1
    which = np.repeat(np.arange(len(rows)), counts)
    outside = np.flatnonzero((indices < 0) | (indices >= min(width, _MOST_FEATURES)))
    if outside.size:
        at = outside[0]
        last = f" to {width - 1 + first_index}" if n_features is not None else " on"
        raise DataFormatError(
            f"feature {indices[at] + first_index}; features are numbered from {first_index}{last}.",
            path,
            rows[which[at]][0],
        )
    keys = np.sort(which * width + indices)
    twice = keys[1:][keys[1:] == keys[:-1]]
    if twice.size:
        row, index = divmod(int(twice[0]), width)
        raise DataFormatError(f"feature {index + first_index} occurs twice in this row.", path, rows[row][0])
    X = sparse.csr_array((values, (which, indices)), shape=(len(rows), width), dtype=np.float64)
    X.sort_indices()
    return X


def _pairs_quickly(texts: list[str], counts: list[int]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    joined = " ".join(texts)
    tokens = joined.split()
    one_colon_each = len(tokens) == sum(counts) and all(":" in token for token in tokens)
    if not one_colon_each or "_" in joined or not joined.isascii():
        raise ValueError
    parts = " ".join(tokens).replace(":", " ").split(" ") if tokens else []
    return np.array(parts[0::2], dtype=np.int64), np.fromiter(map(float, parts[1::2]), np.float64)


def _pairs_carefully(rows: list[_Line], path: str) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    indices, values = [], []
    for number, _, text in rows:
        for token in text.split():
            index, colon, value = token.partition(":")
            try:
                if not (colon and index.isascii() and index.isdigit() and len(index) < 12) or "_" in value:
                    raise ValueError
                indices.append(int(index))
                values.append(float(value))
            except ValueError:
                raise DataFormatError(f"{token[:40]!r} is not 'index:value'.", path, number) from None
    return np.array(indices, dtype=np.int64), np.array(values, dtype=np.float64)


# --------------------------------------------------------------------------------------------- the data set


def _label_names(source: Sequence[str] | PathType | None, n_labels: int) -> list[str]:
    if source is None:
        return [str(v) for v in range(n_labels)]
    from_file = isinstance(source, (str, PathLike))
    names = [name.strip() for name in split_lines(read_text(source))] if from_file else list(map(str, source))  # type: ignore[arg-type]
    if len(names) != n_labels:
        where = fspath(source) if from_file else None  # type: ignore[arg-type]
        raise DataFormatError(f"{len(names)} label names for {n_labels} labels.", where)
    return names


def _finish(
    path: PathType,
    name: str | None,
    X: sparse.csr_array[Any],
    written: sparse.csr_array[Any],
    names: list[str],
    hierarchy: Hierarchy | PathType | None,
    root: str | None,
) -> Dataset:
    """Put the label columns where the hierarchy has them, and close."""
    if hierarchy is None:
        hierarchy = Hierarchy.flat(names)
    elif not isinstance(hierarchy, Hierarchy):
        hierarchy = read_edges(hierarchy, names, root)
    place = {label: v for v, label in enumerate(hierarchy.names.tolist())}
    missing = [label for label in names if label not in place]
    if missing:
        raise HierarchyError(f"{len(missing)} labels are not in the hierarchy given (first: {missing[0]!r}).")
    to = np.array([place[label] for label in names], dtype=np.int64)
    moved = sparse.csr_array(
        (written.data, to[written.indices], written.indptr), shape=(written.shape[0], hierarchy.n_nodes)
    )
    moved.sort_indices()
    title = name or Path(plain_name(path)).stem
    features = NumberedNames(X.shape[1])
    parts = {"all": split_of_labels(X, moved, hierarchy)}
    return Dataset(title, hierarchy, parts, features, provenance={"files": {"all": fspath(path)}})
