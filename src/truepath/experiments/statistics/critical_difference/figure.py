"""Critical-difference diagrams (Demšar 2006, figure 1) with matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truepath.experiments.statistics.critical_difference.layout import Layout, lay_out
from truepath.extras import import_extra

if TYPE_CHECKING:
    from truepath.experiments.statistics.compare import MethodComparison

__all__ = ["critical_difference_diagram"]

#: Heights in rows of text: from the axis to the first bar, from bar to bar, from the last bar to the first name
TO_BARS, BETWEEN_BARS, TO_NAMES = 0.55, 0.45, 0.75
ROW_INCHES = 0.24
AXIS_INCHES = 3.6


def critical_difference_diagram(comparison: MethodComparison, ax: Any = None, *, test: str | None = None) -> Any:
    """Draw mean ranks on a line, with a bar over methods that do not differ significantly.

    Parameters
    ----------
    comparison : MethodComparison
        From :func:`compare`.
    ax : matplotlib axes, optional
        By default those of a new figure with space for all names.
    test : {"nemenyi", "wilcoxon"}, optional
        The test whose groups the bars show: Nemenyi's by default, Wilcoxon's (with Holm) for two methods.

    Returns
    -------
    ax : matplotlib axes

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> import numpy as np
    >>> from truepath.experiments import compare, critical_difference_diagram
    >>> accuracy = np.random.default_rng(0).random((12, 4)) + [0, 0, 0.3, 0.6]
    >>> ax = critical_difference_diagram(compare(accuracy, greater_is_better=True))
    """
    layout = lay_out(comparison, test)
    middle = 0.5
    if ax is None:
        ax, middle = _new_axes(layout)
    top, bottom = -2.9 if layout.critical_difference else -1.5, _row(layout, layout.n_rows - 1) + 1.6
    ax.set(xlim=(layout.low, layout.high), ylim=(bottom, top))
    ax.set_axis_off()
    _draw_axis(ax, layout)
    for bar in layout.bars:
        y = TO_BARS + BETWEEN_BARS * bar.level
        pad = 0.012 * (layout.high - layout.low)
        ax.plot([bar.first - pad, bar.last + pad], [y, y], color="black", lw=4, solid_capstyle="butt", clip_on=False)
    _draw_stems(ax, layout)
    ax.text(middle, 0.0, layout.caption, transform=ax.transAxes, ha="center", va="bottom", fontsize="small")
    return ax


def _row(layout: Layout, row: int) -> float:
    """Return how far below the axis a name is."""
    return TO_BARS + BETWEEN_BARS * layout.n_levels + TO_NAMES + row


def _new_axes(layout: Layout) -> tuple[Any, float]:
    """Make a figure whose margins hold the longest names; return its axes and where its middle is in them."""
    plt = import_extra("matplotlib.pyplot", "Drawing ranks", "report")
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    font = FontProperties(size=plt.rcParams["font.size"])

    def inches(text: str) -> float:
        return float(TextPath((0, 0), text, prop=font).get_extents().width) / 72 if text.strip() else 0.0

    margins = [
        0.55 + max((inches(f"{s.name}  {s.rank:.2f}") for s in layout.stems if s.left == left), default=0.0)
        for left in (True, False)
    ]
    height = ROW_INCHES * (_row(layout, layout.n_rows - 1) + 4.2)
    width = max(AXIS_INCHES + sum(margins), 0.3 + 0.9 * inches(layout.caption))
    left = margins[0] + (width - AXIS_INCHES - sum(margins)) / 2
    figure = plt.figure(figsize=(width, height))
    axes = figure.add_axes((left / width, 0.02, AXIS_INCHES / width, 0.96))
    return axes, (width / 2 - left) / AXIS_INCHES


def _draw_axis(ax: Any, layout: Layout) -> None:
    ax.plot([layout.low, layout.high], [0, 0], color="black", lw=1.2, clip_on=False)
    for tick in range(layout.low, layout.high + 1):
        long = tick in layout.ticks
        ax.plot([tick, tick], [0, -0.35 if long else -0.2], color="black", lw=1, clip_on=False)
        if long:
            ax.text(tick, -0.5, str(tick), ha="center", va="bottom")
    if layout.critical_difference:
        _draw_distance(ax, layout)


def _draw_distance(ax: Any, layout: Layout) -> None:
    """Show the critical difference as a length beside the axis, from rank 1 on."""
    end = layout.low + (layout.critical_difference or 0.0)
    ax.plot([layout.low, end], [-1.85, -1.85], color="black", lw=1.2, clip_on=False)
    for x in (layout.low, end):
        ax.plot([x, x], [-2.0, -1.7], color="black", lw=1.2, clip_on=False)
    middle = (layout.low + end) / 2
    ax.text(middle, -2.05, f"CD = {layout.critical_difference:.2f}", ha="center", va="bottom", fontsize="small")


def _draw_stems(ax: Any, layout: Layout) -> None:
    """Draw a line from each mean rank down to its row and out to its name."""
    span = layout.high - layout.low
    for stem in layout.stems:
        y = _row(layout, stem.row)
        side = layout.low - 0.04 * span if stem.left else layout.high + 0.04 * span
        ax.plot([stem.rank, stem.rank, side], [0, y, y], color="0.35", lw=0.9, clip_on=False)
        ax.plot(stem.rank, 0, "o", color="black", ms=3.5, clip_on=False)
        x = layout.low - 0.06 * span if stem.left else layout.high + 0.06 * span
        label = f"{stem.name}  {stem.rank:.2f}" if stem.left else f"{stem.rank:.2f}  {stem.name}"
        ax.text(x, y, label, ha="right" if stem.left else "left", va="center")
