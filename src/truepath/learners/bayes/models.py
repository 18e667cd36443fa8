"""One label's Bayesian classifier over discrete features: naive, and augmented by a tree over the features.

Both estimate P(x | y) for y = 0 and y = 1 from state numbers, with ``smoothing`` added to every count, and answer with
P(y = 1 | x). An unobserved feature (``MISSING``) is summed out exactly.

References
----------
N. Friedman, D. Geiger, M. Goldszmidt. Bayesian network classifiers. Machine Learning 29, 1997.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit
from sklearn.naive_bayes import CategoricalNB

from truepath import _kernels
from truepath.held import each, flag, holds, integers, numbers
from truepath.learners.cutset.codes import MISSING
from truepath.learners.cutset.growth import indicate
from truepath.learners.cutset.structure import check_spanning
from truepath.records import Record

if TYPE_CHECKING:
    from typing import Self  # Python 3.11


@holds(n_states=integers("n_variables", least=1, below=1 << 15), log_prior=numbers(2), is_constant=flag)
class _Binary(Record):
    """Class priors, and the posterior from log P(x | y)."""

    def __init__(self, smoothing: float, n_states: np.ndarray):
        self.smoothing, self.n_states = smoothing, np.asarray(n_states)

    def _fit_classes(self, codes: np.ndarray, y: np.ndarray) -> None:
        """Learn P(x | y) of both classes."""
        raise NotImplementedError

    def _log_likelihood(self, codes: np.ndarray) -> np.ndarray:
        """Return log P(x | y), one column per class."""
        raise NotImplementedError

    def fit(self, codes: np.ndarray, y: np.ndarray) -> Self:
        """Learn from complete state numbers and a boolean label."""
        sizes = np.array([(~y).sum(), y.sum()])
        self.log_prior = np.log((sizes + self.smoothing) / (sizes.sum() + 2 * self.smoothing))
        self.is_constant = bool((sizes == 0).any())  # of one class there is nothing to learn P(x | y) from
        if not self.is_constant:
            self._fit_classes(codes, y)
        return self

    def predict_proba(self, codes: np.ndarray) -> np.ndarray:
        """Return P(y = 1 | x); of a label that no training row has, or every one, 0 or 1."""
        if self.is_constant:
            return np.full(codes.shape[0], float(self.log_prior[1] > self.log_prior[0]))
        likelihood = self._log_likelihood(codes) + self.log_prior
        return expit(likelihood[:, 1] - likelihood[:, 0])


class NaiveBayes(_Binary, home="truepath.learners"):
    """Features independent given the label: scikit-learn's ``CategoricalNB``, with missing features left out."""

    def _fit_classes(self, codes: np.ndarray, y: np.ndarray) -> None:
        model = CategoricalNB(alpha=self.smoothing, min_categories=self.n_states).fit(codes, y)
        self.tables = [np.array(table) for table in model.feature_log_prob_]

    def check_loaded(self) -> None:
        """Refuse tables from a file that are not those of the states."""
        if not self.is_constant:
            each(numbers(2, None), self.n_states.size, of=list)(vars(self).get("tables"), {})
            if [table.shape[1] for table in self.tables] != self.n_states.tolist():
                raise ValueError("a naive Bayes classifier has tables of other states")

    def _log_likelihood(self, codes: np.ndarray) -> np.ndarray:
        total = np.zeros((codes.shape[0], 2))
        for j, table in enumerate(self.tables):
            known = codes[:, j] != MISSING
            total[known] += table[:, codes[known, j]].T
        return total


class TreeAugmented(_Binary, home="truepath.learners"):
    """TAN: each feature may depend on one other; the tree of largest information given the label, tables by class."""

    def _fit_classes(self, codes: np.ndarray, y: np.ndarray) -> None:
        kernels, chow_liu = _kernels.cutset.pair_counts, _kernels.cutset.chow_liu
        n_variables = self.n_states.size
        offset = np.concatenate([[0], np.cumsum(self.n_states - 1)])
        width = np.repeat(self.n_states, self.n_states - 1)
        shares = 1.0 / np.outer(width, width), 1.0 / width
        bits = kernels.pack_columns(indicate(codes, self.n_states))
        slices, information = [], np.zeros((n_variables, n_variables))
        for value in (False, True):
            mask = kernels.pack_columns((y == value)[:, None].astype(np.uint8))[0]
            pairs = np.zeros((offset[-1], offset[-1]), np.int32)
            kernels.count_pairs(bits, mask, offset[-1], pairs)
            counted = pairs, kernels.count_columns(bits, mask), int((y == value).sum()), *shares, 4 * self.smoothing
            slices.append(counted)
            information += (counted[2] / y.size) * chow_liu.information_of(
                *counted, offset, chow_liu.make_tables(offset)
            )
        self.parent, self.order = np.empty(n_variables, np.int32), np.empty(n_variables, np.int32)
        chow_liu.span(information, n_variables, -1, self.parent, self.order)
        self.factors = np.full((2, n_variables, self.n_states.max(), self.n_states.max()), -np.inf)
        for counted, factors in zip(slices, self.factors):
            chow_liu.fill_factors(self.parent, *counted, offset, factors)

    def check_loaded(self) -> None:
        """Refuse a tree from a file that leads outside its tables: the kernels follow it unchecked."""
        if not self.is_constant:
            if not {"parent", "order", "factors"} <= set(vars(self)):
                raise ValueError("a tree of variables lacks a part")
            numbers(2, self.n_states.size, "s", "s", least=-np.inf)(self.factors, {})
            check_spanning(self.parent, self.order, self.n_states, self.factors)

    def _log_likelihood(self, codes: np.ndarray) -> np.ndarray:
        evidence = np.ascontiguousarray(codes, np.int16)
        if (evidence.max(axis=0, initial=MISSING) >= self.n_states).any():
            raise ValueError("codes has a state that the tables of this model do not have.")
        tree = self.parent, self.order, self.n_states
        both = [
            _kernels.cutset.tree_inference.sum_product(evidence, *tree, self.factors[value], 0)[0] for value in (0, 1)
        ]
        return np.column_stack(both)
