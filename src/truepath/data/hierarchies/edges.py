"""A hierarchy in its own text file: one edge ``parent child`` per line."""

from __future__ import annotations

from collections.abc import Sequence
from os import fspath
from pathlib import Path

from truepath.data.hierarchies.base import HierarchyReader, build
from truepath.data.hierarchies.header import drop_header
from truepath.errors import DataFormatError
from truepath.files.limits import Limits, usual_limits
from truepath.files.names import PathType
from truepath.files.text import read_text, split_lines
from truepath.hierarchy import Hierarchy


def read_edges(
    path: PathType,
    names: Sequence[str] = (),
    root: str | None = None,
    *,
    header: bool | None = None,
    limits: Limits | None = None,
) -> Hierarchy:
    r"""Read a hierarchy from a file of edges ``parent child``, one per line; ``#`` starts a comment line.

    Parameters
    ----------
    path : path
        The two columns are separated by a tab, or by blanks if there is none. May be compressed.
    names : sequence of str, optional
        Nodes to include in any case, and first; those that no edge names are at the top.
    root : str, optional
        The name of the root in the file; it does not become a node.
    header : bool, optional
        Whether the first line names the columns; see :func:`read_hierarchy`.
    limits : Limits, optional
        The most that is taken from the file; see :class:`truepath.files.Limits`.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "edges.tsv"
    >>> _ = file.write_text("top a\na b\n")
    >>> read_edges(file, ["c"], root="top").names.tolist()
    ['c', 'a', 'b']
    """
    edges: list[tuple[str | None, str]] = []
    for number, line in enumerate(split_lines(read_text(path, limits)), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        pair = [part.strip() for part in line.split("\t")] if "\t" in line else line.split()
        if len(pair) != 2 or not all(pair):
            raise DataFormatError(f"{line.strip()[:40]!r} is not an edge 'parent child'.", fspath(path), number)
        edges.append((None if pair[0] == root else pair[0], pair[1]))
    edges = drop_header(edges, header, path, names)
    nodes = dict.fromkeys([*names, *(name for edge in edges for name in edge if name is not None)])
    found = build(edges, path, nodes)
    (limits or usual_limits()).check_hierarchy(found.n_nodes, found.height, fspath(path))
    return found


class Edges(HierarchyReader):
    """Text files of edges."""

    name = "edges"
    summary = "edges 'parent child', one per line"
    endings = (".edges",)

    @staticmethod
    def read(path: Path, sep: str | None, root: str | None, limits: Limits, header: bool | None = None) -> Hierarchy:
        """Read the edges."""
        return read_edges(path, root=root, header=header, limits=limits)
