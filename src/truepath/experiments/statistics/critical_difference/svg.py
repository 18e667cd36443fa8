"""Critical-difference diagrams as SVG text: for web pages, in the page's own font and colour, without identifiers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truepath.experiments.statistics.critical_difference.layout import Layout, lay_out
from truepath.svg import element, text

if TYPE_CHECKING:
    from truepath.experiments.statistics.compare import MethodComparison

__all__ = ["critical_difference_svg"]

#: Sizes in pixels at a font of 14: a row of names, a character, the axis
ROW, CHARACTER, AXIS = 22.0, 7.8, 420.0
FONT = 14
MARGIN = 12.0


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
    layout = lay_out(comparison, test)
    sides = [max((_width(f"{s.name}  0.00") for s in layout.stems if s.left == left), default=0.0) for left in (1, 0)]
    caption = _wrap(layout.caption, sum(sides) + AXIS + 2 * MARGIN)
    top = 78.0 if layout.critical_difference else 44.0
    drawing = _Drawing(layout, MARGIN + sides[0] + 30, top)
    width = drawing.left + AXIS + 30 + sides[1] + MARGIN
    names_end = drawing.row(layout.n_rows - 1) + ROW
    height = names_end + 18 * len(caption) + 8
    parts = [*drawing.axis(), *drawing.bars(), *drawing.stems()]
    parts += [_text(width / 2, names_end + 18 * (i + 0.5), line, "middle", 12) for i, line in enumerate(caption)]
    return element(
        "svg",
        "".join(parts),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width:.0f} {height:.0f}",
        role="img",
        aria_label=_describe(layout),
        style=f"width:100%;max-width:{width:.0f}px;height:auto",
        fill="currentColor",
        stroke="none",
        font_size=FONT,
    )


def _describe(layout: Layout) -> str:
    ranks = ", ".join(f"{stem.name} {stem.rank:.2f}" for stem in sorted(layout.stems, key=lambda stem: stem.rank))
    return f"Critical difference diagram. {layout.caption}. {ranks}"


def _width(label: str) -> float:
    """Return a width that holds a text in any usual font."""
    return CHARACTER * len(label)


def _wrap(caption: str, width: float) -> list[str]:
    from textwrap import wrap

    return wrap(caption, max(20, int(width / (CHARACTER * 12 / FONT))))


def _line(x1: float, y1: float, x2: float, y2: float, width: float = 1.2) -> str:
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke="currentColor", stroke_width=width)


def _text(x: float, y: float, content: str, anchor: str, size: int = FONT) -> str:
    return text(x, y, content, text_anchor=anchor, dominant_baseline="central", font_size=size)


class _Drawing:
    """The elements of one diagram; ``left`` and ``top`` are where rank 1 of the axis is."""

    def __init__(self, layout: Layout, left: float, top: float):
        self.layout, self.left, self.top = layout, left, top

    def x(self, rank: float) -> float:
        return self.left + AXIS * (rank - self.layout.low) / (self.layout.high - self.layout.low)

    def row(self, row: int) -> float:
        return self.top + 24 + 10 * self.layout.n_levels + ROW * row

    def axis(self) -> list[str]:
        parts = [_line(self.left, self.top, self.left + AXIS, self.top)]
        for tick in range(self.layout.low, self.layout.high + 1):
            long = tick in self.layout.ticks
            parts.append(_line(self.x(tick), self.top - (8 if long else 5), self.x(tick), self.top))
            if long:
                parts.append(_text(self.x(tick), self.top - 20, str(tick), "middle"))
        return [*parts, *self.distance()]

    def distance(self) -> list[str]:
        if self.layout.critical_difference is None:
            return []
        end, y = self.x(self.layout.low + self.layout.critical_difference), self.top - 40
        ends = [_line(x, y - 4, x, y + 4) for x in (self.left, end)]
        label = f"CD = {self.layout.critical_difference:.2f}"
        return [_line(self.left, y, end, y), *ends, _text((self.left + end) / 2, y - 14, label, "middle", 12)]

    def bars(self) -> list[str]:
        return [
            _line(
                self.x(bar.first) - 4,
                self.top + 12 + 10 * bar.level,
                self.x(bar.last) + 4,
                self.top + 12 + 10 * bar.level,
                5,
            )
            for bar in self.layout.bars
        ]

    def stems(self) -> list[str]:
        parts = []
        for stem in self.layout.stems:
            x, y = self.x(stem.rank), self.row(stem.row)
            out, anchor = (self.left - 22, "end") if stem.left else (self.left + AXIS + 22, "start")
            path = f"M{x:.1f} {self.top:.1f}V{y:.1f}H{out:.1f}"
            parts.append(element("path", d=path, fill="none", stroke="currentColor", stroke_opacity=0.7))
            parts.append(element("circle", cx=x, cy=self.top, r=3))
            label = f"{stem.name}  {stem.rank:.2f}" if stem.left else f"{stem.rank:.2f}  {stem.name}"
            parts.append(_text(out + (-6 if stem.left else 6), y, label, anchor))
        return parts
