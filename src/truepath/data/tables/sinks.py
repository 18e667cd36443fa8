"""Label sets and scores to a file block by block: what ``write_labels`` and ``write_scores`` write, in bounded memory.

A sink is a context manager; the file appears when its block ends well, and after an error, a full disk or an interrupt
what was there before is untouched.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import chain
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath.data.tables.write import find_format, safe_cell
from truepath.files.names import PathType
from truepath.files.strict_json import dump_json, json_values
from truepath.files.writing import open_atomically
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.matrices import as_dense

#: ``write(matrix, ids, kept=())``: append the rows of a block, with the cells of columns that are kept
Write = Callable[..., None]


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
    keep: Sequence[str] = (),
    probabilities: bool = False,
) -> Iterator[Write]:
    """Yield a function that appends label sets; parameters as for :func:`truepath.data.write_labels`.

    ``keep`` names columns of texts between the ids and the labels. With ``probabilities`` the function takes the
    scores of the rows too, and writes those of the labels beside them, in the same order.

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
    if matrix and kind in ("json", "jsonl"):
        raise ValueError("a matrix is not written as JSON; use .csv, .tsv or .parquet.")
    if matrix and probabilities:
        raise ValueError("probabilities stand beside label sets; leave out matrix, or write the scores.")
    columns = hierarchy.names.tolist() if matrix else ["labels", *(["probabilities"] if probabilities else [])]
    types = ["int64"] * len(columns) if matrix else ["labels", "numbers"][: len(columns)]
    with _open_rows(path, _beside(id_name, keep, columns), kind, types, safe_csv) as append:

        def write(Y: Any, ids: Sequence[str], kept: Sequence[Any] = (), S: Any = None) -> None:
            if matrix:
                append(ids, [*kept, *as_dense(Y).astype(np.int8).T.tolist()])
                return
            rows = hierarchy.decode(sparse.csr_array(Y))
            is_text = kind in ("csv", "tsv")
            found: list[Any] = [[_join_labels(row, between) for row in rows] if is_text else list(map(list, rows))]
            if probabilities:
                numbers = [_scores_of(row, scores, hierarchy) for row, scores in zip(rows, as_dense(S))]
                found.append([between.join(f"{p:.4g}" for p in row) for row in numbers] if is_text else numbers)
            append(ids, [*kept, *found])

        yield write


def _scores_of(labels: Sequence[str], scores: Any, hierarchy: Hierarchy) -> list[float]:
    """Return the scores of some labels of a row."""
    found: list[float] = scores[[hierarchy.numbers[label] for label in labels]].tolist()
    return found


@contextmanager
def open_score_sink(
    path: PathType, hierarchy: Hierarchy, *, safe_csv: bool = False, id_name: str = "id"
) -> Iterator[Write]:
    """Yield a function that appends scores to a ``.csv``, ``.tsv`` or ``.parquet`` file."""
    kind = find_format(path)
    if kind in ("json", "jsonl"):
        raise ValueError("scores are not written as JSON; use .csv, .tsv, .parquet or .npz.")
    columns = hierarchy.names.tolist()
    with _open_rows(path, _beside(id_name, (), columns), kind, ["float64"] * len(columns), safe_csv) as append:
        yield lambda S, ids: append(ids, as_dense(S).T.tolist())


@contextmanager
def open_top_sink(
    path: PathType | TextIO,
    levels: Sequence[int],
    *,
    long: bool = False,
    format: str | None = None,
    safe_csv: bool = False,
    id_name: str = "id",
    keep: Sequence[str] = (),
) -> Iterator[Write]:
    """Yield ``write(top, ids, kept=())``, which appends best labels with their probabilities.

    Parameters
    ----------
    path, format, safe_csv, id_name, keep
        As for :func:`open_label_sink`.
    levels : sequence of int
        The level of each place, 0 where places are those of the whole row.
    long : bool, default=False
        Whether each label is a line of its own, with its rank, instead of a pair of columns.
    """
    kind = find_format(path, format)
    places = [(f"level_{level}_" if level else "", rank) for level, rank in zip(levels, _ranks(levels))]
    pairs = [f"{before}{what}_{rank}" for before, rank in places for what in ("label", "probability")]
    columns, types = pairs, ["string", "float64"] * len(places)
    if long:
        columns, types = ["level", "rank", "label", "probability"], ["int64", "int64", "string", "float64"]
        columns, types = (columns, types) if any(levels) else (columns[1:], types[1:])
    with _open_rows(path, _beside(id_name, keep, columns), kind, types, safe_csv) as append:

        def write(top: Any, ids: Sequence[str], kept: Sequence[Any] = ()) -> None:
            if long:
                append(*_long_columns(top, ids, kept))
                return
            names, probabilities = top.names, json_values(top.probabilities.T)
            cells = [column for j in range(len(places)) for column in (names[:, j].tolist(), probabilities[j])]
            append(ids, [*kept, *cells])

        yield write


