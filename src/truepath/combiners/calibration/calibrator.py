"""Calibrator: scores that mean what they say, by the shares of true labels among held-out scores.

Where labels are rare a map of their own would be noise: each map is drawn towards that of the siblings together,
theirs towards that of the labels around their parent, and so on up to one map for all labels (:mod:`.maps`).
"""

from __future__ import annotations

from typing import Any

from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from truepath.adapters.groups import check_groups
from truepath.combiners.base import Combiner, transform_densely
from truepath.combiners.calibration.bins import count_scores, group_siblings
from truepath.combiners.calibration.maps import (
    FAMILIES,
    export_coherent,
    fit_maps,
    make_coherent,
    make_family,
    map_scores,
)
from truepath.combiners.calibration.trials import best_outcome, try_maps
from truepath.combiners.held_out import cross_transform
from truepath.graph import Graph
from truepath.held import holds, numbers, one_of
from truepath.hierarchy import Hierarchy, HierarchyDiff, check_scores
from truepath.hierarchy.checks import as_probabilities, check_truth, check_weight, hierarchy_for
from truepath.hierarchy.matrices import as_dense
from truepath.metrics.tried import Tried
from truepath.parameters import check_choice

#: Rows that a label's group counts for beside the label's own, where it is not chosen
USUAL_POOLING = 20.0


