"""ConformalRisk: label sets whose expected loss by missed labels is at most what is asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath.decoders.base import HeldOutScores
from truepath.decoders.conformal.base import ConformalDecoder, RiskSteps, check_share
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.matrices import as_dense
from truepath.parameters import check_choice

Floats = NDArray[np.float64]
LOSSES = ("miss-rate", "miss-cost", "h-loss")


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
    usual_ : ndarray, shape (n_nodes,)
        A millionth of the mean held-out score of each label: of labels that score the same, the likelier comes first.
    thresholds_ : ndarray, shape (n_nodes,)
        What the score of each label has to exceed.

    Notes
    -----
    All three losses lie between 0 and 1 and grow with the level, as conformal risk control requires; on a DAG the
    H-loss of a row is replaced by the largest at lower levels. Losses are sums over true labels, so that the risk of
    all levels is known after one sort of the held-out true scores.

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

    def _learn(self, given: HeldOutScores) -> None:
        check_share("risk", self.risk)
        check_choice(self, "loss", LOSSES)
        self._rank(given)
        rows, level, loss = missed_losses(given.S, given.y, given.hierarchy, self.loss, self.usual_)
        self.steps_ = RiskSteps.of(level, loss * given.weight[rows], float(given.weight.sum()))

    def _levels(self) -> float:
        return self.steps_.highest_level(check_share("risk", self.risk))


def missed_losses(
    S: Any, Y: Any, hierarchy: Hierarchy, kind: str, added: Floats
) -> tuple[NDArray[np.int64], Floats, Floats]:
    """Return when a row loses something: the row, the score above which levels cost it, and how much.

    ``added`` goes to the scores of each label.
    """
    rows, labels = sparse.csr_array(Y).nonzero()
    order = np.lexsort((labels, rows))
    rows, labels = rows[order].astype(np.int64), labels[order]
    level = np.asarray(as_dense(S[rows, labels]), np.float64).ravel() + added[labels]
    cost = np.ones(hierarchy.n_nodes) if kind == "miss-rate" else hierarchy.costs
    if kind != "h-loss":
        total = np.bincount(rows, cost[labels], S.shape[0])
        return rows, level, cost[labels] / total[rows]
    least = _least_of_parents(rows, labels, S, added, hierarchy)
    return _h_losses(rows, labels, level, least, hierarchy)


def _h_losses(
    rows: NDArray[np.int64], labels: NDArray[Any], level: Floats, least: Floats, hierarchy: Hierarchy
) -> tuple[NDArray[np.int64], Floats, Floats]:
    """Return the steps of the H-loss: a label costs from its own score up, until one of its parents is missed too."""
    cost, ends = hierarchy.costs[labels], np.isfinite(least)
    rows, level = np.concatenate([rows, rows[ends]]), np.concatenate([level, least[ends]])
    loss = np.concatenate([cost, -cost[ends]])
    return (rows, level, loss) if hierarchy.is_tree else _never_less(rows, level, loss)


def _least_of_parents(
    rows: NDArray[np.int64], labels: NDArray[Any], S: Any, added: Floats, hierarchy: Hierarchy
) -> Floats:
    """Return the smallest score of a parent of each of some labels in their rows; infinity at the top."""
    n_parents = np.diff(hierarchy.parent_ptr)[labels]
    first = np.cumsum(n_parents) - n_parents  # where the parents of each label begin in the list of all
    place = np.arange(n_parents.sum()) - np.repeat(first - hierarchy.parent_ptr[labels], n_parents)
    parents = hierarchy.parent_idx[place]
    least, has_parents = np.full(labels.size, np.inf), n_parents > 0
    if has_parents.any():
        scores = np.asarray(as_dense(S[np.repeat(rows, n_parents), parents]), np.float64).ravel() + added[parents]
        least[has_parents] = np.minimum.reduceat(scores, first[has_parents])
    return least


def _never_less(rows: NDArray[np.int64], level: Floats, loss: Floats) -> tuple[NDArray[np.int64], Floats, Floats]:
    """Replace each row's loss by the largest at this or lower levels."""
    order = np.lexsort((level, rows))
    rows, level, loss = rows[order], level[order], loss[order]
    last = np.append((np.diff(rows) != 0) | (np.diff(level) > 0), True)  # what comes at one level comes at once
    first_of_row = np.flatnonzero(np.diff(rows, prepend=-1))
    out = np.zeros(loss.size)
    for start, end in zip(first_of_row, np.append(first_of_row[1:], rows.size)):
        at = np.flatnonzero(last[start:end]) + start
        total = np.minimum(np.maximum.accumulate(np.cumsum(loss[start:end])[at - start]), 1.0)
        out[at] = np.diff(total, prepend=0.0)
    return rows, level, out
