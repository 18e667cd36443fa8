"""What features add to the scores of linear local classifiers.

A score that is a function of one margin shares out its change, from a row of zeros, as the margin does: weights times
values. A softmax of several margins shares it out by its mean derivatives along the line from that row to x, the
Aumann-Shapley values, which Gauss and Legendre's points give to the last digits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import softmax

from truepath.adapters import Contributions
from truepath.adapters.capabilities import reach
from truepath.adapters.contributions import keeps_columns
from truepath.adapters.fitting import class_scores
from truepath.hierarchy.matrices import as_dense

# Points on the way from a row of zeros
N_POINTS = 32


def is_linear(model: Any) -> bool:
    """Say whether a classifier's scores are a function of one linear margin, a softmax of several, or constant."""
    member = reach(model).member
    if _is_constant(member):
        return True
    if not hasattr(member, "coef_") or not keeps_columns(model, member.n_features_in_):
        return False
    n_margins, n_features = member.coef_.shape
    some = np.vstack([np.zeros(n_features), np.ones(n_features) / n_features])
    return n_margins == 1 or np.allclose(_own_scores(member, some), softmax(member.decision_function(some), axis=1))


def _is_constant(member: Any) -> bool:
    return len(member.classes_) == 1


def linear_contributions(model: Any, x: Any, n_classes: int) -> Contributions:
    """Return what each column of one row adds to the scores of the classes 0 .. n_classes - 1."""
    found = reach(model)
    member, classes = found.member, np.arange(n_classes)
    if _is_constant(member):
        scores = class_scores(member, x, n_classes)[0]
        return Contributions(classes, np.zeros((0, n_classes)), scores, "linear")
    row = sparse.csr_array(found.rows(x)).astype(np.float64)
    row.sum_duplicates()
    columns, rows = row.indices, np.vstack([np.zeros(row.shape[1]), as_dense(row)[0]])
    margins = row.data[:, None] * as_dense(member.coef_).T[columns]  # (columns, margins)
    scores = class_scores(member, rows, n_classes)
    if margins.shape[1] == 1:
        change = margins.sum()
        slopes = (scores[1] - scores[0]) / change if change else np.zeros(n_classes)
        return Contributions(classes, margins * slopes, scores[0], "linear", columns)
    slopes = np.zeros((margins.shape[1], n_classes))
    slopes[:, member.classes_] = _mean_slopes(*member.decision_function(rows))
    return Contributions(classes, margins @ slopes, scores[0], "linear", columns)


def linear_weights(model: Any, n_classes: int, n_columns: int) -> np.ndarray:
    """Return the weights of columns in the margins of the classes 0 .. n_classes - 1, 0 where there are none."""
    member, weights = reach(model).member, np.zeros((n_columns, n_classes))
    if not _is_constant(member):
        coef = as_dense(member.coef_)
        weights[:, member.classes_] = (np.vstack([-coef, coef]) if len(coef) == 1 else coef).T
    return weights


def _own_scores(member: Any, rows: np.ndarray) -> np.ndarray:
    """Return the scores of the classes that a classifier knows."""
    return class_scores(member, rows, int(np.max(member.classes_)) + 1)[:, member.classes_]


def _mean_slopes(start: np.ndarray, stop: np.ndarray) -> np.ndarray:
    """Return the mean derivatives of a softmax on the way between two rows of margins, (n_margins, n_classes)."""
    points, weights = np.polynomial.legendre.leggauss(N_POINTS)
    P = softmax(start + ((points + 1) / 2)[:, None] * (stop - start), axis=1)
    return np.diag(weights @ P / 2) - np.einsum("q,qk,qv->kv", weights / 2, P, P)
