"""Label paths, one per line."""

from __future__ import annotations

from os import fspath
from pathlib import Path

from truepath.data.hierarchies.base import HierarchyReader
from truepath.data.hierarchies.codes import coded_hierarchy, remark, split_codes
from truepath.data.hierarchies.pairs import read_pairs
from truepath.data.tables.label_rows import find_sep, split_path
from truepath.errors import DataFormatError
from truepath.files.limits import Limits
from truepath.files.names import naming_file
from truepath.files.text import read_text, split_lines
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.prefixes import are_prefixed


def _read_codes(lines: list[str], sep: str | None) -> Hierarchy | None:
    """Read codes with labels behind them, or codes alone; None if they are neither."""
    pairs = split_codes(lines)
    if pairs is not None:
        return coded_hierarchy(pairs, sep)
    codes = [line.strip() for line in lines]
    if are_prefixed(codes) is None:
        return None
    remark(f"codes, such as {codes[0]!r}, each below the code that it begins with")
    return Hierarchy.from_prefixes(codes)


class Lines(HierarchyReader):
    """Text files of label paths."""

    name = "lines"
    summary = "label paths, one per line, ancestors added; with a tab in every line, edges"
    endings = (".txt", ".paths")

    @staticmethod
    def read(path: Path, sep: str | None, root: str | None, limits: Limits, header: bool | None = None) -> Hierarchy:
        """Read the paths."""
        lines = [line for line in split_lines(read_text(path, limits)) if line.strip() and not line.startswith("#")]
        coded = _read_codes(lines, sep)
        if coded is not None:
            return coded
        if lines and all("\t" in line for line in lines):
            return read_pairs(path, "\t", root, limits, header)
        sep = sep or find_sep(dict.fromkeys(lines, 1))
        paths = [tuple(split_path(line, sep)) for line in lines]
        for line, parts in zip(lines, paths):
            if not all(parts):
                raise DataFormatError(f"the label path {line.strip()[:60]!r} has an empty part.", fspath(path))
        if not paths:
            raise DataFormatError("no label path in the file.", fspath(path))
        limits.check_paths(paths, sep, fspath(path))
        with naming_file(path):
            return Hierarchy.from_paths(dict.fromkeys(paths), sep=sep)
