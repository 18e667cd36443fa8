"""A picture on axes of matplotlib, beside other plots: boxes in layers, filled and dashed as in the SVG."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from truepath.hierarchy.drawing.layers import lay_in_layers
from truepath.hierarchy.drawing.svg import COLORS, LINE_COLOR, WRITTEN, WRONG

if TYPE_CHECKING:
    from truepath.hierarchy.drawing.picture import HierarchyPicture, PictureNode

#: A letter, the margin of a box and a layer, in units of the axes
LETTER, MARGIN, LEVEL = 0.085, 0.28, 0.85


def draw_on_axes(picture: HierarchyPicture, ax: Any) -> Any:
    """Draw all nodes; return the axes."""
    sizes = np.array([(LETTER * len(node.name) + MARGIN, 0.4) for node in picture.nodes]).reshape(-1, 2)
    layout = lay_in_layers(sizes, picture.edges, gap=(0.1, LEVEL - 0.4))
    x, y = layout.across, -layout.along
    usual, odd = {"color": LINE_COLOR, "linewidth": 1.0}, {"color": WRONG, "linestyle": "--", "linewidth": 1.8}
    for (u, v), route, wrong in zip(picture.edges, layout.routes, picture.wrong):
        points = [(x[u], y[u]), *((a, -b) for a, b in route), (x[v], y[v])]
        ax.plot(*zip(*points), zorder=1, **(odd if wrong else usual))
    for i, node in enumerate(picture.nodes):
        _draw_box(ax, x[i], y[i], node)
    right = float((x + sizes[:, 0] / 2).max(initial=0.0))
    ax.set(xlim=(-0.1, right + 0.1), ylim=(y.min(initial=0.0) - 0.5, 0.3))
    ax.set_axis_off()
    return ax


def _draw_box(ax: Any, x: float, y: float, node: PictureNode) -> None:
    lines = [node.name, *([] if node.score is None else [f"{node.score:.2f}"])]
    lines += [node.mark] if node.mark in WRITTEN else []
    fill, edge, ink = COLORS[node.mark]
    box = {"boxstyle": "round,pad=0.35", "facecolor": fill, "edgecolor": edge, "linewidth": 1.0}
    text = "\n".join(lines)
    ax.text(x, y, text, ha="center", va="center", fontsize=9, color=ink, bbox=box, zorder=2, parse_math=False)
