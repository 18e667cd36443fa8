"""Files: bytes to text within limits, and files that appear whole or not at all.

Reading takes plain, ``.xz``, ``.gz`` or ``.bz2`` files in UTF-8; errors name file and line. A compressed file is
unpacked piece by piece, and no further than :class:`Limits` say. A file that is
written is written beside the target, flushed to the disk, then put in its place.
"""

from __future__ import annotations

import bz2
import contextlib
import errno
import gzip
import lzma
import os
import re
import secrets
import stat
import zlib
from codecs import getincrementaldecoder
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from io import BytesIO
from os import PathLike, fspath
from pathlib import Path
from typing import Any, BinaryIO

from truepath.errors import DataFormatError, HierarchyError, TruePathError

__all__ = [
    "COMPRESSIONS",
    "DAMAGE",
    "Limits",
    "PathType",
    "counted",
    "decode_text",
    "encoding_of",
    "ending_of",
    "guess_encoding",
    "head_lines",
    "head_text",
    "naming_file",
    "open_atomically",
    "open_binary",
    "open_unpacked",
    "plain_name",
    "read_bytes",
    "read_text",
    "split_lines",
    "stream_lines",
    "sync_folder",
    "unpack",
    "usual_limits",
]


_NUMBER = re.compile(r"(\d{1,18})([KMGT]?)", re.IGNORECASE)


_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


@dataclass(frozen=True)
class Limits:
    """The most that readers take from one file.

    Parameters
    ----------
    max_bytes : int, default=2**32
        Bytes of a file, unpacked if it is compressed; of the arrays in an archive; and of a matrix or of label
        names that take more room than the file they are written in.
    max_labels : int, default=2**22
        Labels that a file announces or names; the largest public collection has 2.8 million.
    max_features : int, default=2**27
        Features of a sparse text file, by its first line or by its largest index.
    max_depth : int, default=1000
        Levels of a hierarchy.

    Notes
    -----
    The variables ``TRUEPATH_MAX_BYTES``, ``TRUEPATH_MAX_LABELS``, ``TRUEPATH_MAX_FEATURES`` and
    ``TRUEPATH_MAX_DEPTH`` replace these numbers where no limits are given; ``16G`` means 16 * 2**30.

    Examples
    --------
    >>> from truepath.files import Limits
    >>> Limits(max_bytes=16 * 2**30).max_labels
    4194304
    """

    max_bytes: int = 2**32
    max_labels: int = 2**22
    max_features: int = 2**27
    max_depth: int = 1000

    def check(self, limit: str, found: int, problem: str, path: str | None, line: int | None = None) -> None:
        """Refuse what is above a limit; ``problem`` says what was found, the number in place of ``{}``."""
        most = getattr(self, limit)
        if found > most:
            raise DataFormatError(
                f"{problem.format(found)}, more than {limit}={most:,}.",
                path,
                line,
                remedy=f"If you expect a file like this, pass limits=truepath.files.Limits({limit}=...) with a larger "
                f"number, or set the environment variable {_variable(limit)}.",
            )

    def check_paths(self, paths: Iterable[Sequence[str]], sep: str, path: str | None) -> None:
        """Refuse label paths that are too deep, too many, or whose names, each a whole path, take too much room."""
        n_labels = n_characters = 0
        tree: dict[str, Any] = {}
        for parts in paths:
            self.check("max_depth", len(parts), "a label path of {:,} parts", path)
            node, length = tree, -len(sep)
            for part in parts:
                length += len(sep) + len(part)
                if part not in node:
                    node[part] = {}
                    n_labels, n_characters = n_labels + 1, n_characters + length
                node = node[part]
        self.check("max_labels", n_labels, "{:,} labels", path)
        self.check("max_bytes", n_characters, "names of labels that take {:,} bytes", path)

    def check_hierarchy(self, n_nodes: int, height: int, path: str | None) -> None:
        """Refuse a hierarchy with too many labels or too many levels."""
        self.check("max_labels", n_nodes, "{:,} labels", path)
        self.check("max_depth", height, "a hierarchy of {:,} levels", path)


def usual_limits() -> Limits:
    """Return the limits where none are given: those of the environment, else the defaults.

    Examples
    --------
    >>> usual_limits().max_depth
    1000
    """
    given = {field.name: os.environ.get(_variable(field.name)) for field in fields(Limits)}
    return Limits(**{limit: _parse(limit, text) for limit, text in given.items() if text})


