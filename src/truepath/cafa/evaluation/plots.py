"""Curves of evaluations as a figure: one panel per aspect, one line per file of predictions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from truepath.extras import import_extra

if TYPE_CHECKING:
    from truepath.cafa.evaluation.results import Evaluation

#: What is drawn against what, and which end of it is best
AXES = {
    "f": ("recall", "precision", False),
    "micro_f": ("micro_recall", "micro_precision", False),
    "s": ("remaining_uncertainty", "misinformation", True),
}


def plot_evaluations(
    found: Mapping[str, Evaluation], quantity: str = "f", *, weighted: bool | None = None, axes: Any = None
) -> Any:
    """Draw the curves of evaluations, one panel per aspect (needs matplotlib).

    Parameters
    ----------
    found : mapping of str to Evaluation
        Evaluations by name; the names are shown in the legend with their best values.
    quantity : {"f", "micro_f", "s"}, default="f"
        Precision and recall, the same counted over all pairs, or misinformation and remaining uncertainty.
    weighted : bool, optional
        Whether terms are weighted by information; by default so for ``"s"`` if all evaluations have weights.
    axes : sequence of matplotlib axes, optional

    Returns
    -------
    axes : ndarray of matplotlib axes, one per aspect
    """
    if quantity not in AXES:
        raise ValueError(f"quantity must be one of {', '.join(AXES)}; got {quantity!r}.")
    across, up, least = AXES[quantity]
    has_weights = all(evaluation.weighted for evaluation in found.values())
    is_weighted = (quantity == "s" and has_weights) if weighted is None else weighted
    aspects = list(dict.fromkeys(aspect for evaluation in found.values() for aspect in evaluation.curves))
    if axes is None:
        plt = import_extra("matplotlib.pyplot", "Drawing curves", "report")

        _, grid = plt.subplots(1, max(len(aspects), 1), figsize=(4.2 * max(len(aspects), 1), 4), squeeze=False)
        axes = grid[0]
    for ax, aspect in zip(axes, aspects):
        for name, evaluation in found.items():
            curve = (evaluation.weighted if is_weighted else evaluation.curves).get(aspect)
            if curve is None or not curve.thresholds.size:
                continue
            best = curve.best(quantity, least=least)
            said = f"{name} {quantity}{'min' if least else 'max'} {best[quantity]:.3f}".strip()
            (line,) = ax.plot(curve.values[across], curve.values[up], label=said)
            ax.plot(best[across], best[up], "o", color=line.get_color())
        ax.set(title=aspect.replace("_", " "), xlabel=across.replace("_", " "), ylabel=up.replace("_", " "))
        ax.legend(fontsize="small")
    return np.asarray(axes)
