"""ConformalSet: label sets that hold all true labels of a row with a chosen probability."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath.decoders.base import HeldOutScores
from truepath.decoders.conformal.base import ConformalDecoder, RiskSteps, SetLevel, add_scores, check_share
from truepath.decoders.conformal.promise import Promise
from truepath.held import a_number, an_object, apart, each, holds, numbers, one_of
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.matrices import dense_blocks
from truepath.parameters import check_choice

PER = ("row", "level", "label")


@holds(
    coverage=a_number(0, 1),
    per=one_of("row", "level", "label"),
    totals_=numbers("n_nodes", least=0),
    steps_=each(apart(an_object(of=("RiskSteps",)))),
)
class ConformalSet(ConformalDecoder):
    """Include every true label with the probability ``coverage``.

    Parameters
    ----------
    coverage : float, default=0.9
        The probability that a set holds all true labels. It may be changed after ``fit``.
    hierarchy : Hierarchy, optional
        None means a flat label set.
    per : {"row", "level", "label"}, default="row"
        For what the probability holds: for all true labels of a row together; for those of each level of the hierarchy,
        among rows that have any there; or for each label, among the rows that have it. A label with fewer than
        coverage / (1 - coverage) held-out rows is then in every set: nothing less could be guaranteed.

    Attributes
    ----------
    hierarchy_ : Hierarchy
    steps_ : list of RiskSteps
        The scores below which held-out rows are missed: of all rows, of each level or of each label.
    totals_ : ndarray, shape (n_nodes,)
        The sum of the held-out scores of each label: of labels that score the same, the likelier comes first.
    thresholds_ : ndarray, shape (n_nodes,)
        What the score of each label has to exceed.

    See Also
    --------
    ConformalSubtree : smaller sets, by what else each label needs.
    SureLabels : labels that are all true with a chosen probability, instead of all true labels.
    ConformalRisk : bounds a loss instead.

    Notes
    -----
    With n held-out rows the k-th smallest of the rows' smallest true scores is the level, k = floor((1 - coverage)
    (n + 1)); coverage is at least the target and, without ties, at most 1 / (n + 1) above it. Weights count as
    repetitions. Scores are capped by those of the ancestors, so that sets are closed; where levels differ, ancestors
    are added. O(n_nodes) per row.

    Examples
    --------
    >>> import numpy as np
    >>> from truepath import Hierarchy
    >>> from truepath.decoders import ConformalSet
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> S = np.array([[0.9, 0.6, 0.3, 0.4, 0.2], [0.5, 0.2, 0.4, 0.5, 0.3], [0.8, 0.7, 0.6, 0.1, 0.1]])
    >>> y = h.encode([["a/1"], ["a/2"], ["a/1"]])
    >>> decoder = ConformalSet(0.75, hierarchy=h).fit(S, y)
    >>> h.decode(decoder.predict(S))
    [('a/1', 'b'), ('a/2', 'b'), ('a/1', 'a/2')]
    """

    name = "conformal"
    summary = "all true labels of a row with a chosen probability"

    def __init__(self, coverage: float = 0.9, *, hierarchy: Hierarchy | None = None, per: str = "row"):
        self.coverage = coverage
        self.hierarchy = hierarchy
        self.per = per

    @property
    def promise(self) -> Promise:
        """What is promised of label sets."""
        return Promise(self.per, self.coverage)

    def _check_parameters(self) -> None:
        check_share("coverage", self.coverage)
        check_choice(self, "per", PER)

    def _learn(self, given: HeldOutScores) -> None:
        self.totals_ = add_scores(given.S, given.weight)
        least = least_true_levels(given.S, given.y, _groups(self.per, given.hierarchy), self.totals_)
        parts = (SetLevel(score, total) for score, total in zip(least.score.T, least.total.T))
        self.steps_ = [steps_of_least(part, given.weight, self.per == "row") for part in parts]

    def check_loaded(self) -> None:
        """Refuse steps from a file that are not one for each group of labels."""
        super().check_loaded()
        if len(self.steps_) != int(_groups(self.per, self.hierarchy_).max(initial=0)) + 1:
            raise ValueError("a group of labels has no steps")

    def _level(self) -> SetLevel:
        missed = 1 - check_share("coverage", self.coverage)
        found = np.array([steps.highest_level(missed) for steps in self.steps_])
        return SetLevel(*found[_groups(self.per, self.hierarchy_)].T)


def _groups(per: str, hierarchy: Hierarchy) -> NDArray[np.int64]:
    """Return the group of each label."""
    if per == "row":
        return np.zeros(hierarchy.n_nodes, np.int64)
    return hierarchy.depth.astype(np.int64) - 1 if per == "level" else np.arange(hierarchy.n_nodes)


def least_true_levels(S: Any, Y: Any, groups: NDArray[np.int64], totals: NDArray[np.float64]) -> SetLevel:
    """Return the level of the last true label of each row and group: score and total; infinity without true labels."""
    score, total = np.full((2, S.shape[0], int(groups.max(initial=0)) + 1), np.inf)
    for rows, (scores, true) in dense_blocks(S, Y if sparse.issparse(Y) else np.asarray(Y)):
        i, v = np.nonzero(true)
        at = i, groups[v]
        np.minimum.at(score[rows], at, scores[i, v])
        is_last = scores[i, v] == score[rows][at]
        np.minimum.at(total[rows], (i[is_last], groups[v[is_last]]), totals[v[is_last]])
    return SetLevel(score, total)


def steps_of_least(least: SetLevel, weight: NDArray[np.float64], count_all: bool) -> RiskSteps:
    """Return the share of rows that are missed at each level, among all or among those with a true label there."""
    has_label = np.isfinite(least.score)
    of_these = weight[has_label]
    return RiskSteps.of(
        least.score[has_label], least.total[has_label], of_these, float((weight if count_all else of_these).sum())
    )
