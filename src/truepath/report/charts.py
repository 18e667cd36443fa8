"""Bars, whiskers and dots, each a function from numbers to SVG text."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, isfinite, log10

from truepath.files.strict_json import dump_json
from truepath.report.chart_parts import DASHES, WIDTH, Frame, marker, number, picture, polyline
from truepath.report.measures import Measured
from truepath.report.profile import Bars
from truepath.svg import element, text

DOT_ROW = 40.0


def bar_chart(bars: Bars, x_label: str, y_label: str) -> str:
    """Draw a histogram with its counts written on it."""
    top = max([*bars.counts, 1])
    frame = Frame((0, len(bars.counts)), (0, top * 1.08), x_label, y_label, left=8, right=4, height=200)
    base, width = frame.y(0), frame.x(1) - frame.x(0)
    every = 1 + (len(bars.texts) - 1) // 13
    drawn = [element("line", x1=frame.left, x2=WIDTH - frame.right, y1=base, y2=base, class_="axis")]
    for k, (label, count) in enumerate(zip(bars.texts, bars.counts)):
        y, middle = frame.y(count), frame.x(k + 0.5)
        box = {"x": frame.x(k) + 1.5, "y": y, "width": max(width - 3, 1), "height": base - y}
        drawn.append(element("rect", class_="bar", **box, **_leads_to_rows(bars, k)))
        if count and width > 13:
            drawn.append(text(middle, y - 4, _brief(count), class_="value", text_anchor="middle"))
        if k % every == 0:
            x = frame.x(k) if bars.at_edges else middle
            drawn.append(text(x, base + 15, label, class_="tick", text_anchor="middle"))
    drawn.append(text(0, 12, y_label, class_="label"))
    drawn.append(text(WIDTH / 2, frame.height - 5, x_label, class_="label", text_anchor="middle"))
    in_words = ", ".join(f"{label}: {count}" for label, count in zip(bars.texts, bars.counts))
    role = "img" if bars.sizes is None else "group"
    return picture(drawn, f"{y_label} by {x_label}. {in_words}", height=frame.height, role=role)


def _leads_to_rows(bars: Bars, k: int) -> dict[str, str]:
    """Return what makes a bar that counts rows a button which shows them."""
    if bars.sizes is None or bars.counts[k] == 0:
        return {}
    low, high = bars.sizes[k]
    said = f"Rows with {low} labels" if low == high else f"Rows with {low} to {high} labels"
    query = dump_json({"sizes": [low, high], "title": said})
    return {"data_rows": query, "tabindex": "0", "role": "button", "aria_label": f"{said}: {bars.counts[k]}"}


def _brief(count: int) -> str:
    return f"{count / 1000:.1f}k" if count >= 10_000 else str(count)


def whisker(measured: Measured) -> str:
    """Draw one value from 0 to 1 with its interval on its own line, for a table's cell."""
    frame = Frame(left=6, right=6)
    lines = [element("line", x1=frame.left, x2=WIDTH - frame.right, y1=10, y2=10, class_="gridline")]
    ticks = [frame.x(tick) for tick in round_numbers(0.0, 1.0)]
    lines += [element("line", x1=x, x2=x, y1=7, y2=13, class_="gridline") for x in ticks]
    lines += _dot_and_whisker(frame, measured, 10, 0)
    return picture(lines, _in_words(measured), height=20)


def whisker_panel(rows: Sequence[Measured | None], digits: int = 3) -> str:
    """Draw one measure of several methods below each other; the methods' numbers choose colour and shape."""
    known = [m for m in rows if m is not None]
    base = 24 * len(rows) + 4
    ends = [e for m in known for e in (m.value, m.low, m.high) if isfinite(e)]
    frame, drawn = _scale(ends, 0.12, base, left=24, right=52)
    for k, measured in enumerate(rows):
        y = 16 + 24 * k
        series = [marker(k, 9, y, class_=f"dot m{k % 8}")]
        if measured is None:
            series.append(text(frame.left + 6, y + 4, "needs scores", class_="tick"))
        else:
            series += _dot_and_whisker(frame, measured, y, k)
            series.append(text(WIDTH, y + 4, number(measured.value, digits), class_="value", text_anchor="end"))
        drawn.append(element("g", "".join(series), class_="series", data_series=k))
    return picture(drawn, "; ".join(_in_words(m) for m in known), height=base + 22)


