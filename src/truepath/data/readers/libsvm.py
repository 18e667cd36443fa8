"""Multi-label LIBSVM files: rows ``label,label index:value ...``, without a header, with any text as a label.

Features are numbered from 1. A hierarchy comes in its own file: one edge ``parent child`` per line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from os import fspath
from typing import Any

from truepath.data.dataset import Dataset
from truepath.data.readers.base import Paths, Reader, named_paths, title_of
from truepath.data.readers.sparse_lines import SparseLines, cut_lines, make_sparse_dataset, read_features
from truepath.errors import DataFormatError
from truepath.files.limits import Limits, usual_limits
from truepath.files.names import PathType
from truepath.files.text import head_lines, read_text, split_lines
from truepath.hierarchy import Hierarchy

_ROW = re.compile(r"\s*(?:[^\s:]+\s+)?\d+:\S+(?:\s|$)")


def read_libsvm(
    path: Paths,
    hierarchy: Hierarchy | PathType | None = None,
    *,
    n_features: int | None = None,
    first_index: int = 1,
    root: str | None = None,
    name: str | None = None,
    limits: Limits | None = None,
) -> Dataset:
    """Read multi-label LIBSVM files: ``label,label index:value ...`` with any text as a label.

    Parameters
    ----------
    path : path, or mapping from str to path
        One file becomes the split ``"all"``; a mapping such as ``{"train": ..., "test": ...}`` names the splits.
        Files may be compressed (.xz, .gz, .bz2); ``#`` starts a comment.
    hierarchy : Hierarchy or path, optional
        As in :func:`read_xmc`. By default flat over the labels found, in the order of their first row.
    n_features : int, optional
        By default as many as the largest index needs.
    first_index : int, default=1
        The number of the first feature.
    root : str, optional
        The name of the root in the edges.
    name : str, optional
        The name of the data set; by default the file's.
    limits : Limits, optional
        The most that is taken from a file; see :class:`truepath.files.Limits`.

    Returns
    -------
    ds : Dataset
    """
    limits = limits or usual_limits()
    files = {split: _read(file, limits) for split, file in named_paths(path).items()}
    names = list(dict.fromkeys(label for lines in files.values() for row in lines.names() for label in row))
    if not names:
        raise DataFormatError("no row has a label.", fspath(next(iter(files.values())).path))
    X = read_features(files, n_features, first_index, limits)
    index = {label: v for v, label in enumerate(names)}
    written = {split: lines.labels(index, len(names)) for split, lines in files.items()}
    return make_sparse_dataset(name or title_of(path), files, X, written, names, hierarchy, root, limits)


def _read(path: PathType, limits: Limits) -> SparseLines:
    bare = (
        (number, line.split("#", 1)[0]) for number, line in enumerate(split_lines(read_text(path, limits)), start=1)
    )
    lines = cut_lines(((number, line) for number, line in bare if line.strip()), path)
    if not lines.rows:
        raise DataFormatError("no rows.", fspath(path))
    return lines


class LibSVM(Reader):
    """Text files without a header."""

    name = "libsvm"
    summary = "text 'label,label feature:value ...' without a header (LIBSVM)"
    endings = (".libsvm", ".svm", ".svmlight", ".txt")
    file_options = ("hierarchy",)
    read = staticmethod(read_libsvm)

    @classmethod
    def recognizes(cls, path: PathType, options: Mapping[str, Any]) -> bool:
        """Look at the first row."""
        rows = (line for line in head_lines(path) if line.split("#", 1)[0].strip())
        return _ROW.match(next(rows, "")) is not None
