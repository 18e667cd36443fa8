"""Readers by name, registered by being defined: what each reads, how its files are recognised, and what all share.

A reader is a class with a ``name``, a ``summary``, the endings of its files and the function that reads them::

    class Spam(Reader):
        name = "spam"
        summary = "mails with their folders"
        endings = (".mbox",)
        read = staticmethod(read_mbox)

Commands, plans and :func:`truepath.open_dataset` find it here; there is no other list. A folder has one file per split:
``train.arff``, ``books-test.csv.gz``, ``valid.derived.arff.xz``; labels are closed, and dense while they are small.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from inspect import Parameter, signature
from os import PathLike, fspath
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath.data.dataset import Dataset
from truepath.data.parts import NAMES, usual_part
from truepath.data.split import Split
from truepath.errors import DataFormatError, TruePathError
from truepath.files.limits import Limits
from truepath.files.names import COMPRESSIONS, PathType, ending_of, plain_name
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.matrices import DENSE_LIMIT, SparseOutput, choose_form
from truepath.registry import READERS, Member


class Reader(Member):
    """A format of data sets; subclasses with a ``name`` are found by the files they read.

    Attributes
    ----------
    name, summary : str
        The value of ``format``, and a description of such a file in one line.
    endings : tuple of str
        Endings of the files, in lower case; that of a compression may follow.
    file_options : tuple of str
        The options of ``read`` that name files: in a plan they are relative to the plan's folder.
    read : callable
        ``read(path, **options) -> Dataset``; a mapping from split to path gives several splits.
    columns : callable or None
        For tables: ``columns(path) -> Columns`` reads the columns by name, so that rows without labels can be read too.
    rows : callable or None
        For matrices without labels: ``rows(path)`` has their numbers as ``X``, and their names as ``ids``.
    """

    registry = READERS
    endings: ClassVar[tuple[str, ...]] = ()
    file_options: ClassVar[tuple[str, ...]] = ()
    read: ClassVar[Callable[..., Dataset]]
    columns: ClassVar[Any] = None
    rows: ClassVar[Any] = None

    @classmethod
    def recognizes(cls, path: PathType, options: Mapping[str, Any]) -> bool:
        """Return whether a file with one of the endings has this format; used where formats share an ending."""
        return True

    @classmethod
    def options(cls) -> list[str]:
        """Return the names of the options that ``read`` takes; the limits, which all take, are left out."""
        return [option for option in _options(cls) if option != "limits"]


def _options(reader: type[Reader]) -> list[str]:
    parameters = list(signature(reader.read).parameters.values())[1:]
    return [p.name for p in parameters if p.kind in (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)]


def read_with(reader: type[Reader], files: Paths, limits: Limits | None, **options: Any) -> Dataset:
    """Read files, within the limits if the reader has any."""
    bounds = {"limits": limits} if "limits" in _options(reader) else {}
    return reader.read(files, **options, **bounds)


def readable_endings() -> tuple[str, ...]:
    """Return the endings of all files that some reader reads, without those of compressions."""
    return tuple(dict.fromkeys(ending for reader in READERS.members() for ending in reader.endings))


def is_readable(path: PathType) -> bool:
    """Return whether a name ends like a file that some reader reads.

    >>> is_readable("books.csv.gz"), is_readable("toy")
    (True, False)
    """
    return ending_of(path) in readable_endings()


def list_readers() -> list[tuple[str, str, str]]:
    """Return name, endings and summary of every reader, for help texts and errors."""
    return [(reader.name, " ".join(reader.endings), reader.summary) for reader in READERS.members()]


def find_reader(path: PathType, format: str | None = None, options: Mapping[str, Any] | None = None) -> type[Reader]:
    """Return the reader of a file: the one named, or the one that recognizes its ending and content.

    Raises
    ------
    DataFormatError
        If no reader or more than one recognizes the file; the message lists what can be read.
    """
    if format is not None:
        named: type[Reader] = READERS[format]
        return named
    candidates = [reader for reader in READERS.members() if ending_of(path) in reader.endings]
    if not candidates:
        listed = "; ".join(f"{name}: {endings}" for name, endings, _ in list_readers())
        raise DataFormatError(
            f"no reader for files ending in {ending_of(path) or 'nothing'!r}. Available: {listed} (all of them also "
            f"compressed: {' '.join(COMPRESSIONS)}).",
            fspath(path),
            remedy="Name one by format= (--reader) if the file has one of these formats under another ending.",
        )
    found: list[type[Reader]] = [reader for reader in candidates if reader.recognizes(path, options or {})]
    if len(found) == 1:
        return found[0]
    listed = "; ".join(f"{reader.name}, {reader.summary}" for reader in found or candidates)
    kind = ending_of(path)
    problem = f"this {kind} file could be more than one thing: " if found else f"this {kind} file is none of these: "
    raise DataFormatError(f"{problem}{listed}.", fspath(path), remedy="Name the format by format= (--reader).")


def check_options(reader: type[Reader], options: Mapping[str, Any]) -> None:
    """Refuse options that a reader does not have, with those it has."""
    unknown = [option for option in options if option not in reader.options()]
    if unknown:
        raise TruePathError(
            f"the reader {reader.name!r} has no option {unknown[0]!r}.",
            f"It has {', '.join(reader.options()) or 'none'}.",
        )


Paths = PathType | Mapping[str, PathType]

_SPLITS = ("train", "valid", "test", "all")

# A name may come before the split, a remark after it
_WORDS = "|".join(["all", "original", *(word for words in NAMES.values() for word in words)])
_STEM = re.compile(rf"(?:(?P<name>.+)[-_.])?(?P<split>{_WORDS})(?:\.(?P<remark>\w+))?", re.IGNORECASE)


def named_paths(path: Paths) -> dict[str, PathType]:
    """Name the split of each file: one file is ``"all"``, a mapping names its own."""
    if isinstance(path, Mapping):
        if not path:
            raise ValueError("path is an empty mapping; give at least one file, e.g. {'train': 'train.arff'}.")
        return {str(split): file for split, file in path.items()}
    if not isinstance(path, (str, PathLike)):
        raise TypeError(f"path must be a file name or a mapping from split to file name, not {type(path).__name__}.")
    return {"all": path}


def title_of(path: Paths) -> str:
    """Name a data set after its file; if it has one per split, after what they share, or their folder.

    >>> title_of("here/books.csv.gz"), title_of({"train": "books-train.csv"}), title_of({"train": "books/train.csv"})
    ('books', 'books', 'books')
    """
    first = next(iter(named_paths(path).values()))
    stem = Path(plain_name(first)).stem
    return (cut_split(stem) or Path(first).resolve().parent.name or stem) if isinstance(path, Mapping) else stem


def make_dataset(
    name: str,
    hierarchy: Hierarchy,
    splits: Mapping[str, Split],
    feature_names: Sequence[str],
    categories: Mapping[int, tuple[str, ...]] | None = None,
    provenance: Mapping[str, Any] | None = None,
) -> Dataset:
    """Make a data set of what a reader found, its labels in the form that suits their size."""
    return store_labels(Dataset(name, hierarchy, splits, feature_names, categories or {}, provenance or {}))


def store_labels(ds: Dataset, sparse_output: SparseOutput = "auto") -> Dataset:
    """Give the labels of all splits one form: plain arrays, or CSR where asked for or too large."""
    if sparse_output == "auto":
        sparse_output = ds.n_samples * ds.hierarchy.n_nodes >= DENSE_LIMIT
    return replace(ds, splits={name: replace(s, y=choose_form(s.y, sparse_output)) for name, s in ds.splits.items()})


def split_of_labels(
    X: Any, written: sparse.csr_array[Any], hierarchy: Hierarchy, ids: NDArray[np.object_] | None = None
) -> Split:
    """Close the labels as written and keep their number."""
    counts = np.diff(written.indptr).astype(np.int64)
    closed = written if hierarchy.n_edges == 0 else hierarchy.close(written)
    Y = sparse.csr_array(closed, dtype=bool)
    Y.sort_indices()
    return Split(X, Y, ids, counts)


def written_labels(
    rows: list[list[str]], index: Mapping[str, int], n_nodes: int, unknown: Callable[[int, str], DataFormatError]
) -> sparse.csr_array[Any]:
    """Look names up, row by row; ``unknown(row, name)`` makes the error for a name that is not declared."""
    ids = np.fromiter(map(id, rows), np.int64, len(rows))  # rows with the same labels may share one list
    _, firsts, which = np.unique(ids, return_index=True, return_inverse=True)
    found: list[list[int]] = [[]] * len(firsts)
    for k in np.argsort(firsts).tolist():
        try:
            found[k] = sorted({index[name] for name in rows[firsts[k]]} - {-1})  # -1: the root, which every row has
        except KeyError as missing:
            raise unknown(int(firsts[k]), missing.args[0]) from None
    indices = np.array([v for labels in found for v in labels], np.int32)
    indptr = np.concatenate([[0], np.cumsum([len(labels) for labels in found])]).astype(np.int32)
    distinct = sparse.csr_array((np.ones(indices.size, bool), indices, indptr), shape=(len(found), n_nodes))
    return sparse.csr_array(distinct[which])


def _match(path: Path) -> re.Match[str] | None:
    return _STEM.fullmatch(Path(plain_name(path)).stem) if is_readable(path) else None


def split_files(folder: Path) -> dict[str, Path]:
    """Find the file of each split, in the usual order; ``original`` is another word for ``all``, ``dev`` for ``valid``.

    Raises
    ------
    TruePathError
        If two files could be the same split.
    """
    found: dict[str, Path] = {}
    for file in sorted(folder.iterdir()) if folder.is_dir() else ():
        match = _match(file)
        if match is None or not file.is_file():
            continue
        split = usual_part(match["split"]) or "all"
        if split in found:
            raise TruePathError(
                f"{folder}: both {found[split].name} and {file.name} could be the split {split!r}.",
                "Give a mapping from split to file.",
            )
        found[split] = file
    return {split: found[split] for split in _SPLITS if split in found}


def remark_of(file: Path) -> str | None:
    """Return the word between split and ending: ``"derived"`` for ``valid.derived.arff.xz``."""
    match = _match(file)
    return None if match is None else match["remark"]


def cut_split(stem: str) -> str:
    """Return what a file's stem says besides the split.

    >>> cut_split("emotions-train"), cut_split("emotions"), cut_split("train")
    ('emotions', 'emotions', '')
    """
    match = _STEM.fullmatch(stem)
    return stem if match is None else match["name"] or ""