def _scale(values: Sequence[float], share: float, base: float, left: float, right: float) -> tuple[Frame, list[str]]:
    """Return a frame that is a little wider than the values, and its round numbers with lines down to a base."""
    low, high = min(values), max(values)
    pad = max((high - low) * share, 0.005, 1e-6 * abs(low))  # of large numbers, as much as makes a difference
    frame, drawn = Frame((low - pad, high + pad), left=left, right=right), []
    for tick in round_numbers(low - pad, high + pad):
        x = frame.x(tick)
        drawn.append(element("line", x1=x, x2=x, y1=4.0, y2=base, class_="gridline"))
        drawn.append(text(x, base + 15, f"{tick:.4g}", class_="tick", text_anchor="middle"))
    return frame, drawn


def _dot_and_whisker(frame: Frame, measured: Measured, y: float, method: int) -> list[str]:
    """Draw a dot and, where known, the interval around it with end strokes."""
    drawn, color = [], f"m{method % 8}"
    if isfinite(measured.low):
        x1, x2 = frame.x(measured.low), frame.x(measured.high)
        drawn = [element("line", x1=x1, x2=x2, y1=y, y2=y, class_=f"whisker {color}")]
        drawn += [element("line", x1=x, x2=x, y1=y - 4, y2=y + 4, class_=f"whisker {color}") for x in (x1, x2)]
    if isfinite(measured.value):
        drawn.append(marker(method, frame.x(measured.value), y, class_=f"dot {color}"))
    return drawn


def _in_words(measured: Measured) -> str:
    return f"{number(measured.value)} ({number(measured.low)} to {number(measured.high)})"


def dot_plot(rows: Sequence[tuple[str, Sequence[float | None]]], label: str) -> str:
    """Draw values of methods by data set on one scale: one row per data set, one mark per method."""
    known = [v for _, values in rows for v in values if v is not None and v == v]
    if not known:
        return ""
    base = DOT_ROW * len(rows) + 6
    frame, drawn = _scale(known, 0.06, base, left=6, right=10)
    for k, (name, values) in enumerate(rows):
        y = DOT_ROW * k + 28
        found = [frame.x(v) for v in values if v is not None and v == v]
        drawn.append(text(frame.left, y - 13, name, class_="label halo"))
        if found:
            drawn.append(element("line", x1=min(found), x2=max(found), y1=y, y2=y, class_="axis"))
        for m, value in enumerate(values):
            if value is not None and value == value:
                drawn.append(marker(m, frame.x(value), y, 5, class_=f"dot m{m % 8}"))
    drawn.append(text(WIDTH / 2, base + 31, label, class_="label", text_anchor="middle"))
    in_words = "; ".join(
        f"{name}: {', '.join('–' if v is None else f'{v:.3f}' for v in values)}" for name, values in rows
    )
    return picture(drawn, f"{label} by data set. {in_words}", height=base + 38)


def round_numbers(low: float, high: float) -> list[float]:
    """Return three to six round numbers between two."""
    step = 10.0 ** floor(log10(max(high - low, 1e-9)))
    step = next(step * f for f in (0.1, 0.2, 0.5, 1, 2) if (high - low) / (step * f) <= 5)
    return [round(k * step, 10) for k in range(ceil(low / step), floor(high / step) + 1)]


def method_sign(method: int) -> str:
    """Draw the line and the shape of a method, for a key."""
    line = polyline([(1, 7), (27, 7)], class_=f"line m{method % 8}", stroke_dasharray=DASHES[method % 8])
    inner = line + marker(method, 14, 7, class_=f"dot m{method % 8}")
    return element("svg", inner, class_="sign", viewBox="0 0 28 14", aria_hidden="true")
