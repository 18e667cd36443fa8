r"""Cutset networks for multi-label classification: one joint distribution of labels and features.

A cutset network is a tree of OR nodes, each conditioning on one feature, with a tree-shaped Bayesian network over all
remaining variables in every leaf. Its log-likelihood decomposes over slices of the data, so it is grown from the top
like a decision tree; and since a leaf is a tree, the most probable label set, its probability, every label's marginal
and the effect of missing evidence are all exact, in time linear in the number of variables.

:class:`ChowLiuTree` is the network without OR nodes, :class:`CutsetNetwork` the paper's CNET,
:class:`RestrictedCutsetNetwork` its RCNET. There labels form a tree of their own and every feature hangs from the label
it shares most information with (Algorithm 1: information between features is set to zero, that between labels raised
above all else).

References
----------
N. Di Mauro, A. Vergari, F. Esposito. Multi-label classification with cutset networks. PGM 2016.
C. Chow, C. Liu. Approximating discrete probability distributions with dependence trees. IEEE Trans. Inf. Theory, 1968.
"""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from truepath.hierarchy import Hierarchy
from truepath.learners.base import fit_made
from truepath.learners.cutset.estimator import CutsetEstimator
from truepath.parameters import check_choice, check_number


class ChowLiuTree(CutsetEstimator):
    """One tree-shaped Bayesian network over labels and features, the maximum spanning tree of mutual information.

    Parameters
    ----------
    hierarchy : Hierarchy, optional
        The label hierarchy; None for a flat label set. ``predict`` then returns closed label sets only.
    prior_weight : float, optional
        Weight, in rows, of the prior: the shares of the training set, counted with one row more spread evenly over the
        states of a pair. By default one for every hundred training rows, at least one.
    force_nonempty : bool, default=False
        Replace an empty prediction by the most probable non-empty label set.
    restricted : bool, default=False
        Learn Algorithm 1's tree: labels span a tree of their own, every feature hangs from one label.
    max_states : int, default=8
        The largest number of states of a feature. One with more distinct values is cut into intervals, or refused.
    discretize : {"quantiles", "laim", None}, default="quantiles"
        How a feature of more than ``max_states`` values is cut: at equal shares of the rows, by the labels
        (:class:`~truepath.preprocessing.LAIM`), or not at all: then it is an error.
    n_intervals : int, default=3
        The largest number of intervals of a feature that is cut.
    categorical_features : None, "all", column numbers, column names or a boolean mask, default=None
        Features that are never cut, because their values have no order; more than ``max_states`` values are an error.

    Examples
    --------
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5)
    >>> Y = np.column_stack([X[:, 0], X[:, 0] & X[:, 1]])
    >>> tree = ChowLiuTree().fit(X, Y)
    >>> tree.predict([[1, 1], [0, 1]]).astype(int)
    array([[1, 1],
           [0, 0]])
    """

    name = "chow-liu-tree"
    summary = "one tree-shaped Bayesian network over labels and features"

    prior = "scaled"  # of one slice, all rows

    def __init__(
        self,
        *,
        hierarchy: Hierarchy | None = None,
        prior_weight: float | None = None,
        force_nonempty: bool = False,
        restricted: bool = False,
        max_states: int = 8,
        discretize: str | None = "quantiles",
        n_intervals: int = 3,
        categorical_features: Any = None,
    ):
        self.hierarchy = hierarchy
        self.prior_weight = prior_weight
        self.force_nonempty = force_nonempty
        self.restricted = restricted
        self.max_states = max_states
        self.discretize = discretize
        self.n_intervals = n_intervals
        self.categorical_features = categorical_features

    def _growth_limits(self, n_rows: int) -> dict[str, Any]:
        return {"is_restricted": bool(self.restricted), "min_samples": np.inf, "max_depth": 0}


