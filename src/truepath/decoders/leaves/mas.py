"""MAS, mandatory leaf prediction on structures: the most probable label set all of whose paths end in leaves.

A label set Omega is worth its log posterior, the sum of its nodes' weights w_i (eq. (6); Proposition 4 on DAGs; see
:mod:`truepath.decoders.leaves.weights`). Algorithm 1 starts from the root and takes, k times, the leaf whose supernode,
the leaf with its ancestors, raises the sum most. That is the optimum when the best sets are nested
(Proposition 2); :class:`~truepath.decoders.ExactLeafMAP` finds it always.

References
----------
W. Bi and J. T. Kwok, "Mandatory Leaf Node Prediction in Hierarchical Multilabel Classification", NIPS 2012.
"""

from __future__ import annotations

from typing import Any

from truepath.decoders.leaves.greedy import GreedyLeafDecoder, LeafPath
from truepath.decoders.leaves.weights import NodeWeights, posterior_weights
from truepath.hierarchy import Hierarchy


class MAS(GreedyLeafDecoder):
    """Greedy maximum a posteriori label sets whose paths all end in leaves, on trees and DAGs.

    Parameters
    ----------
    k : None, int, array of int, "metalabeler" or MetaLabeler, default=None
        The number of leaves: None takes, for each row, the number with the largest posterior (Section 2.2.1); an
        array holds one number per row; a :class:`MetaLabeler` (or its name) is fitted on the scores by ``fit``.
    hierarchy : Hierarchy, optional
        None means a flat label set.

    Attributes
    ----------
    hierarchy_ : Hierarchy
    metalabeler_ : MetaLabeler
        Fitted, when ``k`` asks for one.

    See Also
    --------
    ExactLeafMAP : the optimum of the same problem.
    MASR : the smallest expected loss instead of the largest posterior.

    Notes
    -----
    Unless ``k`` asks for a MetaLabeler there is nothing to learn, and ``predict`` works without ``fit``.

    Conditional probabilities are clipped to [1e-6, 1 - 1e-6]. Ties go to the leaf with the smaller number, then to
    fewer leaves. Values are compared as sums over the nodes not selected yet, without the common summand
    SNV(Omega) of Algorithms 2 and 3, so that its rounding cannot create a false tie.

    All k together cost O(n_nodes + n_leaves log n_leaves) per row on a tree. Memory is that of the result and of a
    block of rows.

    References
    ----------
    W. Bi and J. T. Kwok, "Mandatory Leaf Node Prediction in Hierarchical Multilabel Classification", NIPS 2012.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.decoders import MAS
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> S = [[0.9, 0.8, 0.7, 0.2, 0.1], [0.4, 0.1, 0.3, 0.4, 0.3]]
    >>> h.decode(MAS(hierarchy=h).predict(S))
    [('a/1', 'a/2'), ('b/1',)]
    >>> h.decode(MAS(k=2, hierarchy=h).predict(S))
    [('a/1', 'a/2'), ('a/2', 'b/1')]
    """

    name = "mas"
    has_dag_loops = True
    summary = "the most probable set of leaves, found greedily"
    learns_from = "held-out scores and labels if k is 'metalabeler'"
    needs = ("coherent scores", "probabilities")

    def __init__(self, k: Any = None, *, hierarchy: Hierarchy | None = None):
        self.k = k
        self.hierarchy = hierarchy

    def predict(self, S: Any, *, conditional: Any = None, allowed: Any = None) -> Any:
        """Return the label sets.

        Parameters
        ----------
        S : ndarray or CSR of float, shape (n_samples, n_nodes), or None
            Coherent marginals in [0, 1]; p(y_v | y_u) is taken as S[v] / S[u] for every parent u. May be None when
            ``conditional`` is given.
        conditional : ndarray or CSR of float, shape (n_samples, n_arcs), optional
            p(y_v = 1 | y_u = 1, x) itself, used instead of the ratios. One column per arc, sorted by child, then by
            parent, a top-level node having one arc from the root
            (:func:`truepath.hierarchy.arcs.arc_pointers`): on a tree, column v is node v.
        allowed : names, flags or AllowedLabels, optional
            The labels that may be predicted, all by default. Paths end at the most specific of the possible labels;
            marginals are made of ``conditional`` first.

        Returns
        -------
        Y : ndarray or csr_array of bool, shape (n_samples, n_nodes)
            Closed, every path ending in a leaf; CSR for sparse scores.
        """
        return self._decode(S, conditional, allowed)

    def predict_path(self, S: Any, *, conditional: Any = None, k_max: int | None = None) -> LeafPath:
        """Return the nested solutions for k = 1 .. k_max (all leaves by default) and their log posteriors.

        Returns
        -------
        path : LeafPath
            ``path.leaves[i, :j]`` are the leaves of row i's solution with j leaves, ``path.values[i, j - 1]`` its
            log posterior (on DAGs, of the composite likelihood up to its constant). O(n_samples * k_max) memory.

        Examples
        --------
        >>> from truepath import Hierarchy
        >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
        >>> path = MAS(hierarchy=h).predict_path([[0.9, 0.8, 0.7, 0.2, 0.1]])
        >>> h.names[path.leaves].tolist(), path.values.round(2).tolist()
        ([['a/1', 'a/2', 'b/1']], [[-1.95, -0.7, -2.78]])
        """
        return self._predict_path(S, conditional, k_max)

    def _weigh(self, S: Any, conditional: Any, hierarchy: Hierarchy) -> NodeWeights:
        return posterior_weights(S, hierarchy, conditional)
