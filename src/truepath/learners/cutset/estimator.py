"""What all cutset estimators share: from X and Y to variables and back, fitting, and the queries.

Variables are the labels (two states each) followed by the features. Known labels, missing features and closed label
sets are all matters of evidence, so every query is one call of :mod:`truepath.learners.cutset.queries`.
"""

from __future__ import annotations

from functools import partial
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from truepath.adapters import encode_labels
from truepath.adapters.varying import find_constant_labels
from truepath.held import an_object, flag, holds, numbers
from truepath.hierarchy import cap_down
from truepath.hierarchy.matrices import as_dense
from truepath.learners.base import HierarchicalLearner, check_predict_input
from truepath.learners.cutset.closed import check_known_labels, forbid_open_pairs, search_closed
from truepath.learners.cutset.codes import MISSING, code_training_rows, make_cutter
from truepath.learners.cutset.growth import PRIORS, Growth, grow
from truepath.learners.cutset.queries import best_completion, label_log_joint, sample_states
from truepath.learners.cutset.structure import Leaf, LeafTree, OrNode, check_network, list_leaves
from truepath.parameters import check_choice, check_number

if TYPE_CHECKING:
    from typing import Self  # Python 3.11


class JointLearner(HierarchicalLearner):
    """A joint distribution of labels and features, whose marginals are the scores."""

    learns_from = "rows of discrete features, numeric ones cut into intervals, and their labels"
    _shared: np.ndarray  # 0 or 1 for a label that no, or every, training row has, else NaN

    def predict_marginals(self, X: Any) -> np.ndarray:
        """Return P(label on | features) of every label."""
        raise NotImplementedError

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the marginals as coherent scores: each capped by its parents'.

        A label that no training row has, or every one, scores 0 or 1: of rows unlike any in training the smoothed
        marginal would say anything.

        Parameters
        ----------
        X : array-like or sparse matrix, shape (n_samples, n_features)

        Returns
        -------
        S : ndarray of shape (n_samples, n_nodes)
        """
        S = self.predict_marginals(X)
        return cap_down(np.where(np.isnan(self._shared), S, self._shared), self.hierarchy_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True  # in queries
        tags.input_tags.categorical = True
        return tags


@holds(
    _coder=an_object("encode"),
    force_nonempty=flag,
    _shared=numbers("n_nodes", least=0, most=1, gaps=True),
    network_=an_object(of=("OrNode", "LeafTree"), knows=()),
)
class CutsetEstimator(JointLearner):
    """A joint distribution of labels and features, learned by :func:`truepath.learners.cutset.growth.grow`."""

    network_: OrNode | LeafTree
    hierarchy: Any
    prior: str
    prior_weight: float | None
    force_nonempty: bool

    # ------------------------------------------------------------------------------------------------ learning

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn structure and parameters.

        Parameters
        ----------
        X : array-like or sparse matrix, shape (n_samples, n_features)
            Every distinct value is a state; a feature of more than ``max_states`` values is cut into intervals.
            Complete: NaN is for queries only.
        y : closed 0/1 matrix (n_samples, n_nodes), or collections of label names
        sample_weight : array-like of shape (n_samples,), optional
            Whole numbers: how often a row counts.
        """
        check_number(self, "prior_weight", Real, 0, above=True, none=True)  # without it some evidence is impossible
        self._coder, codes, labels = code_training_rows(self, X, y, sample_weight, make_cutter)
        self.cuts_ = self._coder.cuts
        self._shared = find_constant_labels(labels)
        states = np.hstack([labels.astype(np.int16), codes])
        self.network_ = grow(states, self._growth(states.shape[0], labels.shape[1]))
        self.log_likelihood_ = self.network_.log_likelihood
        self.n_or_nodes_ = _count_or_nodes(self.network_)
        return self

    def check_loaded(self) -> None:
        """Refuse a network from a file whose leaves do not have what their paths leave open."""
        n_states = np.concatenate([np.full(self.hierarchy_.n_nodes, 2), self._coder.n_states])
        check_network(self.network_, n_states)

    def _growth_limits(self, n_rows: int) -> dict[str, Any]:
        """Return when slices are split: keywords of :class:`Growth`, and ``split_labels``."""
        raise NotImplementedError

    def _growth(self, n_rows: int, n_labels: int) -> Growth:
        limits = {"min_features": 0, "penalty": 0.0, "split_labels": False, **self._growth_limits(n_rows)}
        n_states = np.concatenate([np.full(n_labels, 2), self._coder.n_states])
        is_splittable = (np.arange(n_states.size) >= n_labels) | bool(limits.pop("split_labels"))
        check_choice(self, "prior", tuple(PRIORS))
        strength = PRIORS[self.prior](self.prior_weight, n_rows)
        return Growth(n_labels, n_states, is_splittable=is_splittable, strength=strength, **limits)

    # ------------------------------------------------------------------------------------------------- queries

    def predict(self, X: Any, known: Any = None) -> np.ndarray:
        """Return the most probable label sets given the features: max-product, exact (MPE).

        Parameters
        ----------
        X : array-like or sparse matrix, shape (n_samples, n_features)
            NaN, and values of an uncut feature that training did not show, are unobserved: the answer is the label
            part of the most probable completion of labels and missing features together.
        known : array-like of shape (n_samples, n_nodes), optional
            Labels already known, as 0 or 1, NaN where not: the most probable completion that agrees with them.

        Returns
        -------
        Y : ndarray of bool, shape (n_samples, n_nodes)
            Closed under the hierarchy.
        """
        evidence = self._evidence(X, known)
        _, states = self._most_probable(evidence)
        n_labels = self.hierarchy_.n_nodes
        if self.force_nonempty:
            empty = np.flatnonzero(~(states[:, :n_labels] == 1).any(axis=1))
            states[empty] = self._best_nonempty(evidence[empty], states[empty])
        return states[:, :n_labels] == 1

    def predict_marginals(self, X: Any, known: Any = None) -> np.ndarray:
        """Return P(label on | features) of every label: sum-product, exact, missing features summed out.

        Parameters are those of :meth:`predict`. Under a hierarchy the network's own marginals may exceed a parent's
        a little, where smoothing gives a label without its parent some probability; see :meth:`predict_proba`.
        """
        total, joint = label_log_joint(self._evidence(X, known), self._leaves(), self.hierarchy_.n_nodes)
        return np.exp(joint - total[:, None])

    def evidence_log_proba(self, X: Any) -> np.ndarray:
        """Return log P(x) of every row, labels and missing features summed out.

        Parameters
        ----------
        X : array-like or sparse matrix, shape (n_samples, n_features)

        Returns
        -------
        log_proba : ndarray of shape (n_samples,)
        """
        return label_log_joint(self._evidence(X, None), self._leaves(), 0)[0]

    def joint_log_proba(self, X: Any, y: Any) -> np.ndarray:
        """Return log P(x, y) of every row, missing features summed out.

        Parameters
        ----------
        X : array-like or sparse matrix, shape (n_samples, n_features)
        y : label matrix (n_samples, n_nodes) or collections of label names

        Returns
        -------
        log_proba : ndarray of shape (n_samples,)
        """
        evidence = self._evidence(X, None)
        evidence[:, : self.hierarchy_.n_nodes] = as_dense(encode_labels(y, self.hierarchy_))
        return label_log_joint(evidence, self._leaves(), 0)[0]

    def sample(self, n_samples: int = 1, random_state: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Draw rows from the learned distribution.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
            In the values of the training features; one in the middle of the interval where a feature is cut.
        Y : ndarray of bool, shape (n_samples, n_nodes)
            As the network gives it; through smoothing a row can be not closed.
        """
        check_is_fitted(self, "network_")
        rng = check_random_state(random_state)
        n_labels = self.hierarchy_.n_nodes
        states = sample_states(n_samples, self._leaves(), n_labels + self._coder.n_states.size, rng)
        return self._coder.decode(states[:, n_labels:]), states[:, :n_labels] == 1

    # -------------------------------------------------------------------------------------------------- inside

    def _leaves(self) -> list[Leaf]:
        return list(list_leaves(self.network_))

    def _evidence(self, X: Any, known: Any) -> np.ndarray:
        """Return the state of every variable of every row, ``MISSING`` where unobserved."""
        X = check_predict_input(self, X, allow_nan=True)
        n_labels = self.hierarchy_.n_nodes
        labels = np.full((X.shape[0], n_labels), MISSING, np.int16)
        if known is not None:
            labels = _known_states(known, labels.shape)
            check_known_labels(labels, self.hierarchy_)
        return np.hstack([labels, self._coder.encode(X)])

    def _most_probable(self, evidence: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        leaves = self._leaves()
        if self.hierarchy_.n_edges == 0:
            return best_completion(evidence, leaves)
        closed = [Leaf(forbid_open_pairs(leaf.tree, self.hierarchy_), leaf.path, leaf.log_weight) for leaf in leaves]
        return search_closed(evidence, partial(best_completion, leaves=closed), self.hierarchy_)

    def _best_nonempty(self, evidence: np.ndarray, states: np.ndarray) -> np.ndarray:
        """Return the best states with some label on: the best over "this top label is on"."""
        best, chosen = np.full(evidence.shape[0], -np.inf), states.copy()
        for v in self.hierarchy_.roots:
            rows = np.flatnonzero(evidence[:, v] != 0)
            if rows.size == 0:
                continue
            asked = evidence[rows]
            asked[:, v] = 1
            value, found = self._most_probable(asked)
            wins = value > best[rows]
            best[rows[wins]], chosen[rows[wins]] = value[wins], found[wins]
        return chosen


def _known_states(known: Any, shape: tuple[int, int]) -> np.ndarray:
    """Return known labels as states, NaN as ``MISSING``."""
    values = np.asarray(known, float)
    if values.shape != shape:
        raise ValueError(f"known must have the shape {shape}, one column per label; got {values.shape}.")
    if not np.isin(values[~np.isnan(values)], (0, 1)).all():
        raise ValueError("known must hold 0, 1, or NaN for labels not known.")
    return np.where(np.isnan(values), MISSING, np.nan_to_num(values)).astype(np.int16)


def _count_or_nodes(node: OrNode | LeafTree) -> int:
    return 0 if isinstance(node, LeafTree) else 1 + sum(map(_count_or_nodes, node.children))
