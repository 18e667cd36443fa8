"""A hierarchy from whatever holds one: edges, label paths, JSON, OBO, an ARFF file, or a data set's name."""

from __future__ import annotations

import csv
from os import PathLike, fspath
from pathlib import Path

from truepath.data.files import PathType, plain_name, read_text, split_lines
from truepath.errors import DataFormatError, HierarchyError, UnknownDatasetError
from truepath.hierarchy import Hierarchy

__all__ = ["read_hierarchy"]

_HEADER = (("parent", "child"), ("source", "target"), ("from", "to"))


def read_hierarchy(source: PathType, *, sep: str = "/", root: str | None = None) -> Hierarchy:
    r"""Read a hierarchy from a file, by the ending of its name, or take a data set's.

    Parameters
    ----------
    source : path or str
        * ``.json``: what :meth:`Hierarchy.to_json` wrote;
        * ``.csv``, ``.tsv``: edges, parent and child in two columns; a first line ``parent,child`` is skipped, an empty
          parent hangs the child at the top;
        * ``.edges``: edges ``parent child``, a line each, as :func:`read_edges` takes them;
        * ``.txt``, ``.paths``: label paths, a line each, ancestors added; with a tab in every line, edges;
        * ``.obo``: an ontology (needs the extra ``ontology``);
        * ``.arff``: the hierarchy in the header of a CLUS file;
        * or, where no such file is, the name of a data set.

        Text files may be compressed (.gz, .xz, .bz2).
    sep : str, default="/"
        Between the parts of a label path.
    root : str, optional
        The name in a file of edges that stands for the root; it becomes no node.

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
    path = Path(source)
    if not path.exists():
        return _of_dataset(source)
    ending = Path(plain_name(path)).suffix.lower()
    if ending == ".json":
        return _from_json(path)
    if ending == ".obo":
        return Hierarchy.from_obo(fspath(path))
    if ending == ".arff":
        from truepath.data.readers.arff.clus import read_clus_arff

        return read_clus_arff(path).hierarchy
    if ending == ".edges":
        from truepath.data.hierarchies.edges import read_edges

        return read_edges(path, root=root)
    if ending in (".csv", ".tsv", ".tab"):
        return _from_pairs(path, "," if ending == ".csv" else "\t", root)
    if ending in (".txt", ".paths"):
        return _from_lines(path, sep, root)
    raise DataFormatError(
        f"no hierarchy is read from a file ending in {ending or 'nothing'!r}; use .json, .csv, .tsv, .edges, .txt, "
        ".paths, .obo or .arff.",
        fspath(path),
    )


def _of_dataset(source: PathType) -> Hierarchy:
    from truepath.data.named import load_dataset

    name = source if isinstance(source, str) else fspath(source)
    try:
        return load_dataset(name).hierarchy
    except UnknownDatasetError as problem:
        if isinstance(source, PathLike) or Path(name).suffix:
            raise FileNotFoundError(2, "no such file of a hierarchy", name) from None
        said = f"{name!r} is no file of a hierarchy either: {problem.problem}"
        raise UnknownDatasetError(said, problem.remedy) from None


def _from_json(path: Path) -> Hierarchy:
    try:
        return Hierarchy.from_json(read_text(path))
    except HierarchyError as problem:
        raise DataFormatError(problem.problem, fspath(path), remedy=problem.remedy) from None


def _from_pairs(path: Path, delimiter: str, root: str | None) -> Hierarchy:
    """Read edges; the empty name, as the root's, stands for the top."""
    edges: list[tuple[str | None, str]] = []
    reader = csv.reader(split_lines(read_text(path)), delimiter=delimiter, strict=True)
    try:
        for cells in reader:
            pair = [cell.strip() for cell in cells]
            if not any(pair) or (reader.line_num == 1 and tuple(cell.lower() for cell in pair) in _HEADER):
                continue
            if len(pair) != 2 or not pair[1]:
                raise DataFormatError(
                    f"{delimiter.join(cells)[:40]!r} is not an edge: parent and child.", path, reader.line_num
                )
            edges.append((None if pair[0] in ("", root) else pair[0], pair[1]))
    except csv.Error as problem:
        raise DataFormatError(f"not a table ({problem}).", path, reader.line_num) from None
    return _build(edges, path)


def _build(edges: list[tuple[str | None, str]], path: Path) -> Hierarchy:
    try:
        return Hierarchy.from_edges(edges)
    except HierarchyError as problem:
        problem.problem = f"{path}: {problem.problem}"
        raise


def _from_lines(path: Path, sep: str, root: str | None) -> Hierarchy:
    lines = [line for line in split_lines(read_text(path)) if line.strip() and not line.startswith("#")]
    if lines and all("\t" in line for line in lines):
        return _from_pairs(path, "\t", root)
    paths = [tuple(part.strip() for part in line.split(sep)) for line in lines]
    for line, parts in zip(lines, paths):
        if not all(parts):
            raise DataFormatError(f"the label path {line.strip()[:60]!r} has an empty part.", fspath(path))
    if not paths:
        raise DataFormatError("no label path in the file.", fspath(path))
    return Hierarchy.from_paths(dict.fromkeys(paths), sep=sep)
