"""ExpectedCost: for each row the closed label set of least expected cost, mistakes being priced by label.

Both losses are sums over labels, so marginals are all that is needed.

*Every mistake counts* (HMC-loss): with c_v the cost of a false alarm and m_v that of a miss, a label adds w_v =
(c_v + m_v) s_v - c_v to what is saved, and the best closed set is a maximum closure: the labels that an isotonic
projection of w puts above 0, on trees and DAGs.

*Only the uppermost mistakes count* (H-loss): a label that is left out below a predicted one costs m_v s_v, a predicted
one c_v (s_u - s_v), u being its parent; what follows from a mistake costs nothing. On a tree the least sum is found
from the leaves up.

References
----------
N. Cesa-Bianchi, C. Gentile, L. Zaniboni. Incremental algorithms for hierarchical classification. JMLR 7, 2006.

W. Bi, J. T. Kwok. Bayes-optimal hierarchical multilabel classification. IEEE TKDE 27, 2015.
"""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath.combiners import Isotonic
from truepath.decoders.base import PlainDecoder
from truepath.decoders.leaves.base import CLOSED_AT_ONCE, label_in_blocks
from truepath.held import a_number, holds, one_of
from truepath.hierarchy import Hierarchy, cap_down
from truepath.hierarchy.matrices import as_dense
from truepath.metrics.inputs import check_costs, check_per_node
from truepath.parameters import Range, check_choice, check_in

Floats = NDArray[np.float64]

#: What is saved less than this is nothing: projections are means, and round
ROUNDING = 1e-12


@holds(alpha=a_number(0), loss=one_of("every", "uppermost"))
class ExpectedCost(PlainDecoder):
    """Predict for each row the closed label set of least expected cost.

    Parameters
    ----------
    wrong_costs : {"normalized", "uniform"}, array of float or mapping, default="normalized"
        What a predicted label costs that is not true: split among the children from 1 at the root, all 1, or given; a
        mapping from names to costs changes those of some labels. On a tree the cost of a label is that of the edge to
        it.
    missed_costs : {"normalized", "uniform"}, array of float, mapping or None, default=None
        What a true label costs that is not predicted; None means the same.
    hierarchy : Hierarchy, optional
        None means a flat label set.
    loss : {"every", "uppermost"}, default="every"
        Whether every mistake is charged, as by :func:`truepath.metrics.hmc_loss`, or only those with no mistake above,
        as by :func:`truepath.metrics.h_loss`, which needs a tree.
    alpha : float, default=1.0
        Multiplies the costs of missed labels.

    Attributes
    ----------
    hierarchy_ : Hierarchy

    See Also
    --------
    MASR : the same costs where paths must end in leaves.
    ExpectedF : the F-measure instead of costs.
    StoppingPath : one path only.

    Notes
    -----
    Scores are taken for probabilities, and capped by their parents'. Where wrong and missed labels cost the same, up to
    ``alpha``, the set of least cost of all mistakes is what a threshold of 1 / (1 + alpha) gives. A label that saves
    nothing is left out. O(n_nodes) per row for "uppermost"; an isotonic projection of each row for "every".

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.decoders import ExpectedCost
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> S = [[0.6, 0.45, 0.15, 0.4, 0.3]]
    >>> h.decode(ExpectedCost(hierarchy=h).predict(S))
    [('a',)]
    >>> h.decode(ExpectedCost(hierarchy=h, alpha=2.0).predict(S))
    [('a/1', 'b')]
    >>> h.decode(ExpectedCost(missed_costs={"b/1": 2.0}, hierarchy=h).predict(S))  # to miss b/1 is dear
    [('a', 'b/1')]
    """

    name = "expected-cost"
    summary = "the label set of least expected cost, mistakes priced by label"
    needs = ("probabilities",)
    has_dag_loops = True

    def __init__(
        self,
        wrong_costs: Any = "normalized",
        missed_costs: Any = None,
        *,
        hierarchy: Hierarchy | None = None,
        loss: str = "every",
        alpha: float = 1.0,
    ):
        self.wrong_costs = wrong_costs
        self.missed_costs = missed_costs
        self.hierarchy = hierarchy
        self.loss = loss
        self.alpha = alpha

    def _check_parameters(self) -> None:
        check_choice(self, "loss", ("every", "uppermost"))
        check_in("alpha", self.alpha, Range(Real, 0, 1e100))

    def check_loaded(self) -> None:
        """Refuse costs from a file that are not those of the labels."""
        for name in ("wrong_costs", "missed_costs"):
            costs = getattr(self, name)
            known = costs is None or isinstance(costs, (str, Real, Mapping, list, tuple, np.ndarray))
            if not known or (costs is None and name == "wrong_costs"):
                raise ValueError(f"{name} are no costs")
            if costs is not None:
                _costs_of(costs, self.hierarchy_, name)

    def _correct(self, S: Any, hierarchy: Hierarchy) -> Any:
        return cap_down(S, hierarchy)

    def _label(self, S: Any, hierarchy: Hierarchy) -> Any:
        if self.loss == "uppermost" and not hierarchy.is_tree:
            raise ValueError("loss='uppermost' needs a tree, and the hierarchy is a DAG. Use loss='every'.")
        wrong = _costs_of(self.wrong_costs, hierarchy, "wrong_costs")
        given = self.wrong_costs if self.missed_costs is None else self.missed_costs
        missed = self.alpha * _costs_of(given, hierarchy, "missed_costs")
        choose = _least_of_all if self.loss == "every" else _least_uppermost

        def label(rows: slice) -> NDArray[np.bool_]:
            return choose(as_dense(S[rows]).astype(np.float64), wrong, missed, hierarchy)

        return label_in_blocks(S, hierarchy.n_nodes, label, CLOSED_AT_ONCE)


def _least_of_all(s: Floats, wrong: Floats, missed: Floats, hierarchy: Hierarchy) -> NDArray[np.bool_]:
    saved = (wrong + missed) * s - wrong
    return np.asarray(Isotonic(hierarchy=hierarchy).transform(saved) > ROUNDING)


def _least_uppermost(s: Floats, wrong: Floats, missed: Floats, hierarchy: Hierarchy) -> NDArray[np.bool_]:
    above = np.hstack([s, np.ones((len(s), 1))])[:, _parents(hierarchy)]
    left_out, taken = (missed * s).T, (wrong * (above - s)).T
    for u, v in hierarchy.edges[::-1].tolist():  # children before parents
        taken[u] += np.minimum(taken[v], left_out[v])
    return np.asarray(cap_down((taken < left_out - ROUNDING).T, hierarchy))


def _parents(hierarchy: Hierarchy) -> NDArray[np.int64]:
    """Return the parent of each label of a tree, the number of labels on top."""
    parents = np.full(hierarchy.n_nodes, hierarchy.n_nodes)
    parents[hierarchy.edges[:, 1]] = hierarchy.edges[:, 0]
    return parents


def _costs_of(costs: Any, hierarchy: Hierarchy, name: str) -> Floats:
    """Return one cost per label: those that a metric takes, or the usual ones with some changed by name."""
    if isinstance(costs, Mapping):
        changed, costs = costs, hierarchy.costs.copy()
        costs[hierarchy.indices(changed)] = list(changed.values())
    if isinstance(costs, str):
        return np.asarray(check_costs(costs, hierarchy), np.float64)
    return np.asarray(check_per_node(costs, hierarchy.n_nodes, name), np.float64)
