"""A hierarchy from its own file, read by the format that the ending names, or from a data set."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import ClassVar

from truepath.data.readers.base import is_readable
from truepath.errors import DataFormatError, UnknownDatasetError
from truepath.files.limits import Limits, usual_limits
from truepath.files.names import PathType, ending_of, naming_file
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.separators import sep_of_edges
from truepath.registry import Member, Registry

HIERARCHIES = Registry("format of hierarchies", "truepath.data")


class HierarchyReader(Member):
    """A format of files with a hierarchy; subclasses with a ``name`` are found by the endings they read."""

    registry = HIERARCHIES
    endings: ClassVar[tuple[str, ...]] = ()

    @staticmethod
    def read(path: Path, sep: str | None, root: str | None, limits: Limits, header: bool | None = None) -> Hierarchy:
        """Read a file; ``sep`` separates the parts of label paths, ``root`` is a name that does not become a node.

        ``header`` says whether the first edge of a table is the names of its columns; None detects it.
        """
        raise NotImplementedError


def read_hierarchy(
    source: PathType,
    *,
    sep: str | None = None,
    root: str | None = None,
    header: bool | None = None,
    limits: Limits | None = None,
) -> Hierarchy:
    r"""Read a hierarchy from a file, by the ending of its name, or take a data set's.

    Parameters
    ----------
    source : path or str
        * ``.json``: what :meth:`Hierarchy.to_json` wrote, or any of the shapes of :meth:`Hierarchy.from_dict`;
        * ``.csv``, ``.tsv``, ``.tab``: edges, parent and child in two columns, whose names may stand in the first
          line; an empty parent puts the child at the top;
        * ``.edges``: edges ``parent child``, one per line, as :func:`read_edges` takes them;
        * ``.txt``, ``.paths``: label paths, one per line, ancestors added; with a tab in every line, edges;
        * both with a code in front of every label: ``3237 - Animals > Live`` (the codes become other names), or
          ``E11.9 Type 2 diabetes`` (each code below the one it begins with, see :meth:`Hierarchy.from_prefixes`);
        * ``.obo``: an ontology;
        * a data set in another file or in a folder, as :func:`open_dataset` takes it: its hierarchy;
        * or, if there is no such file, the name of a data set.

        Text files may be compressed (.gz, .xz, .bz2).
    sep : str, optional
        Separator of the parts of a label path; by default judged by the paths, ``"/"`` where that is not clear.
    root : str, optional
        The name of the root in a file of edges or JSON; it does not become a node.
    header : bool, optional
        Whether the first line of a file of edges names the columns. By default it does if it says so, as
        ``parent_id,child_id`` does; if it could be either, an error asks for this option.
    limits : Limits, optional
        The most that is taken from a file; see :class:`truepath.files.Limits`.

    Returns
    -------
    hierarchy : Hierarchy

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from truepath.data import read_hierarchy
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "topics.csv"
    >>> _ = file.write_text("parent,child\n,Science\nScience,Physics\n")
    >>> read_hierarchy(file).names.tolist(), read_hierarchy("toy").n_nodes
    (['Science', 'Physics'], 5)
    """
    path, limits = Path(source), limits or usual_limits()
    if not path.exists():
        return _of_dataset(source, limits)
    reader = next((reader for reader in HIERARCHIES.members() if ending_of(path) in reader.endings), None)
    if reader is not None and path.is_file():
        said = {} if header is None else {"header": header}
        found: Hierarchy = reader.read(path, sep, root, limits, **said)
        limits.check_hierarchy(found.n_nodes, found.height, fspath(path))
        return found
    if path.is_dir() or is_readable(path):
        from truepath.data.open import open_dataset

        return open_dataset(path, limits=limits).hierarchy
    known = " ".join(ending for reader in HIERARCHIES.members() for ending in reader.endings)
    raise DataFormatError(
        f"no hierarchy can be read from a file ending in {ending_of(path) or 'nothing'!r}; use {known}, or a data set.",
        fspath(path),
    )


def _of_dataset(source: PathType, limits: Limits) -> Hierarchy:
    from truepath.data.named import load_dataset

    name = source if isinstance(source, str) else fspath(source)
    try:
        return load_dataset(name, limits=limits).hierarchy
    except UnknownDatasetError as problem:
        if isinstance(source, PathLike) or Path(name).suffix:
            raise FileNotFoundError(2, "no such file of a hierarchy", name) from None
        said = f"{name!r} is not a file of a hierarchy either: {problem.problem}"
        raise UnknownDatasetError(said, problem.remedy) from None


def build(edges: Sequence[tuple[str | None, str]], path: PathType, nodes: Iterable[str] | None = None) -> Hierarchy:
    """Make the hierarchy of a file's edges; errors in them name the file."""
    with naming_file(path):
        return Hierarchy.from_edges(edges, nodes=nodes, sep=sep_of_edges(edges))
