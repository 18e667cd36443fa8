"""Where a threshold goes among those that label the scores given alike: to the middle, far from the scores around it.

An objective says nothing between two neighbouring scores. Algorithm 1 of Triguero & Vens takes the lower one, so that
with true labels scored above .95 and false ones below .04 a new row scored .05 gets the label; the middle is .495.
Labels, and so the objective's value on the scores given, stay as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from truepath.decoders.thresholds.curves import Curve
from truepath.hierarchy.matrices import dense_blocks

if TYPE_CHECKING:
    from truepath.hierarchy import Hierarchy

__all__ = ["TIES", "best_threshold", "centre_thresholds", "check_ties"]

TIES = ("midpoint", "published")


def check_ties(ties: str) -> None:
    """Refuse what is not a rule for ties."""
    if ties not in TIES:
        raise ValueError(f"ties must be 'midpoint' or 'published'; got {ties!r}.")


def best_threshold(curve: Curve, ties: str, is_grid: bool = False) -> tuple[float, float]:
    """Return the best threshold of a curve and its value.

    Parameters
    ----------
    curve : Curve
    ties : {"midpoint", "published"}
        The middle of the first best stretch, -inf if that is better than all cut points; or the first best cut point.
    is_grid : bool, default=False
        Whether the curve is known at its cut points only; the middle one of the best stretch is then taken.

    Examples
    --------
    >>> curve = Curve(np.array([0.02, 0.04, 0.95, 0.98]), np.array([0.8, 1.0, 0.5, 0.0]), 0.5, 1, True)
    >>> best_threshold(curve, "midpoint"), best_threshold(curve, "published")
    ((0.495, 1.0), (0.04, 1.0))
    """
    value, first = float(curve.value[curve.best]), curve.best
    if ties == "published":
        return float(curve.threshold[first]), value
    if curve.lowest > value if curve.greater_is_better else curve.lowest < value:
        return -np.inf, float(curve.lowest)
    changed = np.flatnonzero(curve.value[first:] != curve.value[first])
    end = first + int(changed[0]) if changed.size else curve.value.size
    if is_grid:
        return float(curve.threshold[(first + end - 1) // 2]), value
    above = curve.threshold[min(end, curve.value.size - 1)]
    return float(_middle(np.float64(curve.threshold[first]), np.float64(above))), value


def centre_thresholds(t: NDArray[np.float64], S: Any, hierarchy: Hierarchy) -> NDArray[np.float64]:
    """Move one threshold per class to the middle below its class's next score, as far as its children's allow.

    Thresholds that never fall from parent to child stay so; -inf, and a threshold that no score exceeds, stay as well.
    O(cells) time; a block of rows is copied at a time.
    """
    above = np.full(t.size, np.inf)
    for _, (scores,) in dense_blocks(S):
        higher = np.where(scores > t, scores, np.inf)
        np.minimum(above, higher.min(axis=0, initial=np.inf), out=above)
    moved = np.where(np.isfinite(t) & np.isfinite(above), _middle(t, above), t)
    for parent, child in hierarchy.edges[::-1].tolist():  # children before parents
        moved[parent] = min(moved[parent], moved[child])
    return moved


def _middle(low: Any, high: Any) -> Any:
    """Return the middle of two numbers, below the higher one: the lower if there is no number between them."""
    with np.errstate(invalid="ignore"):  # of -inf and inf, where thresholds stay as they are
        middle = (low + high) / 2
    return np.where(middle < high, middle, low)
