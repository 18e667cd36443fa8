"""ExpectedF: for each row the closed label set of greatest expected hierarchical F-measure.

A threshold is one rule for all rows. The best set of *one* row depends on how many labels it probably has: of the sets
A of k labels, the one with the greatest E[F(Y, A)] holds the k labels with the greatest

    d(v, k) = E[(1 + beta^2) y_v / (k + beta^2 |Y|)],

which never rises from parent to child, since y_v = 1 implies y_u = 1 for the parents u: it is closed. What is left is
the best k (Dembczynski et al. for flat labels; Plaud et al. for one leaf of a tree). The expectation is taken over
:class:`~truepath.decoders.expected.label_sets.LabelSets`.

References
----------
K. Dembczynski, W. Waegeman, W. Cheng, E. Hüllermeier. An exact algorithm for F-measure maximization. NIPS 2011.

R. Plaud, M. Labeau, A. Saillenfest, T. Bonald. To Each Metric Its Decoding: Post-Hoc Optimal Decision Rules of
Probabilistic Hierarchical Classifiers. ICML 2025.
"""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

from truepath.combiners import Calibrator
from truepath.combiners.calibration.maps import FAMILIES
from truepath.decoders.base import Decoder, HeldOutScores
from truepath.decoders.expected.label_sets import LabelSets, count_true, find_ends
from truepath.held import a_number, an_object, flag, flags, holds, maybe, numbers
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.matrices import stack_sparse
from truepath.parameters import Range, check_choice, check_flag, check_in

if TYPE_CHECKING:
    from typing import Self  # Python 3.11

    from truepath.hierarchy import HierarchyDiff

Floats = NDArray[np.float64]

#: What beta may be
BETA = Range(Real, 0, 1000, above=True)
#: Held-out rows on which models of the label sets are compared
MOST_ROWS = 5_000


