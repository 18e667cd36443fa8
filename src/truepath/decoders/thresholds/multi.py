"""One threshold per class, the best for an objective (MTS of Triguero & Vens), exactly or by their algorithms."""

from __future__ import annotations

from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from truepath.decoders.base import HeldOutScores
from truepath.decoders.thresholds import searches
from truepath.decoders.thresholds.curves import TIES, best_threshold
from truepath.decoders.thresholds.cut_points import CutPoints, find_cut_points
from truepath.decoders.thresholds.guards import STRENGTHS, center_thresholds, inherit_rare, shrink_thresholds
from truepath.decoders.thresholds.searches import Prices, hmc_prices
from truepath.decoders.thresholds.threshold import LearnedThresholds, apply_thresholds
from truepath.parameters import Range, check_choice, check_in, check_number, check_seed
from truepath.resampling import deal_folds, split_folds

if TYPE_CHECKING:
    from truepath.hierarchy import Hierarchy

MULTI_OBJECTIVES = ("micro_f1", "hmc_loss", "h_loss", "class_distribution")

#: Losses this close are equal: their sums were added up in another order
TIE = 1e-12


class MultiThreshold(LearnedThresholds):
    """Learn the thresholds, one per class, that are best on held-out scores, none below a parent's.

    Parameters
    ----------
    objective : {"micro_f1", "hmc_loss", "h_loss", "class_distribution"}, default="micro_f1"
        What to make best on the scores given; the H-loss is the normalised one. ``"class_distribution"`` makes the
        predicted share of positives of each class meet the true one.
    method : {"auto", "optimal", "greedy"}, default="auto"
        ``"optimal"`` finds a provably best vector: for micro-F1 and the HMC-loss on any hierarchy, for the H-loss on
        trees. ``"greedy"`` is Algorithm 3, 4 or 5 of Triguero & Vens. ``"auto"`` is optimal where that exists; for the
        H-loss on DAGs it is the best of Algorithm 3 as printed, of Algorithm 3 where a class may keep its parents'
        threshold, and of one threshold for all.
    hierarchy : Hierarchy, optional
        None takes the labels as flat.
    order : {"top_down", "bottom_up"}, optional
        The order in which Algorithm 5 sweeps the classes; top-down, as published, on trees and bottom-up on DAGs by
        default (see Notes).
    shrink : {"parent", "single"}, optional
        Pull every threshold towards its parent's, or towards the best single one, to keep rare classes from fitting
        noise. The strength is chosen by cross-validation within the scores given. Off by default.
    cv : int, default=5
        Folds of that cross-validation, dealt out by ``random_state``.
    min_positives : int, default=0
        Classes with fewer positive instances take over their parents' threshold; at the top, the best single one.
    ties : {"midpoint", "published"}, default="midpoint"
        Which of equally good thresholds: the middle between neighbouring scores, or the lowest scores, as published.
    alpha, beta, lambda_ : optional
        The prices of the HMC-loss, as in :func:`truepath.metrics.hmc_loss`: one lambda for each class by default.
    coherent : {"check", "max-up"}, default="check"
        Whether to refuse scores above their parents', or to raise the parents' to the largest score below them.
    random_state : int, RandomState or None, default=0

    Attributes
    ----------
    thresholds_ : ndarray of float64, shape (n_nodes,)
        -inf where a class is always predicted.
    objective_value_ : float
        The objective's value on the scores given; for ``"class_distribution"`` the distance of the distributions.
    n_unlabeled_ : int
        How many instances get no label.
    method_ : str
        ``"optimal"`` or ``"greedy"``.
    strength_ : float
        How far thresholds were shrunk, 0 to 1.
    hierarchy_ : Hierarchy

    See Also
    --------
    SingleThreshold : one threshold for all classes; harder to overfit.

    Notes
    -----
    Ties go to the smallest thresholds, each of which is then moved to the middle between its score and the next one of
    its class, as far as the thresholds of its children allow: the scores given are labelled as before.
    ``ties="published"`` leaves thresholds at the scores.

    Losses are compared in whole numbers of a tiny unit, so the same data give the same thresholds on every machine. The
    optimum is that of the *scores given*: with few instances a single threshold, or a guard, often does better on new
    ones (Triguero & Vens, section 4.2). ``sample_weight`` counts an instance that many times; weights that are not
    whole are rounded to 1/65536 of the largest.

    The paper calls Algorithm 3 optimal; it is not, even on two-node chains, and it collapses where a class scores the
    same everywhere (the top terms of the Gene Ontology): that score is its only candidate, and no score exceeds it.
    Algorithm 5 collapses top-down on some Gene Ontology data, where bottom-up does not.

    References
    ----------
    I. Triguero, C. Vens. Labelling strategies for hierarchical multi-label classification techniques. Pattern
    Recognition 56, 2016.

    W. Dinkelbach. On nonlinear fractional programming. Management Science 13, 1967.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.decoders import MultiThreshold
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> S = [[0.9, 0.6, 0.3, 0.4, 0.2], [0.5, 0.2, 0.4, 0.5, 0.3]]
    >>> decoder = MultiThreshold("micro_f1", hierarchy=h).fit(S, h.encode([["a/1"], ["a/2", "b/1"]]))
    >>> decoder.thresholds_.tolist(), decoder.objective_value_
    ([-inf, 0.4, 0.35, -inf, 0.25], 0.9230769230769231)
    """

    name = "multi"
    has_dag_loops = True
    summary = "one learned threshold per class, the best together"
    needs = ("coherent scores",)

    def __init__(
        self,
        objective: str = "micro_f1",
        method: str = "auto",
        *,
        hierarchy: Hierarchy | None = None,
        order: str | None = None,
        shrink: str | None = None,
        cv: int = 5,
        min_positives: int = 0,
        ties: str = "midpoint",
        alpha: ArrayLike | None = None,
        beta: ArrayLike | None = None,
        lambda_: str | ArrayLike | None = None,
        coherent: str = "check",
        random_state: Any = 0,
    ):
        self.objective = objective
        self.method = method
        self.hierarchy = hierarchy
        self.order = order
        self.shrink = shrink
        self.cv = cv
        self.min_positives = min_positives
        self.ties = ties
        self.alpha = alpha
        self.beta = beta
        self.lambda_ = lambda_
        self.coherent = coherent
        self.random_state = random_state

    def _learn(self, given: HeldOutScores) -> None:
        self.method_ = self._resolve_method(given.hierarchy)
        t, value = self._search(given)
        self.strength_ = self._choose_strength(given) if self.shrink is not None else 0.0
        if self.strength_ > 0:
            t = shrink_thresholds(t, self.strength_, self.shrink or "parent", self._single(given), given)
        if self.min_positives > 0:
            t = inherit_rare(t, self.min_positives, self._single(given), given)
        guarded = self.strength_ > 0 or self.min_positives > 0
        self._keep(t, self._value_of(t, given) if guarded else value, given)

    def _choose_strength(self, given: HeldOutScores) -> float:
        """Return the strength with the best mean objective on rows left out; the weakest of several."""
        n_folds = min(self.cv, given.S.shape[0])
        if n_folds < 2:
            return 0.0
        scores = np.zeros(len(STRENGTHS))
        for train, held_out in split_folds(deal_folds(given.y, n_folds, self.random_state, given.groups)):
            fit_part, test_part = _take(given, train), _take(given, held_out)
            t, _ = self._search(fit_part)
            single = self._single(fit_part)
            for j, strength in enumerate(STRENGTHS):
                moved = shrink_thresholds(t, strength, self.shrink or "parent", single, fit_part)
                scores[j] += self._value_of(moved, test_part) * held_out.size
        return STRENGTHS[int(np.argmax(scores) if self.objective == "micro_f1" else np.argmin(scores))]

    def _check_parameters(self) -> None:
        super()._check_parameters()
        for name, allowed in {
            "objective": MULTI_OBJECTIVES,
            "method": ("auto", "optimal", "greedy"),
            "order": (None, "top_down", "bottom_up"),
            "shrink": (None, "parent", "single"),
            "ties": TIES,
        }.items():
            check_choice(self, name, allowed)
        check_number(self, "cv", Integral, 2)
        check_in("min_positives", self.min_positives, Range(Real, 0, below=True))
        check_seed(self)

    def _resolve_method(self, hierarchy: Hierarchy) -> str:
        """Say which of the two searches applies."""
        exists = self.objective in ("micro_f1", "hmc_loss") or (self.objective == "h_loss" and hierarchy.is_tree)
        if self.method == "optimal" and not exists:
            where = " on a DAG" if self.objective == "h_loss" else ""
            raise ValueError(f"no exact search is known for {self.objective!r}{where}; use method='greedy' or 'auto'.")
        return "optimal" if self.method != "greedy" and exists else "greedy"

    def _search(self, given: HeldOutScores) -> tuple[NDArray[np.float64], float]:
        """Return the thresholds and the objective's value."""
        t, value = self._search_scores(given)
        return (t if self.ties == "published" else center_thresholds(t, given.S, given.hierarchy)), value

    def _search_scores(self, given: HeldOutScores) -> tuple[NDArray[np.float64], float]:
        """Do the same with thresholds at scores."""
        S, Y, weight, hierarchy = given.S, given.y, given.whole_weight, given.hierarchy
        is_optimal = self.method_ == "optimal"
        if self.objective == "h_loss" and is_optimal:
            return searches.best_h_loss(S, Y, weight, hierarchy)
        cuts = find_cut_points(S, Y, weight)
        if self.objective == "h_loss":
            printed = searches.greedy_h_loss(S, Y, weight, cuts, hierarchy)
            return printed if self.method == "greedy" else self._better_h_loss(printed, given, weight, cuts)
        if self.objective == "hmc_loss" and is_optimal:
            prices = self._prices(cuts, hierarchy)
            t = searches.solve_monotone(cuts, prices.miss, prices.alarm, hierarchy)
        elif self.objective == "hmc_loss":
            t = searches.greedy_hmc_loss(cuts, self._prices(cuts, hierarchy), hierarchy)
        elif is_optimal:
            t = searches.best_micro_f1(cuts, hierarchy)
        elif self.objective == "micro_f1":
            order = self.order or ("top_down" if hierarchy.is_tree else "bottom_up")
            t = searches.greedy_micro_f1(cuts, hierarchy, order)
        else:
            t = searches.greedy_class_distribution(cuts, hierarchy)
        return t, self._value_from(cuts, t, hierarchy)

    def _better_h_loss(
        self, printed: tuple[NDArray[np.float64], float], given: HeldOutScores, weight: Any, cuts: CutPoints
    ) -> tuple[NDArray[np.float64], float]:
        """Return the best of Algorithm 3 as printed, with thresholds that may be inherited, and of one threshold."""
        S, Y, hierarchy = given.S, given.y, given.hierarchy
        inherited = searches.greedy_h_loss(S, Y, weight, cuts, hierarchy, inherits=True)
        one = np.full(hierarchy.n_nodes, self._single(given))
        candidates = printed, inherited, (one, self._value_of(one, given))
        least = min(value for _, value in candidates)
        return next(found for found in candidates if found[1] <= least + TIE)

    def _prices(self, cuts: CutPoints, hierarchy: Hierarchy) -> Prices:
        """Return the prices of the HMC-loss on these scores."""
        return hmc_prices(cuts.positives(), cuts.negatives(), hierarchy, **self._price_options())

    def _value_from(self, cuts: CutPoints, t: NDArray[np.float64], hierarchy: Hierarchy) -> float:
        """Return the objective's value from the counts of mistakes; all but the H-loss."""
        misses, alarms = cuts.mistakes(t)
        positives = cuts.positives()
        total = int(positives[0] + cuts.negatives()[0])
        if self.objective == "hmc_loss":
            return self._prices(cuts, hierarchy).charge(misses, alarms) / total
        if self.objective == "micro_f1":
            hits = int(positives.sum() - misses.sum())
            below = hits + int(alarms.sum() + positives.sum())
            return 2 * hits / below if below else 0.0
        return float(np.sqrt(hierarchy.costs @ ((alarms - misses) / total) ** 2))

    def _value_of(self, t: NDArray[np.float64], given: HeldOutScores) -> float:
        """Return the objective's value of any thresholds."""
        if self.objective == "h_loss":
            from truepath.metrics import h_loss

            labels = apply_thresholds(given.S, t)
            return h_loss(given.y, labels, given.hierarchy, sample_weight=given.sample_weight)
        cuts = find_cut_points(given.S, given.y, given.whole_weight)
        return self._value_from(cuts, t, given.hierarchy)

    def _single(self, given: HeldOutScores) -> float:
        """Return the best single threshold for the same objective."""
        return best_threshold(self._single_curve(given), self.ties)[0]


def _take(given: HeldOutScores, rows: NDArray[np.int64]) -> HeldOutScores:
    """Return some of the rows."""
    weight = None if given.sample_weight is None else given.sample_weight[rows]
    groups = None if given.groups is None else given.groups[rows]
    return given._replace(S=given.S[rows], y=given.y[rows], sample_weight=weight, groups=groups)
