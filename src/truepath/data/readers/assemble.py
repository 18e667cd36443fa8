"""From files that were read to a :class:`Dataset`: one or several files, one header, the features' names and kinds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath.data.files import PathType, plain_name
from truepath.data.readers.arff.cells import Table
from truepath.data.readers.arff.header import Arff, Attribute, read_arff
from truepath.data.readers.arff.table import read_table
from truepath.data.split import Split
from truepath.errors import DataFormatError
from truepath.hierarchy import Hierarchy

__all__ = ["Paths", "feature_header", "named_paths", "read_all", "row_ids", "split_of_labels"]

Paths = PathType | Mapping[str, PathType]


def named_paths(path: Paths) -> dict[str, PathType]:
    """Name the split of each file: one file is ``"all"``, a mapping names its own."""
    if isinstance(path, Mapping):
        if not path:
            raise ValueError("path is an empty mapping; give at least one file, e.g. {'train': 'train.arff'}.")
        return {str(split): file for split, file in path.items()}
    if not isinstance(path, (str, PathLike)):
        raise TypeError(f"path must be a file name or a mapping from split to file name, not {type(path).__name__}.")
    return {"all": path}


def default_name(path: Paths, relation: str) -> str:
    """Call the data set after the relation, without MEKA's options, or else after the file."""
    name = relation.split(":")[0].strip()
    return name or Path(plain_name(next(iter(named_paths(path).values())))).stem


def read_all(
    path: Paths, check_header: Callable[[Arff], object], first_index: int = 0
) -> dict[str, tuple[Arff, Table]]:
    """Read every file; all must declare the same attributes. The header is checked before the rows are read."""
    files: dict[str, tuple[Arff, Table]] = {}
    first: Arff | None = None
    for split, file in named_paths(path).items():
        arff = read_arff(file, like=first)
        if first is None:
            check_header(arff)
            first = arff
        _refuse_other_header(arff, first)
        files[split] = arff, read_table(arff, first_index)
    return files


def _refuse_other_header(arff: Arff, first: Arff) -> None:
    if arff.attributes is first.attributes:
        return
    pairs = zip(arff.attributes, first.attributes)
    different = next((a for a, b in pairs if (a.name, a.kind, a.values) != (b.name, b.kind, b.values)), None)
    if different is not None:
        raise arff.error(f"attribute {different.name!r} is declared otherwise in {first.path}.", different.line)
    if len(arff.attributes) != len(first.attributes):
        raise arff.error(f"{len(arff.attributes)} attributes here, {len(first.attributes)} in {first.path}.")


def feature_header(attributes: list[Attribute]) -> tuple[list[str], dict[int, tuple[str, ...]]]:
    """Give the names of the feature columns, and the declared values of the categorical ones."""
    categories = {j: a.values for j, a in enumerate(attributes) if a.kind == "nominal"}
    return [a.name for a in attributes], categories


def row_ids(arff: Arff, table: Table) -> NDArray[np.object_] | None:
    """Take the string or key attribute, if there is one, as the names of the rows."""
    columns = [j for j in table.texts if arff.attributes[j].kind == "text"]
    if not columns:
        return None
    if len(columns) > 1:
        names = ", ".join(repr(arff.attributes[j].name) for j in columns[:5])
        raise arff.error(f"{len(columns)} string or key attributes ({names}); at most one, the row ids, can be read.")
    return np.array([cell.strip() for cell in table.texts[columns[0]]], dtype=object)


def split_of_labels(
    X: Any, written: sparse.csr_array[Any], hierarchy: Hierarchy, ids: NDArray[np.object_] | None = None
) -> Split:
    """Close the labels as written and keep how many they were."""
    counts = np.diff(written.indptr).astype(np.int64)
    closed = written if hierarchy.n_edges == 0 else hierarchy.close(written)
    Y = sparse.csr_array(closed, dtype=bool)
    Y.sort_indices()
    return Split(X, Y, ids, counts)


def written_labels(
    rows: list[list[str]], index: Mapping[str, int], n_nodes: int, unknown: Callable[[int, str], DataFormatError]
) -> sparse.csr_array[Any]:
    """Look names up, row by row; ``unknown(row, name)`` makes the error for a name that is not declared."""
    indices: list[int] = []
    indptr = [0]
    for i, names in enumerate(rows):
        try:
            indices += sorted({index[name] for name in names} - {-1})  # -1: the root, which every row has
        except KeyError as missing:
            raise unknown(i, missing.args[0]) from None
        indptr.append(len(indices))
    ones = np.ones(len(indices), dtype=bool)
    shape = (len(rows), n_nodes)
    return sparse.csr_array((ones, np.array(indices, np.int32), np.array(indptr, np.int32)), shape=shape)
