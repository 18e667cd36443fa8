r"""ConformalSubtree: the fewest labels that hold all true ones with a chosen probability.

Where every row is one path, ``f_v``, the score of v less those of its children, is the probability that the path ends
at v. For a price per label, the best closed set makes ``sum over v in C of (f_v - price)`` greatest. The sets for all
prices are nested, and one computation finds them: C = {v : g_v >= price}, where g is the coherent vector nearest to f
(isotonic regression and parametric maximum closure are one problem). So g takes the place of the scores, and the price
is chosen as in :class:`ConformalSet`: an unlikely leaf that would need three new labels waits longer than one beside a
likely leaf.

Which f gives small sets depends on the data (:mod:`.shapes`). It is chosen on some of the held-out rows, and the price
on the others: the guarantee stays.

References
----------
Hochbaum, D. S. & Queyranne, M. (2003). Minimizing a convex cost closure set. SIAM J. Discrete Math. 16.
Mortier, T. et al. (2025). Conformal prediction in hierarchical classification. arXiv 2501.19038.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath.decoders.base import HeldOutScores
from truepath.decoders.conformal.base import ConformalDecoder, RiskSteps, SetLevel, check_share
from truepath.decoders.conformal.label_set import least_true_levels, steps_of_least
from truepath.decoders.conformal.promise import Promise
from truepath.decoders.conformal.shapes import SHAPES, Shape, compare_shapes
from truepath.decoders.thresholds.threshold import apply_thresholds
from truepath.held import a_number, an_object, holds, numbers, one_of
from truepath.hierarchy import Hierarchy, raise_up
from truepath.parameters import check_choice, check_seed
from truepath.resampling import draw_some

Floats = NDArray[np.float64]

#: The share of rows that choose the shape; no more than this many, and none if there are fewer rows than the last
SHARE_CHOOSING = 0.4
MOST_CHOOSING = 2000
LEAST_ROWS = 100


@holds(
    coverage=a_number(0, 1),
    shape_=one_of(*SHAPES),
    usual_=numbers("n_nodes", least=0),
    own_=a_number(0, 1),
    steps_=an_object(of=("RiskSteps",)),
)
class ConformalSubtree(ConformalDecoder):
    """Hold all true labels with the probability ``coverage``, in as few labels as the scores allow.

    Parameters
    ----------
    coverage : float, default=0.9
        The probability that a set holds all true labels. It may be changed after ``fit``.
    hierarchy : Hierarchy, optional
        None means a flat label set.
    shape : {"auto", "ends", "usual-ends", "labels"}, default="auto"
        What makes a label worth its place in a set: how likely a path ends there ("ends"), that and how often paths do
        ("usual-ends"), or how likely the label is ("labels"). "auto" takes the one with the smallest sets for two
        fifths of the held-out rows, and the others for the guarantee; "ends" if there are fewer than 100.
    random_state : int, RandomState or None, default=0
        Draws those two fifths.

    Attributes
    ----------
    hierarchy_ : Hierarchy
    shape_ : str
    sizes_ : dict of str to float
        By shape, the mean logarithm of the sets' sizes that "auto" found; empty if nothing was chosen.
    usual_ : ndarray, shape (n_nodes,)
        What the held-out rows' means add to the values of each label.
    own_ : float
        The share of a new row's values that is added to them, as its part in these means.
    steps_ : RiskSteps
        The prices at which held-out rows are missed.
    price_ : float
        What a label has to be worth to be in a set.

    See Also
    --------
    ConformalSet : one level for the scores themselves.
    SureLabels : one path that stops where it is unsure.

    Notes
    -----
    If rows are one path each and scores are probabilities, no other rule that covers as much has a smaller expected
    number of labels than "ends". O(n_nodes log n_nodes) per row of a tree; sparse scores are made dense.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.decoders import ConformalSubtree
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> S = [[0.9, 0.5, 0.4, 0.1, 0.1], [0.6, 0.5, 0.1, 0.4, 0.4], [0.5, 0.3, 0.2, 0.5, 0.5]]
    >>> decoder = ConformalSubtree(0.7, hierarchy=h).fit(S, h.encode([["a/1"], ["a/1"], ["b/1"]]))
    >>> h.decode(decoder.predict(S))
    [('a/1', 'a/2'), ('a/1',), ('b/1',)]
    """

    name = "conformal-subtree"
    summary = "all true labels with a chosen probability, in as few labels as possible"

    def __init__(
        self, coverage: float = 0.9, *, hierarchy: Hierarchy | None = None, shape: str = "auto", random_state: Any = 0
    ):
        self.coverage = coverage
        self.hierarchy = hierarchy
        self.shape = shape
        self.random_state = random_state

    @property
    def price_(self) -> float:
        """What a label has to be worth to be in a set."""
        return float(self._level().score)

    @property
    def thresholds_(self) -> Floats:
        """Scores alone do not decide: there are none."""
        raise AttributeError(f"{type(self).__name__} has no thresholds; price_ is what labels have to be worth.")

    def _level(self) -> SetLevel:
        return self.steps_.highest_level(1 - check_share("coverage", self.coverage))

    @property
    def promise(self) -> Promise:
        """What is promised of label sets."""
        return Promise("row", self.coverage)

    def _check_parameters(self) -> None:
        check_share("coverage", self.coverage)
        check_choice(self, "shape", ("auto", *SHAPES))
        check_seed(self)

    def _learn(self, given: HeldOutScores) -> None:
        hierarchy, weight = given.hierarchy, given.weight
        first, rest = self._divide(given.S.shape[0], given.groups)
        self.sizes_: dict[str, float] = {}
        if first.size:
            steps_of = partial(_steps, Y=given.y[first], weight=weight[first])
            self.sizes_ = compare_shapes(given.S[first], hierarchy, weight[first], steps_of)
        name = min(self.sizes_, key=self.sizes_.__getitem__, default="ends") if self.shape == "auto" else self.shape
        shape = Shape.of(name, given.S[weight > 0], hierarchy)
        self.shape_, self.usual_, self.own_ = shape
        self.steps_ = _steps(shape.nest(given.S[rest], hierarchy, new=False), given.y[rest], weight[rest])

    def _divide(
        self, n_rows: int, groups: NDArray[np.int64] | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the rows that choose the shape, if it is to be chosen, and those that choose the level."""
        n_first = min(int(SHARE_CHOOSING * n_rows), MOST_CHOOSING)
        if self.shape != "auto" or n_rows < LEAST_ROWS:
            n_first = 0
        first = draw_some(n_rows, n_first, self.random_state, groups)
        return first, np.setdiff1d(np.arange(n_rows), first)

    def _label(self, S: Any, hierarchy: Hierarchy) -> Any:
        worth = Shape(self.shape_, self.usual_, self.own_).nest(S, hierarchy, new=True)
        return raise_up(apply_thresholds(worth, self._level().thresholds(np.zeros(hierarchy.n_nodes))), hierarchy)


def _steps(Z: Any, Y: Any, weight: Floats) -> RiskSteps:
    """Return the share of rows that are missed at each price."""
    n_nodes = Z.shape[1]
    score, total = least_true_levels(Z, Y, np.zeros(n_nodes, np.int64), np.zeros(n_nodes))
    return steps_of_least(SetLevel(score[:, 0], total[:, 0]), weight, count_all=True)
