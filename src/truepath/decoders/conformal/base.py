"""What conformal decoders share: nested label sets, one for each level of a score; held-out rows choose the level.

A label is in the set if its score, capped by its ancestors', is at least the level; a lower level gives a larger set.
Labels of equal scores come in the order of their mean held-out scores, the likelier first: where many scores are equal,
0 in particular, sets grow label by label instead of all at once.
What each held-out row loses at which level is kept, sorted, so that the target may be changed after ``fit``.

The guarantee holds for rows that are exchangeable with the held-out ones, scored by the same model: on average over
held-out sets of this size, the target is met, whatever the data and however bad the scores. Better scores give smaller
sets.

References
----------
Vovk, V., Gammerman, A. & Shafer, G. (2005). Algorithmic learning in a random world. Springer.
Angelopoulos, A. N., Bates, S., Fisch, A., Lei, L. & Schuster, T. (2024). Conformal risk control. ICLR.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from truepath.decoders.base import Decoder, HeldOutScores
from truepath.decoders.thresholds.threshold import apply_thresholds
from truepath.hierarchy import Hierarchy, cap_down, raise_up
from truepath.records import Record

Floats = NDArray[np.float64]

#: Scores that differ by less than this count as equal, and what rounding may do to a sum of two
TIE_SCALE = 1e-6
SLACK = 1e-13


class ConformalDecoder(Decoder):
    """Base of the decoders that include what scores at least a level; a member says which level each label needs."""

    learns_from = "held-out scores and labels"

    usual_: Floats

    @property
    def thresholds_(self) -> Floats:
        """What the score of each label has to exceed."""
        return self._levels() - self.usual_ - SLACK

    def _rank(self, given: HeldOutScores) -> None:
        """Keep what decides between labels of equal scores: the mean held-out score, on a small scale."""
        self.usual_ = TIE_SCALE * np.asarray(given.S.mean(axis=0), np.float64).ravel()

    def _levels(self) -> Floats | float:
        """Return the least score of each label that is in the set; minus infinity if it always is."""
        raise NotImplementedError

    def _correct(self, S: Any, hierarchy: Hierarchy) -> Any:
        return cap_down(S, hierarchy)

    def _label(self, S: Any, hierarchy: Hierarchy) -> Any:
        return raise_up(apply_thresholds(S, self.thresholds_), hierarchy)


@Record.enter("truepath.decoders")
class RiskSteps(NamedTuple):
    """The mean loss of held-out rows as a function of the level, a staircase.

    Attributes
    ----------
    level : ndarray of float
        Scores, ascending, at which the loss grows: labels of this score are missed at higher levels.
    risk : ndarray of float
        The mean loss at a level just above.
    weight : float
        How many rows it is the mean of.
    """

    level: Floats
    risk: Floats
    weight: float

    @classmethod
    def of(cls, level: Floats, loss: Floats, weight: float) -> RiskSteps:
        """Make the staircase of losses that come at some levels."""
        order = np.argsort(level, kind="stable")
        risk = np.cumsum(loss[order]) / max(weight, 1e-300)
        last = np.flatnonzero(np.diff(level[order], append=np.inf) > 0)
        return cls(level[order][last], risk[last], float(weight))

    def highest_level(self, target: float) -> float:
        """Return the highest level whose risk, one more row of loss 1 counted in, is at most the target.

        Minus infinity where even an ideal score is too risky, infinity where the target needs no label at all.
        """
        allowed = target * (self.weight + 1) - 1
        if allowed < -ROUNDING:
            return -np.inf
        first = np.searchsorted(self.risk * self.weight, allowed + ROUNDING, side="right")
        return float(self.level[first]) if first < self.level.size else np.inf


#: Sums of losses that differ by less are equal
ROUNDING = 1e-9


def check_share(name: str, value: Any) -> float:
    """Return a share strictly between 0 and 1."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.floating)) or not 0 < value < 1:
        raise ValueError(f"{name} must be a number between 0 and 1, such as 0.9; got {value!r}.")
    return float(value)
