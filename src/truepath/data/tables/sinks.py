"""Label sets and scores to a file block by block: what ``write_labels`` and ``write_scores`` write, in bounded memory.

A sink is a context manager; the file appears when its block ends well, and after an error, a full disk or an interrupt
what was there before is untouched.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import chain
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath.data.tables.labels import join_labels
from truepath.data.tables.write import find_format, safe_cell, write_columns
from truepath.files.text import PathType, open_atomically
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.matrices import as_dense

__all__ = ["UniqueIds", "open_label_sink", "open_score_sink"]


#: ``write(matrix, ids)``: append the rows of a block
Write = Callable[[Any, Sequence[str]], None]


@contextmanager
def open_label_sink(
    path: PathType | TextIO,
    hierarchy: Hierarchy,
    *,
    matrix: bool = False,
    between: str = ";",
    format: str | None = None,
    safe_csv: bool = False,
    id_name: str = "id",
) -> Iterator[Write]:
    """Yield a function that appends label sets; parameters as for :func:`truepath.data.write_labels`.

    Examples
    --------
    >>> import sys
    >>> h = Hierarchy.from_paths(["a/1", "b"])
    >>> with open_label_sink(sys.stdout, h) as write:
    ...     write(h.encode([["a/1"]]), ["x"])
    ...     write(h.encode([["b", "a"]]), ["y"])
    id,labels
    x,a/1
    y,a;b
    """
    kind = find_format(path, format)
    if matrix and kind == "json":
        raise ValueError("a matrix is not written as JSON; use .csv, .tsv or .parquet.")
    columns = hierarchy.names.tolist() if matrix else ["labels"]
    names = _named([id_name, *columns])
    with _open_rows(path, names, kind, "int64" if matrix else "labels", safe_csv) as append:

        def write(Y: Any, ids: Sequence[str]) -> None:
            if matrix:
                append(ids, as_dense(Y).astype(np.int8).T.tolist())
                return
            rows = hierarchy.decode(sparse.csr_array(Y))
            is_text = kind in ("csv", "tsv")
            append(ids, [[join_labels(row, between) for row in rows] if is_text else list(map(list, rows))])

        yield write


@contextmanager
def open_score_sink(
    path: PathType, hierarchy: Hierarchy, *, safe_csv: bool = False, id_name: str = "id"
) -> Iterator[Write]:
    """Yield a function that appends scores to a ``.csv``, ``.tsv`` or ``.parquet`` file."""
    kind = find_format(path)
    if kind == "json":
        raise ValueError("scores are not written as JSON; use .csv, .tsv, .parquet or .npz.")
    with _open_rows(path, _named([id_name, *hierarchy.names.tolist()]), kind, "float64", safe_csv) as append:
        yield lambda S, ids: append(ids, as_dense(S).T.tolist())


def _named(names: list[str]) -> list[str]:
    """Refuse a column of ids that is called like another."""
    if names[0] in names[1:]:
        raise ValueError(f"id_name={names[0]!r} is the name of another column; choose another.")
    return names


@contextmanager
def _open_rows(path: Any, names: list[str], kind: str, of_type: str, safe_csv: bool) -> Iterator[Any]:
    """Yield ``append(ids, columns)`` for a table of the columns named, that of the ids first."""
    if kind == "parquet":
        with _open_parquet(path, names, of_type) as append:
            yield append
    elif hasattr(path, "write"):
        yield from _text_rows(path, names, kind, safe_csv)
    else:
        with open_atomically(path, "w", encoding="utf-8", newline="") as file:
            yield from _text_rows(file, names, kind, safe_csv)


def _text_rows(file: Any, names: list[str], kind: str, safe_csv: bool) -> Iterator[Any]:
    """Yield, once, the function that appends rows of text; what ends the file is written when it is taken up again."""
    if kind == "json":
        yield from _json_rows(file, names[0])
        return
    safe = safe_cell if safe_csv else _as_is
    writer = csv.writer(file, delimiter="\t" if kind == "tsv" else ",", lineterminator="\n")
    writer.writerow(map(safe, names))

    def append(ids: Sequence[str], columns: list[list[Any]]) -> None:
        cells = ([safe(cell) for cell in column] for column in [ids, *columns]) if safe_csv else [ids, *columns]
        writer.writerows(zip(*cells))

    yield append


def _as_is(cell: Any) -> Any:
    return cell


def _json_rows(file: Any, id_name: str) -> Iterator[Any]:
    separator = "[\n"

    def append(ids: Sequence[str], columns: list[list[Any]]) -> None:
        nonlocal separator
        for name, labels in zip(ids, columns[0]):
            file.write(separator + json.dumps({id_name: name, "labels": labels}, ensure_ascii=False))
            separator = ",\n"

    yield append
    file.write("\n]\n")


@contextmanager
def _open_parquet(path: Any, names: list[str], of_type: str) -> Iterator[Any]:
    if hasattr(path, "write"):
        raise ValueError("Parquet is written to a file, not to a text stream; name one.")
    if find_spec("pyarrow") is None:
        with _collected(path, names) as append:
            yield append
        return
    import pyarrow
    from pyarrow import parquet

    cell = pyarrow.list_(pyarrow.string()) if of_type == "labels" else getattr(pyarrow, of_type)()
    schema = pyarrow.schema([(names[0], pyarrow.string()), *((name, cell) for name in names[1:])])
    with open_atomically(path) as file, parquet.ParquetWriter(file, schema) as writer:
        yield lambda ids, columns: writer.write_table(pyarrow.table([list(ids), *columns], schema=schema))


@contextmanager
def _collected(path: Any, names: list[str]) -> Iterator[Any]:
    """Keep everything until the end, where no library writes Parquet in parts."""
    parts: list[list[Any]] = []
    yield lambda ids, columns: parts.append([list(ids), *columns])
    whole = [list(chain.from_iterable(column)) for column in zip(*parts)]
    write_columns(path, dict(zip(names, whole)), "parquet")


class UniqueIds:
    """Refuses ids that occur twice, in 8 bytes per row: their hashes are kept, in sorted arrays that are merged.

    Examples
    --------
    >>> known = UniqueIds()
    >>> known.add(["x", "y"])
    >>> known.add(["z", "x"])
    Traceback (most recent call last):
        ...
    ValueError: the id 'x' occurs twice; ids must name the rows.
    """

    def __init__(self) -> None:
        self._hashes: list[NDArray[np.int64]] = []

    def add(self, ids: Sequence[str]) -> None:
        """Take more ids in."""
        new = np.fromiter(map(hash, ids), np.int64, len(ids))
        order = np.argsort(new, kind="stable")
        sorted_ = new[order]
        again = [order[1:][sorted_[1:] == sorted_[:-1]]]
        for known in self._hashes:
            place = np.minimum(np.searchsorted(known, new), known.size - 1)
            again.append(np.flatnonzero(known[place] == new))
        twice = np.concatenate(again)
        if twice.size:
            raise ValueError(f"the id {ids[int(twice.min())]!r} occurs twice; ids must name the rows.")
        if new.size:
            self._hashes.append(sorted_)
        while len(self._hashes) > 1 and self._hashes[-1].size >= self._hashes[-2].size:
            self._hashes[-2:] = [np.sort(np.concatenate(self._hashes[-2:]), kind="stable")]
