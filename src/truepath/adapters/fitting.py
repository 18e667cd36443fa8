"""Fitting a learner of others on some rows, with weights if it takes them, whatever it is wrapped in."""

from __future__ import annotations

import warnings
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context
from sklearn.pipeline import Pipeline

from truepath.adapters.inside import final_step, find_hierarchy, innermost, is_of_truepath, is_search, tags_of
from truepath.adapters.labels import take_rows
from truepath.hierarchy.checks import already_checked
from truepath.hierarchy.matrices import as_dense

__all__ = ["fit_learner", "takes_weight", "weight_argument"]


def fit_learner(learner: Any, X: Any, Y: Any, weight: Any = None, rows: Any = None) -> Any:
    """Fit a learner on some rows and return it.

    Parameters
    ----------
    learner : unfitted learner, as :func:`prepare` returns it
    X : array, sparse matrix, data frame or list
    Y : ndarray or csr_array of bool, shape (n_samples, n_nodes)
        Labels that were checked: they are not looked at again.
    weight : ndarray, optional
        One weight per row. A learner that takes none is fitted without them, and warned about.
    rows : ndarray of int, optional
        Which rows to take; None takes all.
    """
    options = {} if weight is None else _weight_options(learner, take_rows(weight, rows))
    X, Y = take_rows(X, rows), take_rows(Y, rows)
    with config_context(enable_metadata_routing=False):  # it is decided here where the weights go
        if is_search(final_step(learner)) or not is_of_truepath(learner):
            return learner.fit(X, _plain_labels(learner, Y), **options)
        with already_checked(Y, find_hierarchy(learner)):
            return learner.fit(X, Y, **options)


def _plain_labels(learner: Any, Y: Any) -> NDArray[np.int64]:
    """Return labels as others want them: a dense 0/1 matrix; one column as a vector for scikit-learn's classifiers."""
    dense = as_dense(Y).astype(np.int64)
    tags = tags_of(innermost(learner))
    as_vector = tags is not None and tags.classifier_tags is not None and tags.target_tags.single_output
    return dense[:, 0] if dense.shape[1] == 1 and as_vector else dense


def _weight_options(learner: Any, weight: NDArray[np.float64]) -> dict[str, Any]:
    if takes_weight(learner):
        return weight_argument(learner, weight)
    warnings.warn(
        f"{type(innermost(learner)).__name__} takes no sample_weight: it is fitted without the weights.",
        UserWarning,
        stacklevel=4,
    )
    return {}


def takes_weight(learner: Any) -> bool:
    """Say whether weights can reach the learner: its ``fit``, or that of its last step, names ``sample_weight``."""
    return _weight_key(learner) is not None


def weight_argument(learner: Any, weight: Any) -> dict[str, Any]:
    """Return the keyword argument that hands the weights to ``fit``, through pipelines and searches; {} for None.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from truepath.adapters import weight_argument
    >>> weight_argument(make_pipeline(StandardScaler(), LogisticRegression()), [1.0, 2.0])
    {'logisticregression__sample_weight': [1.0, 2.0]}
    """
    if weight is None:
        return {}
    key = _weight_key(learner)
    if key is None:
        raise ValueError(
            f"sample_weight was given but fit of estimator {type(innermost(learner)).__name__} does not take it. "
            "Leave the weights out or choose another estimator."
        )
    return {key: weight}


def _weight_key(learner: Any) -> str | None:
    """Return the keyword of ``fit`` under which weights reach the one who learns; None if there is none."""
    if isinstance(learner, Pipeline):
        name, last = learner.steps[-1]
        key = _weight_key(last)
        return None if key is None else f"{name}__{key}"
    if is_search(learner):
        return _weight_key(learner.estimator)
    if "sample_weight" not in signature(learner.fit).parameters:
        return None
    inner = getattr(learner, "estimator", None)
    if hasattr(inner, "fit") and _hands_on(learner):
        key = _weight_key(inner)
        return "sample_weight" if key == "sample_weight" or (key is not None and is_of_truepath(learner)) else None
    return "sample_weight"


def _hands_on(learner: Any) -> bool:
    """Say whether weights are passed on to the inner estimator as they are: ours do, and multi-output wrappers."""
    tags = tags_of(learner)
    return is_of_truepath(learner) or (tags is not None and not tags.target_tags.single_output)
