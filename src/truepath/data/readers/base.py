"""Readers by name, filled by existing: what each reads, how its files are recognised, and which one a file needs.

A reader is a class with a ``name``, a ``summary``, the endings of its files and the function that reads them::

    class Spam(Reader):
        name = "spam"
        summary = "mails with their folders"
        endings = (".mbox",)
        read = staticmethod(read_mbox)

Commands, plans and :func:`truepath.open_dataset` find it here; there is no other list.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter, signature
from os import fspath
from typing import TYPE_CHECKING, Any, ClassVar

from truepath.data.files import COMPRESSIONS, PathType, ending_of
from truepath.errors import DataFormatError, TruePathError
from truepath.registry import READERS, Member

if TYPE_CHECKING:
    from truepath.data.dataset import Dataset

__all__ = ["Reader", "check_options", "find_reader", "is_readable", "list_readers", "readable_endings"]


class Reader(Member):
    """A format of data sets; subclasses with a ``name`` are found by the files they read.

    Attributes
    ----------
    name, summary : str
        What people type as ``format``, and what such a file is, in one line.
    endings : tuple of str
        Of the files, in small letters; that of a compression may follow.
    file_options : tuple of str
        The options of ``read`` that name files: in a plan they are seen from the plan's folder.
    read : callable
        ``read(path, **options) -> Dataset``; a mapping from split to path gives several splits.
    columns : callable or None
        For tables: ``columns(path) -> Columns`` reads the columns by name, so that rows without labels can be read too.
    """

    registry = READERS
    endings: ClassVar[tuple[str, ...]] = ()
    file_options: ClassVar[tuple[str, ...]] = ()
    read: ClassVar[Callable[..., Dataset]]
    columns: ClassVar[Any] = None

    @classmethod
    def recognises(cls, path: PathType, options: Mapping[str, Any]) -> bool:
        """Say whether a file with one of the endings is of this format; asked where formats share an ending."""
        return True

    @classmethod
    def options(cls) -> list[str]:
        """Return the names of the options that ``read`` takes."""
        parameters = list(signature(cls.read).parameters.values())[1:]
        return [p.name for p in parameters if p.kind in (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)]


def readable_endings() -> tuple[str, ...]:
    """Return the endings of all files that some reader reads, those of compressions aside."""
    return tuple(dict.fromkeys(ending for reader in READERS.members() for ending in reader.endings))


def is_readable(path: PathType) -> bool:
    """Say whether a name ends as a file that some reader reads.

    >>> is_readable("books.csv.gz"), is_readable("toy")
    (True, False)
    """
    return ending_of(path) in readable_endings()


def list_readers() -> list[tuple[str, str, str]]:
    """Return name, endings and summary of every reader, for help texts and errors."""
    return [(reader.name, " ".join(reader.endings), reader.summary) for reader in READERS.members()]


def find_reader(path: PathType, format: str | None = None, options: Mapping[str, Any] | None = None) -> type[Reader]:
    """Return the reader of a file: the one named, or the one whose ending and marks the file has.

    Raises
    ------
    DataFormatError
        If no reader or more than one recognises the file, with what can be read.
    """
    if format is not None:
        named: type[Reader] = READERS[format]
        return named
    candidates = [reader for reader in READERS.members() if ending_of(path) in reader.endings]
    if not candidates:
        listed = "; ".join(f"{name}: {endings}" for name, endings, _ in list_readers())
        raise DataFormatError(
            f"no reader for files ending in {ending_of(path) or 'nothing'!r}. There are {listed} (all of them also "
            f"compressed: {' '.join(COMPRESSIONS)}).",
            fspath(path),
            remedy="Name one by format= (--reader) if the file has one of these formats under another name.",
        )
    found: list[type[Reader]] = [reader for reader in candidates if reader.recognises(path, options or {})]
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
