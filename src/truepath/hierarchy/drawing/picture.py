"""A picture of labels with their ancestors: which nodes it has, what stands in them, and how they are marked."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from truepath.errors import TruePathError
from truepath.files.writing import write_text
from truepath.hierarchy.names import short_name

if TYPE_CHECKING:
    from truepath.hierarchy.hierarchy import Hierarchy

#: More boxes than this cannot be read
MOST_NODES = 300


@dataclass(frozen=True)
class PictureNode:
    """One label of a picture.

    Attributes
    ----------
    node : int
    name : str
        Without the parent's in front where it has one parent, and with the title of an ontology.
    mark : {"", "chosen", "above", "found", "missed", "false alarm"}
        "above" is an ancestor of a chosen label; the last three compare with the truth.
    score : float or None
    """

    node: int
    name: str
    mark: str = ""
    score: float | None = None


@dataclass(frozen=True)
class HierarchyPicture:
    """What :meth:`truepath.Hierarchy.plot` returns: shown by notebooks, written as SVG or DOT.

    Attributes
    ----------
    nodes : tuple of PictureNode
        Parents first.
    edges : tuple of (int, int)
        Pairs of places in ``nodes``, parent and child.
    wrong : tuple of bool
        Of each edge: whether the child has more than its parent, a score or a label.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> picture = Hierarchy.from_paths(["animal/cat", "animal/dog", "plant"]).plot(["animal/dog"])
    >>> [(node.name, node.mark) for node in picture.nodes]
    [('animal', 'above'), ('dog', 'chosen')]
    >>> picture.to_svg().startswith("<svg ")
    True
    """

    nodes: tuple[PictureNode, ...]
    edges: tuple[tuple[int, int], ...]
    wrong: tuple[bool, ...]

    def to_svg(self) -> str:
        """Return the picture as an SVG element with nothing to fetch and no script."""
        from truepath.hierarchy.drawing.svg import write_svg

        return write_svg(self)

    def to_dot(self) -> str:
        """Return the picture in the language of Graphviz."""
        from truepath.hierarchy.drawing.dot import write_dot

        return write_dot(self)

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the picture to a file that ends in ``.svg``, ``.dot`` or ``.gv``; return its path."""
        path, writers = Path(path), {".svg": self.to_svg, ".dot": self.to_dot, ".gv": self.to_dot}
        if path.suffix.lower() not in writers:
            raise TruePathError(f"{path}: a picture is written as .svg, .dot or .gv.", "Choose another ending.")
        write_text(path, writers[path.suffix.lower()]())
        return path

    def _repr_svg_(self) -> str:
        """Return the picture for notebooks."""
        return self.to_svg()

    def _repr_html_(self) -> str:
        """Return the picture for notebooks, in a frame that scrolls."""
        return f'<div style="overflow-x:auto">{self.to_svg()}</div>'

    def __repr__(self) -> str:
        chosen = sum(node.mark not in ("", "above") for node in self.nodes)
        return f"HierarchyPicture({len(self.nodes)} labels, {chosen} marked, {len(self.edges)} edges)"


def make_picture(
    hierarchy: Hierarchy, labels: Any = None, scores: Any = None, truth: Any = None, whole: bool = False
) -> HierarchyPicture:
    """Return a picture; see :meth:`Hierarchy.plot`."""
    marks = _marks(hierarchy, labels, truth, whole)
    valued = _values(hierarchy, {} if scores is None else scores)
    shown = np.flatnonzero([mark is not None for mark in marks])
    if shown.size > MOST_NODES:
        problem = f"{shown.size:,} nodes are too many to draw; at most {MOST_NODES} can be read."
        raise TruePathError(problem, "Draw a part: hierarchy.plot(names) draws these with their ancestors.")
    place = {int(v): k for k, v in enumerate(shown)}
    edges = [(int(u), int(v)) for u, v in hierarchy.edges if int(u) in place and int(v) in place]
    held = [valued, *([as_row(hierarchy, labels)] if whole and labels is not None and truth is None else [])]
    nodes = tuple(
        PictureNode(v, _written_name(hierarchy, v), marks[v] or "", None if np.isnan(valued[v]) else float(valued[v]))
        for v in map(int, shown)
    )
    wrong = tuple(any(bool(row[v] > row[u]) for row in held) for u, v in edges)
    return HierarchyPicture(nodes, tuple((place[u], place[v]) for u, v in edges), wrong)


def _marks(hierarchy: Hierarchy, labels: Any, truth: Any, whole: bool) -> list[str | None]:
    """Return the mark of every node, None for those that are not drawn."""
    rest = "" if whole or (labels is None and truth is None) else None
    given = () if labels is None else labels
    if truth is None:
        named = {(True, True): "chosen", (False, True): rest if whole else "above"}
        pairs = zip(as_row(hierarchy, given), _closed(hierarchy, given))
    else:
        named = {(True, True): "found", (False, True): "missed", (True, False): "false alarm"}
        pairs = zip(_closed(hierarchy, given), _closed(hierarchy, truth))
    return [named.get((bool(one), bool(other)), rest) for one, other in pairs]


def _closed(hierarchy: Hierarchy, labels: Any) -> NDArray[np.bool_]:
    row: NDArray[np.bool_] = np.asarray(hierarchy.close(as_row(hierarchy, labels)[None, :]))[0].astype(bool)
    return row


def as_row(hierarchy: Hierarchy, labels: Any) -> NDArray[np.bool_]:
    """Return one row of labels, as they are given: names, or one 0/1 value per node."""
    listed = [labels] if isinstance(labels, str) else list(labels)
    if all(isinstance(label, str) for label in listed):
        row = np.zeros(hierarchy.n_nodes, dtype=bool)
        row[hierarchy.indices(listed)] = True
        return row
    row = np.asarray(listed).reshape(-1).astype(bool)
    if row.size != hierarchy.n_nodes:
        problem = f"labels must be names, or one 0/1 value per node, {hierarchy.n_nodes}; got {row.size}"
        raise TruePathError(problem, "Give one row of labels.")
    return row


def _values(hierarchy: Hierarchy, scores: Mapping[str, float] | Collection[float]) -> NDArray[np.float64]:
    """Return one score per node, NaN where a mapping has none."""
    if isinstance(scores, Mapping):
        row = np.full(hierarchy.n_nodes, np.nan)
        row[hierarchy.indices(list(scores))] = list(scores.values())
        return row
    row = np.asarray(scores, dtype=float).reshape(-1)
    if row.size != hierarchy.n_nodes:
        problem = f"scores must hold one number per node, {hierarchy.n_nodes}; got {row.size}"
        raise TruePathError(problem, "Give one row of scores, or a mapping from names.")
    return row


def _written_name(hierarchy: Hierarchy, v: int) -> str:
    """Return a node's name, without that of its only parent in front, and with its title."""
    if hierarchy.titles.get(str(hierarchy.names[v])) or hierarchy.parents(v).size != 1:
        return hierarchy.label(v)
    return short_name(hierarchy, v)
