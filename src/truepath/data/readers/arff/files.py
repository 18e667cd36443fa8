"""One or several ARFF files with one header, read to the tables and the feature columns of a data set.

Dense rows, one cell per attribute, are read here: large tables by compiled loops, others by splitting lines. What is
unusual is read once more with care, cell by cell, which names the line at fault.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath.data.dataset import Dataset
from truepath.data.readers.arff.cells import MISSING, NAN, ArffTable, read_number
from truepath.data.readers.arff.header import Arff, Attribute, read_arff, split_cells, unquote
from truepath.data.readers.arff.sparse_rows import read_sparse
from truepath.data.readers.base import Paths, Reader, cut_split, make_dataset, named_paths, title_of
from truepath.data.split import Split
from truepath.data.tables import cut
from truepath.files.limits import Limits
from truepath.files.names import COMPRESSIONS, PathType, plain_name
from truepath.files.text import head_lines
from truepath.hierarchy import Hierarchy

Files = dict[str, tuple[Arff, ArffTable]]


#: How many attributes are labels, as MEKA writes it into the relation: the first ones, or the last if negative
LABEL_COUNT = re.compile(r"(?:^|[\s:])-[Cc]\s+(-?\d{1,9})(?!\S)")


_CLASS_LINE = re.compile(r"""@attribute\s+('[^']*'|"[^"]*"|\S+)\s+hierarchical\b""", re.IGNORECASE)


def header_lines(path: PathType) -> list[str]:
    """Return the lines above ``@data``, without reading the rest of the file; blanks and comments are left out."""
    lines = []
    for line in head_lines(path):
        line = line.strip()
        if line[:5].lower() == "@data":
            break
        if line and line[0] != "%":
            lines.append(line)
    return lines


class ArffReader(Reader):
    """An ARFF file; three readers share the ending, and each file is in one of their dialects."""

    endings = (".arff",)

    @classmethod
    def recognizes(cls, path: PathType, options: Mapping[str, Any]) -> bool:
        """Look into the header, and for a list of labels beside the file."""
        return _dialect(path, options) == cls.name


def _dialect(path: PathType, options: Mapping[str, Any]) -> str:
    """Name the dialect: CLUS has a class line, MULAN a list of labels, MEKA their number in the relation.

    MULAN files made from MEKA files keep the number in their relation, although their columns were moved.
    """
    if "xml" in options:
        return "mulan"
    header = header_lines(path)
    if any(_CLASS_LINE.match(line) for line in header):
        return "clus"
    if xml_beside(path) is not None:
        return "mulan"
    relations = [line[len("@relation") :].strip(" \t'\"") for line in header if line.lower().startswith("@relation")]
    return "meka" if any(LABEL_COUNT.search(relation) for relation in relations) else ""


def xml_beside(path: PathType) -> Path | None:
    """Find the list of labels beside a file: named after it, after its data set, or ``labels.xml``."""
    folder, stem = Path(path).parent, Path(plain_name(path)).stem
    stems = [stem, *([cut_split(stem)] if cut_split(stem) else []), "labels"]
    places = [folder / f"{candidate}.xml{packed}" for candidate in stems for packed in ("", *COMPRESSIONS)]
    return next((place for place in places if place.is_file()), None)


def read_all(
    path: Paths, check_header: Callable[[Arff], object], first_index: int = 0, limits: Limits | None = None
) -> Files:
    """Read every file; all must declare the same attributes. The header is checked before the rows are read."""
    files: Files = {}
    first: Arff | None = None
    for split, file in named_paths(path).items():
        arff = read_arff(file, like=first, limits=limits)
        if first is None:
            check_header(arff)
            first = arff
        _refuse_other_header(arff, first)
        files[split] = arff, read_table(arff, first_index)
    return files


def read_table(arff: Arff, first_index: int = 0) -> ArffTable:
    """Turn the data lines into a table; ``first_index`` is the number of the first column in sparse rows."""
    columns = tuple(j for j, attribute in enumerate(arff.attributes) if attribute.kind in ("numeric", "nominal"))
    if not arff.first_row:
        raise arff.error("no data rows below @data: the file is cut short.")
    return read_sparse(arff, columns, first_index) if arff.is_sparse else read_dense(arff, columns)


def _refuse_other_header(arff: Arff, first: Arff) -> None:
    if arff.attributes is first.attributes:
        return
    pairs = zip(arff.attributes, first.attributes)
    different = next((a for a, b in pairs if (a.name, a.kind, a.values) != (b.name, b.kind, b.values)), None)
    if different is not None:
        raise arff.error(f"attribute {different.name!r} is declared differently in {first.path}.", different.line)
    if len(arff.attributes) != len(first.attributes):
        raise arff.error(f"{len(arff.attributes)} attributes here, {len(first.attributes)} in {first.path}.")


def row_ids(arff: Arff, table: ArffTable) -> NDArray[np.object_] | None:
    """Take the string or key attribute, if there is one, as the names of the rows."""
    columns = [j for j in table.texts if arff.attributes[j].kind == "text"]
    if not columns:
        return None
    if len(columns) > 1:
        names = ", ".join(repr(arff.attributes[j].name) for j in columns[:5])
        raise arff.error(f"{len(columns)} string or key attributes ({names}); at most one, the row ids, can be read.")
    return np.array([cell.strip() for cell in table.texts[columns[0]]], dtype=object)


