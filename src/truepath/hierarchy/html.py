"""A hierarchy as HTML for notebooks: a tree whose branches fold, no scripts, every name escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from truepath.hierarchy.names import short_name

if TYPE_CHECKING:
    from truepath.hierarchy.hierarchy import Hierarchy

#: More labels than this are counted instead of shown
MOST_SHOWN = 300
#: Hierarchies of no more labels than this are unfolded
UNFOLDED = 30


def hierarchy_outline(hierarchy: Hierarchy) -> str:
    """Return the labels as a folded outline; one with several parents stands below the first, with a remark.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> "<summary>a (2)</summary>" in hierarchy_outline(Hierarchy.from_paths(["a/1", "a/2"]))
    True
    """
    shown = [0]
    lines = "".join(_branch(hierarchy, int(v), shown) for v in hierarchy.roots)
    hidden = hierarchy.n_nodes - shown[0]
    more = f"<p>and {hidden:,} more</p>" if hidden > 0 else ""
    return f"<div><code>{escape(repr(hierarchy))}</code><ul>{lines}</ul>{more}</div>"


def _branch(hierarchy: Hierarchy, v: int, shown: list[int]) -> str:
    """Return a label and what is below it, until enough is shown."""
    if shown[0] >= MOST_SHOWN:
        return ""
    shown[0] += 1
    first, others = hierarchy.parents(v)[:1], hierarchy.parents(v)[1:]
    name = short_name(hierarchy, v, first)
    also = f" <i>(also below {escape(', '.join(hierarchy.names[others]))})</i>" if others.size else ""
    below = [int(u) for u in hierarchy.children(v) if hierarchy.parents(u)[0] == v]
    if not below:
        return f"<li>{escape(name)}{also}</li>"
    inner = "".join(_branch(hierarchy, u, shown) for u in below)
    unfolded = " open" if hierarchy.n_nodes <= UNFOLDED else ""
    count = hierarchy.descendants(v).size
    return f"<li><details{unfolded}><summary>{escape(name)} ({count}){also}</summary><ul>{inner}</ul></details></li>"
