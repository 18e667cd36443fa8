"""StoppingPath: the path of greatest expected utility, which ends above a leaf where going on does not pay."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath.decoders.base import PlainDecoder
from truepath.decoders.leaves.base import CLOSED_AT_ONCE, label_by_set, label_in_blocks
from truepath.held import a_number, flag, holds, one_of
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.allowed import AllowedSets
from truepath.hierarchy.matrices import as_dense
from truepath.parameters import Range, check_choice, check_flag, check_in


@holds(wrong_cost=a_number(0), worth=one_of("labels", "costs"), allow_none=flag)
class StoppingPath(PlainDecoder):
    """Predict one label with its ancestors, as specific as pays: a right label earns its worth, a wrong one costs.

    Parameters
    ----------
    wrong_cost : float, default=1.0
        What a wrong label costs, in units of what a right one earns. Going on to a label pays if it is right with a
        probability above wrong_cost / (1 + wrong_cost): one half by default, 0.9 for a cost of 9.
    hierarchy : Hierarchy, optional
        None means a flat label set.
    worth : {"labels", "costs"}, default="labels"
        What a label is worth: each the same, or by its cost in the hierarchy (:attr:`Hierarchy.costs`), so that
        general labels count more.
    allow_none : bool, default=True
        Whether a row may get no label where not even the best one pays; otherwise it gets the one that costs least.

    Attributes
    ----------
    hierarchy_ : Hierarchy

    See Also
    --------
    BestPath : always goes down to a leaf.
    SureLabels : stops by a probability of being right instead of costs.

    Notes
    -----
    The expected utility of ending at v is the sum over v and its ancestors u of
    ``worth_u (s_u - wrong_cost (1 - s_u))``, s being probabilities: calibrate scores that are not. The greatest over
    all labels is found exactly, ties go to the more general label. O(n_nodes) per row of a
    tree, O(ancestors of all nodes) of a DAG.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.decoders import StoppingPath
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> S = [[0.9, 0.6, 0.3, 0.1, 0.1], [0.9, 0.45, 0.45, 0.1, 0.1], [0.4, 0.3, 0.1, 0.3, 0.3]]
    >>> h.decode(StoppingPath(hierarchy=h).predict(S))
    [('a/1',), ('a',), ()]
    >>> h.decode(StoppingPath(4, hierarchy=h, allow_none=False).predict(S))
    [('a',), ('a',), ('a',)]
    """

    name = "stopping-path"
    summary = "the one path of greatest expected utility, which may end above a leaf"
    needs = ("probabilities",)
    is_single_path = True

    def __init__(
        self,
        wrong_cost: float = 1.0,
        *,
        hierarchy: Hierarchy | None = None,
        worth: str = "labels",
        allow_none: bool = True,
    ):
        self.wrong_cost = wrong_cost
        self.hierarchy = hierarchy
        self.worth = worth
        self.allow_none = allow_none

    def _check_parameters(self) -> None:
        check_in("wrong_cost", self.wrong_cost, Range(Real, 0, below=True))
        check_choice(self, "worth", ("labels", "costs"))
        check_flag(self, "allow_none")

    def _worth(self, hierarchy: Hierarchy) -> NDArray[np.float64]:
        return np.ones(hierarchy.n_nodes) if self.worth == "labels" else hierarchy.costs

    def _label_allowed(self, S: Any, hierarchy: Hierarchy, sets: AllowedSets) -> Any:
        S, worth = self._restrict(S, hierarchy, sets), self._worth(hierarchy)

        def label(rows: NDArray[np.int64], nodes: NDArray[Any], within: Hierarchy) -> Any:
            return self._label_worth(S[rows][:, nodes], within, worth[nodes])

        return label_by_set(S, hierarchy, sets, label)

    def _label(self, S: Any, hierarchy: Hierarchy) -> Any:
        return self._label_worth(S, hierarchy, self._worth(hierarchy))

    def _label_worth(self, S: Any, hierarchy: Hierarchy, worth: NDArray[np.float64]) -> Any:
        def label(rows: slice) -> NDArray[np.bool_]:
            s = as_dense(S[rows]).astype(np.float64)
            utility = _utilities(worth * (s - self.wrong_cost * (1 - s)), hierarchy)
            best = utility.argmax(axis=1)  # of equals the first: parents come before children
            Y = np.zeros(s.shape, bool)
            paid = np.ones(len(s), bool) if not self.allow_none else utility[np.arange(len(s)), best] > 0
            Y[np.flatnonzero(paid), best[paid]] = True
            return hierarchy.close(Y)

        return label_in_blocks(S, hierarchy.n_nodes, label, CLOSED_AT_ONCE)


def _utilities(gain: NDArray[np.float64], hierarchy: Hierarchy) -> NDArray[np.float64]:
    """Return the sum of gains over each label and its ancestors."""
    if not hierarchy.is_tree:
        found: NDArray[np.float64] = (hierarchy.ancestor_matrix().astype(np.float64) @ gain.T).T
        return found
    total = gain.copy()
    for u, v in hierarchy.edges:  # sorted by child: the parent is finished
        total[:, v] += total[:, u]
    return total
