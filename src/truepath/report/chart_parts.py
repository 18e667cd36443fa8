"""What the charts of a report are drawn with: lines, markers, and a frame with axes.

Charts are drawn 360 units wide, so that one fills a phone and three fit side by side on a laptop with text of the
same size. Colours come from the page's style sheet through classes; shapes and dashes distinguish the series as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import cos, pi, sin
from typing import Any

from truepath.svg import element, text

WIDTH, HEIGHT = 360, 264
DASHES = (None, "7 3", "2 3", "9 3 2 3", "12 4", "4 2", "1 4", "10 2 2 2 2 2")
#: Corners of each marker, and the angle of the first; without corners it is a circle
SHAPES = ((0, 0.0), (4, pi / 4), (3, -pi / 2), (4, 0.0), (3, pi / 2), (5, -pi / 2), (6, 0.0), (8, pi / 8))


def number(value: float, digits: int = 3) -> str:
    """Write a number with a fixed number of digits, a missing one as a dash."""
    return "–" if value != value else f"{value:.{digits}f}".replace("-", "−")


def picture(content: Iterable[str], label: str, *, height: float = HEIGHT, role: str = "img") -> str:
    """Put a drawing together; ``label`` is read out in its place, or before its parts if its role is "group"."""
    inner = "".join(content)
    return element("svg", inner, class_="chart", viewBox=f"0 0 {WIDTH} {height:g}", role=role, aria_label=label)


def polyline(points: Sequence[tuple[float, float]], **attributes: Any) -> str:
    """Draw a line through points, to a tenth of a unit."""
    path = "".join(f"{'L' if k else 'M'}{x:.1f} {y:.1f}" for k, (x, y) in enumerate(points))
    return element("path", d=path, fill="none", **attributes)


def marker(shape: int, x: float, y: float, size: float = 4.5, **attributes: Any) -> str:
    """Draw one of eight shapes around a point: the method's number chooses it."""
    corners, turn = SHAPES[shape % 8]
    if corners == 0:
        return element("circle", cx=x, cy=y, r=size, **attributes)
    angles = [turn + 2 * pi * k / corners for k in range(corners)]
    size *= 1.2
    points = " ".join(f"{x + size * cos(a):.1f},{y + size * sin(a):.1f}" for a in angles)
    return element("polygon", points=points, **attributes)


Points = Iterable[tuple[float, float]]


@dataclass(frozen=True)
class Frame:
    """The axes of a chart: where values lie, and the grid behind them.

    ``x_ticks`` and ``y_ticks`` are pairs (value, text); domains run from the first to the last number given.
    """

    x_domain: tuple[float, float] = (0.0, 1.0)
    y_domain: tuple[float, float] = (0.0, 1.0)
    x_label: str = ""
    y_label: str = ""
    x_ticks: Sequence[tuple[float, str]] = ()
    y_ticks: Sequence[tuple[float, str]] = ()
    left: float = 40
    right: float = 12
    top: float = 26
    bottom: float = 40
    height: float = HEIGHT

    def x(self, value: float) -> float:
        start, stop = self.x_domain
        return self.left + (value - start) / (stop - start) * (WIDTH - self.left - self.right)

    def y(self, value: float) -> float:
        start, stop = self.y_domain
        return self.height - self.bottom - (value - start) / (stop - start) * (self.height - self.top - self.bottom)

    def series(self, method: int, line: Points, marks: Points, size: float) -> str:
        """Draw a method's line and marks, given by their values, as a group that the page can emphasize."""
        at, style = [(self.x(a), self.y(b)) for a, b in line], f"m{method % 8}"
        drawn = [polyline(at, class_=f"line {style}", stroke_dasharray=DASHES[method % 8])] if at else []
        drawn += [marker(method, self.x(a), self.y(b), size, class_=f"dot {style}") for a, b in marks]
        return element("g", "".join(drawn), class_="series", data_series=method)

    def axes(self) -> list[str]:
        """Draw grid lines, tick texts, the axis line and both labels (the vertical one is above the chart)."""
        base, end = self.height - self.bottom, WIDTH - self.right
        drawn = []
        for value, label in self.y_ticks:
            drawn.append(element("line", x1=self.left, x2=end, y1=self.y(value), y2=self.y(value), class_="gridline"))
            drawn.append(text(self.left - 6, self.y(value) + 4, label, class_="tick", text_anchor="end"))
        for value, label in self.x_ticks:
            drawn.append(element("line", x1=self.x(value), x2=self.x(value), y1=base, y2=base + 4, class_="axis"))
            drawn.append(text(self.x(value), base + 17, label, class_="tick", text_anchor="middle"))
        drawn.append(element("line", x1=self.left, x2=end, y1=base, y2=base, class_="axis"))
        drawn.append(text(0, 12, self.y_label, class_="label"))
        drawn.append(text((self.left + end) / 2, self.height - 5, self.x_label, class_="label", text_anchor="middle"))
        return drawn
