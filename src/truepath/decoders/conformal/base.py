r"""What conformal decoders share: nested label sets, one for each level of a score; held-out rows choose the level.

A label is in the set if its score, capped by its ancestors', is at least the level; a lower level gives a larger set.
Of labels that score the same, the one with the greater *total* comes first, the sum of its scores over all rows: where
many scores are equal, 0 in particular, sets grow label by label instead of all at once.
What each held-out row loses at which level is kept, sorted, so that the target may be changed after ``fit``.

The guarantee holds for rows that are exchangeable with the held-out ones, scored by the same model: on average over
held-out sets of this size, the target is met, whatever the data and however bad the scores. Better scores give smaller
sets.

*Why, ties included.* Let rows 1 to n be held out and row 0 be new, :math:`s_{iv}` the scores, and :math:`U_v =
\sum_{i=0}^n \phi(s_{iv})` with :math:`\phi \ge 0` the totals over all n + 1 rows. A row's sets C, one for each level,
are made of its own scores and U, and never shrink as U grows: here :math:`C_\lambda(i) = \{v : (s_{iv}, U_v) \ge
\lambda\}`, pairs being ordered by the score, then the total. The loss L of a row is at most 1 and never falls as its
set shrinks. U is the same whatever the order of the n + 1 rows, so their losses are exchangeable, and the highest level
with

.. math:: \sum_{i=1}^n L_i(\lambda) + 1 \le \alpha (n + 1)

has an expected loss of at most :math:`\alpha` on row 0 (Angelopoulos et al., theorem 1; for coverage the loss is 1 if
a true label is missed, else 0). That level depends on the new row. We leave the new row out of the totals of the rows
that choose the level, :math:`U_v - \phi(s_{0v}) \le U_v`: their sets are no larger, their losses no smaller, so the
level found is no higher. The set of the new row is made with U itself, so it holds the set of the theorem, and loses no
more. All of it is known after ``fit`` but the new row's own part: a label that scores just the level is in the set if
its held-out total plus :math:`\phi` of that score reaches the level's total.

Without the own part the guarantee would fail: a held-out row is in the totals it is judged by, a new one is not, and
the labels of rare kinds that only it scores would come last.

With one level per group of labels the same holds among the rows that have a label of the group. Weights of at most 1
that do not depend on the rows keep the guarantee too (Barber et al., theorem 2; totals do not take weights, and so stay
the same whatever the order). Greater weights count as repetitions: what holds then holds for rows repeated like this.

References
----------
Vovk, V., Gammerman, A. & Shafer, G. (2005). Algorithmic learning in a random world. Springer.
Angelopoulos, A. N., Bates, S., Fisch, A., Lei, L. & Schuster, T. (2024). Conformal risk control. ICLR.
Barber, R. F., Candès, E. J., Ramdas, A. & Tibshirani, R. J. (2023). Conformal prediction beyond exchangeability.
Annals of Statistics 51.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from truepath.decoders.base import Decoder
from truepath.decoders.thresholds.threshold import apply_thresholds
from truepath.held import a_number, holds, numbers
from truepath.hierarchy import Hierarchy, cap_down, raise_up
from truepath.hierarchy.matrices import dense_blocks
from truepath.parameters import SHARE, check_in
from truepath.records import Record

Floats = NDArray[np.float64]

#: Totals count scores in steps of one such part: sums are exact, whatever the order of the rows
STEPS = float(1 << 20)
#: Sums of losses that differ by less are equal
ROUNDING = 1e-9


class SetLevel(NamedTuple):
    """The least score, and of that score the least total, of a label in the set; one for all, or one for each label."""

    score: Any
    total: Any

    def thresholds(self, totals: Floats) -> Floats:
        """Return what the score of each label has to exceed in a new row, whose own score counts in its total."""
        reached = totals + _counted(self.score) >= self.total
        return np.where(reached, np.nextafter(self.score, -np.inf), self.score)


class ConformalDecoder(Decoder):
    """Base of the decoders that include what scores at least a level; a member says which level each label needs."""

    learns_from = "held-out scores and labels"
    conditions_scores = False

    totals_: Floats

    @property
    def thresholds_(self) -> Floats:
        """What the score of each label has to exceed."""
        return self._level().thresholds(self.totals_)

    def _level(self) -> SetLevel:
        """Return the level for the present target; minus infinity where a label is in every set."""
        raise NotImplementedError

    def _correct(self, S: Any, hierarchy: Hierarchy) -> Any:
        return cap_down(S, hierarchy)

    def _label(self, S: Any, hierarchy: Hierarchy) -> Any:
        return raise_up(apply_thresholds(S, self.thresholds_), hierarchy)


def add_scores(S: Any, weight: Floats) -> Floats:
    """Return the total score of each label over the rows of some weight."""
    S = S[weight > 0]
    if sparse.issparse(S):
        return np.asarray(sparse.csr_array((_counted(S.data), S.indices, S.indptr), S.shape).sum(axis=0)).ravel()
    return sum((_counted(scores).sum(axis=0) for _, (scores,) in dense_blocks(S)), np.zeros(S.shape[1]))


def _counted(S: ArrayLike) -> Floats:
    """Return what scores add to totals: themselves between 0 and 1, in steps."""
    return np.asarray(np.rint(np.clip(np.asarray(S, np.float64), 0, 1) * STEPS) / STEPS)


@Record.enter("truepath.decoders")
@holds(score=numbers("k"), total=numbers("k"), risk=numbers("k"), weight=a_number(0))
class RiskSteps(NamedTuple):
    """The mean loss of held-out rows as a function of the level, a staircase.

    Attributes
    ----------
    score, total : ndarray of float
        The levels, ascending, at which the loss grows: labels of this score and total are missed at higher levels.
    risk : ndarray of float
        The mean loss at a level just above.
    weight : float
        How many rows it is the mean of.
    """

    score: Floats
    total: Floats
    risk: Floats
    weight: float

    @classmethod
    def of(cls, score: Floats, total: Floats, loss: Floats, weight: float) -> RiskSteps:
        """Make the staircase of losses that come at some levels."""
        order = np.lexsort((total, score))
        score, total = score[order], total[order]
        risk = np.cumsum(loss[order]) / max(weight, 1e-300)
        is_last = (np.diff(score, append=np.inf) > 0) | (np.diff(total, append=np.inf) != 0)
        return cls(score[is_last], total[is_last], risk[is_last], float(weight))

    def highest_level(self, target: float) -> SetLevel:
        """Return the highest level whose risk, one more row of loss 1 counted in, is at most the target.

        Minus infinity where even an ideal score is too risky, infinity where the target needs no label at all.
        """
        allowed = target * (self.weight + 1) - 1
        if allowed < -ROUNDING:
            return SetLevel(-np.inf, -np.inf)
        first = np.searchsorted(self.risk * self.weight, allowed + ROUNDING, side="right")
        return SetLevel(self.score[first], self.total[first]) if first < self.score.size else SetLevel(np.inf, np.inf)


def check_share(name: str, value: Any) -> float:
    """Return a share strictly between 0 and 1."""
    check_in(name, value, SHARE)
    return float(value)
