"""Fitting any learner on some rows, with weights if it takes them, and making node scores from whatever it returns.

Scores of rows that the learner did not train on come out of fold, or out of bag. Combiners and decoders are fitted on
these: fitted on scores of the training rows themselves they would learn how well the learner remembers, not how well
it knows.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from inspect import signature
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax
from sklearn import config_context
from sklearn.pipeline import Pipeline

from truepath.adapters.capabilities import ask, is_search, offers, reach
from truepath.adapters.groups import groups_argument, takes_groups
from truepath.adapters.parallel import iterate_parallel
from truepath.adapters.prepare import (
    copy_unfitted,
    final_step,
    find_hierarchy,
    innermost,
    is_of_truepath,
    tags_of,
)
from truepath.adapters.progress import Progress
from truepath.adapters.rows import take_rows
from truepath.hierarchy.checks import already_checked, as_probabilities, as_scores
from truepath.hierarchy.hierarchy import Hierarchy
from truepath.hierarchy.matrices import as_dense


def fit_learner(learner: Any, X: Any, Y: Any, weight: Any = None, rows: Any = None, groups: Any = None) -> Any:
    """Fit a learner on some rows and return it.

    Parameters
    ----------
    learner : unfitted learner, as :func:`prepare` returns it
    X : array, sparse matrix, data frame or list
    Y : ndarray or csr_array of bool, shape (n_samples, n_nodes)
        Checked labels; they are not checked again.
    weight : ndarray, optional
        One weight per row. A learner that takes none is fitted without them, with a warning.
    rows : ndarray of int, optional
        Which rows to take; None takes all.
    groups : ndarray of int, optional
        The group of each row, for a learner that holds out rows inside.
    """
    options = {} if weight is None else _weight_options(learner, take_rows(weight, rows))
    options |= groups_argument(learner, None if groups is None else groups[slice(None) if rows is None else rows])
    return _call_fit(learner, learner.fit, take_rows(X, rows), take_rows(Y, rows), options)


def _call_fit(learner: Any, fit: Callable[..., Any], X: Any, Y: Any, options: dict[str, Any]) -> Any:
    """Call a method that fits, with labels as the learner takes them; those of this library do not check them again."""
    with config_context(enable_metadata_routing=False):  # it is decided here where the weights go
        if is_search(final_step(learner)) or not is_of_truepath(learner):
            return fit(X, _plain_labels(learner, Y), **options)
        with already_checked(Y, find_hierarchy(learner)):
            return fit(X, Y, **options)


def _plain_labels(learner: Any, Y: Any) -> NDArray[np.int64]:
    """Return a dense 0/1 matrix for other libraries; one column becomes a vector for scikit-learn's classifiers."""
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
    >>> from truepath.adapters.fitting import weight_argument
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
    """Return the keyword of ``fit`` under which weights reach the estimator that learns; None if there is none."""
    if isinstance(learner, Pipeline):
        name, last = learner.steps[-1]
        key = _weight_key(last)
        return None if key is None else f"{name}__{key}"
    if is_search(learner):
        return _weight_key(learner.estimator)
    if "sample_weight" not in signature(learner.fit).parameters:
        return None
    inner = getattr(learner, "estimator", None)
    if hasattr(inner, "fit") and _passes_weights_on(learner):
        key = _weight_key(inner)
        return "sample_weight" if key == "sample_weight" or (key is not None and is_of_truepath(learner)) else None
    return "sample_weight"


def _passes_weights_on(learner: Any) -> bool:
    """Say whether weights are passed on to the inner estimator as they are: ours do, and multi-output wrappers."""
    tags = tags_of(learner)
    return is_of_truepath(learner) or (tags is not None and not tags.target_tags.single_output)


def node_scores(
    learner: Any, X: Any, n_nodes: int | None = None, *, hierarchy: Hierarchy | None = None, rows: Any = None
) -> NDArray[Any]:
    """Return a fitted learner's scores as one matrix, one column per node.

    Parameters
    ----------
    learner : fitted learner of truepath, scikit-learn or others
    X : rows as the learner takes them
    n_nodes : int, optional
        How many columns there must be; None takes what comes.
    hierarchy : Hierarchy, optional
        Whose names messages use; that of the learner itself, if it has one, unless given.
    rows : ndarray of int, optional
        What messages call the rows, if not 0, 1, 2, ...

    Returns
    -------
    S : ndarray of float, shape (n_samples, n_nodes)
        Finite, and from 0 to 1 where the learner is not ours: see :mod:`truepath.hierarchy.checks` for the rule.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from truepath.adapters import node_scores
    >>> forest = RandomForestClassifier(5, random_state=0).fit([[0], [1]], [[0, 1], [1, 1]])
    >>> node_scores(forest, [[0], [1]])[:, 1].tolist()
    [1.0, 1.0]
    """
    labels = getattr(hierarchy or find_hierarchy(learner), "names", None)
    S, whose = raw_scores(learner, X, n_nodes), type(innermost(learner)).__name__
    return check_learner_scores(S, whose, labels, rows=rows, is_raw=is_of_truepath(innermost(learner)))


def check_learner_scores(S: Any, whose: str, labels: Any, *, rows: Any = None, is_raw: bool = False) -> NDArray[Any]:
    """Return scores as a learner's must be, by the rule of :mod:`truepath.hierarchy.checks`.

    Parameters
    ----------
    S : ndarray, shape (n_samples, n_columns)
    whose : str
        The learner's name, for messages.
    labels : sequence of str, or None
        The label of each column.
    rows : ndarray of int, optional
        What messages call the rows.
    is_raw : bool, default=False
        Whether the scores need not be probabilities: learners of truepath return numbers from 0 to 1 by construction,
        unless a combiner within was asked to leave them raw.
    """
    what = f"the score matrix of {whose}"
    repair = "Check what the learner does with this row of X (missing or huge values, a fit that diverged)"
    S = as_scores(S, what, labels=labels, rows=rows, remedy=f"{repair}, or choose another learner.")
    if is_raw:
        return S
    remedy = "A learner whose scores are not probabilities gives them as decision_function, not as predict_proba."
    return as_probabilities(S, what, labels=labels, rows=rows, remedy=remedy)


