"""Labels are the classes whose score exceeds a threshold: one for all classes, or one for each.

With coherent scores and thresholds that never fall from parent to child the labels are closed. A class is predicted
when its score is *greater than* the threshold, as in Triguero & Vens (with "at least", the instances without any
label that they report could not occur); -inf means always.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from truepath import _kernels
from truepath.decoders.base import Decoder, HeldOutScores
from truepath.decoders.thresholds.curves import Curve, single_curve
from truepath.decoders.thresholds.guards import raise_to_parents
from truepath.decoders.thresholds.more_rows import KeptRows, keep_rows
from truepath.errors import ConstraintError
from truepath.graph import Graph, close_columns, raise_columns
from truepath.held import holds, numbers, one_of
from truepath.hierarchy import raise_up
from truepath.hierarchy.checks import check_scores
from truepath.hierarchy.matrices import as_dense, from_rows
from truepath.parameters import check_choice

if TYPE_CHECKING:
    from typing import Self  # Python 3.11

    from truepath.hierarchy import Hierarchy, HierarchyDiff


@holds(thresholds_=numbers("n_nodes", least=-np.inf, most=np.inf), coherent=one_of("check", "max-up"))
class ThresholdDecoder(Decoder):
    """What decoders by thresholds share: ``thresholds_``, one per class, and what to do with incoherent scores."""

    coherent: str = "check"
    thresholds_: NDArray[np.float64]

    def _check_parameters(self) -> None:
        check_choice(self, "coherent", ("check", "max-up"))

    def _check_scores(self, S: Any, hierarchy: Hierarchy) -> Any:
        return check_scores(S, hierarchy, coherent=self.coherent == "check")

    def _correct(self, S: Any, hierarchy: Hierarchy) -> Any:
        return raise_up(S, hierarchy) if self.coherent == "max-up" else S

    def export_labels(self, graph: Graph, scores: str) -> str:
        """Add the labels to an ONNX graph: the classes scored above their threshold, and all above them."""
        hierarchy = self.hierarchy_
        if self.coherent == "max-up":
            scores = raise_columns(graph, scores, hierarchy)
        above = graph.constant(self._thresholds(hierarchy)[None, :], float)
        return close_columns(graph, graph.add("Greater", graph.double(scores), above), hierarchy)

    def check_loaded(self) -> None:
        """Refuse thresholds from a file that fall from a parent to its child."""
        super().check_loaded()
        check_monotone(self._thresholds(self.hierarchy_), self.hierarchy_)

    def _thresholds(self, hierarchy: Hierarchy) -> NDArray[np.float64]:
        """Return one threshold per class."""
        return self.thresholds_

    def _label(self, S: Any, hierarchy: Hierarchy) -> Any:
        return apply_thresholds(S, self._thresholds(hierarchy))

    def update(self, diff: HierarchyDiff) -> Threshold:
        """Return a decoder with the same thresholds for a changed hierarchy; a new label gets its parents' largest.

        Parameters
        ----------
        diff : HierarchyDiff
            From the hierarchy of the decoder to the new one.

        Notes
        -----
        A new label at the top gets the median threshold. A label that has moved is raised to its new parents'.
        """
        known = self._thresholds(diff.old)
        usual = float(np.median(known))
        found = diff.carry_over(known, lambda above: above.max() if above.size else usual)
        decoder = Threshold(raise_to_parents(found, diff.new), hierarchy=diff.new, coherent=self.coherent)
        return decoder.fit(np.zeros((1, diff.new.n_nodes)))


class Threshold(ThresholdDecoder):
    """Predict the classes whose score exceeds a given threshold.

    Parameters
    ----------
    threshold : float or array-like of shape (n_nodes,), default=0.5
        One threshold, or one for each class that never falls from parent to child.
    hierarchy : Hierarchy, optional
        None takes the labels as flat.
    coherent : {"check", "max-up"}, default="check"
        Whether to refuse scores above their parents', or to raise the parents' to the largest score below them.

    Attributes
    ----------
    thresholds_ : ndarray of float64, shape (n_nodes,)
        Once fitted, which is not needed: there is nothing to learn.
    hierarchy_ : Hierarchy

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.decoders import Threshold
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> S = [[0.9, 0.6, 0.3, 0.4, 0.2]]
    >>> h.decode(Threshold(0.5, hierarchy=h).predict(S))
    [('a/1',)]
    >>> h.decode(Threshold([0.5, 0.7, 0.7, 0.3, 0.5], hierarchy=h).predict(S))
    [('a', 'b')]
    """

    name = "threshold"
    has_dag_loops = True
    summary = "the classes scored above a given threshold"
    needs = ("coherent scores",)

    def __init__(
        self, threshold: float | ArrayLike = 0.5, *, hierarchy: Hierarchy | None = None, coherent: str = "check"
    ):
        self.threshold = threshold
        self.hierarchy = hierarchy
        self.coherent = coherent

    def _learn(self, given: HeldOutScores) -> None:
        self.thresholds_ = self._thresholds(given.hierarchy)

    def _thresholds(self, hierarchy: Hierarchy) -> NDArray[np.float64]:
        """Return the thresholds given, checked against the hierarchy."""
        t, n_nodes = np.asarray(self.threshold), hierarchy.n_nodes
        if t.dtype.kind not in "iuf" or t.shape not in ((), (n_nodes,)) or np.isnan(t).any():
            raise ValueError(
                f"threshold must be a number or one number for each of the {n_nodes} classes; got {self.threshold!r}."
            )
        thresholds = np.broadcast_to(t, (n_nodes,)).astype(np.float64)
        check_monotone(thresholds, hierarchy)
        return thresholds


class LearnedThresholds(ThresholdDecoder):
    """Base of the decoders that make an objective best on held-out scores."""

    learns_from = "held-out scores and labels"

    objective: str | Callable[..., float]
    alpha: ArrayLike | None
    beta: ArrayLike | None
    lambda_: str | ArrayLike | None
    objective_value_: float
    n_unlabeled_: int
    _kept: tuple[Any, ...]

    def _check_parameters(self) -> None:
        super()._check_parameters()
        for name, price in self._price_options().items():
            if price is not None and self.objective != "hmc_loss":
                raise ValueError(f"{name} is a price of objective='hmc_loss'; the objective is {self.objective!r}.")

    def partial_fit(self, S: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from more held-out rows, beside those of earlier calls.

        Parameters
        ----------
        S, y, sample_weight
            As in ``fit``, the new rows alone.

        Returns
        -------
        self : Decoder

        Notes
        -----
        Rows are kept up to 20,000, or 16 million scores; of more a fair sample, each with the same chance. Up to there
        the result is that of one ``fit`` on all rows. Rows of ``fit`` are not kept: begin with this.
        """
        before = KeptRows(*self._kept) if hasattr(self, "_kept") else None
        kept = keep_rows(before, self._check_fit(S, y, sample_weight))
        self.fit(kept.S, kept.y, kept.weight)
        self._kept = tuple(kept)
        return self

    def fit(self, S: Any, y: Any = None, sample_weight: ArrayLike | None = None, *, groups: Any = None) -> Self:
        self.__dict__.pop("_kept", None)
        return super().fit(S, y, sample_weight, groups=groups)

    def _price_options(self) -> dict[str, Any]:
        """Return the parameters that set the prices of the HMC-loss."""
        return {"alpha": self.alpha, "beta": self.beta, "lambda_": self.lambda_}

    def _single_curve(self, given: HeldOutScores) -> Curve:
        """Return the curve of a named objective as a function of one threshold for all classes."""
        assert isinstance(self.objective, str)
        return single_curve(given, self.objective, **self._price_options())

    def _keep(self, thresholds: NDArray[np.float64], value: float, given: HeldOutScores) -> None:
        """Set what every search ends with: thresholds, their value, and how many rows get no label."""
        self.thresholds_ = thresholds
        self.objective_value_ = value
        roots = given.hierarchy.roots  # where no class exceeds its threshold, none at the top does
        self.n_unlabeled_ = int((~(as_dense(given.S[:, roots]) > thresholds[roots]).any(axis=1)).sum())


