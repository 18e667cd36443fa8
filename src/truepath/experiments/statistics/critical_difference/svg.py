"""Critical-difference diagrams as SVG text: for web pages, in the page's own font and colour, without identifiers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truepath.experiments.statistics.critical_difference.drawing import FONT, Line, draw_ranks
from truepath.svg import element, text

if TYPE_CHECKING:
    from truepath.experiments.statistics.compare import MethodComparison


def critical_difference_svg(comparison: MethodComparison, *, test: str | None = None) -> str:
    """Return the critical-difference diagram as an ``<svg>`` element.

    Parameters
    ----------
    comparison : MethodComparison
    test : {"nemenyi", "wilcoxon"}, optional
        As in :func:`critical_difference_diagram`.

    Returns
    -------
    svg : str
        Text and lines take font and colour from the page; it scales with the width it is given.

    Examples
    --------
    >>> import numpy as np
    >>> from truepath.experiments import compare, critical_difference_svg
    >>> found = compare(np.array([[1, 2], [3, 5], [2, 4]]), greater_is_better=True, methods=["a", "b"])
    >>> critical_difference_svg(found)[:46]
    '<svg xmlns="http://www.w3.org/2000/svg" viewBo'
    """
    drawing = draw_ranks(comparison, test)
    parts = [_path(line) for line in drawing.lines]
    parts += [element("circle", cx=x, cy=y, r=3) for x, y in drawing.dots]
    parts += [
        text(*t.at, t.content, text_anchor=t.anchor, dominant_baseline="central", font_size=t.size)
        for t in drawing.texts
    ]
    return element(
        "svg",
        "".join(parts),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {drawing.width:.0f} {drawing.height:.0f}",
        role="img",
        aria_label=drawing.description,
        style=f"width:100%;max-width:{drawing.width:.0f}px;height:auto",
        fill="currentColor",
        stroke="none",
        font_size=FONT,
    )


def _path(line: Line) -> str:
    points = "L".join(f"{x:.1f} {y:.1f}" for x, y in line.points)
    return element("path", d=f"M{points}", fill="none", stroke="currentColor", stroke_width=line.width)