class CutsetNetwork(CutsetEstimator):
    """A cutset network that splits on features, with free Chow-Liu trees in the leaves (CNET).

    Parameters
    ----------
    hierarchy : Hierarchy, optional
        The label hierarchy; None for a flat label set. ``predict`` then returns closed label sets only.
    min_split_fraction : float, default=0.6
        A slice is split further only if it holds more than this share of the training rows (the authors' ``-d``).
    min_samples : int, default=0
        A slice is split further only if it holds more rows than this.
    min_features : int, default=3
        A slice is split further only if more features than this are left.
    max_depth : int, optional
        The largest number of OR nodes on a path; None for no limit.
    criterion : {"bic", "likelihood"}, default="bic"
        What a split is judged by: under BIC an OR node must gain log(N) / 2 in log-likelihood, otherwise any gain will
        do.
    split_labels : bool, default=False
        Let OR nodes condition on labels too: the general network, not the one for classification.
    prior : {"scaled", "fixed"}, default="scaled"
        The weight of the Dirichlet prior, the shares over the whole training set, in a slice of the rows: the slice's
        share of ``prior_weight`` (with which the authors' predictions are met), or ``prior_weight`` in every slice.
    prior_weight : float, optional
        Weight of the prior in rows. By default one for every hundred training rows, at least one, where the prior is
        scaled, and 0.5 where it is fixed.
    force_nonempty : bool, default=False
        Replace an empty prediction by the most probable non-empty label set. The paper does not mention it, but its
        numbers are reproduced only with it.
    max_states : int, default=8
        The largest number of states of a feature. One with more distinct values is cut into intervals, or refused.
    discretize : {"quantiles", "laim", None}, default="quantiles"
        How a feature of more than ``max_states`` values is cut: at equal shares of the rows, by the labels
        (:class:`~truepath.preprocessing.LAIM`), or not at all: then it is an error.
    n_intervals : int, default=3
        The largest number of intervals of a feature that is cut.
    categorical_features : None, "all", column numbers, column names or a boolean mask, default=None
        Features that are never cut, because their values have no order; more than ``max_states`` values are an error.

    Attributes
    ----------
    network_ : OrNode or LeafTree
        The root of the learned network.
    n_or_nodes_ : int
    log_likelihood_ : float
        Of the training rows.
    cuts_ : dict of int to ndarray
        The cut points of the features that are cut, by their number.

    Examples
    --------
    >>> from truepath.data import load_dataset
    >>> ds = load_dataset("toy")
    >>> X = ds.train.X > 0.5
    >>> network = CutsetNetwork(hierarchy=ds.hierarchy, min_features=0).fit(X, ds.train.y)
    >>> network.predict(X).shape
    (8, 5)

    See Also
    --------
    RestrictedCutsetNetwork : far faster to learn and usually better at predicting labels.
    """

    name = "cutset-network"
    summary = "decision tree over features with a Bayesian network in every leaf"

    _is_restricted = False

    def __init__(
        self,
        *,
        hierarchy: Hierarchy | None = None,
        min_split_fraction: float = 0.6,
        min_samples: int = 0,
        min_features: int = 3,
        max_depth: int | None = None,
        criterion: str = "bic",
        split_labels: bool = False,
        prior: str = "scaled",
        prior_weight: float | None = None,
        force_nonempty: bool = False,
        max_states: int = 8,
        discretize: str | None = "quantiles",
        n_intervals: int = 3,
        categorical_features: Any = None,
    ):
        self.hierarchy = hierarchy
        self.min_split_fraction = min_split_fraction
        self.min_samples = min_samples
        self.min_features = min_features
        self.max_depth = max_depth
        self.criterion = criterion
        self.split_labels = split_labels
        self.prior = prior
        self.prior_weight = prior_weight
        self.force_nonempty = force_nonempty
        self.max_states = max_states
        self.discretize = discretize
        self.n_intervals = n_intervals
        self.categorical_features = categorical_features

    @classmethod
    def warm_up(cls, made: Any) -> None:
        """Compile the loops on made rows; see :mod:`truepath.warmup`."""
        fit_made(cls(), made, made.X)

    def _growth_limits(self, n_rows: int) -> dict[str, Any]:
        check_choice(self, "criterion", ("bic", "likelihood"))
        check_number(self, "min_split_fraction", Real, 0, 1)
        return {
            "is_restricted": self._is_restricted,
            "min_samples": max(self.min_samples, self.min_split_fraction * n_rows),
            "min_features": self.min_features,
            "max_depth": np.inf if self.max_depth is None else self.max_depth,
            "penalty": np.log(n_rows) / 2 if self.criterion == "bic" else 0.0,
            "split_labels": self.split_labels,
        }


class RestrictedCutsetNetwork(CutsetNetwork):
    """A cutset network whose leaves are label trees with features as their leaves (RCNET, Algorithm 1).

    Parameters
    ----------
    hierarchy, min_split_fraction, min_samples, min_features, max_depth, criterion, split_labels, prior, prior_weight, \
force_nonempty, max_states, discretize, n_intervals, categorical_features
        As in :class:`CutsetNetwork`.

    Notes
    -----
    Setting the information between features to zero and raising that between labels above everything else makes the
    maximum spanning tree a spanning tree of the labels with every feature attached to its best label. Only pairs with a
    label are counted: O(n_features^2 * n_labels * n_samples / 64) for one OR node, the counts being bit-set
    intersections; without a split O(n_features * n_labels * n_samples / 64).

    Examples
    --------
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5)
    >>> Y = np.column_stack([X[:, 0], X[:, 0] & X[:, 1]])
    >>> network = RestrictedCutsetNetwork().fit(X, Y)
    >>> network.predict([[1, np.nan]]).astype(int)   # the second feature was not seen
    array([[1, 1]])
    >>> network.predict_marginals([[1, np.nan]]).round(1)
    array([[1. , 0.5]])
    """

    name = "restricted-cutset-network"
    summary = "cutset network in which every feature hangs from one label"

    _is_restricted = True
