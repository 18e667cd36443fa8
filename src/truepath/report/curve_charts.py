"""Charts with lines: precision against recall, thresholds, calibration, levels; each from numbers to SVG text."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, log10

import numpy as np

from truepath.report.chart_parts import DASHES, WIDTH, Frame, marker, picture, polyline
from truepath.report.charts import round_numbers
from truepath.report.curves import Calibration, Curves
from truepath.report.profile import Level
from truepath.svg import element, text

TENTHS = [(0.0, "0"), (0.25, ".25"), (0.5, ".5"), (0.75, ".75"), (1.0, "1")]
#: Ratios, what they are called, and the number of their style
RATIOS = (("precision", "precision", 1), ("recall", "recall", 2), ("f1", "F1", 0))


def precision_recall_chart(curves: Sequence[Curves | None], points: Sequence[tuple[float, float]]) -> str:
    """Draw all methods' pooled curves, the point (recall, precision) of their labels, and lines of equal F1."""
    frame = Frame((0, 1), (0, 1), "recall: share of true labels found", "precision", TENTHS, TENTHS, height=300)
    drawn = frame.axes()
    for f1 in (0.2, 0.4, 0.6, 0.8):
        line = [(frame.x(r), frame.y(f1 * r / (2 * r - f1))) for r in np.linspace(f1 / (2 - f1), 1, 40)]
        drawn.append(polyline(line, class_="iso"))
        drawn.append(text(frame.x(1) - 2, line[-1][1] - 3, f"F1 {f1}", class_="faint", text_anchor="end"))
    for k, (curve, point) in enumerate(zip(curves, points)):
        traced = () if curve is None else zip(curve.recall, curve.precision)
        drawn.append(frame.series(k, traced, [point], 5.5))
    return picture(drawn, "Precision against recall as the threshold falls, all labels pooled", height=300)


def threshold_chart(curves: Curves, threshold: float | None) -> str:
    """Draw precision, recall and F1 against one threshold for all labels, and the threshold used."""
    grid, best = curves.threshold, int(np.argmax(curves.at_f1))
    domain = (float(grid[0]), float(grid[-1]))
    ticks = TENTHS if domain == (0, 1) else [(t, f"{t:g}") for t in round_numbers(*domain)]
    frame = Frame(domain, (0, 1), "threshold on the score", "share", ticks, TENTHS, right=66, height=300)
    drawn = frame.axes()
    values = {"precision": curves.at_precision, "recall": curves.at_recall, "f1": curves.at_f1}
    lines = {key: [(x, y) for x, y in zip(grid, of) if isfinite(y)] for key, of in values.items()}
    drawn += _ratio_lines(frame, lines)
    if threshold is not None and domain[0] <= threshold <= domain[1]:
        x = frame.x(threshold)
        drawn.append(element("line", x1=x, x2=x, y1=frame.y(0), y2=frame.y(1), class_="rule"))
        anchor, shift = ("start", 4.0) if x < WIDTH / 2 else ("end", -4.0)
        used = f"used: {threshold:.2f}"
        drawn.append(text(x + shift, frame.y(0) - 6, used, class_="value halo", text_anchor=anchor))
    x, y = frame.x(grid[best]), frame.y(curves.at_f1[best])
    drawn.append(marker(0, x, y, class_="dot ratio0"))
    side = ("end", -7.0) if grid[best] > np.mean(domain) else ("start", 7.0)
    said = f"best F1 {curves.at_f1[best]:.2f} at {grid[best]:.2f}"
    drawn.append(text(x + side[1], y - 8, said, class_="value halo", text_anchor=side[0]))
    return picture(drawn, f"Precision, recall and F1 by threshold; {said}", height=300)


def _ratio_lines(frame: Frame, lines: dict[str, list[tuple[float, float]]], dots: bool = False) -> list[str]:
    """Draw precision, recall and F1, each with its name at its right end; names that overlap are moved apart."""
    drawn, wanted = [], []
    for key, label, style in RATIOS:
        points = [(frame.x(x), frame.y(y)) for x, y in lines[key]]
        if not points:
            continue
        drawn.append(polyline(points, class_=f"line ratio{style}", stroke_dasharray=DASHES[style]))
        if dots:
            drawn += [marker(style, x, y, 3.5, class_=f"dot ratio{style}") for x, y in points]
        wanted.append((points[-1][1], label, style))
    x = WIDTH - frame.right + 6
    for y, label, style in _apart(wanted, lowest=frame.y(frame.y_domain[0]) - 4):
        drawn.append(text(x, y + 4, label, class_=f"name ratio{style}"))
    return drawn


