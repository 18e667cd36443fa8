"""Guards against fitting thresholds to noise in the held-out part: shrinkage, rare classes left alone, midpoints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from truepath.decoders.base import HeldOutScores
    from truepath.hierarchy import Hierarchy

from truepath.decoders.thresholds.curves import middle
from truepath.hierarchy import cap_down
from truepath.hierarchy.matrices import dense_blocks

STRENGTHS = (0.0, 0.25, 0.5, 0.75, 1.0)
Thresholds = NDArray[np.float64]


def shrink_thresholds(t: Thresholds, strength: float, towards: str, single: float, given: HeldOutScores) -> Thresholds:
    """Move thresholds part of the way to the single one, or to their parents' (at the top: to the single one).

    Monotone thresholds stay monotone. -inf counts as the lowest score given once it is moved, and as just below it
    where thresholds are moved towards it.
    """
    if strength == 0:
        return t
    single = max(single, float(np.nextafter(given.S.min(), -np.inf)))
    lowest = min(float(given.S.min()), single)
    t = np.maximum(t, lowest)
    if towards == "single":
        return (1 - strength) * t + strength * single
    shrunk = np.empty_like(t)
    for v in range(t.size):
        parents = given.hierarchy.parents(v)
        target = shrunk[parents].max() if parents.size else single
        shrunk[v] = (1 - strength) * t[v] + strength * target
        shrunk[v] = max(shrunk[v], target) if parents.size else shrunk[v]
    return shrunk


def inherit_rare(t: Thresholds, min_positives: int, single: float, given: HeldOutScores) -> Thresholds:
    """Give classes with few positives their parents' threshold; closed labels make all below them rare, too."""
    positives = np.asarray(given.y.sum(axis=0))
    t = t.copy()
    for v in np.flatnonzero(positives < min_positives).tolist():
        parents = given.hierarchy.parents(v)
        t[v] = t[parents].max() if parents.size else single
    return raise_to_parents(t, given.hierarchy)


def raise_to_parents(t: Thresholds, hierarchy: Hierarchy) -> Thresholds:
    """Raise thresholds, top-down, to the largest of their parents'."""
    return -cap_down(-t[None], hierarchy)[0]


def center_thresholds(t: NDArray[np.float64], S: Any, hierarchy: Hierarchy) -> NDArray[np.float64]:
    """Move one threshold per class to the middle below its class's next score, as far as its children's allow.

    Thresholds that never fall from parent to child stay so; -inf, and a threshold that no score exceeds, stay as well.
    O(cells) time; a block of rows is copied at a time.
    """
    above = np.full(t.size, np.inf)
    for _, (scores,) in dense_blocks(S):
        higher = np.where(scores > t, scores, np.inf)
        np.minimum(above, higher.min(axis=0, initial=np.inf), out=above)
    moved = np.where(np.isfinite(t) & np.isfinite(above), middle(t, above), t)
    for parent, child in hierarchy.edges[::-1].tolist():  # children before parents
        moved[parent] = min(moved[parent], moved[child])
    return moved