def check_monotone(t: NDArray[np.float64], hierarchy: Hierarchy) -> None:
    """Refuse thresholds that fall from a parent to its child."""
    wrong = np.flatnonzero(t[hierarchy.edges[:, 0]] > t[hierarchy.edges[:, 1]])
    if wrong.size:
        parent, child = hierarchy.names[hierarchy.edges[wrong[0]]]
        raise ConstraintError(
            f"the threshold falls from parent to child on {wrong.size} edge(s) (first: from {parent!r} to {child!r}), "
            "so labels could lack their ancestors. Raise each class's threshold to its parents' at least."
        )


def apply_thresholds(S: Any, t: NDArray[np.float64]) -> Any:
    """Return ``S > t``, dense for dense scores and CSR for sparse ones (in canonical form); no dense row is made."""
    if not sparse.issparse(S):
        return S > _in_type_of(S, t)
    given = (S.indptr, S.indices, S.data, t, np.flatnonzero(t < 0))  # there even absent scores exceed the threshold
    kernels = _kernels.thresholds.sparse_rows
    ends = kernels.count_above(*given)
    labels = np.empty(int(ends[-1]), S.indices.dtype)
    kernels.fill_above(*given, ends, labels)
    return from_rows(labels, ends, S.shape)


def _in_type_of(S: NDArray[Any], t: NDArray[np.float64]) -> NDArray[Any]:
    """Return thresholds rounded down to the scores' type: the same scores exceed them, and comparing is quicker."""
    if S.dtype == t.dtype:
        return t
    with np.errstate(over="ignore"):
        rounded = t.astype(S.dtype)
    return np.where(rounded > t, np.nextafter(rounded, S.dtype.type(-np.inf)), rounded)