def _long_columns(top: Any, ids: Sequence[str], kept: Sequence[Any]) -> tuple[list[str], list[list[Any]]]:
    """Return ids and columns of one line per label."""
    rows, places = np.nonzero(top.nodes >= 0)
    numbers = [top.levels[places], top.ranks()[places]] if top.levels.any() else [top.ranks()[places]]
    found = [*numbers, top.names[rows, places], top.probabilities[rows, places]]
    again = [[column[i] for i in rows] for column in (ids, *kept)]
    return again[0], [*again[1:], *(column.tolist() for column in found)]


def _ranks(levels: Sequence[int]) -> list[int]:
    return [list(levels[: j + 1]).count(level) for j, level in enumerate(levels)]


def _beside(id_name: str, keep: Sequence[str], columns: list[str]) -> list[str]:
    """Return all names; a kept column that is called like a new one gets ``_given`` behind its name."""
    if id_name in columns:
        raise ValueError(f"id_name={id_name!r} is the name of another column; choose another.")
    taken, kept = {id_name, *columns}, []
    for name in keep:
        while name in taken:
            name += "_given"
        taken.add(name)
        kept.append(name)
    return [id_name, *kept, *columns]


def _join_labels(row: tuple[str, ...], between: str) -> str:
    """Return the labels of a row as one cell."""
    for label in row:
        if between in label:
            raise ValueError(f"the label {label!r} holds {between!r}, which separates labels; pass another between=.")
    return between.join(row)


@contextmanager
def _open_rows(path: Any, names: list[str], kind: str, types: list[str], safe_csv: bool) -> Iterator[Any]:
    """Yield ``append(ids, columns)`` for a table of the columns named; ``types`` are those of the last ones.

    The columns before, that of the ids and those that are kept, are texts.
    """
    if kind == "parquet":
        with _open_parquet(path, names, types) as append:
            yield append
    elif hasattr(path, "write"):
        yield from _text_rows(path, names, kind, safe_csv)
    else:
        with open_atomically(path, "w", encoding="utf-8", newline="") as file:
            yield from _text_rows(file, names, kind, safe_csv)


def _text_rows(file: Any, names: list[str], kind: str, safe_csv: bool) -> Iterator[Any]:
    """Yield, once, the function that appends rows of text; what ends the file is written when it is taken up again."""
    if kind in ("json", "jsonl"):
        yield from _json_rows(file, names, *(("[\n", ",\n", "\n]\n") if kind == "json" else ("", "\n", "\n")))
        return
    writer = csv.writer(file, delimiter="\t" if kind == "tsv" else ",", lineterminator="\n")
    writer.writerow(map(safe_cell, names) if safe_csv else names)

    def append(ids: Sequence[str], columns: list[list[Any]]) -> None:
        cells = ([safe_cell(cell) for cell in column] for column in [ids, *columns]) if safe_csv else [ids, *columns]
        writer.writerows(zip(*cells))

    yield append


def _json_rows(file: Any, names: list[str], begin: str, between: str, end: str) -> Iterator[Any]:
    separator = ""
    file.write(begin)

    def append(ids: Sequence[str], columns: list[list[Any]]) -> None:
        nonlocal separator
        for cells in zip(ids, *columns):
            file.write(separator + dump_json(dict(zip(names, cells)), ensure_ascii=False))
            separator = between

    yield append
    file.write(end)


@contextmanager
def _open_parquet(path: Any, names: list[str], types: list[str]) -> Iterator[Any]:
    """Write each block with pyarrow; polars, which writes no file in parts, gets all of them at the end."""
    if hasattr(path, "write"):
        raise ValueError("Parquet is written to a file, not to a text stream; name one.")
    if find_spec("pyarrow"):
        import pyarrow
        from pyarrow import parquet

        known = {name: getattr(pyarrow, name)() for name in ("string", "int64", "float64")}
        known["labels"] = pyarrow.list_(pyarrow.string())
        known["numbers"] = pyarrow.list_(pyarrow.float64())
        types = ["string"] * (len(names) - len(types)) + types
        schema = pyarrow.schema([(name, known[of_type]) for name, of_type in zip(names, types)])
        with open_atomically(path) as file, parquet.ParquetWriter(file, schema) as writer:
            yield lambda ids, columns: writer.write_table(pyarrow.table([list(ids), *columns], schema=schema))
    elif find_spec("polars"):
        import polars

        parts: list[list[Any]] = []
        yield lambda ids, columns: parts.append([list(ids), *columns])
        whole = [list(chain.from_iterable(column)) for column in zip(*parts)]
        with open_atomically(path) as file:
            polars.DataFrame(dict(zip(names, whole))).write_parquet(file)
    else:
        raise ImportError("writing Parquet needs pyarrow or polars: install one of them (pip install pyarrow).")


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