@holds(method_=one_of(None, *FAMILIES))
class Calibrator(Combiner):
    """Make probabilities of scores, one map per label, those of rare labels drawn towards their neighbours'.

    Parameters
    ----------
    method : {"auto", "isotonic", "sigmoid", "beta"}, default="auto"
        The family of maps: any increasing function, or the sigmoid of a linear function of the score's logit, or of the
        logarithms of the score and of what it lacks to 1. "auto" chooses by folds of the rows the one with the least
        Brier score, among those that do not lower AU(PRC), or leaves the scores as they are.
    hierarchy : Hierarchy, optional
        None means a flat label set.
    pooling : float, optional
        How many rows the labels around a label count for beside its own; infinite is one map for all labels. None is
        20, and is chosen by ``"auto"``.
    random_state : int, RandomState or None, default=0
        Deals the rows into the folds by which ``"auto"`` chooses.

    Attributes
    ----------
    hierarchy_ : Hierarchy
    method_ : str or None
        What "auto" chose; None if scores stay as they are.
    pooling_ : float
    maps_ : ndarray, shape (n_nodes, n_parameters)
        The maps: their parameters, or for "isotonic" their values at ``bins_``.
    bins_ : ndarray
        The mean held-out scores of the bins.
    tried_ : list of :class:`~truepath.metrics.Tried`
        What "auto" tried, with the Brier score on rows that did not fit it, and ``pooling`` and ``auprc`` as details;
        first the scores as they are.

    See Also
    --------
    truepath.HierarchicalClassifier : ``calibrate="auto"`` fits one on the scores it holds out.

    Notes
    -----
    Scores are counted in 121 bins, equally wide as logits; fitting then takes O(bins) per label, whatever the number of
    rows. What scores 0 stays 0. The maps of two labels may put a child above its parent: such cells move to the mean of
    what lowers the child and what raises the parent, which is coherent.

    Examples
    --------
    >>> import numpy as np
    >>> from truepath.combiners import Calibrator
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random((4000, 1))
    >>> y = rng.random(p.shape) < p
    >>> timid = 0.5 * p / (0.5 * p + 1 - p)  # odds half of what they should be
    >>> Calibrator("sigmoid").fit(timid, y).transform([[0.2], [0.5]]).round(1).tolist()
    [[0.3], [0.7]]
    """

    name = "calibrate"
    summary = "scores into probabilities, by the shares of true labels among held-out scores"
    learns_from = "held-out scores and labels"
    approximates = ("update",)

    def __init__(
        self,
        method: str = "auto",
        *,
        hierarchy: Hierarchy | None = None,
        pooling: float | None = None,
        random_state: Any = 0,
    ):
        self.method = method
        self.hierarchy = hierarchy
        self.pooling = pooling
        self.random_state = random_state

    def fit(self, S: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> Calibrator:
        """Learn from scores of rows that the learner did not train on.

        Parameters
        ----------
        S : array-like or sparse matrix of float in [0, 1], shape (n_samples, n_nodes)
        y : array-like or sparse matrix of 0 and 1, shape (n_samples, n_nodes)
        sample_weight : array-like, shape (n_samples,), optional
        groups : array-like, shape (n_samples,), optional
            What each row belongs to: rows of one group are held out together.
        """
        self._check_parameters()
        hierarchy = hierarchy_for(self.hierarchy, S)
        S = as_probabilities(check_scores(S, hierarchy), labels=hierarchy.names)
        Y = check_truth(y, S, hierarchy)
        weight = check_weight(sample_weight, S.shape[0])
        self.hierarchy_, self.n_features_in_ = hierarchy, hierarchy.n_nodes
        siblings, bins = group_siblings(hierarchy), count_scores(S, Y, weight)
        self.method_: str | None = self.method
        self.pooling_ = USUAL_POOLING if self.pooling is None else float(self.pooling)
        self.tried_: list[Tried] = []
        if self.method == "auto":
            self._choose(S, Y, weight, siblings, check_groups(groups, S.shape[0]))
        if self.method_ is not None:
            self.bins_ = bins.x
            self.maps_ = fit_maps(make_family(self.method_, bins.x), bins, siblings, self.pooling_)
        return self

    def fit_held_out(self, S: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> Any:
        """Fit, and map each row's scores by maps that were fitted on other rows, the method that was chosen kept.

        Parameters
        ----------
        S, y, sample_weight, groups
            As in :meth:`fit`.

        Returns
        -------
        S : ndarray, shape (n_samples, n_nodes)
        """
        self.fit(S, y, sample_weight, groups=groups)
        if self.method_ is None:
            return as_dense(self.transform(S))
        S = check_scores(S, self.hierarchy_)
        Y, weight = check_truth(y, S, self.hierarchy_), check_weight(sample_weight, S.shape[0])
        chosen = clone(self).set_params(method=self.method_, pooling=self.pooling_)
        groups = check_groups(groups, S.shape[0])
        return cross_transform(chosen, S, Y, weight, self.hierarchy_, self.random_state, groups)

    def update(self, diff: HierarchyDiff) -> Calibrator:
        """Return the calibrator for a changed hierarchy: a new label takes its parents' map, at the top a mean one.

        Parameters
        ----------
        diff : HierarchyDiff
            From the hierarchy of the calibrator to the new one.
        """
        check_is_fitted(self, "method_")
        new = clone(self).set_params(hierarchy=diff.new)
        new.hierarchy_, new.n_features_in_ = diff.new, diff.new.n_nodes
        new.method_, new.pooling_, new.tried_ = self.method_, self.pooling_, self.tried_
        if self.method_ is not None:
            new.bins_, usual = self.bins_, self.maps_.mean(axis=0)
            new.maps_ = diff.carry_over(self.maps_, lambda above: above.mean(axis=0) if len(above) else usual)
        return new

    def transform(self, S: Any) -> Any:
        """Return probabilities, coherent: dense stays dense, CSR stays CSR, float32 stays float32."""
        check_is_fitted(self, "method_")
        S = as_probabilities(check_scores(S, self.hierarchy_), labels=self.hierarchy_.names)
        if self.method_ is None:
            return transform_densely(lambda rows: make_coherent(rows, self.hierarchy_), S)
        family = make_family(self.method_, self.bins_)
        return transform_densely(lambda rows: map_scores(family, self.maps_, rows, self.hierarchy_), S)

    def export_scores(self, graph: Graph, parts: list[str]) -> str:
        """Add the probabilities to an ONNX graph."""
        S = graph.double(parts[0])
        if self.method_ is not None:
            found = make_family(self.method_, self.bins_).export(graph, self.maps_, S)
            S = graph.add("Where", graph.add("Greater", S, graph.constant(0.0)), found, graph.constant(0.0))
        return graph.like(export_coherent(graph, S, self.hierarchy_), parts[0])

    def _choose(self, S: Any, Y: Any, weight: Any, siblings: Any, groups: Any) -> None:
        """Set the method and the pooling that do best on rows that did not fit them."""
        found = try_maps(S, Y, weight, siblings, self.hierarchy_, self.pooling, self.random_state, groups)
        best = best_outcome(found)
        self.tried_ = [one.as_tried(one == best) for one in found if len(found) > 1]
        self.method_, self.pooling_ = best.method, best.pooling

    def check_loaded(self) -> None:
        """Refuse maps from a file that are not those of the method."""
        if self.method_ is not None:
            held, n_nodes = vars(self), self.hierarchy_.n_nodes
            numbers("bins", least=0, most=1)(held.get("bins_"), {})
            family = make_family(self.method_, self.bins_)
            numbers(n_nodes, family.identity.shape[1])(held.get("maps_"), {})
            if self.bins_.size < 2 and self.method_ == "isotonic":
                raise ValueError("a map has fewer than two bins")

    def _check_parameters(self) -> None:
        check_choice(self, "method", ("auto", *FAMILIES))
        if self.pooling is not None and not self.pooling > 0:
            raise ValueError(f"pooling must be a number above 0, or None; got {self.pooling!r}.")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags
