"""MULAN's format: an ARFF file, and an XML file that says which attributes are labels.

Labels are ``{0,1}`` attributes; ``<label>`` elements inside one another express a hierarchy. Sparse rows count
columns from 0; a column left out is 0, or the first declared value of a nominal attribute.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from os import fspath
from pathlib import Path
from xml.etree import ElementTree

from truepath.data.dataset import Dataset
from truepath.data.readers.arff.binary_labels import check_label_columns, read_binary_labels
from truepath.data.readers.arff.files import ArffReader, xml_beside
from truepath.data.readers.arff.header import Arff
from truepath.data.readers.base import Paths, named_paths
from truepath.errors import DataFormatError
from truepath.files.limits import Limits, usual_limits
from truepath.files.names import PathType, plain_name
from truepath.files.unpacking import read_bytes
from truepath.hierarchy import Hierarchy


def read_mulan(
    path: Paths, xml: PathType | None = None, *, name: str | None = None, limits: Limits | None = None
) -> Dataset:
    """Read multi-label data in MULAN's format.

    Parameters
    ----------
    path : path, or mapping from str to path
        One file becomes the split ``"all"``; a mapping such as ``{"train": ..., "test": ...}`` names the splits.
        Files may be compressed (.xz, .gz, .bz2).
    xml : path, optional
        The file that lists the labels; nested labels become a hierarchy. By default the one beside the data: for
        ``emotions-train.arff`` that is ``emotions-train.xml``, ``emotions.xml`` or ``labels.xml``.
    name : str, optional
        The name of the data set; by default the relation's.
    limits : Limits, optional
        The most that is taken from a file; see :class:`truepath.files.Limits`.

    Returns
    -------
    ds : Dataset
        The columns of ``Y`` follow the XML file, wherever the label attributes are.

    Raises
    ------
    DataFormatError
        If a file is malformed, with file and line.
    """
    labels = _find_xml(path) if xml is None else xml
    edges = _read_labels(labels, limits or usual_limits())
    hierarchy = Hierarchy.from_edges(edges, nodes=[label for _, label in edges])

    def find(arff: Arff) -> list[int]:
        return _positions(arff, hierarchy, fspath(labels))

    return read_binary_labels(path, find, hierarchy, name, {"labels": fspath(labels)}, limits)


def _find_xml(path: Paths) -> Path:
    first = next(iter(named_paths(path).values()))
    found = xml_beside(first)
    if found is None:
        stem = Path(plain_name(first)).stem
        raise DataFormatError(
            f"no list of labels is beside this file (such as {stem}.xml or labels.xml).",
            fspath(first),
            remedy="Pass xml=.",
        )
    return found


def _read_labels(xml: PathType, limits: Limits) -> list[tuple[str | None, str]]:
    """Give (parent, label) for every label, parents first."""
    raw = read_bytes(xml, limits)
    try:
        root = ElementTree.fromstring(raw)
    except (ElementTree.ParseError, ValueError, LookupError) as problem:  # LookupError: an unknown encoding
        line = getattr(problem, "position", (None,))[0]
        raise DataFormatError(f"not well-formed XML ({problem}).", fspath(xml), line) from None
    edges = list(_walk(root, fspath(xml), limits))
    if not edges:
        raise DataFormatError("no <label name=...> elements.", fspath(xml))
    twice = [label for label, count in Counter(label for _, label in edges).items() if count > 1]
    if twice:
        raise DataFormatError(f"label {twice[0]!r} is listed twice; a label may be listed once only.", fspath(xml))
    return edges


def _walk(root: ElementTree.Element, path: str, limits: Limits) -> Iterator[tuple[str | None, str]]:
    waiting: list[tuple[ElementTree.Element, str | None, int]] = [(child, None, 1) for child in reversed(root)]
    while waiting:
        element, parent, level = waiting.pop()
        limits.check("max_depth", level, "labels nested {:,} deep", path)
        tag = element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
        if tag != "label":
            raise DataFormatError(f"element <{tag}> where only <label> is allowed.", path)
        label = element.get("name")
        if not label:
            raise DataFormatError("a <label> without a name.", path)
        yield parent, label
        waiting += [(child, label, level + 1) for child in reversed(element)]


def _positions(arff: Arff, hierarchy: Hierarchy, xml: str) -> list[int]:
    """Find the attribute of each node."""
    names = [attribute.name for attribute in arff.attributes]
    counts, place = Counter(names), {label: j for j, label in enumerate(names)}
    for label in hierarchy.names.tolist():
        if counts[label] != 1:
            many = "no attribute" if not counts[label] else f"{counts[label]} attributes"
            raise DataFormatError(f"label {label!r} has {many} of that name in {arff.path}.", xml)
    positions = [place[label] for label in hierarchy.names.tolist()]
    check_label_columns(arff, positions)
    return positions


class Mulan(ArffReader):
    """ARFF files whose labels an XML file lists."""

    name = "mulan"
    summary = "ARFF with the labels listed in an XML file beside it, or given by xml= (MULAN)"
    file_options = ("xml",)
    read = staticmethod(read_mulan)
