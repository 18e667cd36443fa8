"""Names of files: what their endings say, and errors that name the file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike, fspath
from pathlib import Path

from truepath.errors import HierarchyError

PathType = str | PathLike[str]

#: The endings of compressed files; every file that is read may have one of them after its own
COMPRESSIONS = (".xz", ".gz", ".bz2")


def plain_name(path: PathType) -> str:
    """Name the file without folder and without the ending of its compression.

    >>> plain_name("hmc/enron/train.arff.xz")
    'train.arff'
    """
    name = Path(path).name
    stem, dot, ending = name.rpartition(".")
    return stem if dot and f".{ending.lower()}" in COMPRESSIONS else name


def ending_of(path: PathType) -> str:
    """Return the ending that says what a file holds, in lower case, without that of its compression.

    >>> ending_of("hmc/enron/train.ARFF.xz"), ending_of("toy")
    ('.arff', '')
    """
    return Path(plain_name(path)).suffix.lower()


@contextmanager
def naming_file(path: PathType | None) -> Iterator[None]:
    """Put the file's name before what is said about the hierarchy that it holds."""
    try:
        yield
    except HierarchyError as problem:
        problem.problem = problem.problem if path is None else f"{fspath(path)}: {problem.problem}"
        raise
