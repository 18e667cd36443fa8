"""What is inside an estimator: the last step of a pipeline, what a search tries, the hierarchy somewhere within."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from truepath.hierarchy import Hierarchy
from truepath.registry import LEARNERS, Member

__all__ = ["Learner", "final_step", "find_hierarchy", "innermost", "is_of_truepath", "is_search", "tags_of"]


@runtime_checkable
class Learner(Protocol):
    """Anything that learns label sets: all that an object needs to be a learner here.

    ``fit`` gets a 0/1 matrix (n_samples, n_nodes); ``predict_proba`` returns one column of scores per node, or a list
    with one array per node. A ``hierarchy`` attribute left at None is filled in; ``sample_weight`` is passed on if
    ``fit`` names it.
    """

    def fit(self, X: Any, y: Any) -> Any:
        """Learn from rows and their labels."""

    def predict_proba(self, X: Any) -> Any:
        """Return the scores of new rows."""


def final_step(estimator: Any) -> Any:
    """Return the last step of a pipeline, and anything else as it is."""
    while isinstance(estimator, Pipeline):
        estimator = estimator.steps[-1][1]
    return estimator


def is_search(estimator: Any) -> bool:
    """Say whether an estimator tries settings of another one, as GridSearchCV does, and then acts as the best."""
    return hasattr(estimator, "estimator") and hasattr(estimator, "refit") and hasattr(estimator, "scoring")


def innermost(estimator: Any) -> Any:
    """Return who learns in the end: the last step of a pipeline, what a search tries, or has found best."""
    while True:
        if isinstance(estimator, Pipeline):
            estimator = final_step(estimator)
        elif is_search(estimator):
            estimator = getattr(estimator, "best_estimator_", estimator.estimator)
        else:
            return estimator


def is_of_truepath(estimator: Any) -> bool:
    """Say whether the one who learns in the end is a learner of this library: it takes labels as they are."""
    core = innermost(estimator)
    return isinstance(core, Member) and core.registry is LEARNERS


def tags_of(estimator: Any) -> Any:
    """Return scikit-learn's tags of an estimator; None for objects that have none."""
    has_tags = hasattr(estimator, "__sklearn_tags__") and not isinstance(estimator, type)
    return get_tags(estimator) if has_tags else None


def find_hierarchy(estimator: Any) -> Hierarchy | None:
    """Return the hierarchy that an estimator carries, or one within it does; None if there is none.

    Looked for in the fitted ``hierarchy_`` and the parameter ``hierarchy``, in the last step of a pipeline, the best
    estimator of a search, the learner of a classifier, and the inner estimator of any other wrapper.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from truepath import Hierarchy
    >>> from truepath.adapters import find_hierarchy
    >>> from truepath.learners import PerNode
    >>> h = Hierarchy.from_paths(["a/1", "a/2"])
    >>> find_hierarchy(make_pipeline(StandardScaler(), PerNode(LogisticRegression(), hierarchy=h))) is h
    True
    """
    while estimator is not None and not isinstance(estimator, str):
        for attribute in ("hierarchy_", "hierarchy"):
            if isinstance(found := getattr(estimator, attribute, None), Hierarchy):
                return found
        estimator = _next_inside(estimator)
    return None


def _next_inside(estimator: Any) -> Any:
    if getattr(estimator, "steps", None):
        return estimator.steps[-1][1]
    for attribute in ("best_estimator_", "estimator", "learner"):
        if (inner := getattr(estimator, attribute, None)) is not None:
            return inner
    return None
