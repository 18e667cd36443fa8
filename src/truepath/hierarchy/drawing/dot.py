"""A picture in the language of Graphviz, for those who have its programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truepath.hierarchy.drawing.svg import COLORS, WRONG, box_lines

if TYPE_CHECKING:
    from truepath.hierarchy.drawing.picture import HierarchyPicture


def write_dot(picture: HierarchyPicture) -> str:
    """Return a directed graph, names quoted.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> print(Hierarchy.from_paths(["a/1"]).plot().to_dot())
    digraph hierarchy {
      node [shape=box, style="rounded,filled", fontname="sans-serif", fontsize=12];
      n0 [label="a", fillcolor="#ffffff", color="#8a939c", fontcolor="#1a1a1a"];
      n1 [label="1", fillcolor="#ffffff", color="#8a939c", fontcolor="#1a1a1a"];
      n0 -> n1;
    }
    """
    lines = ["digraph hierarchy {", '  node [shape=box, style="rounded,filled", fontname="sans-serif", fontsize=12];']
    for k, node in enumerate(picture.nodes):
        fill, edge, ink = COLORS[node.mark]
        label = "\\n".join(_quoted(line) for line in box_lines(node))
        lines.append(f'  n{k} [label="{label}", fillcolor="{fill}", color="{edge}", fontcolor="{ink}"];')
    for (u, v), wrong in zip(picture.edges, picture.wrong):
        lines.append(f"  n{u} -> n{v}" + (f' [color="{WRONG}", style=dashed];' if wrong else ";"))
    return "\n".join([*lines, "}"])


def _quoted(text: str) -> str:
    kept = "".join(c for c in text if c >= " " and not 0xD800 <= ord(c) <= 0xDFFF)
    return kept.replace("\\", "\\\\").replace('"', '\\"')
