"""The data set ``wordnet-nouns``: from a noun's words and gloss to its hypernyms, made from WordNet's own files.

WordNet [1]_ groups nouns into synsets: words that mean the same, with a gloss and with pointers to more general synsets
(hypernyms; for a name, what it is an instance of). A label is a synset with at least 20 synsets below it; a row is a
synset with the most specific labels above it. WordNet's files may be had from Princeton and from many packages; with
those of WordNet 3.1 this makes the files that the benchmarks of this library use, to the byte.

References
----------
.. [1] G. A. Miller. WordNet: a lexical database for English. Communications of the ACM 38(11), 1995.
"""

from __future__ import annotations

import csv
import lzma
from collections.abc import Iterable, Sequence
from dataclasses import replace
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath.data.dataset import Dataset
from truepath.data.named import WORDNET, data_home
from truepath.data.readers.label_paths import read_paths_csv
from truepath.errors import DataFormatError, TruePathError
from truepath.files.limits import Limits
from truepath.files.names import PathType, naming_file
from truepath.files.text import read_text
from truepath.files.writing import open_atomically
from truepath.hierarchy import Hierarchy

#: Where it lies in the data folder
FOLDER = "text/wordnet_nouns"

_FILE = "data.noun"
_HYPERNYMS = ("@", "@i")  # a kind of, an instance of
_SPLITS = {0: "test", 1: "valid"}  # by the last decimal digit of the hash; the other eight are train


class _Synset(NamedTuple):
    id: str
    words: tuple[str, ...]
    hypernyms: tuple[str, ...]
    gloss: str

    @property
    def name(self) -> str:
        return f"{self.words[0]}.{self.id}"


def make_wordnet(source: PathType, *, home: PathType | None = None, min_synsets: int = 20) -> Path:
    r"""Make the data set ``wordnet-nouns`` from the files of WordNet.

    Parameters
    ----------
    source : path
        A folder with WordNet's file ``data.noun``, or with a folder ``dict`` that has it.
    home : path, optional
        The data folder; :func:`data_home` by default.
    min_synsets : int, default=20
        A synset is a label if at least this many synsets are below it, at any depth.

    Returns
    -------
    folder : Path
        With ``rows.csv.xz`` (id, split, words, gloss, labels), ``edges.csv.xz`` (parent, child; no parent: top) and
        ``LICENSE``, WordNet's licence from the head of its file, which must stay with every copy.

    Raises
    ------
    TruePathError
        If there is no such file.
    DataFormatError
        If it is not in WordNet's format, with file and line.

    Notes
    -----
    The split is the last decimal digit of the SHA-256 of the synset's id: 0 is test, 1 is valid, the others are train.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> lines = ["00000001 03 n 01 entity 0 000 | what is", "00000002 03 n 01 dog 0 001 @ 00000001 n 0000 | it barks"]
    >>> _ = (folder / "data.noun").write_text("\n".join(lines))
    >>> sorted(file.name for file in make_wordnet(folder, home=folder, min_synsets=1).iterdir())
    ['LICENSE', 'edges.csv.xz', 'rows.csv.xz']
    """
    file = _find(Path(source))
    lines = read_text(file).split("\n")
    synsets = [
        _parse(line, file, number) for number, line in enumerate(lines, start=1) if line and not line.startswith(" ")
    ]
    rows, edges = _label(synsets, file, min_synsets)
    folder = data_home(home) / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    license = "".join(line[2:].partition(" ")[2] + "\n" for line in lines if line.startswith("  "))
    with open_atomically(folder / "LICENSE") as out:
        out.write(license.encode())
    _write(folder / "edges.csv.xz", [("parent", "child"), *edges])
    _write(folder / "rows.csv.xz", [("id", "split", "words", "gloss", "labels"), *rows])
    return folder


def has_wordnet(home: Path) -> bool:
    """Return whether the data set is in a data folder."""
    return all((home / FOLDER / file).is_file() for file in ("rows.csv.xz", "edges.csv.xz"))


