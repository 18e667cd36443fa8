"""ConformalRisk: label sets whose expected loss by missed labels is at most what is asked for."""

from __future__ import annotations

import numpy as np

from truepath.decoders.base import HeldOutScores
from truepath.decoders.conformal.base import ConformalDecoder, RiskSteps, SetLevel, add_scores, check_share
from truepath.decoders.conformal.losses import LOSSES, missed_losses
from truepath.decoders.conformal.promise import Promise
from truepath.held import a_number, an_object, holds, numbers, one_of
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.matrices import as_dense
from truepath.parameters import check_choice


@holds(
    risk=a_number(0, 1),
    loss=one_of(*LOSSES),
    totals_=numbers("n_nodes", least=0),
    steps_=an_object(of=("RiskSteps",)),
)
class ConformalRisk(ConformalDecoder):
    """Keep the expected loss by missed labels at or below ``risk``, with sets as small as that allows.

    Parameters
    ----------
    risk : float, default=0.1
        What the expected loss of a row may be. It may be changed after ``fit``.
    loss : {"miss-rate", "miss-cost", "h-loss"}, default="miss-rate"
        The share of a row's true labels that are missed; the same with each label counted by its cost in the hierarchy
        (:attr:`Hierarchy.costs`), so that general labels count more; or the H-loss of the misses: the cost of each
        missed label whose parents are predicted.
    hierarchy : Hierarchy, optional
        None means a flat label set.

    Attributes
    ----------
    hierarchy_ : Hierarchy
    steps_ : RiskSteps
        The mean loss of held-out rows at each level.
    totals_ : ndarray, shape (n_nodes,)
        The sum of the held-out scores of each label: of labels that score the same, the likelier comes first.
    thresholds_ : ndarray, shape (n_nodes,)
        What the score of each label has to exceed.

    Notes
    -----
    All three losses lie between 0 and 1 and never fall as sets shrink, as conformal risk control requires. On a DAG the
    H-loss itself may fall; it is replaced by one that does not and is never less: a missed label costs the share of
    its cost that comes from each parent as long as that parent is predicted. Losses are sums over true labels, so that
    the risk of all levels is known after one sort of the held-out true scores.

    Examples
    --------
    >>> import numpy as np
    >>> from truepath.decoders import ConformalRisk
    >>> S = np.linspace(0.05, 0.95, 19)[:, None]
    >>> decoder = ConformalRisk(0.2).fit(S, np.ones((19, 1)))
    >>> bool(decoder.predict([[0.19]])[0, 0]), bool(decoder.predict([[0.21]])[0, 0])
    (False, True)
    """

    name = "conformal-risk"
    summary = "the expected share, or cost, of missed labels kept below a chosen bound"

    def __init__(self, risk: float = 0.1, loss: str = "miss-rate", *, hierarchy: Hierarchy | None = None):
        self.risk = risk
        self.loss = loss
        self.hierarchy = hierarchy

    @property
    def promise(self) -> Promise:
        """What is promised of label sets."""
        return Promise(self.loss, self.risk)

    def _check_parameters(self) -> None:
        check_share("risk", self.risk)
        check_choice(self, "loss", LOSSES)

    def _learn(self, given: HeldOutScores) -> None:
        self.totals_ = add_scores(given.S, given.weight)
        rows, labels, loss = missed_losses(given.y, given.hierarchy, self.loss)
        score = np.asarray(as_dense(given.S[rows, labels]), np.float64).ravel()
        loss *= given.weight[rows]
        self.steps_ = RiskSteps.of(score, self.totals_[labels], loss, float(given.weight.sum()))

    def _level(self) -> SetLevel:
        return self.steps_.highest_level(check_share("risk", self.risk))