def _variable(limit: str) -> str:
    return f"TRUEPATH_{limit.upper()}"


def _parse(limit: str, text: str) -> int:
    found = _NUMBER.fullmatch(text.strip())
    if found is None:
        raise TruePathError(
            f"the environment variable {_variable(limit)} is {text!r}, not a number.", "Write 20000000000 or 20G."
        )
    return int(found[1]) * _UNITS[found[2].upper()]


PathType = str | PathLike[str]


_MODULES: dict[str, Any] = {".xz": lzma, ".gz": gzip, ".bz2": bz2}


#: The endings of compressed files; every file that is read may have one of them after its own
COMPRESSIONS = tuple(_MODULES)


_PIECE = 1 << 20
_HEAD = 1 << 16
_LATIN = "cp1252"
_NO_TEXT = bytes([*range(9), *range(14, 32), 0x7F, 0x81, 0x8D, 0x8F, 0x90, 0x9D])  # no signs of cp1252, or for machines


#: What reading a damaged compressed file raises
DAMAGE = (lzma.LZMAError, gzip.BadGzipFile, zlib.error, EOFError, OSError, ValueError)


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


def read_bytes(path: PathType, limits: Limits | None = None) -> bytes:
    """Read the whole file, decompressed if its name says that it is compressed.

    Raises
    ------
    DataFormatError
        If the compressed file is cut short or damaged, or if the file is larger than the limits allow.
    OSError
        If there is no such file or it may not be read: this is not an error of format.
    """
    limits = limits or usual_limits()
    size = _check_size(path, limits)
    module = _MODULES.get(Path(path).suffix.lower())
    if module is None:
        return Path(path).read_bytes()
    if not size:
        raise DataFormatError("the compressed file is empty (0 bytes). Fetch it again.", fspath(path))
    with open(path, "rb") as file:
        return unpack(file, path, limits)


def unpack(file: BinaryIO, path: PathType, limits: Limits) -> bytes:
    """Decompress a file as the ending of ``path`` says, a piece at a time, until it ends or is too large."""
    whole = BytesIO()  # gives its bytes without a copy
    try:
        with _MODULES[Path(path).suffix.lower()].open(file, "rb") as unpacked:
            while piece := unpacked.read(_PIECE):
                whole.write(piece)
                limits.check("max_bytes", whole.tell(), "the file unpacks to {:,} bytes or more", fspath(path))
    except DataFormatError:
        raise
    except DAMAGE as problem:
        raise DataFormatError(
            f"the compressed file is damaged or cut short ({problem}). Fetch it again.", fspath(path)
        ) from problem
    return whole.getvalue()


def open_binary(path: PathType, limits: Limits | None = None) -> BinaryIO:
    """Open a file for readers of binary formats; a compressed one is decompressed in memory."""
    if Path(path).suffix.lower() in COMPRESSIONS:
        return BytesIO(read_bytes(path, limits))
    _check_size(path, limits or usual_limits())
    return open(path, "rb")


def open_unpacked(path: PathType) -> Any:
    """Open a file to read its bytes a piece at a time, decompressed if its name says that it is compressed."""
    module = _MODULES.get(Path(path).suffix.lower())
    return (open if module is None else module.open)(path, "rb")


def _check_size(path: PathType, limits: Limits) -> int:
    size = Path(path).stat().st_size
    limits.check("max_bytes", size, "the file takes {:,} bytes", fspath(path))
    return size


def head_lines(path: PathType, limits: Limits | None = None, encoding: str | None = None) -> Iterator[str]:
    """Yield the lines of a text file one by one, for a look at its beginning: the rest is not even decompressed.

    By default the text is UTF-8 or UTF-16. Bytes that are no text are replaced: to refuse them is for the reader.
    """
    module, seen, limits = _MODULES.get(Path(path).suffix.lower()), 0, limits or usual_limits()
    opener = open if module is None else module.open
    try:
        if encoding is None:
            with opener(path, "rb") as file:
                encoding = guess_encoding(file.read(_HEAD))
        with opener(path, "rt", encoding=encoding, errors="replace") as file:
            while line := file.readline(limits.max_bytes):  # a bomb may be one line without an end
                seen += len(line)
                limits.check("max_bytes", seen, "the first lines take {:,} bytes or more", fspath(path))
                yield line.rstrip("\n")
    except DataFormatError:
        raise
    except DAMAGE:
        read_bytes(path, limits)  # which says what is wrong
        raise


