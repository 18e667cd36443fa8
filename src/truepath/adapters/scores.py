"""Node scores from whatever a fitted learner returns, and class probabilities from any classifier.

``predict_proba`` may give one matrix, a list with one array per label (columns for the classes, or the score alone),
or for a single label a vector or two columns; without it the margins of ``decision_function`` are squashed. A label
that was constant in training has one class only: its score is that class.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax
from sklearn.pipeline import Pipeline

from truepath.adapters.inside import final_step, innermost, is_of_truepath
from truepath.hierarchy.matrices import as_dense

__all__ = ["class_scores", "conditional_scores", "node_scores"]


def node_scores(learner: Any, X: Any, n_nodes: int | None = None) -> NDArray[Any]:
    """Return a fitted learner's scores as one matrix, one column per node.

    Parameters
    ----------
    learner : fitted learner of truepath, scikit-learn or others
    X : rows as the learner takes them
    n_nodes : int, optional
        How many columns there must be; None takes what comes.

    Returns
    -------
    S : ndarray of float, shape (n_samples, n_nodes)

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from truepath.adapters import node_scores
    >>> forest = RandomForestClassifier(5, random_state=0).fit([[0], [1]], [[0, 1], [1, 1]])
    >>> node_scores(forest, [[0], [1]])[:, 1].tolist()
    [1.0, 1.0]
    """
    if hasattr(learner, "predict_proba"):
        S, verb = learner.predict_proba(X), "predict_proba"
    else:
        S, verb = _squash(learner.decision_function(X)), "decision_function"
    S = _as_matrix(S, learner, n_nodes)
    if S.ndim != 2 or n_nodes not in (None, S.shape[1]):
        raise ValueError(
            f"{type(innermost(learner)).__name__}.{verb} returned the shape {S.shape}, not (n_samples, {n_nodes}). "
            "Wrap it in a learner of truepath.learners, such as PerNode."
        )
    return S if S.dtype.kind == "f" else S.astype(np.float64)


def _as_matrix(S: Any, learner: Any, n_nodes: int | None) -> NDArray[Any]:
    """Put lists of arrays together, and make a column of what stands for one label."""
    if isinstance(S, list) and _has_arrays(S):
        classes = getattr(innermost(learner), "classes_", None)
        of_part = classes if isinstance(classes, list) and len(classes) == len(S) else [None] * len(S)
        return np.column_stack([_positive(part, of_part[k]) for k, part in enumerate(S)])
    S = as_dense(S)
    if n_nodes != 1 or is_of_truepath(learner):
        return S
    if S.ndim == 1:
        return S[:, None]
    classes = np.ravel(getattr(innermost(learner), "classes_", []))
    return _positive(S, classes if classes.size == S.shape[1] else None)[:, None] if S.shape[1] <= 2 else S


def _has_arrays(S: list[Any]) -> bool:
    """Say whether a list holds one array per label, rather than rows of plain numbers."""
    return bool(S) and all(isinstance(part, np.ndarray) or hasattr(part, "toarray") for part in S)


def _positive(part: Any, classes: Any) -> NDArray[Any]:
    """Return the probability of 1 of one label; None for unknown classes, the last of which is then 1."""
    part = as_dense(part)
    if part.ndim == 1:
        return part
    if classes is None:
        return part[:, -1]
    found = np.flatnonzero(np.asarray(classes, float) == 1)
    return part[:, found[0]] if found.size else np.zeros(part.shape[0])


def _squash(margin: Any) -> Any:
    """Return margins as probabilities."""
    return [expit(as_dense(part)) for part in margin] if isinstance(margin, list) else expit(as_dense(margin))


def class_scores(model: Any, X: Any, n_classes: int) -> NDArray[np.float64]:
    """Return the probabilities of the classes 0 .. n_classes - 1 by a classifier; those never seen have none.

    A model without ``predict_proba`` gives the sigmoid (two classes) or softmax (more) of its margins.
    """
    if hasattr(model, "predict_proba"):
        own = as_dense(model.predict_proba(X))
    else:
        margin = as_dense(model.decision_function(X))
        own = softmax(margin, axis=1) if margin.ndim == 2 else np.column_stack([expit(-margin), expit(margin)])
    scores = np.zeros((own.shape[0], n_classes))
    scores[:, model.classes_] = own
    return scores


def conditional_scores(learner: Any, X: Any) -> NDArray[Any] | None:
    """Return p(v | parent) for every arc where the learner estimates it directly; None elsewhere."""
    while isinstance(learner, Pipeline):
        if not hasattr(final_step(learner), "predict_conditional_proba"):
            return None
        if len(learner.steps) > 1:
            X = learner[:-1].transform(X)
        learner = learner.steps[-1][1]
    found = getattr(learner, "predict_conditional_proba", None)
    return None if found is None else found(X)