def finish(
    files: Files,
    hierarchy: Hierarchy,
    splits: dict[str, Split],
    labels: Collection[int],
    name: str | None,
    more: Mapping[str, Any] = MappingProxyType({}),
) -> Dataset:
    """Make the data set: the attributes that are neither ``labels`` nor text are its features.

    ``more`` is kept with the files' names in its provenance. It is named after the relation, without MEKA's
    options, or else after the file.
    """
    first = next(iter(files.values()))[0]
    paths = {split: arff.path for split, (arff, _) in files.items()}
    features = [a for j, a in enumerate(first.attributes) if j not in labels and a.kind in ("numeric", "nominal")]
    categories = {j: a.values for j, a in enumerate(features) if a.kind == "nominal"}
    title = name or first.relation.split(":")[0].strip() or title_of(paths)
    return make_dataset(title, hierarchy, splits, [a.name for a in features], categories, {"files": paths, **more})


def read_dense(arff: Arff, columns: tuple[int, ...]) -> ArffTable:
    """Read dense rows; ``columns`` are the attributes that become numbers."""
    try:
        return _dense_compiled(arff, columns) if len(arff.body) >= cut.LARGE else _dense_quickly(arff, columns)
    except (cut.CannotReadQuickly, ValueError, KeyError):
        return _dense_carefully(arff, columns)


def _dense_compiled(arff: Arff, columns: tuple[int, ...]) -> ArffTable:
    """Read a large table by compiled loops, a block of rows at a time."""
    attributes, raw, start = arff.attributes, arff.body.raw, arff.body.start
    is_number = np.array([attributes[j].kind == "numeric" for j in columns])
    words = cut.declare([attributes[j].values for j in columns])
    texts: dict[int, list[str]] = {j: [] for j, a in enumerate(attributes) if a.kind in ("text", "hierarchical")}
    values, done = np.empty((raw.count(b"\n", start), len(columns))), 0
    for block in cut.cut_rows(raw, start, arff.first_line, len(attributes), ",", "arff", unquote, whole=False):
        part, lines = values[done : done + block.n_rows], block.lines

        def read(i: int, k: int, cell: str, lines: cut.IntArray = lines) -> float:
            return read_number(cell, attributes[columns[k]], arff, int(lines[i]))

        if is_number.any():
            block.numbers(columns, part, read, is_number, missing=MISSING)
        if words.wanted.any():
            block.look_up(columns, part, words, read)
        for j, column in texts.items():
            column += block.texts(j)
        done += block.n_rows
    return ArffTable(columns, values[:done], texts)


def _dense_quickly(arff: Arff, columns: tuple[int, ...]) -> ArffTable:
    lines, width = arff.lines, len(arff.attributes)
    if {line.count(",") for line in lines} != {width - 1} or any("'" in line or '"' in line for line in lines):
        raise cut.CannotReadQuickly
    values = np.empty((len(lines), len(columns)))
    numeric = [k for k, j in enumerate(columns) if arff.attributes[j].kind == "numeric"]
    if numeric:
        values[:, numeric] = _numbers(lines, [columns[k] for k in numeric])
    others = [j for j, a in enumerate(arff.attributes) if a.kind != "numeric"]
    if others == [width - 1] and others[0] not in columns:  # only the class line at the end: no need to cut the rest
        return ArffTable(columns, values, {width - 1: [line[line.rfind(",") + 1 :] for line in lines]})
    cells = ",".join(lines).split(",")
    for k, j in enumerate(columns):
        if arff.attributes[j].kind == "nominal":
            values[:, k] = _codes(cells[j::width], arff.attributes[j])
    return ArffTable(columns, values, {j: cells[j::width] for j in others if j not in columns})


def _numbers(lines: list[str], columns: list[int]) -> NDArray[np.float64]:
    # ",?" -> ",nan" leaves a cell such as "?x" unreadable, as it should be
    named = [line.replace(",?", ",nan") if line[0] != "?" else "nan" + line[1:].replace(",?", ",nan") for line in lines]
    return np.loadtxt(named, delimiter=",", usecols=columns, comments=None, ndmin=2)


def _codes(cells: list[str], attribute: Attribute) -> list[float]:
    codes: dict[str, float] = {MISSING: NAN, **attribute.codes}
    return [codes[cell] for cell in cells]


def _dense_carefully(arff: Arff, columns: tuple[int, ...]) -> ArffTable:
    texts: dict[int, list[str]] = {j: [] for j, a in enumerate(arff.attributes) if a.kind in ("text", "hierarchical")}
    values = np.empty((len(arff.lines), len(columns)))
    for i, (line, number) in enumerate(zip(arff.lines, arff.numbers)):
        cells = split_cells(line)
        if line[0] == "{" or len(cells) != len(arff.attributes):
            raise arff.error(
                f"a sparse row among dense ones: {line[:30]!r}."
                if line[0] == "{"
                else f"{len(cells)} values in this row, {len(arff.attributes)} attributes in the header.",
                number,
            )
        values[i] = [read_number(cells[j], arff.attributes[j], arff, number) for j in columns]
        for j, column in texts.items():
            column.append(cells[j])
    return ArffTable(columns, values, texts)
