"""Before fitting: any learner is inspected, copied, made to take label sets, and given the hierarchy.

A learner may be the last step of a pipeline, or what a search tries. A classifier for one label at a time
(scikit-learn's tags say so) becomes one classifier per label. Wrappers such as ``MultiOutputClassifier``, which fail
where a label never varies, get only the labels that vary. Everything else is taken as it is.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from inspect import signature
from typing import Any, Protocol, runtime_checkable

from sklearn.base import clone
from sklearn.feature_selection import SelectorMixin
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from truepath.adapters.capabilities import reach
from truepath.hierarchy import Hierarchy
from truepath.registry import LEARNERS, Member


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


def innermost(estimator: Any) -> Any:
    """Return the estimator that learns: the last step of a pipeline, what a search tries, or the best it found."""
    return reach(estimator).member


def is_of_truepath(estimator: Any) -> bool:
    """Say whether the estimator that learns is one of this library: it takes labels as they are."""
    core = innermost(estimator)
    return isinstance(core, Member) and core.registry is LEARNERS


def name_learner(learner: Any) -> str:
    """Return what a learner is called in messages: its class, and that of the estimator it makes use of.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from truepath.learners import BinaryRelevance
    >>> name_learner(BinaryRelevance(LogisticRegression()))
    'BinaryRelevance of LogisticRegression'
    """
    core = innermost(learner)
    inner = getattr(core, "estimator", None)
    return type(core).__name__ + (f" of {type(innermost(inner)).__name__}" if hasattr(inner, "fit") else "")


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
    >>> from truepath.adapters.prepare import find_hierarchy
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


logger = logging.getLogger(__name__)


def prepare(learner: Any, hierarchy: Hierarchy, *, random_state: Any = None) -> Any:
    """Return a copy of a learner that takes label sets and knows the hierarchy, ready to be fitted.

    Parameters
    ----------
    learner : Learner, scikit-learn classifier, pipeline or search
    hierarchy : Hierarchy
        Given to every ``hierarchy`` parameter left at None, nested ones included; another one there is an error.
    random_state : int, optional
        Given to every ``random_state`` parameter left at its default; None leaves them.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from truepath import Hierarchy
    >>> from truepath.adapters.prepare import prepare
    >>> type(prepare(LogisticRegression(), Hierarchy.flat(3))).__name__
    'BinaryRelevance'
    """
    copy = give_hierarchy(adapt(learner), hierarchy)
    return copy if random_state is None else seed_parts(copy, random_state)


def seed_parts(estimator: Any, seed: Any) -> Any:
    """Give the seed to every ``random_state`` that is left at its default, nested ones included; return the estimator.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from truepath.learners import PCTree
    >>> seed_parts(PCTree(), 7), seed_parts(PCTree(random_state=1), 7), seed_parts(DecisionTreeClassifier(), 7)
    (PCTree(random_state=7), PCTree(random_state=1), DecisionTreeClassifier(random_state=7))
    """
    if not hasattr(estimator, "get_params"):
        return estimator
    params = estimator.get_params(deep=True)
    keys = [key for key in params if _last_part(key) == "random_state"]
    owners = {key: params.get(key.rpartition("__")[0], estimator) for key in keys}
    is_open = {key: params[key] is None or params[key] == _default_seed(owners[key]) for key in keys}
    return estimator.set_params(**{key: seed for key in keys if is_open[key]}) if any(is_open.values()) else estimator


def _default_seed(owner: Any) -> Any:
    parameter = signature(type(owner).__init__).parameters.get("random_state")
    return None if parameter is None else parameter.default


def copy_unfitted(estimator: Any) -> Any:
    """Return scikit-learn's clone, or a deep copy of an object that has no ``get_params``."""
    return clone(estimator, safe=False)


def check_learner(learner: Any, name: str = "learner") -> None:
    """Refuse what cannot learn or cannot score."""
    if isinstance(learner, type):
        raise TypeError(f"{name} is the class {learner.__name__}, not an object: write {learner.__name__}(...).")
    if not hasattr(learner, "fit"):
        raise TypeError(f"{name} must have fit and predict_proba, as a scikit-learn classifier has; got {learner!r}.")
    if not hasattr(learner, "predict_proba") and not hasattr(learner, "decision_function"):
        raise TypeError(
            f"{name} {type(innermost(learner)).__name__} has neither predict_proba nor decision_function, so it cannot "
            "score labels. Use a classifier that has one of them."
        )


def adapt(learner: Any) -> Any:
    """Return a learner that takes label sets: itself, or wrapped so that it does. The given one is not changed."""
    core = innermost(learner)
    tags = tags_of(core)
    if tags is None or tags.classifier_tags is None or is_of_truepath(core) or hasattr(core, "hierarchy"):
        return learner
    if tags.classifier_tags.multi_label or tags.target_tags.multi_output:
        from truepath.adapters.varying import VaryingLabels  # here, as it imports this module itself

        knows_constants = isinstance(core, VaryingLabels) or (
            hasattr(core, "predict_proba") and tags.target_tags.single_output
        )
        return learner if knows_constants else _wrap(learner, VaryingLabels)
    logger.info("%s predicts one label: fitted once per label, by BinaryRelevance.", type(core).__name__)
    return _wrap(learner, LEARNERS["binary-relevance"])


def _wrap(learner: Any, wrapper: Callable[[Any], Any]) -> Any:
    """Wrap a learner; in a pipeline only its last step, unless an earlier step selects by one label's values."""
    if not isinstance(learner, Pipeline) or any(_wants_one_label(step) for _, step in learner.steps[:-1]):
        return wrapper(learner)
    name, last = learner.steps[-1]
    return clone(learner).set_params(steps=[*learner.steps[:-1], (name, _wrap(last, wrapper))])


def _wants_one_label(step: Any) -> bool:
    tags = tags_of(step)
    return isinstance(step, SelectorMixin) or (
        tags is not None and tags.target_tags.required and not tags.target_tags.multi_output
    )


def give_hierarchy(estimator: Any, hierarchy: Hierarchy) -> Any:
    """Return a copy in which every ``hierarchy`` parameter left at None is this one; another one is an error."""
    if estimator is None:
        return None
    copy = copy_unfitted(estimator)
    if not hasattr(copy, "get_params"):
        if getattr(copy, "hierarchy", hierarchy) is None:
            copy.hierarchy = hierarchy
        _refuse_other(copy, "hierarchy", getattr(copy, "hierarchy", None), hierarchy)
        return copy
    params = {key: value for key, value in copy.get_params(deep=True).items() if _last_part(key) == "hierarchy"}
    for key, value in params.items():
        _refuse_other(copy, key, value, hierarchy)
    missing = {key: hierarchy for key, value in params.items() if value is None}
    return copy.set_params(**missing) if missing else copy


def _refuse_other(estimator: Any, key: str, found: Any, hierarchy: Hierarchy) -> None:
    if isinstance(found, Hierarchy) and found != hierarchy:
        raise ValueError(
            f"{type(estimator).__name__} has another hierarchy ({key}: {found}) than the one it is fitted with "
            f"({hierarchy}). Leave it out there."
        )


def _last_part(key: str) -> str:
    return key.rpartition("__")[2]
