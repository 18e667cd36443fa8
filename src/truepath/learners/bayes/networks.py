"""The cutset paper's rivals: naive Bayes and TAN for every label, alone, in a chain, or along the labels' tree.

Binary relevance (``labels="independent"``) learns each label from the features alone. A classifier chain
(``labels="chain"``) gives each label the labels before it as further features: the true ones in training, those
predicted at query time. :class:`BayesianChain` gives each label only its parent in a Chow-Liu tree of the labels.

References
----------
J. Read, B. Pfahringer, G. Holmes, E. Frank. Classifier chains for multi-label classification. ECML PKDD 2009.
J. H. Zaragoza, L. E. Sucar, E. F. Morales, C. Bielza, P. Larrañaga. Bayesian chain classifiers for multidimensional
classification. IJCAI 2011.
"""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from truepath.held import an_object, apart, each, holds, integer, mapping
from truepath.hierarchy import Hierarchy, cap_down
from truepath.learners.base import HALF, HierarchicalLearner, check_predict_input
from truepath.learners.bayes.models import NaiveBayes, TreeAugmented
from truepath.learners.cutset.codes import code_training_rows
from truepath.learners.cutset.network import ChowLiuTree
from truepath.parameters import check_choice, check_number

if TYPE_CHECKING:
    from typing import Self  # Python 3.11


@holds(
    _coder=an_object("encode"),
    parents_=mapping(each(integer(0), of=list), integer(0)),
    models_=each(apart(an_object("predict_proba", knows=())), "n_nodes", of=list),
)
class _BayesML(HierarchicalLearner):
    """One Bayesian classifier per label; ``parents_`` says which labels each of them sees."""

    takes_missing = True  # in queries

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn one classifier per label.

        Parameters
        ----------
        X : array-like or sparse matrix, shape (n_samples, n_features)
            Discrete features, complete.
        y : closed 0/1 matrix (n_samples, n_nodes), or collections of label names
        sample_weight : array-like, optional
            Whole numbers: how often a row counts.
        """
        check_number(self, "smoothing", Real, 0, above=True)
        self._coder, codes, Y = code_training_rows(self, X, y, sample_weight)
        self.parents_ = self._find_parents(Y)
        self.models_ = [self._fit_label(codes, Y, v) for v in range(Y.shape[1])]
        return self

    def _find_parents(self, Y: np.ndarray) -> dict[int, list[int]]:
        """Return for each label, in the order of prediction, the labels its classifier sees."""
        raise NotImplementedError

    def _fit_label(self, codes: np.ndarray, Y: np.ndarray, v: int) -> NaiveBayes | TreeAugmented:
        seen = self.parents_[v]
        n_states = np.concatenate([self._coder.n_states, np.full(len(seen), 2)])
        return self._model(self.smoothing, n_states).fit(np.hstack([codes, Y[:, seen].astype(np.int16)]), Y[:, v])

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return P(label on | features, labels already predicted), capped by the hierarchy's parents.

        A label that no training row has scores 0, one that all have 1: nothing tells the rows apart there.

        Parameters
        ----------
        X : array-like or sparse matrix, shape (n_samples, n_features)
            NaN, and values unknown to training, are summed out.

        Returns
        -------
        S : ndarray of shape (n_samples, n_nodes)
        """
        X = check_predict_input(self, X, allow_nan=True)
        codes = self._coder.encode(X)
        S = np.empty((codes.shape[0], self.hierarchy_.n_nodes))
        for v, seen in self.parents_.items():
            S[:, v] = self.models_[v].predict_proba(np.hstack([codes, (S[:, seen] > HALF).astype(np.int16)]))
        return cap_down(S, self.hierarchy_, out=S)

    def check_loaded(self) -> None:
        """Refuse labels from a file that see others before they are predicted, or by tables of other states."""
        if set(self.parents_) != set(range(self.hierarchy_.n_nodes)):
            raise ValueError("a label has no classifier")
        known: set[int] = set()
        for v, seen in self.parents_.items():
            n_states = [*self._coder.n_states.tolist(), *[2] * len(seen)]
            if not set(seen) <= known or self.models_[v].n_states.tolist() != n_states:
                raise ValueError("a label sees what is not known before it")
            known.add(v)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        return tags


