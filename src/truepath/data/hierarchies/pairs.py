"""Edges in a table of two columns, parent and child."""

from __future__ import annotations

import io
import warnings
from pathlib import Path

from truepath.data.hierarchies.base import HierarchyReader, build
from truepath.data.hierarchies.codes import coded_hierarchy
from truepath.data.hierarchies.header import drop_header
from truepath.data.tables.frames import FOUND_OUT, csv_rows
from truepath.errors import DataFormatError, MissingLabelsWarning
from truepath.files.limits import Limits
from truepath.files.text import read_text
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.flatness import MISSING


def read_pairs(path: Path, delimiter: str, root: str | None, limits: Limits, header: bool | None = None) -> Hierarchy:
    """Read edges; the empty name, like the root's, means the top."""
    edges: list[tuple[str | None, str]] = []
    text = read_text(path, limits, FOUND_OUT.encoding_of(path, limits))
    for line, cells in csv_rows(io.StringIO(text, newline=""), delimiter, path, limits):
        pair = [cell.strip() for cell in cells]
        if not any(pair):
            continue
        if len(pair) != 2 or not pair[1]:
            raise DataFormatError(f"{delimiter.join(cells)[:40]!r} is not an edge: parent and child.", path, line)
        edges.append((None if pair[0] in ("", root) else pair[0], pair[1]))
    coded = coded_hierarchy([(parent, child) for parent, child in edges if parent is not None], None)
    if coded is not None:
        return coded
    return build(_without_missing(drop_header(edges, header, path)), path)


def _without_missing(edges: list[tuple[str | None, str]]) -> list[tuple[str | None, str]]:
    """Take parents that are written as missing values, and are no labels otherwise, for the top; say so."""
    known = {child for _, child in edges}
    missing = {parent for parent, _ in edges if parent in MISSING and parent not in known}
    if missing:
        shown = ", ".join(sorted(map(repr, missing)))
        said = f"parents are written as missing: {shown}. What is below them is at the top."
        warnings.warn(said, MissingLabelsWarning, stacklevel=4)
    return [(None if parent in missing else parent, child) for parent, child in edges]


class Pairs(HierarchyReader):
    """Tables of edges."""

    name = "pairs"
    summary = "edges in a table, parent and child; an empty parent puts the child at the top"
    endings = (".csv", ".tsv", ".tab")

    @staticmethod
    def read(path: Path, sep: str | None, root: str | None, limits: Limits, header: bool | None = None) -> Hierarchy:
        """Read the edges."""
        return read_pairs(path, FOUND_OUT.delimiter_of(path), root, limits, header)
