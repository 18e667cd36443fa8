"""Metrics as scikit-learn scorers, by name.

A scorer is called as ``scorer(estimator, X, y)``, and greater is always better: losses come negated, as in
scikit-learn. The hierarchy is the one given, or the estimator's own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from truepath.hierarchy import Hierarchy
from truepath.metrics.base import get_metric


class HierarchicalScorer:
    """A metric that scikit-learn can call; made by :func:`get_scorer`."""

    def __init__(self, name: str, hierarchy: Hierarchy | None = None, **options: Any):
        self.metric = get_metric(name)
        self.hierarchy = hierarchy
        self.options = options
        self._weight_request: bool | str | None = None

    def set_score_request(self, *, sample_weight: bool | str | None = None) -> HierarchicalScorer:
        """Request ``sample_weight`` (or the name it has there) under scikit-learn's metadata routing."""
        self._weight_request = sample_weight
        return self

    def get_metadata_routing(self) -> Any:
        """Return what :meth:`set_score_request` requested, for scikit-learn."""
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=self)
        request.score.add_request(param="sample_weight", alias=self._weight_request)
        return request

    def __call__(self, estimator: Any, X: Any, y_true: Any = None, sample_weight: ArrayLike | None = None) -> float:
        """Predict with the estimator, measure, and turn the sign so that greater is better."""
        from truepath.adapters import node_scores
        from truepath.adapters.prepare import find_hierarchy

        hierarchy = self.hierarchy if self.hierarchy is not None else find_hierarchy(estimator)
        truth = _as_matrix(y_true, hierarchy) if self.metric.uses_truth else None
        if self.metric.needs == "scores":
            predicted = node_scores(estimator, X, _count_nodes(truth, hierarchy), hierarchy=hierarchy)
        else:
            predicted = _as_matrix(estimator.predict(X), hierarchy)
        weight = {} if sample_weight is None else {"sample_weight": sample_weight}
        value = self.metric(truth, predicted, hierarchy, **weight, **self.options)
        return value if self.metric.greater_is_better else -value

    def __repr__(self) -> str:
        options = "".join(f", {key}={value!r}" for key, value in self.options.items())
        return f"get_scorer({self.metric.name!r}{options})"


def get_scorer(name: str, *, hierarchy: Hierarchy | None = None, **options: Any) -> HierarchicalScorer:
    """Return a metric as a scikit-learn scorer.

    Parameters
    ----------
    name : str
        A name of :func:`list_metrics`.
    hierarchy : Hierarchy, optional
        By default that of the estimator scored: its fitted ``hierarchy_``, or its parameter ``hierarchy``,
        looked for in a pipeline's last step and in a search's or a wrapper's inner estimator too.
    **options
        Passed on to the metric, such as ``nodes``, ``average`` or ``costs``.

    Returns
    -------
    scorer : callable
        ``scorer(estimator, X, Y, sample_weight=None) -> float``, greater is better. Takes ``predict`` or, for
        metrics of scores, ``predict_proba`` or ``decision_function``, in any shape they return. For ``scoring=`` of
        ``cross_validate``, ``GridSearchCV`` and others.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.model_selection import cross_validate
    >>> from truepath.metrics import get_scorer
    >>> X, Y = np.zeros((6, 1)), np.tile([[1, 0]], (6, 1))
    >>> scoring = {name: get_scorer(name) for name in ("h_loss", "micro_f1")}
    >>> found = cross_validate(DummyClassifier(), X, Y, cv=3, scoring=scoring)
    >>> found["test_micro_f1"].tolist(), get_scorer("h_loss")
    ([1.0, 1.0, 1.0], get_scorer('h_loss'))
    """
    return HierarchicalScorer(name, hierarchy, **options)


def _as_matrix(labels: Any, hierarchy: Hierarchy | None) -> Any:
    """Return a label matrix as it is, and labels given by name encoded."""
    if hierarchy is None or sparse.issparse(labels) or getattr(labels, "dtype", np.dtype(object)).kind in "biuf":
        return labels
    if isinstance(labels, list) and labels and np.ndim(labels[0]) == 1 and np.asarray(labels[0]).dtype.kind in "biu":
        return labels
    return hierarchy.encode(labels)


def _count_nodes(truth: Any, hierarchy: Hierarchy | None) -> int | None:
    if hierarchy is not None:
        return hierarchy.n_nodes
    shape = np.shape(truth)
    return int(shape[1]) if len(shape) == 2 else None