class _Chained(_BayesML):
    """A base model for every label alone, or in a chain."""

    def __init__(
        self,
        *,
        hierarchy: Hierarchy | None = None,
        labels: str = "independent",
        smoothing: float = 1.0,
        max_states: int = 256,
    ):
        self.hierarchy = hierarchy
        self.labels = labels
        self.smoothing = smoothing
        self.max_states = max_states

    def _find_parents(self, Y: np.ndarray) -> dict[int, list[int]]:
        check_choice(self, "labels", ("independent", "chain"))
        return {v: list(range(v)) if self.labels == "chain" else [] for v in range(Y.shape[1])}


class NaiveBayesML(_Chained):
    """Naive Bayes for every label: BR-NB and CC-NB.

    Parameters
    ----------
    hierarchy : Hierarchy, optional
        The label hierarchy; None for a flat label set.
    labels : {"independent", "chain"}, default="independent"
        Every label alone (binary relevance, BR), or in a chain in the order of the columns (classifier chain, CC).
    smoothing : float, default=1.0
        Added to every count.
    max_states : int, default=256
        More distinct values of a feature than this are an error.

    Examples
    --------
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5)
    >>> NaiveBayesML(labels="chain").fit(X, X).predict([[1, 0]]).astype(int)
    array([[1, 0]])
    """

    name = "naive-bayes-ml"
    summary = "naive Bayes per label, alone or in a chain of labels"
    learns_from = "rows of discrete features and their labels"
    needs = ("discrete features",)

    _model = NaiveBayes


class TreeAugmentedML(_Chained):
    """Tree-augmented naive Bayes for every label: BR-TAN and CC-TAN.

    Parameters
    ----------
    hierarchy, labels, smoothing, max_states
        As in :class:`NaiveBayesML`.

    Notes
    -----
    The feature tree of a label maximises information given the label, counted with bit-sets:
    O(n_features^2 * n_samples / 64) per label.

    Examples
    --------
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5)
    >>> Y = X[:, :1] ^ X[:, 1:]   # what naive Bayes cannot see
    >>> TreeAugmentedML().fit(X, Y).predict([[1, 0], [1, 1]]).astype(int)
    array([[1],
           [0]])
    """

    name = "tree-augmented-ml"
    summary = "naive Bayes with a tree over the features per label, alone or in a chain"
    learns_from = "rows of discrete features and their labels"
    needs = ("discrete features",)

    _model = TreeAugmented


class BayesianChain(_BayesML):
    """Naive Bayes along the labels' Chow-Liu tree: each label sees the features and its parent label (BCC).

    Parameters
    ----------
    hierarchy : Hierarchy, optional
        The label hierarchy; None for a flat label set.
    smoothing : float, default=1.0
        Added to every count.
    max_states : int, default=256
        More distinct values of a feature than this are an error.

    Attributes
    ----------
    parents_ : dict
        The parent of each label in the labels' tree (a list of one, or none for the root), in order of prediction.

    Notes
    -----
    The root is the first label. The BCC columns of Di Mauro et al. (2016) hold other numbers, which agree with
    decision trees under binary relevance; see the page on cutset networks.

    Examples
    --------
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5)
    >>> BayesianChain().fit(X, X).predict([[1, 0]]).astype(int)
    array([[1, 0]])
    """

    name = "bayesian-chain"
    summary = "naive Bayes along a tree of the labels"
    learns_from = "rows of discrete features and their labels"
    needs = ("discrete features",)

    _model = NaiveBayes

    def __init__(self, *, hierarchy: Hierarchy | None = None, smoothing: float = 1.0, max_states: int = 256):
        self.hierarchy = hierarchy
        self.smoothing = smoothing
        self.max_states = max_states

    def _find_parents(self, Y: np.ndarray) -> dict[int, list[int]]:
        n_labels = Y.shape[1]
        tree: Any = ChowLiuTree(prior_weight=self.smoothing).fit(np.zeros((Y.shape[0], 1)), Y).network_
        parent = {int(v): int(tree.parent[v]) for v in tree.order if v < n_labels}
        # A label that no other tells anything about may hang on the column of zeros: that is not a parent.
        return {v: [u] if 0 <= u < n_labels else [] for v, u in parent.items()}
