"""The text format of the extreme classification repositories: a line of sizes, then rows ``l1,l2 f:v f:v ...``.

The first line is ``n_samples n_features n_labels``; features and labels are numbered from 0. A hierarchy comes in
its own file: one edge ``parent child`` per line, separated by a tab or blanks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from typing import Any

from truepath.data.dataset import Dataset
from truepath.data.readers.base import Paths, Reader, named_paths, title_of
from truepath.data.readers.sparse_lines import SparseLines, cut_lines, make_sparse_dataset, read_features
from truepath.errors import DataFormatError
from truepath.files.limits import Limits, usual_limits
from truepath.files.names import PathType
from truepath.files.text import head_lines, read_text, split_lines
from truepath.hierarchy import Hierarchy


def read_xmc(
    path: Paths,
    hierarchy: Hierarchy | PathType | None = None,
    *,
    label_names: Sequence[str] | PathType | None = None,
    root: str | None = None,
    name: str | None = None,
    limits: Limits | None = None,
) -> Dataset:
    r"""Read the text format of the extreme classification repositories.

    Parameters
    ----------
    path : path, or mapping from str to path
        One file becomes the split ``"all"``; a mapping such as ``{"train": ..., "test": ...}`` names the splits.
        First line ``n_samples n_features n_labels``, then one row per line, ``l1,l2 f:v f:v``; a row without labels
        starts with a blank. Both numbers count from 0. May be compressed (.xz, .gz, .bz2).
    hierarchy : Hierarchy or path, optional
        Over the labels' names; a file lists edges ``parent child``, one per line. Labels that no edge names are at
        the top; names that are not labels become inner nodes. Flat by default.
    label_names : sequence of str or path, optional
        Names of the labels in order, or a file with one per line; by default their numbers, ``"0", "1", ...``.
    root : str, optional
        The name of the root in the edges.
    name : str, optional
        The name of the data set; by default the file's.
    limits : Limits, optional
        The most that is taken from a file; see :class:`truepath.files.Limits`.

    Returns
    -------
    ds : Dataset
        With ``X`` in CSR form.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "tiny.txt"
    >>> _ = file.write_text("2 4 3\n0,2 1:0.5 3:1\n 0:2\n")
    >>> ds = read_xmc(file)
    >>> ds["all"].X.toarray().tolist(), ds.hierarchy.decode(ds["all"].y)
    ([[0.0, 0.5, 0.0, 1.0], [2.0, 0.0, 0.0, 0.0]], [('0', '2'), ()])
    """
    limits = limits or usual_limits()
    files: dict[str, SparseLines] = {}
    sizes: tuple[int, int] | None = None
    for split, file in named_paths(path).items():
        files[split], found = _read(file, limits)
        if sizes not in (None, found):
            raise DataFormatError(f"{found} features and labels, but {sizes} in the other files.", fspath(file), 1)
        sizes = found
    n_features, n_labels = sizes or (0, 0)
    names = _label_names(label_names, n_labels, limits)
    index = {str(v): v for v in range(n_labels)}
    X = read_features(files, n_features, 0, limits)
    written = {split: lines.labels(index, n_labels) for split, lines in files.items()}
    return make_sparse_dataset(name or title_of(path), files, X, written, names, hierarchy, root, limits)


def _read(path: PathType, limits: Limits) -> tuple[SparseLines, tuple[int, int]]:
    """Return the rows of a file and the numbers of its features and labels."""
    lines = split_lines(read_text(path, limits))
    n_samples, *sizes = _header(lines[0], fspath(path), limits)
    found = cut_lines(((number, line) for number, line in enumerate(lines[1:], start=2) if line), path)
    if len(found.rows) != n_samples:
        problem = f"{len(found.rows)} rows, but the first line announces {n_samples}."
        raise DataFormatError(problem, fspath(path), len(lines))
    return found, (sizes[0], sizes[1])


def _sizes(line: str) -> list[int] | None:
    """Return three sizes, or None if the line is not a header."""
    parts = line.split()
    is_header = len(parts) == 3 and all(part.isascii() and part.isdigit() and len(part) < 12 for part in parts)
    return [int(part) for part in parts] if is_header else None


def _header(line: str, path: str, limits: Limits) -> list[int]:
    sizes = _sizes(line)
    if sizes is None:
        raise DataFormatError(
            f"the first line must be 'n_samples n_features n_labels', not {line[:40]!r}. "
            "Without a header use read_libsvm.",
            path,
            1,
        )
    if 0 in sizes:
        raise DataFormatError("the first line announces no rows, no features or no labels.", path, 1)
    limits.check("max_features", sizes[1], "the first line announces {:,} features", path, 1)
    limits.check("max_labels", sizes[2], "the first line announces {:,} labels", path, 1)
    return sizes


def _label_names(source: Sequence[str] | PathType | None, n_labels: int, limits: Limits) -> list[str]:
    if source is None:
        return [str(v) for v in range(n_labels)]
    from_file = isinstance(source, (str, PathLike))
    names = [name.strip() for name in split_lines(read_text(source, limits))] if from_file else list(map(str, source))  # type: ignore[arg-type]
    if len(names) != n_labels:
        where = fspath(source) if from_file else None  # type: ignore[arg-type]
        raise DataFormatError(f"{len(names)} label names for {n_labels} labels.", where)
    return names


class XMC(Reader):
    """Text files with a line of sizes."""

    name = "xmc"
    summary = "text 'label,label feature:value ...' below a line of three sizes (extreme classification)"
    endings = (".xmc", ".txt")
    file_options = ("hierarchy", "label_names")
    read = staticmethod(read_xmc)

    @classmethod
    def recognizes(cls, path: PathType, options: Mapping[str, Any]) -> bool:
        """Look for the line of sizes."""
        return _sizes(next(head_lines(path), "")) is not None
