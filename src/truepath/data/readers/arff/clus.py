"""The ARFF dialect of CLUS-HMC: the last attribute is ``class hierarchical`` and its line lists the hierarchy.

In a *tree* header an item is the whole path of a node (``01/01/03``); node names are paths. In a *DAG* header an
item is an edge (``GO0003674/GO0003774``) and the artificial node ``root`` is the implicit root; such a header is
recognised by an item that starts with ``root/``. A row's labels are joined by ``@``; labels left out because a label
below them is written are added on reading. Sparse rows count columns from 1.
"""

from __future__ import annotations

from truepath.data.dataset import Dataset
from truepath.data.readers.arff.cells import ArffTable
from truepath.data.readers.arff.files import ArffReader, finish, read_all, row_ids
from truepath.data.readers.arff.header import Arff, Attribute
from truepath.data.readers.base import Paths, split_of_labels, written_labels
from truepath.data.split import Split
from truepath.errors import DataFormatError, HierarchyError
from truepath.files.limits import Limits, usual_limits
from truepath.hierarchy import Hierarchy

_ROOT = "root"


def read_clus_arff(path: Paths, *, name: str | None = None, limits: Limits | None = None) -> Dataset:
    """Read hierarchical multi-label data in the ARFF dialect of CLUS.

    Parameters
    ----------
    path : path, or mapping from str to path
        One file becomes the split ``"all"``; a mapping such as ``{"train": ..., "test": ...}`` names the splits,
        whose headers must agree. Files may be compressed (.xz, .gz, .bz2).
    name : str, optional
        The name of the data set; by default the relation's.
    limits : Limits, optional
        The most that is taken from a file; see :class:`truepath.files.Limits`.

    Returns
    -------
    ds : Dataset
        ``X`` is dense or CSR as the rows are written.

    Raises
    ------
    DataFormatError
        If the file is malformed, with file and line; also if the class line has a cycle.

    Notes
    -----
    Items may be repeated and come in any order; parents that a tree header leaves out are added. A label ``root``
    adds nothing: that row has no label.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "tiny.arff"
    >>> _ = file.write_text('''@relation tiny
    ... @attribute size numeric
    ... @attribute class hierarchical a,a/1,a/2,b
    ... @data
    ... 0.5,a/1@b
    ... ?,a
    ... ''')
    >>> ds = read_clus_arff(file)
    >>> ds.hierarchy.decode(ds["all"].y), ds["all"].X.ravel().tolist()
    ([('a/1', 'b'), ('a',)], [0.5, nan])
    """
    limits = limits or usual_limits()
    files = read_all(path, _class_position, first_index=1, limits=limits)
    first = next(iter(files.values()))[0]
    position = _class_position(first)
    hierarchy, has_root = _hierarchy(first, first.attributes[position], limits)
    index = {label: v for v, label in enumerate(hierarchy.names.tolist())}
    if has_root or _ROOT not in index:
        index[_ROOT] = -1
    splits = {split: _split(*file, position, hierarchy, index) for split, file in files.items()}
    return finish(files, hierarchy, splits, {position}, name)


def _class_position(arff: Arff) -> int:
    found = [j for j, attribute in enumerate(arff.attributes) if attribute.kind == "hierarchical"]
    if len(found) == 1:
        return found[0]
    if not found:
        raise arff.error(
            "no hierarchical attribute: a CLUS file has '@attribute class hierarchical ...'. "
            "For flat files use read_mulan or read_meka."
        )
    raise arff.error("a second hierarchical attribute; there must be only one.", arff.attributes[found[1]].line)


def _hierarchy(arff: Arff, attribute: Attribute, limits: Limits) -> tuple[Hierarchy, bool]:
    """Build the hierarchy of the class line; return it and whether the line names its root."""
    items = list(dict.fromkeys(attribute.values))
    wrong = next((item for item in items if not item or not all(item.split("/"))), None)
    if wrong is not None:
        raise arff.error(f"the class line has the item {wrong!r} with an empty name in it.", attribute.line)
    has_root = any(item.startswith(_ROOT + "/") for item in items)
    if not has_root:
        limits.check_paths((item.split("/") for item in items), "/", arff.path)
    try:
        found = _dag(arff, attribute, items) if has_root else _tree(items)
    except HierarchyError as problem:  # a cycle, for instance; kept as the cause
        raise arff.error(f"the class line is not a hierarchy: {problem}", attribute.line) from problem
    limits.check_hierarchy(found.n_nodes, found.height, arff.path)
    return found, has_root


def _tree(items: list[str]) -> Hierarchy:
    edges = [(item.rpartition("/")[0] or None, item) for item in items]
    declared = set(items)
    for parent, _ in edges:  # the list grows while ancestors are missing
        if parent is not None and parent not in declared:
            declared.add(parent)
            edges.append((parent.rpartition("/")[0] or None, parent))
    return Hierarchy.from_edges(edges, nodes=[item for _, item in edges], sep="/")


def _dag(arff: Arff, attribute: Attribute, items: list[str]) -> Hierarchy:
    pairs = [tuple(item.split("/")) for item in items if item != _ROOT]
    wrong = next((pair for pair in pairs if len(pair) != 2 or pair[1] == _ROOT), None)
    if wrong is not None:
        raise arff.error(
            f"the class line has the item {'/'.join(wrong)!r}; with 'root/' in the header every item is an edge "
            "'parent/child' and nothing is above root.",
            attribute.line,
        )
    nodes = dict.fromkeys(name for pair in pairs for name in pair if name != _ROOT)
    return Hierarchy.from_edges(pairs, nodes=nodes, root=_ROOT)


def _split(arff: Arff, table: ArffTable, position: int, hierarchy: Hierarchy, index: dict[str, int]) -> Split:
    cells = table.texts[position]

    def unknown(row: int, label: str) -> DataFormatError:
        return _label_error(arff, arff.numbers[row], label, cells[row])

    split = {cell: [label.strip() for label in cell.split("@")] for cell in dict.fromkeys(cells)}
    written = written_labels([split[cell] for cell in cells], index, hierarchy.n_nodes, unknown)
    return split_of_labels(table.values, written, hierarchy, row_ids(arff, table))


def _label_error(arff: Arff, line: int, label: str, cell: str) -> DataFormatError:
    if cell.strip() in ("", "?"):
        return arff.error("this row has no class. Write 'root' for a row without labels.", line)
    return arff.error(f"label {label[:60]!r} is not declared in the class line.", line)


class Clus(ArffReader):
    """ARFF files that declare a hierarchical attribute."""

    name = "clus"
    summary = "ARFF with the hierarchy in its header, '@attribute class hierarchical ...' (CLUS-HMC)"
    read = staticmethod(read_clus_arff)
