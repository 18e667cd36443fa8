r"""BayesianAggregation: the marginals of a Bayesian network over the true labels, given all local scores.

The hidden labels form the tree itself, y_v <= y_parent; each emits its local score. With the prior
``q[v]`` = p(y_v = 1 | y_parent = 1) and the log-likelihood ratio ``L[v]`` = log p(s_v | 1) / p(s_v | 0), belief
propagation is exact and takes one walk up and one down::

    lambda_v = L_v + sum_c log((1 - q_c) + q_c exp(lambda_c))                 evidence of the subtree
    p(y_v = 1 | S) = p(y_parent = 1 | S) * sigmoid(logit q_v + lambda_v)      1 for the implicit root

The result is coherent by construction.

References
----------
Z. Barutcuoglu, C. DeCoro. Hierarchical shape classification using Bayesian aggregation. SMI 2006.

Z. Barutcuoglu, R. E. Schapire, O. G. Troyanskaya. Hierarchical multi-label prediction of gene function.
Bioinformatics 22(7), 2006.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.utils.validation import check_is_fitted

from truepath import _kernels
from truepath.combiners.base import Combiner, transform_densely
from truepath.combiners.likelihoods import LIKELIHOODS
from truepath.errors import HierarchyError
from truepath.held import an_object, holds, integers, numbers
from truepath.hierarchy import Hierarchy, cap_down, check_scores
from truepath.hierarchy.checks import check_truth, hierarchy_for, weight_or_ones
from truepath.hierarchy.matrices import as_dense
from truepath.hierarchy.propagation import multiply_down
from truepath.parameters import check_choice


@holds(
    parent_=integers("n_nodes", least=-1, below="n_nodes"),
    prior_=numbers("n_nodes", least=0, most=1),
    likelihood_=an_object("log_ratio"),
)
class BayesianAggregation(Combiner):
    """Combine all local scores by exact inference in a tree-shaped Bayesian network.

    Parameters
    ----------
    likelihood : {"gaussian", "binned"}, default="gaussian"
        The model of a score given its label, fitted node by node: normal densities as in the paper, or histograms
        over ``n_bins`` bins of equal mass, which assume no shape.
    hierarchy : Hierarchy, optional
    smoothing : float, default=1.0
        Pseudo-count of the prior: q_v = (positives of v + smoothing) / (positives of the parent + 2 smoothing).
    n_bins : int, default=10
        For ``likelihood="binned"``.
    dag : {"raise", "spanning_tree"}, default="raise"
        Inference is exact on trees only. ``"spanning_tree"`` keeps for each node the parent with the fewest
        positives (the most informative), infers there, and caps the result by all parents: an approximation.

    Attributes
    ----------
    prior_ : ndarray, shape (n_nodes,)
        q_v.
    likelihood_ : object with ``log_ratio(S)``

    Notes
    -----
    The Bioinformatics paper draws the arcs from children to parents, with a table over all children; drawn from
    parent to child the network states the same constraint with one number per node. Normal densities of unequal
    width are not monotone: far below its mean a wide "on" density overtakes a narrow "off" one; ``"binned"`` has no
    such tails. O(n_samples * n_nodes).

    Examples
    --------
    >>> import numpy as np
    >>> from truepath import Hierarchy
    >>> from truepath.combiners import BayesianAggregation
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> Y = h.encode([["a/1"], ["a/2"], ["b/1"], ["a/1"], ["b"], ["a"]])
    >>> S = 0.6 * Y + 0.2 * np.eye(6, 5)
    >>> BayesianAggregation(hierarchy=h).fit(S, Y).transform(S)[0].round(2).tolist()
    [1.0, 1.0, 0.0, 0.0, 0.0]
    """

    name = "bayesian-aggregation"
    summary = "exact inference in a Bayesian network over the tree of labels"
    learns_from = "held-out scores and labels"
    needs = ("a tree",)

    def __init__(
        self,
        likelihood: str = "gaussian",
        *,
        hierarchy: Hierarchy | None = None,
        smoothing: float = 1.0,
        n_bins: int = 10,
        dag: str = "raise",
    ):
        self.likelihood = likelihood
        self.hierarchy = hierarchy
        self.smoothing = smoothing
        self.n_bins = n_bins
        self.dag = dag

    def fit(self, S: Any, y: Any, sample_weight: Any = None) -> BayesianAggregation:
        """Fit the score models and the prior.

        Parameters
        ----------
        S : array-like or sparse matrix, shape (n_samples, n_nodes)
            Local scores of rows the learner did not train on.
        y : array-like or sparse matrix of 0 and 1, shape (n_samples, n_nodes)
        sample_weight : array-like, shape (n_samples,), optional
        """
        self._check_options()
        hierarchy = hierarchy_for(self.hierarchy, S)
        S = check_scores(S, hierarchy)
        Y = check_truth(y, S, hierarchy)
        weight = weight_or_ones(sample_weight, S.shape[0])
        S = as_dense(S).astype(np.float64, copy=False)
        counts = np.asarray(weight @ Y).ravel()
        self.parent_ = self._tree(hierarchy, counts)
        above = np.where(self.parent_ >= 0, counts[self.parent_], weight.sum())
        self.prior_ = (counts + self.smoothing) / (above + 2 * self.smoothing)
        self.likelihood_ = LIKELIHOODS[self.likelihood](S, Y, weight, self.n_bins)
        self.hierarchy_, self.n_features_in_ = hierarchy, hierarchy.n_nodes
        return self

    def _check_options(self) -> None:
        check_choice(self, "likelihood", LIKELIHOODS)
        check_choice(self, "dag", ("raise", "spanning_tree"))
        if not self.smoothing > 0:
            raise ValueError(f"smoothing must be positive, or a prior could be 0 or 1; got {self.smoothing!r}.")

    def _tree(self, hierarchy: Hierarchy, counts: np.ndarray) -> np.ndarray:
        """Return one parent per node, -1 at the top."""
        if not hierarchy.is_tree and self.dag == "raise":
            many = int(np.flatnonzero(np.diff(hierarchy.parent_ptr) > 1)[0])
            raise HierarchyError(
                f"BayesianAggregation is exact on trees only, and {hierarchy.names[many]!r} has several parents.",
                "Pass dag='spanning_tree' for an approximation, or use Isotonic or HierarchicalFAEL.",
            )
        parent = np.full(hierarchy.n_nodes, -1, np.int32)
        for v in range(hierarchy.n_nodes):
            parents = hierarchy.parents(v)
            if parents.size:
                parent[v] = parents[np.argmin(counts[parents])]  # ties: the smaller number
        return parent

    def transform(self, S: Any) -> Any:
        """Return p(y_v = 1 | all scores of the row); CSR gives CSR back, though hardly a cell is zero.

        Parameters
        ----------
        S : array-like or sparse matrix, shape (n_samples, n_nodes)
        """
        check_is_fitted(self, "likelihood_")
        return transform_densely(self._infer, check_scores(S, self.hierarchy_))

    def check_loaded(self) -> None:
        """Refuse parents from a file that come after their children."""
        if (self.parent_ >= np.arange(self.parent_.size)).any():
            raise ValueError("a node comes before its parent")

    def _infer(self, S: np.ndarray) -> np.ndarray:
        """Propagate beliefs up and down the tree."""
        tree = Hierarchy.from_parents(self.parent_.tolist())  # node numbers stay: parents already come first
        evidence = np.ascontiguousarray(self.likelihood_.log_ratio(S))
        logit, log_absent = np.log(self.prior_) - np.log1p(-self.prior_), np.log1p(-self.prior_)
        _kernels.hierarchy.propagate.gather_evidence(evidence, tree.child_ptr, tree.child_idx, logit, log_absent)
        marginals = expit(evidence + logit)
        multiply_down(marginals, tree, out=marginals)
        return marginals if self.hierarchy_.is_tree else cap_down(marginals, self.hierarchy_, out=marginals)