@holds(
    beta=a_number(0, 1000),
    single_path=flag,
    calibrator_=maybe(an_object("transform", of=("Calibrator",), knows=("n_nodes",))),
    many_=flag,
    may_end_=flags("n_nodes"),
    size_weight_=numbers("k", least=0),
)
class ExpectedF(Decoder):
    """Predict for each row the closed label set of greatest expected hierarchical F-measure.

    Parameters
    ----------
    beta : float, default=1.0
        Recall counts beta times as much as precision.
    hierarchy : Hierarchy, optional
        None means a flat label set.
    paths : {"auto", "one", "many"}, default="auto"
        Whether a row is one label with its ancestors, or may be several, each true or not independently of the others
        given its parent. "auto" takes what does better on held-out rows.
    calibrate : {"isotonic", "sigmoid", "beta", "auto"} or None, default="isotonic"
        How ``fit`` learns to make probabilities of the scores, by a :class:`~truepath.combiners.Calibrator`. None takes
        the scores for probabilities.
    weigh_sizes : bool, default=True
        Whether ``fit`` learns how frequent each number of labels is: sets of a size that is rarer among held-out rows
        than the model says then count less. Kept if that does better on held-out rows.
    single_path : bool, default=False
        Whether to predict one label with its ancestors, the best of all labels. F1 is then the Wu-Palmer similarity to
        the true label, if there is one.
    random_state : int, RandomState or None, default=0
        Deals the rows that the calibrator is tried on.

    Attributes
    ----------
    calibrator_ : Calibrator or None
    many_ : bool
        Whether rows may have several paths.
    may_end_ : ndarray of bool, shape (n_nodes,)
        With one path: the labels that can be the most specific one: the leaves, and where held-out rows end.
    size_weight_ : ndarray of float
        By the number of labels, how much more likely a set is than the model says; the last for all larger ones.
    held_out_f_ : float
        The mean F-measure on the held-out rows, by calibration maps that did not see the row.
    hierarchy_ : Hierarchy

    See Also
    --------
    SingleThreshold : the threshold that is best for a data set.
    StoppingPath : one path of greatest expected utility.

    Notes
    -----
    Given the model, the set is the best of all closed sets: always with one path, and on trees with several, up to
    probabilities of 1e-5. On a DAG with several paths a label hangs below its least likely parent, and what a label
    adds is held down to what its parents add; :meth:`predict_with_gaps` says how far that may be from the best set.

    Labels scored below 1e-5 are never predicted. A row that has no other gets no label; others get one at least, since
    F is 0 without.

    O(n_nodes T + candidates size T) per row, with T between 8 and 512 as the row's number of labels asks for. With
    ``calibrate=None``, ``weigh_sizes=False`` and ``paths`` given, nothing is learned.

    References
    ----------
    K. Dembczynski, W. Waegeman, W. Cheng, E. Hüllermeier. An exact algorithm for F-measure maximization. NIPS 2011.

    Examples
    --------
    The same scores, rising or falling together, are not cut at one threshold:

    >>> from truepath import Hierarchy
    >>> from truepath.decoders import ExpectedF
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> S = [[0.9, 0.6, 0.35, 0.1, 0.1], [0.3, 0.2, 0.1, 0.2, 0.1]]
    >>> decoder = ExpectedF(hierarchy=h, paths="many", calibrate=None, weigh_sizes=False)
    >>> h.decode(decoder.predict(S))
    [('a/1',), ('a/1', 'b')]
    """

    name = "expected-f"
    summary = "the label set of greatest expected F-measure, for each row"
    learns_from = "held-out scores and labels, unless nothing is to be learned"
    needs = ("probabilities",)
    has_dag_loops = True
    approximates = ("update",)

    def __init__(
        self,
        beta: float = 1.0,
        *,
        hierarchy: Hierarchy | None = None,
        paths: str = "auto",
        calibrate: str | None = "isotonic",
        weigh_sizes: bool = True,
        single_path: bool = False,
        random_state: Any = 0,
    ):
        self.beta = beta
        self.hierarchy = hierarchy
        self.paths = paths
        self.calibrate = calibrate
        self.weigh_sizes = weigh_sizes
        self.single_path = single_path
        self.random_state = random_state

    def _to_learn(self) -> tuple[str, ...]:
        is_fixed = self.calibrate is None and not self.weigh_sizes and self.paths != "auto"
        return () if is_fixed else ("size_weight_",)

    def _check_parameters(self) -> None:
        check_in("beta", self.beta, BETA)
        check_choice(self, "paths", ("auto", "one", "many"))
        check_choice(self, "calibrate", ("auto", *FAMILIES, None))
        check_flag(self, "weigh_sizes")
        check_flag(self, "single_path")

    def predict_with_gaps(self, S: Any) -> tuple[Any, Floats]:
        """Return the label sets, and by how much the best set's expected F may exceed that of each.

        Parameters
        ----------
        S : array-like or sparse matrix of float, shape (n_samples, n_nodes)

        Returns
        -------
        Y : ndarray or csr_array of bool, shape (n_samples, n_nodes)
            As from :meth:`predict`.
        gaps : ndarray of float, shape (n_samples,)
            0 on trees, for one path, and with ``single_path``.
        """
        hierarchy = self._hierarchy_for(S)
        S = self._check_scores(S, hierarchy)
        found, relaxed = (list(self._best_sets(S, hierarchy, capped)) for capped in (True, False))
        gaps = [limit - value for (_, _, value, _), (*_, limit) in zip(found, relaxed)]
        is_exact = hierarchy.is_tree or self.single_path or not self._label_sets(hierarchy).many
        Y = self.predict(S)
        return Y, np.zeros(Y.shape[0]) if is_exact else np.maximum(np.concatenate([np.zeros(0), *gaps]), 0.0)

    def update(self, diff: HierarchyDiff) -> Self:
        """Return the decoder for a changed hierarchy: what was learned of sizes stays, scores of a new label take its
        parents' map.

        Parameters
        ----------
        diff : HierarchyDiff
            From the hierarchy of the decoder to the new one.
        """
        new: Self = clone(self).set_params(hierarchy=diff.new)
        new.hierarchy_, new.n_features_in_ = diff.new, diff.new.n_nodes
        if self.learns:
            new.calibrator_ = None if self.calibrator_ is None else self.calibrator_.update(diff)
            new.many_, new.size_weight_, new.held_out_f_ = self.many_, self.size_weight_, self.held_out_f_
            ends = diff.carry_over(self.may_end_.astype(np.float64), lambda above: 1.0)
            new.may_end_ = (ends > 0) | diff.new.is_leaf
        return new

    def _learn(self, given: HeldOutScores) -> None:
        S, y, weight = given.S, given.y, given.weight
        sets = LabelSets.plain(given.hierarchy, self.paths != "one")
        self.calibrator_ = None
        if y is not None:
            if self.calibrate is not None:
                options = {"hierarchy": given.hierarchy, "random_state": self.random_state}
                self.calibrator_ = Calibrator(self.calibrate, **options)
                S = self.calibrator_.fit_held_out(S, y, given.sample_weight, groups=given.groups)
            rows = slice(None, None, -(-S.shape[0] // MOST_ROWS))
            sets, self.held_out_f_ = self._choose_sets(S[rows], y[rows], weight[rows], given.hierarchy)
        self.many_, self.may_end_, self.size_weight_ = sets.many, sets.may_end, sets.weight

    def _choose_sets(self, S: Any, y: Any, weight: Floats, hierarchy: Hierarchy) -> tuple[LabelSets, float]:
        """Return the model of label sets that does best on held-out rows, and its mean F; of equals the simplest."""
        may_end = find_ends(y, hierarchy)
        is_many = {"one": [False], "many": [True], "auto": [False, True]}[self.paths]
        tried = [LabelSets(hierarchy, many, may_end, np.ones(1)) for many in is_many]
        if self.weigh_sizes:
            tried += [sets.learn_weight(S, count_true(y), weight) for sets in tried]
        reached = [self._mean_f(sets, S, y, weight) for sets in tried]
        best = int(np.argmax(reached))
        return tried[best], reached[best]

    def _mean_f(self, sets: LabelSets, S: Any, y: Any, weight: Floats) -> float:
        """Return the mean F-measure of the predicted sets; 0 for a row with neither true nor predicted labels."""
        Y = sparse.csr_array(y, dtype=bool)
        parts = sets.best_sets(S, self._gains, single_path=self.single_path)
        P = stack_sparse((sparse.csr_array(found) for _, found, *_ in parts), Y.shape[1])
        both = count_true(Y.multiply(P))
        of_each = both * self._gains(count_true(P), np.maximum(count_true(Y), 1))
        return float(np.average(of_each, weights=weight))

    def _gains(self, k: Any, s: Any) -> Any:
        """Return what a true label adds to the F-measure of k predicted labels where s are true."""
        squared = float(self.beta) ** 2
        return (1 + squared) / (k + squared * s)

    def _label_sets(self, hierarchy: Hierarchy) -> LabelSets:
        if not self.learns:
            return LabelSets.plain(hierarchy, self.paths == "many")
        return LabelSets(hierarchy, self.many_, self.may_end_, self.size_weight_)

    def _best_sets(self, S: Any, hierarchy: Hierarchy, capped: bool = True) -> Iterator[Any]:
        if self.learns and self.calibrator_ is not None:
            S = self.calibrator_.transform(S)
        options = {"capped": capped, "single_path": self.single_path}
        return self._label_sets(hierarchy).best_sets(S, self._gains, **options)

    def _label(self, S: Any, hierarchy: Hierarchy) -> Any:
        parts = (Y for _, Y, *_ in self._best_sets(S, hierarchy))
        if sparse.issparse(S):
            return stack_sparse((sparse.csr_array(Y) for Y in parts), hierarchy.n_nodes)
        return np.concatenate([np.zeros((0, hierarchy.n_nodes), bool), *parts])
