"""ExactLeafMAP: the optimum of the problems that MAS and MASR approach greedily.

On a tree it is as cheap as the greedy: one linear pass for unknown k, a (max,+) knapsack over subtrees for fixed k
(:mod:`truepath.decoders.leaves.tree_optimum`). On a DAG it is an integer programme
(:mod:`truepath.decoders.leaves.dag_optimum`).
"""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from truepath.decoders.base import HeldOutScores
from truepath.decoders.leaves.base import LeafDecoder
from truepath.decoders.leaves.dag_optimum import DagOptimum
from truepath.decoders.leaves.masr import alpha_in_use, check_alpha, check_loaded_alpha, learned_alpha, resolve_alpha
from truepath.decoders.leaves.tree_optimum import TreeOptimum
from truepath.decoders.leaves.weights import NodeWeights, posterior_weights, risk_weights
from truepath.held import a_number, holds, one_of
from truepath.hierarchy import Hierarchy
from truepath.parameters import check_choice, check_number


@holds(weights=one_of("map", "risk"), time_limit=a_number(0))
class ExactLeafMAP(LeafDecoder):
    """The best label sets whose paths all end in leaves: most probable, or of smallest expected loss.

    Parameters
    ----------
    weights : {"map", "risk"}, default="map"
        ``"map"``: the largest posterior, as :class:`MAS`; ``"risk"``: the smallest expected loss (7), as
        :class:`MASR`.
    k : None, int, array of int, "metalabeler" or MetaLabeler, default=None
        The number of leaves, as for :class:`MAS`; None takes the best set of any number.
    hierarchy : Hierarchy, optional
        None means a flat label set.
    alpha : float or "balanced", default="balanced"
        With ``weights="risk"``: the importance of a false negative, as for :class:`MASR`.
    time_limit : float, default=10.0
        On DAGs: seconds for each row. When they are over, the better of the best set found so far and the greedy's
        is taken, with a :class:`~sklearn.exceptions.ConvergenceWarning`; :meth:`predict_with_gaps` says how far from
        the optimum each row may be.

    Attributes
    ----------
    alpha_ : float
        With ``weights="risk"``, the number used.
    hierarchy_ : Hierarchy
    metalabeler_ : MetaLabeler
        Fitted, when ``k`` asks for one.

    See Also
    --------
    MAS, MASR : the greedy search.

    Notes
    -----
    Trees: O(n_nodes) per row for unknown k, else O(n_leaves k) time and, once per call, memory for the tables, at most
    2 n_nodes (k + 1) numbers. A subtree worth exactly 0 is left out; other ties go to the smaller node number.

    DAGs: HiGHS through :func:`scipy.optimize.milp`; it may return any of several optimal sets, the greedy's if it
    is one.

    Examples
    --------
    Greedy takes b first, the best single leaf, and keeps it; the best two leaves are both below a:

    >>> from truepath import Hierarchy
    >>> from truepath.decoders import MAS, ExactLeafMAP
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b"])
    >>> C = [[0.3, 0.7, 0.7, 0.4]]    # conditional scores
    >>> h.decode(MAS(k=2, hierarchy=h).predict(None, conditional=C))
    [('a/1', 'b')]
    >>> h.decode(ExactLeafMAP(k=2, hierarchy=h).predict(None, conditional=C))
    [('a/1', 'a/2')]
    """

    name = "exact"
    summary = "the most probable set of leaves, or that of least expected loss, found exactly"
    learns_from = "held-out scores and labels if k is 'metalabeler', or weights is 'risk' and alpha is 'balanced'"
    needs = ("coherent scores", "probabilities")

    def __init__(
        self,
        weights: str = "map",
        k: Any = None,
        *,
        hierarchy: Hierarchy | None = None,
        alpha: Any = "balanced",
        time_limit: float = 10.0,
    ):
        self.weights = weights
        self.k = k
        self.hierarchy = hierarchy
        self.alpha = alpha
        self.time_limit = time_limit

    def _to_learn(self) -> tuple[str, ...]:
        return (*super()._to_learn(), *(learned_alpha(self.alpha) if self.weights == "risk" else ()))

    def check_loaded(self) -> None:
        """Refuse an alpha from a file that is no number."""
        super().check_loaded()
        if self._weighs_risk():
            check_loaded_alpha(self)

    def _learn(self, given: HeldOutScores) -> None:
        super()._learn(given)
        if self._weighs_risk():
            self.alpha_ = resolve_alpha(self.alpha, given)

    def _check_parameters(self) -> None:
        check_choice(self, "weights", ("map", "risk"))
        check_number(self, "time_limit", Real, 0, above=True)
        check_alpha(self.alpha)

    def _weighs_risk(self) -> bool:
        return self.weights == "risk"

    def predict(self, S: Any, *, conditional: Any = None, allowed: Any = None) -> Any:
        """Return the label sets.

        Parameters
        ----------
        S : ndarray or CSR of float, shape (n_samples, n_nodes), or None
            Coherent marginals in [0, 1]. May be None when ``conditional`` is given.
        conditional : ndarray or CSR of float, shape (n_samples, n_arcs), optional
            Conditional scores as for :meth:`MAS.predict`; only with ``weights="map"``.
        allowed : names, flags or AllowedLabels, optional
            The labels that may be predicted, as for :meth:`MAS.predict`; the result is the best among them.

        Returns
        -------
        Y : ndarray or csr_array of bool, shape (n_samples, n_nodes)
            Closed, every path ending in a leaf; CSR for sparse scores.
        """
        Y, gaps = self.predict_with_gaps(S, conditional=conditional, allowed=allowed)
        n_open = np.count_nonzero(gaps)
        if n_open:
            warnings.warn(
                f"time_limit={self.time_limit} s ended the search for {n_open} of {gaps.size} rows before the optimum "
                f"was proved (largest gap {gaps.max():.3g}, see predict_with_gaps). Allow more time, or use MAS.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return Y

    def predict_with_gaps(
        self, S: Any, *, conditional: Any = None, allowed: Any = None
    ) -> tuple[Any, NDArray[np.float64]]:
        """Return the label sets, and by how much the optimum may lie above each.

        Parameters
        ----------
        S, conditional, allowed
            As for :meth:`predict`.

        Returns
        -------
        Y : ndarray or csr_array of bool, shape (n_samples, n_nodes)
            As from :meth:`predict`.
        gaps : ndarray of float, shape (n_samples,)
            The most that the optimum's value can exceed that of the set returned; 0 where the set is proved optimal,
            as always on trees.
        """
        if self._weighs_risk() and conditional is not None:
            raise ValueError("conditional cannot be used with weights='risk', which needs the marginals; pass S alone.")
        return self._decode_with_gaps(S, conditional, allowed)

    def _search(self, hierarchy: Hierarchy, k: NDArray[np.int64] | None) -> _ExactSearch:
        if hierarchy.is_tree:
            return _ExactSearch(TreeOptimum(hierarchy, None if k is None else int(k.max(initial=1))))
        return _ExactSearch(DagOptimum(hierarchy, self.time_limit))

    def _weigh(self, S: Any, conditional: Any, hierarchy: Hierarchy) -> NodeWeights:
        if self._weighs_risk():
            return risk_weights(S, hierarchy, alpha_in_use(self))
        return posterior_weights(S, hierarchy, conditional)


class _ExactSearch:
    """Keeps the gap of every block of rows that it solves."""

    def __init__(self, optimum: TreeOptimum | DagOptimum):
        self.optimum = optimum
        self.gaps: list[NDArray[np.float64]] = []

    def decode(self, weights: NodeWeights, k: NDArray[np.int64] | None) -> NDArray[np.bool_]:
        """Return the label sets."""
        Y, _, gap = self.optimum.solve(weights, k)
        self.gaps.append(gap)
        return Y