def _apart(wanted: list[tuple[float, str, int]], lowest: float, gap: float = 14) -> list[tuple[float, str, int]]:
    """Move labels until none covers another: down from the top, then up from the bottom of the chart."""
    placed = sorted(wanted)
    for k in range(1, len(placed)):
        placed[k] = (max(placed[k][0], placed[k - 1][0] + gap), *placed[k][1:])
    for k in reversed(range(len(placed))):
        room = lowest if k == len(placed) - 1 else placed[k + 1][0] - gap
        placed[k] = (min(placed[k][0], room), *placed[k][1:])
    return placed


def calibration_chart(calibration: Calibration) -> str:
    """Draw the share of true cells against the score, and below it how many cells each score has."""
    frame = Frame((0, 1), (0, 1), "", "share that is true", TENTHS, TENTHS, bottom=98, height=300)
    drawn = frame.axes()
    drawn.append(polyline([(frame.x(0), frame.y(0)), (frame.x(1), frame.y(1))], class_="iso"))
    drawn.append(text(frame.x(0.03), frame.y(0.93), "above the line: scores too low", class_="faint"))
    drawn.append(text(frame.x(0.98), frame.y(0.05), "below: scores too high", class_="faint", text_anchor="end"))
    known = [k for k in range(calibration.counts.size) if calibration.counts[k]]
    points = [(frame.x(calibration.score[k]), frame.y(calibration.share[k])) for k in known]
    drawn.append(polyline(points, class_="line ratio0"))
    drawn += [marker(0, x, y, class_="dot ratio0") for x, y in points]
    base, tall = 282.0, 44.0
    top = log10(max(int(calibration.counts.max()), 1) + 1)
    for k in known:
        count = int(calibration.counts[k])
        height = tall * log10(count + 1) / top
        x1, x2 = frame.x(calibration.edges[k]) + 1.5, frame.x(calibration.edges[k + 1]) - 1.5
        drawn.append(element("rect", x=x1, y=base - height, width=x2 - x1, height=height, class_="bar"))
        drawn.append(text((x1 + x2) / 2, base - height - 3, _thousands(count), class_="small", text_anchor="middle"))
    drawn.append(text(frame.x(0.5), 297, "score; bars: cells (log)", class_="label", text_anchor="middle"))
    return picture(drawn, "Share of true cells by score", height=300)


def _thousands(count: int) -> str:
    if count >= 1_000_000:
        return f"{count / 1e6:.1f}M"
    return f"{count / 1000:.0f}k" if count >= 10_000 else f"{count / 1000:.1f}k" if count >= 1000 else str(count)


def level_chart(levels: Sequence[Level]) -> str:
    """Draw one method's precision, recall and F1 by depth."""
    frame = _level_frame(levels)
    lines = {key: [(float(v.depth), r) for v in levels if isfinite(r := getattr(v, key))] for key, _, _ in RATIOS}
    return picture([*frame.axes(), *_ratio_lines(frame, lines, dots=True)], "Precision, recall and F1 by depth")


def levels_by_method(by_method: Sequence[Sequence[Level]]) -> str:
    """Draw every method's F1 by depth."""
    frame = _level_frame(by_method[0], right=14, y_label="F1")
    drawn = frame.axes()
    for k, levels in enumerate(by_method):
        points = [(v.depth, v.f1) for v in levels if isfinite(v.f1)]
        drawn.append(frame.series(k, points, points, 4))
    return picture(drawn, "F1 by depth, one line per method")


def _level_frame(levels: Sequence[Level], right: float = 66, y_label: str = "share") -> Frame:
    height = len(levels)
    every = 1 + (height - 1) // 12
    ticks = [(float(d), str(d)) for d in range(1, height + 1, every)]
    domain = (0.7, height + 0.3) if height > 1 else (0.0, 2.0)
    return Frame(domain, (0, 1), "depth in the hierarchy (1 = top)", y_label, ticks, TENTHS, right=right)
