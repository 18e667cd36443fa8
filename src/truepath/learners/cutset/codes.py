"""Features as state numbers: distinct values, or intervals of values, are the states 0, 1, ... of a feature.

A cutset network knows nothing of distances between values, so the values may be anything numeric; but every state
costs time and needs rows to be counted, so a feature of many values is cut into intervals. At query time NaN, and a
value that training never showed, is an unobserved variable (``MISSING``): the network's answer then takes all
completions into account. A feature that is cut has an interval for every value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np

from truepath.adapters.categories import UNKNOWN, find_places, resolve_categorical
from truepath.held import each, holds, integer, integers, mapping, numbers
from truepath.hierarchy.matrices import as_dense
from truepath.learners.base import check_fit_input, repeat_by_weight
from truepath.parameters import check_choice, check_number
from truepath.preprocessing.cut_points import find_quantile_cuts
from truepath.preprocessing.laim import find_cuts
from truepath.records import Record

#: The state number of an unobserved variable
MISSING = UNKNOWN

#: How a feature is cut: (values, labels, largest number of intervals) -> cut points
CUTS: Mapping[str, Callable[[np.ndarray, np.ndarray, int], np.ndarray]] = {
    "quantiles": lambda values, labels, n_intervals: find_quantile_cuts(values, n_intervals),
    "laim": find_cuts,
}

#: Finds the cut points of feature j, or refuses to
Cutter = Callable[[int, np.ndarray], np.ndarray]


@holds(
    categories=each(numbers(None), "n_features", of=tuple),
    cuts=mapping(numbers(None), integer(0)),
    n_states=integers("n_features", least=1, below=1 << 15),
)
class StateCoder(Record, home="truepath.learners"):
    """The states of each feature, learned from training rows.

    Parameters
    ----------
    categories : sequence of ndarray
        For each feature a value of every state, ascending: its distinct values, or one of each interval.
    cuts : dict of int to ndarray, optional
        The cut points of the features that are cut, by feature; a value on a cut point belongs to the lower interval.

    Examples
    --------
    >>> coder = StateCoder.learn(np.array([[0.0, 7], [1, 7], [3, 7]]), max_states=8)
    >>> coder.n_states
    array([3, 1])
    >>> coder.encode(np.array([[3.0, 7], [2, np.nan]]))
    array([[ 2,  0],
           [-1, -1]], dtype=int16)
    """

    def __init__(self, categories: Sequence[np.ndarray], cuts: Mapping[int, np.ndarray] | None = None):
        self.categories = tuple(categories)
        self.cuts = dict(cuts or {})
        self.n_states = np.array([values.size for values in self.categories], np.int64)

    @classmethod
    def learn(cls, X: Any, max_states: int, cut: Cutter | None = None) -> StateCoder:
        """Collect the distinct values of every column; ``cut`` those that have more than ``max_states`` of them."""
        X = as_dense(X)
        _refuse_missing(X)
        categories, cuts = [np.unique(column) for column in X.T], {}
        for j, values in enumerate(categories):
            if values.size <= max_states:
                continue
            if cut is None:
                raise _too_many_values(f"feature {j}", values.size, max_states)
            cuts[j] = cut(j, X[:, j])
            categories[j] = _middle_values(values, cuts[j])
        return cls(categories, cuts)

    def encode(self, X: Any) -> np.ndarray:
        """Return the state numbers of the rows, ``MISSING`` for NaN and for values unknown to training."""
        X = as_dense(X)
        codes = np.empty(X.shape, np.int16)
        is_numbered = np.array([np.array_equal(values, np.arange(values.size)) for values in self.categories], bool)
        is_numbered[list(self.cuts)] = False
        own = np.asarray(X[:, is_numbered], np.float64)  # values 0, 1, ... are their own state numbers
        is_state = (own >= 0) & (own < self.n_states[is_numbered]) & (own == np.floor(own))
        codes[:, is_numbered] = np.where(is_state, own, MISSING)
        for j in np.flatnonzero(~is_numbered).tolist():
            if j in self.cuts:
                codes[:, j] = np.where(np.isnan(X[:, j]), MISSING, np.searchsorted(self.cuts[j], X[:, j]))
            else:
                codes[:, j] = find_places(self.categories[j], X[:, j])
        return codes

    def decode(self, codes: np.ndarray) -> np.ndarray:
        """Return the values of state numbers, NaN for ``MISSING``."""
        X = np.full(codes.shape, np.nan)
        for j, values in enumerate(self.categories):
            known = codes[:, j] != MISSING
            X[known, j] = values[codes[known, j]]
        return X

    def check_loaded(self) -> None:
        """Refuse states from a file that lead outside the tables."""
        sizes = [values.size for values in self.categories]
        if not np.array_equal(self.n_states, sizes):
            raise ValueError("a feature has another number of states than it has values")
        if any(not 0 <= j < len(sizes) or cuts.size != sizes[j] - 1 for j, cuts in self.cuts.items()):
            raise ValueError("a feature has another number of intervals than it has states")


def _middle_values(distinct: np.ndarray, cuts: np.ndarray) -> np.ndarray:
    """Return the middle one of the distinct values of every interval."""
    ends = np.searchsorted(distinct, cuts, side="right")
    return distinct[(np.concatenate([[0], ends]) + np.append(ends, distinct.size) - 1) // 2]


def _too_many_values(feature: str, n_values: int, max_states: int) -> ValueError:
    return ValueError(
        f"X has {n_values} distinct values in {feature}, more than max_states={max_states}: every value would be a "
        "state. Discretise first, for example with truepath.preprocessing.LAIM, or raise max_states."
    )


def _refuse_missing(X: np.ndarray) -> None:
    """Raise where training features are missing: counting needs complete rows."""
    missing = np.argwhere(np.isnan(X))
    if missing.size:
        row, column = missing[0].tolist()
        raise ValueError(
            f"X contains NaN (first: row {row}, feature {column}). Training counts need complete rows: impute, or give "
            "missing values a state of their own. Rows to predict may have NaN."
        )


def code_training_rows(
    learner: Any, X: Any, y: Any, sample_weight: Any, make_cut: Any = None
) -> tuple[StateCoder, np.ndarray, np.ndarray]:
    """Check what ``fit`` of a learner over discrete features was given; repeat rows by weight and code them.

    Return the states of the features, the state numbers (int16) and the labels (bool) of the rows.
    ``make_cut(learner, labels)`` says how features of many values are cut; without it they are refused.
    """
    X, Y, weight, _ = check_fit_input(learner, X, y, sample_weight, allow_nan=True)
    check_number(learner, "max_states", Integral, 1)
    X, Y = repeat_by_weight(X, Y, weight)  # first: rows of weight zero show no states
    labels = as_dense(Y)
    coder = StateCoder.learn(X, learner.max_states, make_cut and make_cut(learner, labels))
    return coder, coder.encode(X), labels


def make_cutter(learner: Any, labels: np.ndarray) -> Cutter:
    """Return how a learner with ``discretize``, ``n_intervals`` and ``categorical_features`` cuts a feature."""
    check_choice(learner, "discretize", (*CUTS, None))
    check_number(learner, "n_intervals", Integral, 2)
    names = getattr(learner, "feature_names_in_", None)
    is_categorical = resolve_categorical(learner.categorical_features, learner.n_features_in_, names)

    def cut(j: int, values: np.ndarray) -> np.ndarray:
        feature = f"feature {j}" if names is None else f"feature {j}, {str(names[j])!r}"
        if is_categorical[j]:
            raise ValueError(
                f"X has {np.unique(values).size} categories in {feature}, more than max_states={learner.max_states}. "
                "Group rare categories, raise max_states, or take it out of categorical_features if its values are "
                "ordered: it is then cut into intervals."
            )
        if learner.discretize is None:
            raise _too_many_values(feature, np.unique(values).size, learner.max_states)
        return CUTS[learner.discretize](np.asarray(values, np.float64), labels, learner.n_intervals)

    return cut
