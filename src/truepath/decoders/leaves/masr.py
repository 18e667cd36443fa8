"""MASR: mandatory leaf prediction with the smallest expected loss.

The loss (7) counts each wrong node with its cost c_i, a false negative alpha times as much as a false positive.
By Proposition 3 its expectation is a constant less the sum over the label set of
w_i = (c+_i + c-_i) p(y_i = 1 | x) - c+_i, so Algorithm 1 runs as for MAS, over other weights. They need the
marginals p(y_i = 1 | x), which any coherent learner gives, on trees and on DAGs.

References
----------
W. Bi and J. T. Kwok, "Mandatory Leaf Node Prediction in Hierarchical Multilabel Classification", NIPS 2012.
"""

from __future__ import annotations

from numbers import Real
from typing import Any

from truepath.decoders.base import HeldOutScores
from truepath.decoders.leaves.greedy import GreedyLeafDecoder, LeafPath
from truepath.decoders.leaves.weights import NodeWeights, balanced_alpha, risk_weights
from truepath.hierarchy import Hierarchy
from truepath.parameters import Range

#: What the importance of a false negative may be; sums of weights stay finite
ALPHA = Range(Real, 0, 1e100)


def learned_alpha(alpha: Any) -> tuple[str, ...]:
    """Name the attribute that ``"balanced"`` makes ``fit`` learn; nothing for anything else."""
    return ("alpha_",) if isinstance(alpha, str) and alpha == "balanced" else ()


def resolve_alpha(alpha: Any, given: HeldOutScores) -> float:
    """Return the number given, or the ratio of the labels."""
    return balanced_alpha(given.y, given.sample_weight) if learned_alpha(alpha) else float(alpha)


def alpha_in_use(decoder: Any) -> float:
    """Return the decoder's number, or the ratio it has learned."""
    return float(decoder.alpha_ if learned_alpha(decoder.alpha) else decoder.alpha)


def check_alpha(alpha: Any) -> None:
    """Refuse what is neither a number nor ``"balanced"``."""
    if not learned_alpha(alpha) and not ALPHA.holds(alpha):
        raise ValueError(f"alpha must be {ALPHA.wanted} or 'balanced'; got {alpha!r}.")


def check_loaded_alpha(decoder: Any) -> None:
    """Refuse an alpha from a file that is no number: the kernels take weights to be numbers."""
    if not ALPHA.holds(alpha_in_use(decoder)):
        raise ValueError(f"alpha of a {type(decoder).__name__} is not {ALPHA.wanted}")


class MASR(GreedyLeafDecoder):
    """Greedy label sets of small expected loss whose paths all end in leaves, on trees and DAGs.

    Parameters
    ----------
    alpha : float or "balanced", default="balanced"
        The importance of a false negative against a false positive, at least 0; ``"balanced"`` is the ratio of the
        numbers of negative and positive labels in ``fit``, as in the paper's experiments.
    k : None, int, array of int, "metalabeler" or MetaLabeler, default=None
        The number of leaves, as for :class:`MAS`; None takes the number with the smallest expected loss.
    hierarchy : Hierarchy, optional
        None means a flat label set.

    Attributes
    ----------
    alpha_ : float
        The number used.
    hierarchy_ : Hierarchy
    metalabeler_ : MetaLabeler
        Fitted, when ``k`` asks for one.

    See Also
    --------
    MAS : the largest posterior.
    ExactLeafMAP : with ``weights="risk"``, the optimum of the same problem.

    Notes
    -----
    The paper's c_i is for trees; on a DAG c_i is the sum, over the parents j, of c_j divided by the number of j's
    children. Ties go to the leaf with the smaller number, then to fewer leaves. A number for ``alpha`` needs no
    ``fit``. Unlike MAS, MASR does not need coherent marginals.

    References
    ----------
    W. Bi and J. T. Kwok, "Mandatory Leaf Node Prediction in Hierarchical Multilabel Classification", NIPS 2012.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.decoders import MASR
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> S = [[0.9, 0.8, 0.3, 0.4, 0.3]]
    >>> h.decode(MASR(alpha=1.0, hierarchy=h).predict(S)), h.decode(MASR(alpha=4.0, hierarchy=h).predict(S))
    ([('a/1',)], [('a/1', 'a/2', 'b/1')])
    """

    name = "masr"
    summary = "the set of leaves of least expected loss, found greedily"
    learns_from = "held-out scores and labels if alpha is 'balanced' or k is 'metalabeler'"
    needs = ("probabilities",)

    def __init__(self, alpha: Any = "balanced", k: Any = None, *, hierarchy: Hierarchy | None = None):
        self.alpha = alpha
        self.k = k
        self.hierarchy = hierarchy

    def _to_learn(self) -> tuple[str, ...]:
        return (*super()._to_learn(), *learned_alpha(self.alpha))

    def _check_parameters(self) -> None:
        check_alpha(self.alpha)

    def check_loaded(self) -> None:
        """Refuse an alpha from a file that is no number."""
        super().check_loaded()
        check_loaded_alpha(self)

    def _learn(self, given: HeldOutScores) -> None:
        super()._learn(given)
        self.alpha_ = resolve_alpha(self.alpha, given)

    def predict_path(self, S: Any, *, k_max: int | None = None) -> LeafPath:
        """Return the nested solutions for k = 1 .. k_max (all leaves by default) and their sums of weights.

        The expected loss of a solution is sum(c-_i S[i]) less its sum of weights.
        """
        return self._predict_path(S, None, k_max)

    def _weigh(self, S: Any, conditional: Any, hierarchy: Hierarchy) -> NodeWeights:
        return risk_weights(S, hierarchy, alpha_in_use(self))
