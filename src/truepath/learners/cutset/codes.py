"""Discrete features as state numbers: every distinct training value of a feature is one of its states 0, 1, ...

A cutset network knows nothing of distances between values, so the values may be anything numeric. At query time NaN,
and a value that training never showed, is an unobserved variable (``MISSING``): the network's answer then takes all
completions into account.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from truepath.adapters.inputs import UNKNOWN, find_places
from truepath.hierarchy.matrices import as_dense
from truepath.learners.base import check_fit_input, check_number, repeat_by_weight
from truepath.records import Record

__all__ = ["MISSING", "DiscreteRows", "StateCoder", "code_training_rows"]

#: The state number of an unobserved variable
MISSING = UNKNOWN


class StateCoder(Record, home="truepath.learners"):
    """The states of each feature, learned from training rows.

    Parameters
    ----------
    categories : sequence of ndarray
        For each feature its distinct values, ascending.

    Examples
    --------
    >>> coder = StateCoder.learn(np.array([[0.0, 7], [1, 7], [3, 7]]), max_states=8)
    >>> coder.n_states
    array([3, 1])
    >>> coder.encode(np.array([[3.0, 7], [2, np.nan]]))
    array([[ 2,  0],
           [-1, -1]], dtype=int16)
    """

    def __init__(self, categories: Sequence[np.ndarray]):
        self.categories = tuple(categories)
        self.n_states = np.array([values.size for values in self.categories], np.int64)

    @classmethod
    def learn(cls, X: Any, max_states: int) -> StateCoder:
        """Collect the distinct values of every column; more than ``max_states`` of them is an error."""
        X = as_dense(X)
        _refuse_missing(X)
        categories = [np.unique(column) for column in X.T]
        for j, values in enumerate(categories):
            if values.size > max_states:
                raise ValueError(
                    f"X has {values.size} distinct values in feature {j}, more than max_states={max_states}: cutset "
                    "networks take discrete features. Discretise first, for example with truepath.preprocessing.LAIM."
                )
        return cls(categories)

    def encode(self, X: Any) -> np.ndarray:
        """Return the state numbers of the rows, ``MISSING`` for NaN and for values unknown to training."""
        X = as_dense(X)
        codes = np.empty(X.shape, np.int16)
        is_numbered = np.array([np.array_equal(values, np.arange(values.size)) for values in self.categories], bool)
        own = np.asarray(X[:, is_numbered], np.float64)  # values 0, 1, ... are their own state numbers
        is_state = (own >= 0) & (own < self.n_states[is_numbered]) & (own == np.floor(own))
        codes[:, is_numbered] = np.where(is_state, own, MISSING)
        for j in np.flatnonzero(~is_numbered):
            codes[:, j] = find_places(self.categories[j], X[:, j])
        return codes

    def decode(self, codes: np.ndarray) -> np.ndarray:
        """Return the values of state numbers, NaN for ``MISSING``."""
        X = np.full(codes.shape, np.nan)
        for j, values in enumerate(self.categories):
            known = codes[:, j] != MISSING
            X[known, j] = values[codes[known, j]]
        return X


def _refuse_missing(X: np.ndarray) -> None:
    """Raise where training features are missing: counting needs complete rows."""
    missing = np.argwhere(np.isnan(X))
    if missing.size:
        row, column = missing[0].tolist()
        raise ValueError(
            f"X contains NaN (first: row {row}, feature {column}). Training counts need complete rows: impute, or give "
            "missing values a state of their own. Rows to predict may have NaN."
        )


class DiscreteRows(NamedTuple):
    """Training rows of discrete features, as state numbers, with their labels."""

    coder: StateCoder
    codes: np.ndarray  # int16, (n_rows, n_features)
    labels: np.ndarray  # bool, (n_rows, n_nodes)


def code_training_rows(learner: Any, X: Any, y: Any, sample_weight: Any) -> DiscreteRows:
    """Check what ``fit`` of a learner over discrete features was given; repeat rows by weight and code them."""
    X, Y, weight, _ = check_fit_input(learner, X, y, sample_weight, allow_nan=True)
    check_number(learner, "alpha", Real, 0, above=True)  # without a prior some evidence is impossible
    X, Y = repeat_by_weight(X, Y, weight)  # first: rows of weight zero show no states
    coder = StateCoder.learn(X, learner.max_states)
    return DiscreteRows(coder, coder.encode(X), as_dense(Y))
