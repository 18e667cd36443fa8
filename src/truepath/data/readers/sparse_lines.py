"""Rows ``l1,l2 f:v f:v ...``: labels separated by commas, then the features that are not zero.

What the text formats of XMC and LIBSVM share: cutting lines, reading the pairs, and the data set that they make.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from os import fspath
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath.data.dataset import Dataset
from truepath.data.hierarchies.edges import read_edges
from truepath.data.readers.base import make_dataset, split_of_labels, written_labels
from truepath.data.readers.numbered import NumberedNames
from truepath.errors import DataFormatError, HierarchyError
from truepath.files.limits import Limits
from truepath.files.names import PathType
from truepath.hierarchy import Hierarchy

_Line = tuple[int, str, str]  # line number, labels, features
_Pairs = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]  # row, index and value of each pair


@dataclass(frozen=True)
class SparseLines:
    """The rows of one file, each with its line number, its labels and its features, still as text."""

    path: str
    rows: list[_Line] = field(repr=False)

    def error(self, problem: str, row: int) -> DataFormatError:
        """Make the error for a problem in a row."""
        return DataFormatError(problem, self.path, self.rows[row][0])

    def names(self) -> list[list[str]]:
        """Return the labels of each row."""
        return [[label for label in labels.split(",") if label] for _, labels, _ in self.rows]

    def labels(self, index: Mapping[str, int], n_labels: int) -> sparse.csr_array[Any]:
        """Look the labels up."""

        def unknown(row: int, label: str) -> DataFormatError:
            return self.error(f"label {label[:40]!r} is not a number from 0 to {n_labels - 1}.", row)

        return written_labels(self.names(), index, n_labels, unknown)


def cut_lines(numbered: Iterable[tuple[int, str]], path: PathType) -> SparseLines:
    """Cut lines with their numbers into labels and features."""
    return SparseLines(fspath(path), [_cut(line, number) for number, line in numbered])


def _cut(line: str, number: int) -> _Line:
    labels, _, features = line.replace("\t", " ").partition(" ")
    if ":" in labels:  # a row without labels whose leading blank was lost
        return number, "", line
    return number, labels, features


# -------------------------------------------------------------------------------------------- the features


def read_features(
    files: Mapping[str, SparseLines], n_features: int | None, first_index: int, limits: Limits
) -> dict[str, sparse.csr_array[Any]]:
    """Read the features of all files; as many as the largest index needs, if their number is not known."""
    pairs = {split: _pairs(lines, first_index) for split, lines in files.items()}
    width = n_features
    if width is None:
        for split, (rows, indices, _) in pairs.items():
            _check_largest(files[split], rows, indices + first_index, limits)
        width = max(int(indices.max(initial=0)) for _, indices, _ in pairs.values()) + 1
    is_known = n_features is not None
    return {split: _matrix(lines, pairs[split], width, is_known, first_index) for split, lines in files.items()}


def _check_largest(lines: SparseLines, rows: NDArray[np.int64], indices: NDArray[np.int64], limits: Limits) -> None:
    if indices.size:
        at = int(indices.argmax())
        number = lines.rows[rows[at]][0]
        limits.check("max_features", int(indices[at]), "the feature {:,}", lines.path, number)


def _pairs(lines: SparseLines, first_index: int) -> _Pairs:
    counts = [features.count(":") for _, _, features in lines.rows]
    try:
        indices, values = _pairs_quickly([features for _, _, features in lines.rows], counts)
    except (ValueError, OverflowError):
        indices, values = _pairs_carefully(lines)
    return np.repeat(np.arange(len(counts)), counts), indices - first_index, values


def _pairs_quickly(texts: list[str], counts: list[int]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    joined = " ".join(texts)
    tokens = joined.split()
    one_colon_each = len(tokens) == sum(counts) and all(":" in token for token in tokens)
    if not one_colon_each or "_" in joined or not joined.isascii():
        raise ValueError
    parts = " ".join(tokens).replace(":", " ").split(" ") if tokens else []
    return np.array(parts[0::2], dtype=np.int64), np.fromiter(map(float, parts[1::2]), np.float64)


def _pairs_carefully(lines: SparseLines) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    indices, values = [], []
    for row, (_, _, text) in enumerate(lines.rows):
        for token in text.split():
            index, colon, value = token.partition(":")
            try:
                if not (colon and index.isascii() and index.isdigit() and len(index) < 12) or "_" in value:
                    raise ValueError
                indices.append(int(index))
                values.append(float(value))
            except ValueError:
                raise lines.error(f"{token[:40]!r} is not 'index:value'.", row) from None
    return np.array(indices, dtype=np.int64), np.array(values, dtype=np.float64)


def _matrix(lines: SparseLines, pairs: _Pairs, width: int, is_known: bool, first_index: int) -> sparse.csr_array[Any]:
    which, indices, values = pairs
    outside = np.flatnonzero((indices < 0) | (indices >= width))
    if outside.size:
        at = outside[0]
        last = f" to {width - 1 + first_index}" if is_known else " on"
        raise lines.error(
            f"feature {indices[at] + first_index}; features are numbered from {first_index}{last}.", which[at]
        )
    keys = np.sort(which * width + indices)
    twice = keys[1:][keys[1:] == keys[:-1]]
    if twice.size:
        row, index = divmod(int(twice[0]), width)
        raise lines.error(f"feature {index + first_index} occurs twice in this row.", row)
    X = sparse.csr_array((values, (which, indices)), shape=(len(lines.rows), width), dtype=np.float64)
    X.sort_indices()
    return X


# --------------------------------------------------------------------------------------------- the data set


def make_sparse_dataset(
    title: str,
    files: Mapping[str, SparseLines],
    X: Mapping[str, sparse.csr_array[Any]],
    written: Mapping[str, sparse.csr_array[Any]],
    names: Sequence[str],
    hierarchy: Hierarchy | PathType | None,
    root: str | None,
    limits: Limits,
) -> Dataset:
    """Put the label columns in the hierarchy's order, and close the labels."""
    if hierarchy is None:
        hierarchy = Hierarchy.flat(names)
    elif not isinstance(hierarchy, Hierarchy):
        hierarchy = read_edges(hierarchy, names, root, limits=limits)
    place = {label: v for v, label in enumerate(hierarchy.names.tolist())}
    missing = [label for label in names if label not in place]
    if missing:
        raise HierarchyError(f"{len(missing)} labels are not in the hierarchy given (first: {missing[0]!r}).")
    to = np.array([place[label] for label in names], dtype=np.int64)
    splits = {}
    for split, found in written.items():
        shape = (found.shape[0], hierarchy.n_nodes)
        moved = sparse.csr_array((found.data, to[found.indices], found.indptr), shape=shape)
        moved.sort_indices()
        splits[split] = split_of_labels(X[split], moved, hierarchy)
    features = NumberedNames(next(iter(X.values())).shape[1])
    paths = {split: lines.path for split, lines in files.items()}
    return make_dataset(title, hierarchy, splits, features, provenance={"files": paths})
