"""A picture as SVG: rounded boxes in layers, curved edges, every name escaped; readable without colour."""

from __future__ import annotations

import unicodedata
from itertools import pairwise
from textwrap import wrap
from typing import TYPE_CHECKING

import numpy as np

from truepath.hierarchy.drawing.layers import LayeredPlaces, lay_in_layers
from truepath.svg import element, escape_text

if TYPE_CHECKING:
    from truepath.hierarchy.drawing.picture import HierarchyPicture, PictureNode

LETTER, LINE, PADDING, MARGIN = 6.7, 16, 9, 12  # pixels
#: Pictures that would be wider than this go from left to right
WIDEST = 1800.0
#: Names are broken into lines of this many letters, and cut after this many lines
LONGEST, MOST_LINES = 22, 4
#: Fill, edge and ink of each mark; colours differ in lightness as well, and marks against the truth are written out
COLORS = {
    "": ("#ffffff", "#8a939c", "#1a1a1a"),
    "above": ("#dce8f4", "#1f5a92", "#1a1a1a"),
    "chosen": ("#1f5a92", "#1f5a92", "#ffffff"),
    "found": ("#1f5a92", "#1f5a92", "#ffffff"),
    "missed": ("#ffffff", "#a63a2b", "#7d2a1e"),
    "false alarm": ("#fbe3c0", "#8a5a00", "#4a3000"),
}
WRONG, LINE_COLOR = "#c0392b", "#8a939c"
#: Dashes of the boxes that say so in another way than by colour
DASHED = {"missed": "5 3", "false alarm": "2 2"}
WRITTEN = ("missed", "false alarm")


def write_svg(picture: HierarchyPicture) -> str:
    """Return one ``<svg>`` element, from left to right where it would be far too wide from the top down."""
    texts = [box_lines(node) for node in picture.nodes]
    sizes = np.array([_size(lines) for lines in texts], float).reshape(-1, 2)
    layout = lay_in_layers(sizes, picture.edges)
    is_turned = float((layout.across + sizes[:, 0]).max(initial=0.0)) > WIDEST
    if is_turned:
        layout = lay_in_layers(sizes[:, ::-1], picture.edges, gap=(8.0, 48.0), is_flush=True)
    places = np.column_stack([layout.along, layout.across] if is_turned else [layout.across, layout.along]) + MARGIN
    width, height = (round(end) + MARGIN for end in (places + sizes / 2).max(axis=0, initial=0.0).tolist())
    parts = [_edge(picture, layout, sizes, k, is_turned) for k in range(len(picture.edges))]
    parts += [_box(node, texts[i], places[i], sizes[i]) for i, node in enumerate(picture.nodes)]
    label = f"{len(picture.nodes)} labels: {', '.join(node.name for node in picture.nodes[:20])}"
    ground = element("rect", width=width, height=height, fill="#ffffff")
    return element(
        "svg",
        ground + "".join(parts),
        xmlns="http://www.w3.org/2000/svg",
        width=width,
        height=height,
        viewBox=f"0 0 {width} {height}",
        role="img",
        aria_label=label,
        font_family="system-ui, sans-serif",
        font_size=12,
    )


def box_lines(node: PictureNode) -> list[str]:
    """Return the lines of a box: the name, broken and cut, its score, and what it is against the truth."""
    lines = wrap(node.name, LONGEST, break_long_words=True) or [""]
    if len(lines) > MOST_LINES:
        lines = [*lines[: MOST_LINES - 1], lines[MOST_LINES - 1][: LONGEST - 2] + " …"]
    lines += [] if node.score is None else [f"{node.score:.2f}"]
    return lines + ([node.mark] if node.mark in WRITTEN else [])


def _size(lines: list[str]) -> tuple[float, float]:
    widest = max(sum(map(_letter, line)) for line in lines)
    return widest * LETTER + 2 * PADDING, len(lines) * LINE + 2 * PADDING - 4


def _letter(c: str) -> float:
    """Return about how wide a letter is, next to a small one."""
    if unicodedata.east_asian_width(c) in "WF":
        return 1.8
    if c in "WM@%":
        return 1.5
    return 1.2 if c.isupper() or c.isdigit() or c in "_mw" else 0.6 if c in "ijlt.,:;|! " else 1.0


def _box(node: PictureNode, lines: list[str], place: np.ndarray, size: np.ndarray) -> str:
    fill, edge, ink = COLORS[node.mark]
    (x, y), (w, h) = place, size
    first = y - (len(lines) - 1) * LINE / 2 + 4
    styles = [None] * (len(lines) - 1) + ["italic" if node.mark in WRITTEN else None]  # what it is against the truth
    rows = [
        element("tspan", escape_text(line), x=x, y=first + k * LINE, font_style=style)
        for k, (line, style) in enumerate(zip(lines, styles))
    ]
    box = {"x": x - w / 2, "y": y - h / 2, "width": w, "height": h, "rx": 6}
    parts = [
        element("title", escape_text(_tooltip(node))),
        element("rect", **box, fill=fill, stroke=edge, stroke_dasharray=DASHED.get(node.mark)),
        element("text", "".join(rows), text_anchor="middle", fill=ink),
    ]
    return element("g", "".join(parts))


def _tooltip(node: PictureNode) -> str:
    """Return what a node's tooltip says."""
    score = "" if node.score is None else f", score {node.score:.4f}"
    mark = f", {node.mark}" if node.mark not in ("", "above", "chosen") else ""
    return node.name + score + mark


def _edge(picture: HierarchyPicture, layout: LayeredPlaces, sizes: np.ndarray, k: int, is_turned: bool) -> str:
    """Return a curve from the end of the parent's box to the child's, through where it passes layers."""
    u, v = picture.edges[k]
    half = sizes[:, 0 if is_turned else 1] / 2
    ends = (layout.across[u], layout.along[u] + half[u]), (layout.across[v], layout.along[v] - half[v])
    points = [(x + MARGIN, y + MARGIN) for x, y in (ends[0], *layout.routes[k], ends[1])]
    shape = [points[0]]
    for (x0, y0), (x1, y1) in pairwise(points):
        shape += [(x0, (y0 + y1) / 2), (x1, (y0 + y1) / 2), (x1, y1)]
    written = [f"{y:.1f},{x:.1f}" if is_turned else f"{x:.1f},{y:.1f}" for x, y in shape]
    path = f"M{written[0]} C{' '.join(written[1:])}"
    style = (
        {"stroke": WRONG, "stroke_width": 1.8, "stroke_dasharray": "6 4"}
        if picture.wrong[k]
        else {"stroke": LINE_COLOR}
    )
    return element("path", d=path, fill="none", **style)
