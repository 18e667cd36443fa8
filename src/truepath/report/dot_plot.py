"""A row for each data set, a mark for each method: who is ahead, where, and by how much."""

from __future__ import annotations

from collections.abc import Sequence

from truepath.report.charts import round_numbers
from truepath.report.svg import WIDTH, Frame, element, marker, picture, text

__all__ = ["dot_plot"]

ROW = 40.0


def dot_plot(rows: Sequence[tuple[str, Sequence[float | None]]], label: str) -> str:
    """Draw values of methods by data set on one scale."""
    known = [v for _, values in rows for v in values if v is not None and v == v]
    if not known:
        return ""
    low, high = min(known), max(known)
    pad = max((high - low) * 0.06, 0.005)
    frame = Frame((low - pad, high + pad), left=6, right=10)
    base = ROW * len(rows) + 6
    drawn = []
    for tick in round_numbers(low - pad, high + pad):
        x = frame.x(tick)
        drawn.append(element("line", x1=x, x2=x, y1=4.0, y2=base, class_="gridline"))
        drawn.append(text(x, base + 15, f"{tick:.4g}", class_="tick", text_anchor="middle"))
    for k, (name, values) in enumerate(rows):
        y = ROW * k + 28
        found = [frame.x(v) for v in values if v is not None and v == v]
        drawn.append(text(frame.left, y - 13, name, class_="label halo"))
        if found:
            drawn.append(element("line", x1=min(found), x2=max(found), y1=y, y2=y, class_="axis"))
        for m, value in enumerate(values):
            if value is not None and value == value:
                drawn.append(marker(m, frame.x(value), y, 5, class_=f"dot m{m % 8}"))
    drawn.append(text(WIDTH / 2, base + 31, label, class_="label", text_anchor="middle"))
    told = "; ".join(f"{name}: {', '.join('–' if v is None else f'{v:.3f}' for v in values)}" for name, values in rows)
    return picture(drawn, f"{label} by data set. {told}", height=base + 38)
