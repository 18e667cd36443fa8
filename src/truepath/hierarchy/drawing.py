"""Drawing a small hierarchy: boxes from the top down, labels filled, scores below the names.

A node of a DAG hangs under its first parent and has lines to all of them. A line is red and dashed where the child
has more than its parent: a label without an ancestor, or a score above the parent's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from truepath.errors import TruePathError

if TYPE_CHECKING:
    from truepath.hierarchy.hierarchy import Hierarchy

__all__ = ["draw_hierarchy"]

# More boxes than this cannot be read
MOST_NODES = 80
# Inches of a letter, of the margin of a box, and of a level
LETTER, MARGIN, LEVEL = 0.085, 0.28, 0.85
# Colours that differ in lightness as well
FILLED, EMPTY, INK, MUTED, PALE, WRONG = "#1f5a92", "#ffffff", "#1a1a1a", "#5a6570", "#8a939c", "#c0392b"


def draw_hierarchy(hierarchy: Hierarchy, labels: Any, scores: Any, ax: Any) -> Any:
    """Draw all nodes and return the Axes; see :meth:`Hierarchy.plot`."""
    if hierarchy.n_nodes > MOST_NODES:
        problem = f"{hierarchy.n_nodes:,} nodes are too many to draw; at most {MOST_NODES} can be read"
        raise TruePathError(problem, "Draw a part: hierarchy.subgraph(names).plot().")
    marked = None if labels is None else _mark(hierarchy, labels)
    valued = None if scores is None else np.asarray(scores, dtype=float).reshape(-1)
    if valued is not None and valued.size != hierarchy.n_nodes:
        raise TruePathError(
            f"scores must hold one number per node, {hierarchy.n_nodes}; got {valued.size}", "Give one row of scores."
        )
    shown = [_short_name(hierarchy, v) for v in range(hierarchy.n_nodes)]
    slot = LETTER * max(map(len, shown), default=1) + MARGIN
    x, y = _places(hierarchy)
    if ax is None:
        from matplotlib import pyplot as plt

        size = (max(slot * (x.max(initial=0) + 1), 2.0), LEVEL * max(hierarchy.height, 1))
        _, ax = plt.subplots(figsize=size, layout="constrained")
    _draw_lines(ax, hierarchy, x, y, [held for held in (marked, valued) if held is not None])
    for v, name in enumerate(shown):
        text = name if valued is None else f"{name}\n{valued[v]:.2f}"
        _draw_box(ax, x[v], y[v], text, None if marked is None else bool(marked[v]))
    ax.set(xlim=(-0.6, x.max(initial=0) + 0.6), ylim=(y.min(initial=0) - 0.5, 0.5))
    ax.set_axis_off()
    return ax


def _mark(hierarchy: Hierarchy, labels: Any) -> NDArray[np.bool_]:
    """Return one row of labels, as they are given: names, or one 0/1 value per node."""
    listed = [labels] if isinstance(labels, str) else list(labels)
    if all(isinstance(label, str) for label in listed):
        row = np.zeros(hierarchy.n_nodes, dtype=bool)
        row[hierarchy.indices(listed)] = True
        return row
    row = np.asarray(listed).reshape(-1).astype(bool)
    if row.size != hierarchy.n_nodes:
        raise TruePathError(
            f"labels must be names, or one 0/1 value per node, {hierarchy.n_nodes}; got {row.size}",
            "Give one row of labels.",
        )
    return row


def _short_name(hierarchy: Hierarchy, v: int) -> str:
    """Return a node's name without that of its only parent in front."""
    name, above = str(hierarchy.names[v]), hierarchy.parents(v)
    if above.size == 1 and name.startswith(first := str(hierarchy.names[above[0]])) and name != first:
        return name[len(first) :].lstrip(" :/>.|") or name
    return name


def _places(hierarchy: Hierarchy) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return where nodes are drawn: leaves side by side, a parent above the middle of those that hang from it."""
    x = np.zeros(hierarchy.n_nodes)
    free = 0

    def place(v: int) -> None:
        nonlocal free
        below = [int(c) for c in hierarchy.children(v) if hierarchy.parents(int(c))[0] == v]
        for child in below:
            place(child)
        if below:
            x[v] = (x[below[0]] + x[below[-1]]) / 2
        else:
            x[v], free = free, free + 1

    for root in hierarchy.roots:
        place(int(root))
    return x, 1.0 - hierarchy.depth.astype(float)


def _draw_lines(ax: Any, hierarchy: Hierarchy, x: Any, y: Any, held: list[Any]) -> None:
    for u, v in hierarchy.edges:
        wrong = any(row[v] > row[u] for row in held)
        style = {"color": WRONG, "linestyle": "--", "linewidth": 1.8} if wrong else {"color": PALE, "linewidth": 1.0}
        ax.plot([x[u], x[v]], [y[u], y[v]], zorder=1, **style)


def _draw_box(ax: Any, x: float, y: float, text: str, is_filled: bool | None) -> None:
    face, ink = (FILLED, EMPTY) if is_filled else (EMPTY, MUTED if is_filled is False else INK)
    edge = FILLED if is_filled else PALE
    box = {"boxstyle": "round,pad=0.35", "facecolor": face, "edgecolor": edge, "linewidth": 1.0}
    ax.text(x, y, text, ha="center", va="center", fontsize=9, color=ink, bbox=box, zorder=2, parse_math=False)
