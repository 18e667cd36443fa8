"""SureLabels: labels that are all true with a chosen probability; where it is unsure, a more general label."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath.combiners.base import transform_densely
from truepath.decoders.base import Decoder, HeldOutScores
from truepath.decoders.conformal.base import check_share
from truepath.decoders.conformal.promise import Promise
from truepath.decoders.leaves.steps import walk_best
from truepath.decoders.thresholds.threshold import apply_thresholds
from truepath.held import a_number, flag, holds, numbers
from truepath.hierarchy import Hierarchy, cap_down, raise_up
from truepath.hierarchy.matrices import dense_blocks
from truepath.parameters import check_flag


@holds(
    coverage=a_number(0, 1), single_path=flag, highest_false_=numbers("k", least=-np.inf), weight_=numbers("k", least=0)
)
class SureLabels(Decoder):
    """Predict labels that are all true with the probability ``coverage``, as many as that allows.

    Parameters
    ----------
    coverage : float, default=0.9
        The probability that no predicted label is wrong. It may be changed after ``fit``.
    hierarchy : Hierarchy, optional
        None means a flat label set.
    single_path : bool, default=False
        Whether to predict a part of one path: from the top, always the child that scores best, down to where it is no
        longer sure. The true label of a row then is the last label or below it, with the probability ``coverage``.
        On a DAG the last label comes with all its ancestors, those off the path too.

    Attributes
    ----------
    hierarchy_ : Hierarchy
    highest_false_ : ndarray of float
        The highest score of a false label in each held-out row, ascending.
    weight_ : ndarray of float
        The weights of these rows.

    See Also
    --------
    ConformalSet : all true labels are in the set, instead of all labels of the set being true.
    StoppingPath : stops by stated costs instead of a probability.

    Notes
    -----
    Labels that score above the k-th smallest of the rows' highest false scores are predicted, k = ceil(coverage
    (n + 1)); none, if there are too few held-out rows for that. Of equal scores all are above the level or none, so
    ties cost labels, never the guarantee. Scores are capped by those of the ancestors; with ``single_path`` a label of
    the path keeps its own, an ancestor off the path takes that of the first label below it on the path, and the others
    score 0: so what is above a level is closed. Sparse scores become dense with ``single_path``.

    Examples
    --------
    >>> import numpy as np
    >>> from truepath import Hierarchy
    >>> from truepath.decoders import SureLabels
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> S = [[0.9, 0.5, 0.4, 0.1, 0.1], [0.6, 0.5, 0.1, 0.4, 0.4], [0.8, 0.7, 0.1, 0.2, 0.2]]
    >>> decoder = SureLabels(0.7, hierarchy=h).fit(S, h.encode([["a/2"], ["a/1"], ["a/1"]]))
    >>> h.decode(decoder.predict(S))
    [('a',), ('a',), ('a/1',)]
    """

    name = "conformal-sure"
    summary = "labels that are all true with a chosen probability, general ones where it is unsure"
    learns_from = "held-out scores and labels"
    conditions_scores = False

    def __init__(self, coverage: float = 0.9, *, hierarchy: Hierarchy | None = None, single_path: bool = False):
        self.coverage = coverage
        self.hierarchy = hierarchy
        self.single_path = single_path

    @property
    def promise(self) -> Promise:
        """What is promised of label sets."""
        return Promise("sure", self.coverage)

    @property
    def thresholds_(self) -> NDArray[np.float64]:
        """What the score of each label has to exceed."""
        wanted = check_share("coverage", self.coverage)
        total = np.cumsum(self.weight_)
        place = np.searchsorted(total, wanted * (total[-1] + 1) - 1e-9)
        level = self.highest_false_[place] if place < total.size else np.inf
        return np.full(self.hierarchy_.n_nodes, level, np.float64)

    def _correct(self, S: Any, hierarchy: Hierarchy) -> Any:
        capped = cap_down(S, hierarchy)
        if not self.single_path:
            return capped
        return transform_densely(lambda rows: best_path_scores(rows, hierarchy), capped)

    def _check_parameters(self) -> None:
        check_share("coverage", self.coverage)
        check_flag(self, "single_path")

    def _learn(self, given: HeldOutScores) -> None:
        highest = np.zeros(given.S.shape[0])
        for rows, (scores, true) in dense_blocks(given.S, given.y):
            highest[rows] = np.where(true, -np.inf, scores).max(axis=1)
        order = np.argsort(highest, kind="stable")
        self.highest_false_, self.weight_ = highest[order], given.weight[order]

    def _label(self, S: Any, hierarchy: Hierarchy) -> Any:
        return apply_thresholds(S, np.maximum(self.thresholds_, 0.0))


def best_path_scores(S: np.ndarray, hierarchy: Hierarchy) -> np.ndarray:
    """Return the scores of the path that takes the best child at each step, of equals the first; 0 elsewhere.

    An ancestor off the path, as DAGs have, takes the best score below it.
    """
    steps = walk_best(S, hierarchy)
    rows, labels = np.nonzero(steps >= 0)[0], steps[steps >= 0]
    kept = np.zeros_like(S)
    kept[rows, labels] = S[rows, labels]
    return kept if hierarchy.is_tree else np.asarray(raise_up(kept, hierarchy))