def raw_scores(learner: Any, X: Any, n_nodes: int | None = None) -> NDArray[Any]:
    """Return a fitted learner's scores as one matrix, one column per node, whatever they are."""
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
    """Join lists of arrays into one matrix, and turn the scores of a single label into a column."""
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
    """Return the probability that one label is 1; if its classes are unknown (None), the last one counts as 1."""
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
    """Return the probabilities of the classes 0 .. n_classes - 1 by a classifier, 0 for classes never seen.

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
    found = reach(learner)
    score = getattr(found.member, "predict_conditional_proba", None)
    return None if score is None else score(found.rows(X))


Split = tuple[NDArray[np.int64], NDArray[np.int64]]


class HeldOut(NamedTuple):
    """Scores of held-out rows, and which rows they are."""

    rows: NDArray[np.int64]
    S: NDArray[Any]


def out_of_fold(
    learners: Sequence[Any],
    X: Any,
    Y: Any,
    weight: Any,
    splits: Sequence[Split],
    *,
    groups: Any = None,
    hierarchy: Hierarchy | None = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> list[HeldOut]:
    """Score rows by copies of each learner that did not see them.

    Parameters
    ----------
    learners : sequence of unfitted learners
    X, Y, weight, groups
        As in :func:`fit_learner`.
    splits : sequence of pairs (train, held out)
        Row numbers.
    hierarchy : Hierarchy, optional
        Whose names messages use.
    n_jobs : int, optional
    progress : Progress, optional
        Notified after every learner and split.

    Returns
    -------
    held_out : list of HeldOut, one per learner
        The rows in the order of the splits.
    """
    cases = ((learner, *split) for learner in learners for split in splits)
    parts: list[NDArray[Any]] = []
    for part in iterate_parallel(
        _fit_and_score, cases, common=(X, Y, weight, groups, hierarchy), n_jobs=n_jobs, one_by_one=True
    ):
        parts.append(part)
        if progress is not None:
            progress.step(f"held-out part {len(parts)} of {len(learners) * len(splits)} scored")
    if not parts:
        return []
    rows, n = np.concatenate([held_out for _, held_out in splits]), len(splits)
    return [HeldOut(rows, np.concatenate(parts[k * n : (k + 1) * n])) for k in range(len(learners))]


def _fit_and_score(
    X: Any, Y: Any, weight: Any, groups: Any, hierarchy: Any, learner: Any, train: Any, held_out: Any
) -> NDArray[Any]:
    """Fit a copy on some rows and score others."""
    fitted = fit_learner(copy_unfitted(learner), X, Y, weight, train, groups)
    return node_scores(fitted, take_rows(X, held_out), Y.shape[1], hierarchy=hierarchy, rows=held_out)


def fit_part(part: Any, S: Any, Y: Any, weight: Any, hierarchy: Hierarchy, groups: Any = None) -> Any:
    """Fit a combiner or a decoder on scores and labels that were checked, and return it."""
    with already_checked(Y, hierarchy):
        return part.fit(S, Y, sample_weight=weight, **part_groups(part, groups))


def part_groups(part: Any, groups: Any) -> dict[str, Any]:
    """Return the groups as an argument of a combiner or a decoder that takes them."""
    return {} if groups is None or not takes_groups(part) else {"groups": groups}


def scores_own_rows(learner: Any, groups: Any = None) -> bool:
    """Say whether a learner can score each training row by parts of it that did not see the row, in one fit.

    Forests that draw their rows can, by the trees that left a row out; networks by the members that did; kernel ridge
    regression in closed form; stacks by their learners. A search cannot: it chose its settings on all rows. With
    groups the learner must be able to leave out whole groups: its ``fit_held_out`` then names ``groups``.
    """
    if not offers(learner, "held-out scores") or is_search(final_step(learner)):
        return False
    return groups is None or "groups" in signature(reach(learner).member.fit_held_out).parameters


def fit_held_out(learner: Any, X: Any, Y: Any, weight: Any = None, groups: Any = None) -> tuple[HeldOut, Any]:
    """Fit a copy of a learner that scores its own rows; return those scores, and the copy.

    Steps of a pipeline before the learner are fitted on all rows.
    """
    fitted = copy_unfitted(learner)
    member = ask(fitted, "held-out scores").member
    options = {} if weight is None else _weight_options(member, weight)
    options |= groups_argument(member, groups)
    with config_context(enable_metadata_routing=False):
        X = _fit_steps(fitted, X, Y)
    S = _call_fit(member, member.fit_held_out, X, Y, options)
    rows = np.flatnonzero(np.isfinite(S).all(axis=1))
    if rows.size == 0:
        raise ValueError("every row was drawn by every tree; raise n_estimators, or give cv a number of folds.")
    return HeldOut(rows, S[rows]), fitted


def _fit_steps(learner: Any, X: Any, Y: Any) -> Any:
    """Fit the steps before the last of pipelines, and return the rows that they pass on."""
    while isinstance(learner, Pipeline):
        if len(learner.steps) > 1:
            before = learner[:-1]
            X = before.fit_transform(X, Y)
            learner.steps[:-1] = before.steps
        learner = learner.steps[-1][1]
    return X
