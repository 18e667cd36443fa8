"""One threshold for all classes, the best for an objective (STS of Triguero & Vens, Algorithm 1).

References
----------
I. Triguero, C. Vens. Labelling strategies for hierarchical multi-label classification techniques. Pattern
Recognition 56, 2016, sections 3.1 and 3.2.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from truepath.decoders.base import HeldOutScores
from truepath.decoders.thresholds.curves import SINGLE_OBJECTIVES, TIES, Curve, best_threshold
from truepath.decoders.thresholds.cut_points import find_distinct
from truepath.decoders.thresholds.threshold import LearnedThresholds, apply_thresholds
from truepath.parameters import check_choice, check_number, wanted_choice

if TYPE_CHECKING:
    from truepath.hierarchy import Hierarchy

#: Thresholds at equal distances: more do not differ
MOST_CANDIDATES = 1_000_000


class SingleThreshold(LearnedThresholds):
    """Learn the one threshold for all classes that is best on held-out scores.

    Parameters
    ----------
    objective : str or callable, default="micro_f1"
        ``"micro_f1"``, ``"hmc_loss"``, ``"h_loss"`` (normalised), ``"class_distribution"`` (the predicted shares of
        positives come closest to the true ones) or ``"label_cardinality"`` (the same for the numbers of labels
        per instance). Or a function ``f(y_true, y_pred)`` that returns a number; one with an argument called
        ``hierarchy`` is given it.
    hierarchy : Hierarchy, optional
        None takes the labels as flat.
    candidates : int, optional
        Try only this many thresholds at equal distances, the last being the largest possible score, as the paper's
        sub-optimal search does with 100. All distinct scores by default.
    greater_is_better : bool, default=True
        Whether greater values of a function are better.
    ties : {"midpoint", "published"}, default="midpoint"
        Which of equally good thresholds: the middle between neighbouring scores, or the lowest score, as published.
    alpha, beta, lambda_ : optional
        The prices of the HMC-loss, as in :func:`truepath.metrics.hmc_loss`: one lambda for each class by default.
    coherent : {"check", "max-up"}, default="check"
        Whether to refuse scores above their parents', or to raise the parents' to the largest score below them.

    Attributes
    ----------
    threshold_ : float
        -inf where it is best to predict all labels.
    thresholds_ : ndarray of float64, shape (n_nodes,)
        The same, once for each class.
    objective_value_ : float
        The objective's value on the scores given.
    curve_ : Curve
        The objective as a function of the threshold: arrays ``threshold`` and ``value``. Of more than 4,000 cut points
        those go into a file that make the same picture: in each thousandth of the width the first, last, lowest and
        highest.
    n_unlabeled_ : int
        How many instances get no label.
    hierarchy_ : Hierarchy

    See Also
    --------
    MultiThreshold : one threshold per class.
    truepath.decoders.plot_threshold_curve : draws ``curve_``.

    Notes
    -----
    Candidates are the distinct scores and -inf, so that no threshold is better on the scores given. A threshold
    anywhere between neighbouring scores labels them alike: with true labels scored above .95 and false ones below .04,
    the middle, .495, is taken. Of several best stretches it is the lowest one; -inf, which predicts every label, only
    if it is better than all others. The paper takes the lowest of the equally good scores, .04, and -inf is not a
    candidate; ``ties="published"`` does so, in the reproduction and in the presets that follow the paper.

    All named objectives cost one sort of the scores and a sweep, instead of one evaluation for each candidate. For the
    H-loss, the curve holds only the cut points where it changes. The distance of class distributions weights squared
    differences with the costs c_v of the classes: the paper does not say so, but its numbers are reproduced only then.
    ``sample_weight`` counts an instance that many times; weights that are not whole are rounded to 1/65536 of the
    largest. Memory stays below four times the score matrix.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.decoders import SingleThreshold
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> S = [[0.9, 0.6, 0.3, 0.4, 0.2], [0.5, 0.3, 0.1, 0.8, 0.7]]
    >>> decoder = SingleThreshold("micro_f1", hierarchy=h).fit(S, h.encode([["a/1"], ["b/1"]]))
    >>> decoder.threshold_, decoder.objective_value_
    (0.55, 1.0)
    >>> h.decode(decoder.predict(S))
    [('a/1',), ('b/1',)]
    """

    name = "single"
    summary = "one learned threshold for all classes"
    needs = ("coherent scores",)

    def __init__(
        self,
        objective: str | Callable[..., float] = "micro_f1",
        *,
        hierarchy: Hierarchy | None = None,
        candidates: int | None = None,
        greater_is_better: bool = True,
        ties: str = "midpoint",
        alpha: ArrayLike | None = None,
        beta: ArrayLike | None = None,
        lambda_: str | ArrayLike | None = None,
        coherent: str = "check",
    ):
        self.objective = objective
        self.hierarchy = hierarchy
        self.candidates = candidates
        self.greater_is_better = greater_is_better
        self.ties = ties
        self.alpha = alpha
        self.beta = beta
        self.lambda_ = lambda_
        self.coherent = coherent

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice(self, "ties", TIES)
        check_number(self, "candidates", Integral, 1, MOST_CANDIDATES, none=True)
        if not callable(self.objective) and self.objective not in SINGLE_OBJECTIVES:
            wanted = wanted_choice(SINGLE_OBJECTIVES)
            raise ValueError(f"objective must be {wanted} or a function; got {self.objective!r}.")

    def __getstate__(self) -> dict[str, Any]:
        """Return the state with a curve of a few thousand cut points: most of a model file would be this curve."""
        state: dict[str, Any] = super().__getstate__()
        return state | {"curve_": state["curve_"].thin()} if "curve_" in state else state

    def _learn(self, given: HeldOutScores) -> None:
        self.curve_ = self._compute_curve(given)
        self.threshold_, value = best_threshold(self.curve_, self.ties, is_grid=self.candidates is not None)
        self._keep(np.full(given.hierarchy.n_nodes, self.threshold_), value, given)

    def _compute_curve(self, given: HeldOutScores) -> Curve:
        """Sweep for a named objective, evaluate a function candidate by candidate."""
        if callable(self.objective):
            return _evaluate(self.objective, given, self._grid(given.S), self.greater_is_better)
        curve = self._single_curve(given)
        if self.candidates is None:
            return curve
        grid = self._grid(given.S)
        return _curve_of(grid, curve.at(grid), curve.greater_is_better, curve.lowest)

    def _grid(self, S: Any) -> NDArray[Any]:
        """Return all distinct scores, or ``candidates`` thresholds at equal distances: 0.01, 0.02, ..., 1."""
        if self.candidates is None:
            return find_distinct(S).value
        low, high = float(S.min()), float(S.max())
        low, high = min(low, 0.0), max(high, 1.0) if high <= 1 + 1e-9 else high
        return low + (high - low) * np.arange(1, self.candidates + 1) / self.candidates


def _evaluate(metric: Callable[..., float], given: HeldOutScores, grid: NDArray[Any], greater_is_better: bool) -> Curve:
    """Evaluate any metric at each threshold of a grid."""
    accepted = signature(metric).parameters
    options: dict[str, Any] = {"hierarchy": given.hierarchy} if "hierarchy" in accepted else {}
    if given.sample_weight is not None:
        if "sample_weight" not in accepted:
            raise ValueError("sample_weight was given, but the objective function has no such argument.")
        options["sample_weight"] = given.sample_weight

    def value_at(t: float) -> float:
        labels = apply_thresholds(given.S, np.full(given.hierarchy.n_nodes, t))
        return float(metric(given.y, labels, **options))

    return _curve_of(grid, np.array([value_at(float(t)) for t in grid]), greater_is_better, value_at(-np.inf))


def _curve_of(grid: NDArray[Any], value: NDArray[np.float64], greater_is_better: bool, lowest: float) -> Curve:
    """Return a curve with its first best value found."""
    best = int(np.argmax(value) if greater_is_better else np.argmin(value))
    return Curve(grid, value, lowest, best, greater_is_better)
