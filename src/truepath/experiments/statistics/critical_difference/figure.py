"""Critical-difference diagrams (Demšar 2006, figure 1) with matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truepath.experiments.statistics.critical_difference.drawing import draw_ranks
from truepath.extras import import_extra

if TYPE_CHECKING:
    from truepath.experiments.statistics.compare import MethodComparison

#: Points per pixel of a drawing, of lengths and of the font: letters are narrower than the drawing allows for
POINTS, FONT_POINTS = 0.8, 0.7
ALIGNED = {"start": "left", "middle": "center", "end": "right"}


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
    drawing = draw_ranks(comparison, test)
    if ax is None:
        plt = import_extra("matplotlib.pyplot", "Drawing ranks", "report")
        size = (drawing.width * POINTS / 72, drawing.height * POINTS / 72)
        ax = plt.figure(figsize=size).add_axes((0.0, 0.0, 1.0, 1.0))
    ax.set(xlim=(0.0, drawing.width), ylim=(drawing.height, 0.0))
    ax.set_axis_off()
    for line in drawing.lines:
        ax.plot(*zip(*line.points), "k-", lw=line.width * POINTS, solid_capstyle="butt", clip_on=False)
    ax.plot(*zip(*drawing.dots), "ko", ms=3.5, clip_on=False)
    for text in drawing.texts:
        ax.text(*text.at, text.content, ha=ALIGNED[text.anchor], va="center", fontsize=text.size * FONT_POINTS)
    return ax