def head_text(path: PathType, size: int = _HEAD, encoding: str | None = None) -> str:
    """Return the whole lines at the beginning of a text file, or part of one that is longer than ``size`` bytes.

    Nothing is refused, not even a file that is not there: that is for the reader to say.
    """
    module = _MODULES.get(Path(path).suffix.lower())
    try:
        with (open if module is None else module.open)(path, "rb") as file:
            raw: bytes = file.read(size)
    except DAMAGE:
        return ""
    text = raw.decode(encoding or guess_encoding(raw), errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    return text[: text.rfind("\n")] if len(raw) == size and "\n" in text else text


def read_text(path: PathType, limits: Limits | None = None, encoding: str = "utf-8-sig") -> str:
    """Read a text file, by default as UTF-8 (a byte order mark is skipped); line ends come out as line feeds.

    Raises
    ------
    DataFormatError
        If the file is empty, is not UTF-8, holds NUL bytes (then it is no text file), or is too large.
    """
    return decode_text(read_bytes(path, limits), path, encoding)


def guess_encoding(raw: bytes) -> str:
    """Return how the text that starts with these bytes is encoded: UTF-8, or UTF-16 by its mark or its many zeros.

    >>> guess_encoding("id".encode("utf-16-le")), guess_encoding("é".encode())
    ('utf-16-le', 'utf-8-sig')
    """
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "utf-16"
    n_pairs = len(raw) // 2
    for first, name in ((1, "utf-16-le"), (0, "utf-16-be")):  # every other byte of western text is zero
        if n_pairs and raw[first::2].count(0) > 0.4 * n_pairs and not raw[1 - first :: 2].count(0):
            return name
    return "utf-8-sig"


def encoding_of(path: PathType) -> str:
    """Return how a table is encoded: UTF-8, UTF-16, or Windows' Latin-1 if bytes are not UTF-8 but could be letters."""
    module = _MODULES.get(Path(path).suffix.lower())
    decoder, is_utf8, has_signs = getincrementaldecoder("utf-8")(), True, False
    try:
        with (open if module is None else module.open)(path, "rb") as file:
            piece = file.read(_PIECE)
            if (wide := guess_encoding(piece[:_HEAD])) != "utf-8-sig":
                return wide
            while piece:
                has_signs = has_signs or _has_signs(piece)
                is_utf8 = is_utf8 and _is_next(decoder, piece)
                piece = file.read(_PIECE)
    except DAMAGE:
        return "utf-8-sig"  # the reader says what is wrong
    return "utf-8-sig" if is_utf8 or has_signs else _LATIN


def _is_next(decoder: Any, piece: bytes) -> bool:
    try:
        decoder.decode(piece)
    except UnicodeDecodeError:
        return False
    return True


def _has_signs(raw: bytes) -> bool:
    """Say whether bytes are no text in any encoding of one byte per letter."""
    return len(raw.translate(None, _NO_TEXT)) < len(raw)


def decode_text(raw: bytes, path: PathType, encoding: str = "utf-8-sig") -> str:
    """Return the text of a file's bytes; errors name the file and the line."""
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError as problem:
        if encoding != "utf-8-sig":
            raise _not_in(encoding, problem, path) from None
        raise _not_utf8(raw[problem.start], path, raw.count(b"\n", 0, problem.start) + 1) from None
    if not text or text.isspace():
        raise DataFormatError("the file is empty.", fspath(path))
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise DataFormatError("a NUL character: this is a binary file, not text.", fspath(path), line)
    return _with_plain_line_ends(text)


def _not_in(encoding: str, problem: UnicodeDecodeError, path: PathType) -> DataFormatError:
    way = "Give another encoding= (--encoding), or none to have it found out."
    return DataFormatError(f"not text in {encoding} ({problem.reason}).", fspath(path), remedy=way)


def _not_utf8(byte: int, path: PathType, line: int) -> DataFormatError:
    way_out = (
        "Convert the file to UTF-8 (for instance with iconv), or decompress it if its name lacks .xz, .gz or .bz2."
    )
    return DataFormatError(f"byte 0x{byte:02x} is not UTF-8. {way_out}", fspath(path), line)


def stream_lines(path: PathType, limits: Limits | None = None, encoding: str = "utf-8-sig") -> Iterator[str]:
    """Yield the lines of a text file of any size as :func:`read_text` would give them, each with its line feed.

    Only one line is in memory at a time, and only a line may not be larger than the limits allow.
    """
    module, limits = _MODULES.get(Path(path).suffix.lower()), limits or usual_limits()
    name, number = fspath(path), 0
    if not Path(path).stat().st_size:
        raise DataFormatError("the file is empty.", name)
    try:
        with (open if module is None else module.open)(path, "rt", encoding=encoding) as file:
            while line := file.readline(limits.max_bytes + 1):
                number += 1
                limits.check("max_bytes", len(line), "a line of {:,} characters or more", name, number)
                if "\0" in line:
                    raise DataFormatError("a NUL character: this is a binary file, not text.", name, number)
                yield line
    except DataFormatError:
        raise
    except UnicodeDecodeError as problem:
        if encoding != "utf-8-sig":
            raise _not_in(encoding, problem, path) from None
        raise _not_utf8(problem.object[problem.start], path, _first_line_not_utf8(path)) from None
    except DAMAGE as problem:
        if module is None:
            raise
        raise DataFormatError(
            f"the compressed file is damaged or cut short ({problem}). Fetch it again.", fspath(path)
        ) from problem


def _first_line_not_utf8(path: PathType) -> int:
    """Return the line of the first byte that is not UTF-8; decoders read ahead and do not know it."""
    module = _MODULES.get(Path(path).suffix.lower())
    with (open if module is None else module.open)(path, "rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                return number
    return 1


def _with_plain_line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


@contextmanager
def naming_file(path: PathType | None) -> Iterator[None]:
    """Put the file's name before what is said about the hierarchy that it holds."""
    try:
        yield
    except HierarchyError as problem:
        problem.problem = problem.problem if path is None else f"{fspath(path)}: {problem.problem}"
        raise


def counted(n: int, what: str) -> str:
    """Return a number with what it counts, as messages say it.

    Examples
    --------
    >>> counted(1, "row"), counted(1200, "row"), counted(0, "leaf")
    ('1 row', '1,200 rows', '0 leaves')
    """
    many = "leaves" if what == "leaf" else f"{what}s"
    return f"{n:,} {what if n == 1 else many}"


def split_lines(text: str) -> list[str]:
    """Split at line feeds only: ``str.splitlines`` would also split at form feeds and exotic Unicode separators."""
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return lines


#: Errors of writing, which the system reports without the name of the file
_OF_WRITING = tuple(getattr(errno, name) for name in ("ENOSPC", "EFBIG", "EDQUOT", "EIO") if hasattr(errno, name))


@contextlib.contextmanager
def open_atomically(path: str | PathLike[str], mode: str = "wb", **options: Any) -> Iterator[Any]:
    """Open a file for writing that replaces ``path`` only when the block ends well.

    After an error, a full disk or an interrupt, what was at ``path`` before is untouched and nothing else is left
    behind. A link is followed; the file gets the rights of the one it replaces, else those the umask gives. Devices and
    pipes (``/dev/null``, ``/dev/stdout``) are written to, not replaced. Every error names the file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> target = pathlib.Path(tempfile.mkdtemp()) / "numbers.txt"
    >>> with open_atomically(target, "w") as file:
    ...     _ = file.write("1 2 3")
    >>> target.read_text(), len(list(target.parent.iterdir()))
    ('1 2 3', 1)
    """
    if _is_device(path):
        with _naming(path, None), open(path, mode, **options) as file:
            yield file
        return
    target = os.path.realpath(path)
    folder, name = os.path.split(target)
    part = os.path.join(folder, f".{name[:100]}.{secrets.token_hex(6)}.part")
    try:
        with _naming(path, part):
            with open(part, mode.replace("w", "x"), **options) as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            with contextlib.suppress(OSError):  # no file there before, or one whose rights cannot be given
                os.chmod(part, os.stat(target).st_mode & 0o7777)
            os.replace(part, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(part)
        raise
    sync_folder(folder)


def _is_device(path: str | PathLike[str]) -> bool:
    """Return whether there is something at ``path`` that is neither a file nor a folder."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


@contextlib.contextmanager
def _naming(path: str | PathLike[str], part: str | None) -> Iterator[None]:
    """Give errors of writing the name of the file that was asked for."""
    try:
        yield
    except OSError as error:
        is_of_writing = error.filename is None and error.errno in _OF_WRITING
        if is_of_writing or (part is not None and error.filename == part):
            raise OSError(error.errno, error.strerror, os.fspath(path)) from error
        raise


def sync_folder(folder: str | PathLike[str]) -> None:
    """Make the new name itself last, where the system lets folders be synced."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder or ".", os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
