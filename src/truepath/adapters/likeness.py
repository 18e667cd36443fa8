"""How similar rows are to one row, as a learner compares them: the record that members return, and the way to ask."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.utils.validation import check_is_fitted

from truepath.adapters.capabilities import offers, reach


class Likeness(NamedTuple):
    """How similar each of some rows is to one row.

    Attributes
    ----------
    values : ndarray of float, shape (n_rows,)
        At most 1, which is that of equal rows.
    measure : str
        What they mean: "shared leaves", "kernel", "cosine", or several of these joined by " + ".
    votes : ndarray of float, shape (n_rows, n_nodes), or None
        What each row adds to each score before it is made coherent, if the learner's scores are such sums.
    """

    values: NDArray[np.float64]
    measure: str
    votes: NDArray[np.float64] | None = None


def ask_likeness(learner: Any, x: Any, X: Any) -> Likeness:
    """Ask a fitted learner, at the end of any pipelines and searches, how similar rows are to one row.

    For a learner that does not compare rows itself, it is the cosine of the features that reach it, standardised
    unless they are sparse.
    """
    found = reach(learner)
    check_is_fitted(found.member)
    one, many = found.rows(x), found.rows(X)
    if offers(found.member, "likeness"):
        told: Likeness = found.member.likeness(one, many)
        return told
    if not sparse.issparse(many):
        many = np.asarray(many, np.float64)
        mean, spread = np.nanmean(many, axis=0), np.nanstd(many, axis=0)
        scaled = [(np.asarray(rows) - mean) / np.where(spread > 0, spread, 1.0) for rows in (one, many)]
        one, many = (np.where(np.isnan(rows), 0.0, rows) for rows in scaled)  # a missing value is the usual one
    return Likeness(cosine_similarity(one, many)[0].astype(np.float64), "cosine")