def read_wordnet(home: Path, limits: Limits | None = None) -> Dataset:
    """Read the data set from a data folder: texts of words and gloss, labels, three splits."""
    rows, edges = home / FOLDER / "rows.csv.xz", home / FOLDER / "edges.csv.xz"
    columns: dict[str, Any] = {"ids": "id", "split": "split", "features": ["words", "gloss"], "cells": True}
    ds = read_paths_csv(rows, hierarchy=edges, name=WORDNET, limits=limits, **columns)
    splits = {name: replace(split, X=_texts(split.X)) for name, split in ds.splits.items()}
    ordered = {name: splits[name] for name in sorted(splits, key=("train", "valid", "test").index)}
    return replace(ds, splits=ordered, feature_names=["text"])


def _texts(cells: NDArray[np.object_]) -> NDArray[np.object_]:
    return np.array([f"{words}: {gloss}" for words, gloss in cells], dtype=object)


def _find(source: Path) -> Path:
    for file in (source / _FILE, source / "dict" / _FILE):
        if file.is_file():
            return file
    raise TruePathError(
        f"{source} has no file {_FILE}, nor dict/{_FILE}.",
        "Name the folder of WordNet's database files (WordNet 3.1: wn3.1.dict.tar.gz, unpacked).",
    )


def _parse(line: str, file: Path, number: int) -> _Synset:
    """Read a line: id, file number, n, count of words (hex), words and sense numbers, count of pointers, pointers."""
    fields, _, gloss = line.partition("|")
    cells = fields.split()
    try:
        end = 4 + 2 * int(cells[3], 16)
        pointers = [cells[at : at + 4] for at in range(end + 1, end + 1 + 4 * int(cells[end]), 4)]
        above = tuple(target for kind, target, part, _ in pointers if kind in _HYPERNYMS and part == "n")
        words = tuple(cells[4:end:2])
    except (IndexError, ValueError):
        words = ()
    if not words or not cells[0].isdecimal():
        problem = f"{line[:60]!r} is not a synset of WordNet: id, file, n, words, pointers, | gloss."
        raise DataFormatError(problem, file, number)
    return _Synset(cells[0], words, above, gloss.strip())


def _label(
    synsets: Sequence[_Synset], file: Path, min_synsets: int
) -> tuple[list[tuple[str, ...]], list[tuple[str, str]]]:
    """Return rows and edges: the labels are the synsets with enough others below."""
    names = {synset.id: synset.name for synset in synsets}
    try:
        edges = [(names[above], synset.name) for synset in synsets for above in synset.hypernyms]
    except KeyError as missing:
        raise DataFormatError(f"the synset {missing.args[0]!r} is pointed to, but is not in the file.", file) from None
    with naming_file(file):
        whole = Hierarchy.from_edges(edges, nodes=names.values())
    itself = sparse.eye_array(whole.n_nodes, dtype=np.int32, format="csr")
    above_each = sparse.csr_array(whole.close(itself).astype(np.int32) - itself)
    above_each.eliminate_zeros()
    is_label = dict(zip(whole.names.tolist(), above_each.sum(axis=0) >= min_synsets))
    kept = {(above, name) for above, name in edges if is_label[name]}  # what is above a label is one too
    tops = {name for name in names.values() if is_label[name]} - {name for _, name in kept}
    labels = Hierarchy.from_edges([*((None, name) for name in sorted(tops)), *sorted(kept)])
    columns, order = whole.indices(labels.names), whole.indices(names.values())
    found = labels.decode(above_each[order][:, columns])
    rows = [_row(synset, sorted(most_specific)) for synset, most_specific in zip(synsets, found) if most_specific]
    return rows, sorted([*(("", name) for name in tops), *kept])


def _row(synset: _Synset, labels: list[str]) -> tuple[str, ...]:
    split = _SPLITS.get(int(sha256(synset.id.encode()).hexdigest(), 16) % 10, "train")
    return synset.id, split, "; ".join(synset.words).replace("_", " "), synset.gloss, ";".join(labels)


def _write(path: Path, rows: Iterable[Sequence[str]]) -> None:
    text = StringIO(newline="")
    csv.writer(text).writerows(rows)
    with open_atomically(path) as out:
        out.write(lzma.compress(text.getvalue().encode()))
