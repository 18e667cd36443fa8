"""One way to open data: a file, a folder of splits, one file per split, or a data set's name."""

from __future__ import annotations

import os
from collections.abc import Mapping
from inspect import signature
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from truepath.data.dataset import Dataset
from truepath.data.named import load_dataset
from truepath.data.readers.base import (
    Reader,
    check_options,
    find_reader,
    is_readable,
    named_paths,
    read_with,
    readable_endings,
    split_files,
    store_labels,
)
from truepath.errors import TruePathError, UnknownDatasetError
from truepath.files.limits import Limits
from truepath.files.names import PathType
from truepath.hierarchy.matrices import SparseOutput


def open_dataset(
    source: PathType | Mapping[str, PathType],
    *,
    format: str | None = None,
    home: str | os.PathLike[str] | None = None,
    sparse_output: SparseOutput = "auto",
    limits: Limits | None = None,
    **options: Any,
) -> Dataset:
    r"""Open a data set: a file of any known format, a folder, or a name.

    Parameters
    ----------
    source : path, mapping from str to path, or str
        * a file: read by the reader that recognizes it;
        * a mapping such as ``{"train": "a.csv", "test": "b.csv"}``: one file per split;
        * a folder with files called ``train``, ``valid``, ``test`` or ``all`` (also ``books-train.csv``);
        * the name of a data set, as :func:`load_dataset` takes it, if there is no such file.
    format : str, optional
        The name of the reader, if it cannot be seen from the file: ``"clus"``, ``"mulan"``, ``"meka"``, ``"paths"``
        (tables with label paths), ``"xmc"`` or ``"libsvm"``.
    home : path, optional
        The folder of named data sets; :func:`data_home` by default.
    sparse_output : bool or "auto", default="auto"
        Whether labels are sparse (CSR); ``"auto"``: plain arrays while they take less than 256 MB.
    limits : Limits, optional
        The most that is taken from a file; see :class:`truepath.files.Limits`.
    **options
        Options of the reader, such as ``labels`` and ``text`` for tables; for names, those of :func:`load_dataset`.

    Returns
    -------
    ds : Dataset

    Raises
    ------
    DataFormatError
        If the file cannot be read, with file and line.
    UnknownDatasetError
        If there is neither a file nor a data set of that name.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from truepath import open_dataset
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "books.csv"
    >>> _ = file.write_text("pages,labels\n200,Science/Physics;Art\n150,Science/Biology\n")
    >>> open_dataset(file)
    Dataset('books': all 2; 1 features, 4 labels)
    >>> open_dataset("toy")
    Dataset('toy': train 8, test 4; 2 features, 5 labels)
    """
    files = _find_files(source, format)
    if files is None:
        return _open_named(fspath(source), home, sparse_output, limits, options)  # type: ignore[arg-type]
    reader = find_reader(next(iter(named_paths(files).values())), format, options)
    check_options(reader, options)
    return store_labels(read_with(reader, files, limits, **options), sparse_output)


def reader_of(
    source: PathType | Mapping[str, PathType], format: str | None = None, options: Mapping[str, Any] | None = None
) -> type[Reader] | None:
    """Return the reader that :func:`open_dataset` would use; None for the name of a data set."""
    files = _find_files(source, format)
    return None if files is None else find_reader(next(iter(named_paths(files).values())), format, options)


def _find_files(source: PathType | Mapping[str, PathType], format: str | None) -> Any:
    """Return the file, or the file of each split; None if the source is a name."""
    if isinstance(source, Mapping):
        return source
    if not isinstance(source, (str, PathLike)):
        raise TypeError(
            f"source must be a path, a name or a mapping from split to path, not {type(source).__name__}. "
            "For data frames use read_paths_csv."
        )
    path = Path(source)
    if path.is_dir():
        found = split_files(path)
        if not found and not isinstance(source, str):
            raise _no_splits(path)
        return found or None
    if path.is_file() or format is not None or not isinstance(source, str) or is_readable(source):
        return source  # if there is no such file, the reader says so
    return None


def _no_splits(folder: Path) -> TruePathError:
    return TruePathError(
        f"{folder}: this folder has no file called train, valid, test or all that can be read.",
        f"Endings that are read: {' '.join(readable_endings())}.",
    )


def _open_named(
    name: str,
    home: str | os.PathLike[str] | None,
    sparse_output: SparseOutput,
    limits: Limits | None,
    options: Mapping[str, Any],
) -> Dataset:
    taken = signature(load_dataset).parameters
    given = {option: value for option, value in options.items() if option in taken}
    try:
        ds = load_dataset(name, home=home, sparse_output=sparse_output, limits=limits, **given)
    except UnknownDatasetError as problem:
        if Path(name).is_dir():
            raise _no_splits(Path(name)) from None
        endings = " ".join(readable_endings())
        raise UnknownDatasetError(
            f"{name!r} is neither a file that can be read ({endings}) nor the name of a data set: {problem.problem}",
            problem.remedy,
        ) from None
    for option in options:
        if option not in taken:
            raise TruePathError(f"{option} is an option of files; {name!r} is the name of a data set.", "Leave it out.")
    return ds
