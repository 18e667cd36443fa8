"""H-Ada.MH (Chelmis & Qi 2021): AdaBoost.MH that knows the hierarchy.

Three things are new. The first weights fall with depth, c_v = sum over parents u of c_u / |children(u)| and
w_0(i, v) = c_v / (n sum of c), eq. (5)-(6): a mistake near the root costs more. A weak hypothesis may not say yes below
a no, eq. (7). And the loss that is reported counts a label as wrong when an ancestor is, eq. (2)-(3).

Rule (7) as printed is part of every round, but it makes boosting stall: a weak hypothesis of a rare parent says no
almost everywhere, which turns its children's right votes into wrong ones whatever their stumps learn, until r_t
vanishes. So the place of the rule is a parameter, and by default the rounds are free and the final vote is made
consistent.

References
----------
C. Chelmis, W. Qi. Hierarchical multiclass AdaBoost. IEEE International Conference on Big Data, 2021.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from truepath.held import holds, one_of
from truepath.hierarchy import Hierarchy, cap_down
from truepath.learners.base import fit_made
from truepath.learners.boosting.ada_boost_mh import AdaBoostMH
from truepath.parameters import check_choice


@holds(constraint=one_of("predict", "train", "both"))
class HAdaBoostMH(AdaBoostMH):
    """Hierarchical AdaBoost.MH.

    Parameters
    ----------
    estimator : "stump" or scikit-learn classifier, default="stump"
        As in :class:`AdaBoostMH`.
    hierarchy : Hierarchy, optional
        A tree or a DAG. None takes Y as flat, or as label paths that make a tree.
    n_estimators : int, default=200
        The number of rounds, at most: a perfect round or one without an edge ends the training.
    constraint : {"predict", "train", "both"}, default="predict"
        Where consistency is enforced. "train" is the paper's Algorithm 1 to the letter: rule (7) clips every weak
        hypothesis, in training and in the final vote. "predict" trains freely and makes the final vote consistent: a
        margin is capped by its parents'. "both" does both; that differs from "train" only in the margins and the
        reported losses, and for discrete votes only where some alpha_t is negative: clipped votes add up consistently.
    learning_rate, votes, labels, criterion, max_depth, max_bins, single_path, n_iter_no_change, \
validation_fraction, tol, random_state, n_jobs
        As in :class:`AdaBoostMH`.

    Attributes
    ----------
    hypotheses_, alphas_, edges_, normalizers_, training_loss_, validation_loss_, n_estimators_, single_path_
        As in :class:`AdaBoostMH`. ``training_loss_`` is the hierarchy-aware Hamming loss, eq. (2)-(3).

    See Also
    --------
    AdaBoostMH : the same rounds, all labels weighing the same.

    Notes
    -----
    ``|sibl(j)|`` in eq. (6) is the number of the parent's children, j among them, as in the paper's Figure 2; the
    implicit root is left out of the sum in eq. (5). On a DAG costs are summed over parents, and one parent's no
    is enough. Real votes below a no are lowered to that no, which for votes of +1 and -1 is rule (7). Rows may have
    several paths. ``predict`` and ``predict_proba`` respect the hierarchy under every constraint; ``decision_function``
    returns eq. (12) as it is under "train", capped by the parents' otherwise. A single path is chosen by
    uncapped margins.

    Where the defaults come from: on a third of the training rows held out, "predict" beat "train" on ImCLEF07A,
    ImCLEF07D and Diatoms; trees of depth 2 beat the paper's stumps on the first two and on average, while stumps were
    better on Diatoms with its few rows per class (see ``benchmarks/archive.md``). Algorithm 1 as printed is
    ``HAdaBoostMH(constraint="train", max_depth=1)``.

    With real votes and a tree per class (``labels="independent"``) the classes do not meet in any sum but Z_t, and the
    first weights drop out: the result is that of :class:`AdaBoostMH`, unless rule (7) ties the classes together.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1", "b/2"])
    >>> X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    >>> learner = HAdaBoostMH(hierarchy=h, n_estimators=10).fit(X, ["a/1", "a/2", "b/1", "b/2"])
    >>> h.decode(learner.predict([[0.1, 0.9]]))
    [('a/2',)]
    >>> learner.edges_.round(3).tolist()
    [0.75, 1.0]
    """

    name = "h-ada-boost-mh"
    summary = "boosted small trees that weigh labels by their place in the hierarchy"
    learns_from = "rows and their labels"

    def __init__(
        self,
        estimator: Any = "stump",
        *,
        hierarchy: Hierarchy | None = None,
        n_estimators: int = 200,
        constraint: str = "predict",
        learning_rate: float = 1.0,
        votes: str = "discrete",
        labels: str = "independent",
        criterion: str = "auto",
        max_depth: int = 2,
        max_bins: int | None = 255,
        single_path: bool | str = "auto",
        n_iter_no_change: int | None = None,
        validation_fraction: float = 0.1,
        tol: float = 0.0,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ):
        super().__init__(
            estimator,
            hierarchy=hierarchy,
            n_estimators=n_estimators,
            learning_rate=learning_rate,
            votes=votes,
            labels=labels,
            criterion=criterion,
            max_depth=max_depth,
            max_bins=max_bins,
            single_path=single_path,
            n_iter_no_change=n_iter_no_change,
            validation_fraction=validation_fraction,
            tol=tol,
            random_state=random_state,
            n_jobs=n_jobs,
        )
        self.constraint = constraint

    @classmethod
    def warm_up(cls, made: Any) -> None:
        """Compile the loops on made rows; see :mod:`truepath.warmup`."""
        fit_made(cls(n_estimators=2), made, made.X)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice(self, "constraint", ("predict", "train", "both"))

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the margins of eq. (12), shape (n_samples, n_nodes); capped by the parents' but for "train"."""
        margins = super().decision_function(X)
        return cap_down(margins, self.hierarchy_) if self._enforce_at_prediction else margins

    def _costs(self, hierarchy: Hierarchy) -> np.ndarray:
        """Return c_v, eq. (6)."""
        return hierarchy.costs
