"""The ARFF header, as CLUS, MULAN and MEKA write it, and the data lines below it.

A file is ``@relation``, one ``@attribute`` line per column, ``@data`` and the rows. Keywords come in any case,
names and values may be quoted, ``%`` starts a comment line. Kinds of column: *numeric* (``numeric``, ``real``,
``integer``), *nominal* (``{a,b,c}``), *hierarchical* (the class line of CLUS) and *text* (``string`` or ``key``,
read as the ids of the rows). Anything else is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import fspath

from truepath.errors import DataFormatError
from truepath.files.limits import Limits
from truepath.files.names import PathType
from truepath.files.text import split_lines
from truepath.files.utf8 import Utf8Text, read_utf8

_KINDS = {"numeric": "numeric", "real": "numeric", "integer": "numeric", "string": "text", "key": "text"}
_QUOTED = re.compile(r"""(['"])((?:\\.|(?!\1).)*)\1""")
_ESCAPED = re.compile(r"\\(.)")


@dataclass(frozen=True)
class Attribute:
    """One column: its name, its kind, and what was declared (nominal values, or the items of the class line)."""

    name: str
    kind: str  # "numeric", "nominal", "hierarchical" or "text"
    line: int
    values: tuple[str, ...] = ()
    codes: dict[str, int] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class Arff:
    """A header, and the text below it: its data lines, blanks and comments left out, are cut when asked for."""

    path: str
    relation: str
    attributes: tuple[Attribute, ...]
    header: str = field(repr=False)
    body: Utf8Text = field(repr=False)

    def error(self, problem: str, line: int | None = None) -> DataFormatError:
        """Make the error for a problem in this file."""
        return DataFormatError(problem, self.path, line)

    @property
    def is_sparse(self) -> bool:
        """Whether the rows are written ``{index value, ...}``; the first row decides."""
        return self.first_row.startswith("{")

    @cached_property
    def first_row(self) -> str:
        """The first data line; empty if there is none."""
        lines = (line.strip() for _, line in self.body.lines())
        return next((line for line in lines if line and line[0] != "%"), "")

    @property
    def first_line(self) -> int:
        """The number of the line below ``@data``."""
        return self.header.count("\n") + 1

    @cached_property
    def _rows(self) -> tuple[list[str], Sequence[int]]:
        return _data_lines(self.body.text, self.first_line)

    @property
    def lines(self) -> list[str]:
        """The data lines."""
        return self._rows[0]

    @property
    def numbers(self) -> Sequence[int]:
        """The line numbers of the data lines."""
        return self._rows[1]


def read_arff(path: PathType, like: Arff | None = None, limits: Limits | None = None) -> Arff:
    """Read a header and cut the data into lines.

    Parameters
    ----------
    path : path
        Plain or compressed file.
    like : Arff, optional
        A file read before: if the header is the same text, its attributes are taken over unparsed.
    limits : Limits, optional
        The most that is taken from the file.
    """
    header, body = _cut_at_data(read_utf8(path, limits), fspath(path))
    if like is not None and header == like.header:
        relation, attributes = like.relation, like.attributes
    else:
        relation, attributes = _parse_header(header, fspath(path))
    return Arff(fspath(path), relation, attributes, header, body)


_DATA = re.compile(r"[ \t]*@data\b", re.IGNORECASE)
_MAY_BE_DATA = re.compile(rb"^[ \t]*@data[^\n]*\n", re.IGNORECASE | re.MULTILINE)


def _cut_at_data(file: Utf8Text, path: str) -> tuple[str, Utf8Text]:
    for found in _MAY_BE_DATA.finditer(file.raw):
        if _DATA.match(found[0].decode()):  # letters beyond ASCII may follow
            return file.raw[: found.end()].decode(), Utf8Text(file.raw, found.end())
    raise DataFormatError("no @data line: the file is cut short, or it is not an ARFF file.", path)


def _data_lines(body: str, first: int) -> tuple[list[str], Sequence[int]]:
    """Give the stripped data lines and the number of each."""
    lines = [line.strip() for line in split_lines(body)]
    if all(lines) and not any(line[0] == "%" for line in lines):
        return lines, range(first, first + len(lines))
    kept = [i for i, line in enumerate(lines) if line and line[0] != "%"]
    return [lines[i] for i in kept], [first + i for i in kept]


def _parse_header(header: str, path: str) -> tuple[str, tuple[Attribute, ...]]:
    relation, attributes = "", []
    for number, line in enumerate(split_lines(header), start=1):
        line = line.strip()
        if not line or line[0] == "%":
            continue
        keyword, rest = _cut_word(line)
        if keyword.lower() == "@relation":
            relation = unquote(rest)
        elif keyword.lower() == "@attribute":
            attributes.append(_parse_attribute(rest, path, number))
        elif keyword.lower() != "@data":
            raise DataFormatError(
                f"{_shown(line)} is neither @relation, @attribute, @data nor a comment (%).", path, number
            )
    if not attributes:
        raise DataFormatError("no @attribute line above @data.", path)
    return relation, tuple(attributes)


def _cut_word(line: str) -> tuple[str, str]:
    word, *rest = line.split(None, 1)
    return word, rest[0].strip() if rest else ""


def _parse_attribute(text: str, path: str, number: int) -> Attribute:
    name, kind = _cut_name(text)
    if not name or not kind:
        raise DataFormatError(f"@attribute {_shown(text)} lacks a name or a type.", path, number)
    if kind[0] == "{":
        return _nominal(name, kind, path, number)
    word, rest = _cut_word(kind)
    if word.lower() == "hierarchical":
        return Attribute(name, "hierarchical", number, tuple(item.strip() for item in rest.split(",")))
    if word.lower() not in _KINDS:
        raise DataFormatError(
            f"attribute {name!r} has type {_shown(kind)}; known types are numeric, real, integer, {{a,b,c}}, "
            "hierarchical, string and key.",
            path,
            number,
        )
    return Attribute(name, _KINDS[word.lower()], number)


def _cut_name(text: str) -> tuple[str, str]:
    """Cut ``'a name' type`` or ``name type`` or ``name{a,b}`` into name and type."""
    quoted = _QUOTED.match(text)
    if quoted:
        return _ESCAPED.sub(r"\1", quoted.group(2)), text[quoted.end() :].strip()
    name, kind = _cut_word(text) if text else ("", "")
    if not kind.startswith("{") and "{" in name[1:]:
        cut = name.index("{", 1)
        return name[:cut], text[cut:].strip()
    return name, kind


def _nominal(name: str, kind: str, path: str, number: int) -> Attribute:
    if kind[-1] != "}":
        raise DataFormatError(f"the values of attribute {name!r} do not end with '}}'.", path, number)
    values = tuple(split_cells(kind[1:-1]))
    codes = {value: code for code, value in reversed(list(enumerate(values)))}  # repeated: the first counts
    if not values or values == ("",):
        raise DataFormatError(f"attribute {name!r} declares no values.", path, number)
    return Attribute(name, "nominal", number, values, codes)


def split_cells(line: str) -> list[str]:
    r"""Split at commas outside quotes; strip blanks and quotes, resolve backslashes inside quotes.

    >>> split_cells("1.5, 'a, b',?,\"it's\"")
    ['1.5', 'a, b', '?', "it's"]
    """
    if "'" not in line and '"' not in line:
        return [cell.strip() for cell in line.split(",")]
    return [unquote(cell) for cell in _raw_cells(line)]


def _raw_cells(line: str) -> Iterator[str]:
    start = i = 0
    while i < len(line):
        if line[i] in "'\"" and not line[start:i].strip():  # a quote opens only where a cell starts
            quoted = _QUOTED.match(line, i)
            i = quoted.end() if quoted else i + 1
        elif line[i] == ",":
            yield line[start:i]
            start = i = i + 1
        else:
            i += 1
    yield line[start:]


def unquote(cell: str) -> str:
    """Return what a cell says: without blanks and quotes around it, escapes resolved."""
    cell = cell.strip()
    quoted = _QUOTED.fullmatch(cell)
    return _ESCAPED.sub(r"\1", quoted.group(2)) if quoted else cell


def _shown(text: str, width: int = 40) -> str:
    return repr(text if len(text) <= width else text[: width - 1] + "…")
