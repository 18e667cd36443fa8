"""What a decoder is: coherent scores in, closed label sets out. Some learn how from held-out scores.

A decoder never sees features or a model. ``fit(S, y)`` takes scores of instances that the scoring model was *not*
trained on, with their true labels; ``predict(S)`` returns a boolean matrix that respects the hierarchy, dense for
dense scores, CSR for sparse ones (where an absent score is 0). A decoder that learns nothing predicts unfitted.

:class:`DecoderLike` is the protocol of any decoder, from this library or not. A member of this module derives from
:class:`Decoder`, has a ``name``, and writes ``_label``; if it learns, also ``learns_from`` and ``_learn``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if

from truepath.adapters.groups import check_groups
from truepath.combiners.conditioning import restrict_scores
from truepath.held import a_hierarchy, holds, maybe, size
from truepath.hierarchy.allowed import AllowedSets, find_allowed
from truepath.hierarchy.checks import as_probabilities, check_scores, check_truth, check_weight, hierarchy_for
from truepath.hierarchy.matrices import stack_sparse
from truepath.registry import DECODERS, Member

if TYPE_CHECKING:
    from typing import Self  # Python 3.11

    from truepath.hierarchy import Hierarchy, HierarchyDiff


@runtime_checkable
class DecoderLike(Protocol):
    """The protocol of a decoder, whether from this library or not."""

    @property
    def learns(self) -> bool:
        """Whether ``fit`` learns from held-out scores and labels; if not, ``predict`` works unfitted."""

    def fit(self, S: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Any:
        """Learn from held-out scores and labels, and return self."""

    def predict(self, S: Any) -> Any:
        """Return closed label sets, a boolean matrix of the shape of ``S``; self stays as it is."""


#: Rows of sparse scores that are labelled together: what is made on the way stays small beside the scores
ROWS_AT_A_TIME = 1 << 16

#: Weights that are not whole numbers are rounded to this many steps of the largest
WEIGHT_STEPS = 1 << 16


class HeldOutScores(NamedTuple):
    """Checked arguments of ``fit``; ``y`` may be None where nothing is learned from it."""

    S: Any
    y: Any
    sample_weight: NDArray[np.float64] | None
    hierarchy: Hierarchy
    groups: NDArray[np.int64] | None = None  # the number of each row's group

    @property
    def weight(self) -> NDArray[np.float64]:
        """The weight of every row: 1 unless weights were given."""
        return np.ones(self.S.shape[0]) if self.sample_weight is None else self.sample_weight

    @property
    def whole_weight(self) -> NDArray[np.int64]:
        """Whole-number weights: the weights themselves where they are, else rounded to 1/65536 of the largest."""
        weight = self.weight
        if (weight == np.rint(weight)).all() and weight.max() <= WEIGHT_STEPS:
            return weight.astype(np.int64)
        return np.rint(weight / weight.max() * WEIGHT_STEPS).astype(np.int64)


@holds(hierarchy=maybe(a_hierarchy), hierarchy_=a_hierarchy, n_features_in_=size("n_nodes"))
class Decoder(Member, BaseEstimator):
    """Base of all decoders; a subclass has ``hierarchy`` among its parameters and writes ``_label``.

    ``_label(S, hierarchy)`` gets checked scores and returns closed labels of the same kind, dense or CSR. ``_learn``
    gets the checked arguments of ``fit`` and sets what is learned. ``predict`` never writes to the decoder. What
    parameters may be, ``_check_parameters`` says.
    """

    registry = DECODERS
    has_dag_loops: ClassVar[bool] = False  # whether DAGs go through loops of their own
    is_single_path: ClassVar[bool] = False  # whether a row has one path of labels by what the decoder assumes
    conditions_scores: ClassVar[bool] = True  # whether allowed labels change scores, or only the labels that come out
    hierarchy: Hierarchy | None = None

    @property
    def learns(self) -> bool:
        """Whether ``fit`` learns from scores and labels, which must then be those of held-out rows."""
        return bool(self._to_learn())

    def _to_learn(self) -> tuple[str, ...]:
        """Name the attributes that ``fit`` learns from labels under the present parameters; none if it learns nothing.

        The one place that says what is learned: ``learns``, the check that ``fit`` was called and scikit-learn's tags
        follow from it.
        """
        return ("hierarchy_",) if self.learns_from else ()

    def fit(self, S: Any, y: Any = None, sample_weight: ArrayLike | None = None, *, groups: Any = None) -> Self:
        """Learn from held-out scores and labels. A decoder that learns nothing checks them, and need not be fitted.

        Parameters
        ----------
        S : array-like or sparse matrix of float, shape (n_samples, n_nodes)
            Scores of instances that the scoring model was not trained on.
        y : array-like or sparse matrix of 0 and 1, shape (n_samples, n_nodes)
            Their true labels, closed; may be left out where there is nothing to learn.
        sample_weight : array-like, shape (n_samples,), optional
        groups : array-like, shape (n_samples,), optional
            What each row belongs to: where rows are divided, rows of one group stay together.

        Returns
        -------
        self : Decoder
        """
        given = self._check_fit(S, y, sample_weight)
        given = given._replace(groups=check_groups(groups, given.S.shape[0]))
        self._learn(given)
        self.hierarchy_, self.n_features_in_ = given.hierarchy, given.hierarchy.n_nodes
        return self

    def predict(self, S: Any, *, allowed: Any = None) -> Any:
        """Return the label sets of scored instances.

        Parameters
        ----------
        S : array-like or sparse matrix of float, shape (n_samples, n_nodes)
        allowed : names, flags or AllowedLabels, optional
            The labels that may be predicted, see :class:`truepath.hierarchy.AllowedLabels`; all by default.

        Returns
        -------
        Y : ndarray or csr_array of bool, shape (n_samples, n_nodes)
            Closed under ancestors; dense for dense scores, CSR for sparse ones, which are labelled some rows at a time.
        """
        hierarchy = self._hierarchy_for(S)
        S = self._check_scores(S, hierarchy)
        if allowed is None:
            return self._label_all(S, hierarchy)
        return self._label_allowed(S, hierarchy, find_allowed(allowed, hierarchy, S.shape[0]))

    def _label_allowed(self, S: Any, hierarchy: Hierarchy, sets: AllowedSets) -> Any:
        """Return the labels of checked scores, possible ones alone."""
        S = self._restrict(S, hierarchy, sets) if self.conditions_scores else S
        return sets.keep_possible(self._label_all(S, hierarchy))

    def _restrict(self, S: Any, hierarchy: Hierarchy, sets: AllowedSets) -> Any:
        """Return scores given that no forbidden label is true, on as many paths as the decoder assumes."""
        return restrict_scores(S, hierarchy, sets.on(one_path=self.is_single_path))

    def _label_all(self, S: Any, hierarchy: Hierarchy) -> Any:
        """Return the labels of checked scores, sparse ones some rows at a time."""
        if not sparse.issparse(S):
            return self._label(self._correct(S, hierarchy), hierarchy)
        blocks = (slice(start, start + ROWS_AT_A_TIME) for start in range(0, S.shape[0], ROWS_AT_A_TIME))
        parts = (self._label(self._correct(S[rows], hierarchy), hierarchy) for rows in blocks)
        return stack_sparse(parts, hierarchy.n_nodes)

    @classmethod
    def warm_up(cls, made: Any) -> None:
        """Compile the loops on made scores; see :mod:`truepath.warmup`."""
        if made.hierarchy.is_tree or cls.has_dag_loops:
            for S in [made.S, made.S.astype(np.float32)][: 1 + made.hierarchy.is_tree]:
                cls(hierarchy=made.hierarchy).fit(S, made.Y).predict(S)

    def fit_predict(self, S: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Any:
        """Fit, and return the label sets of the same scores."""
        return self.fit(S, y, sample_weight).predict(S)

    def _check_parameters(self) -> None:
        """Refuse parameters that cannot be meant, before anything is learned or labelled."""

    def check_loaded(self) -> None:
        """Refuse what a file holds and a decoder cannot."""
        self._check_parameters()

    def _check_fit(self, S: Any, y: Any, sample_weight: ArrayLike | None) -> HeldOutScores:
        """Check the arguments of ``fit``; labels are required if the decoder learns from them."""
        self._check_parameters()
        hierarchy = hierarchy_for(self.hierarchy, S)
        S = self._correct(self._check_scores(S, hierarchy), hierarchy)
        if y is None and not self.learns:
            return HeldOutScores(S, None, None, hierarchy)
        y = check_truth(y, S, hierarchy)
        if S.shape[0] == 0:
            raise ValueError("S has no rows; at least one scored instance is needed.")
        return HeldOutScores(S, y, check_weight(sample_weight, S.shape[0]), hierarchy)

    def _hierarchy_for(self, S: Any) -> Hierarchy:
        """Return the hierarchy to predict with: the fitted one, the one given, or a flat one as wide as ``S``."""
        self._check_parameters()
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(f"{type(self).__name__} learns from {self.learns_from}; call fit(S, y) first.")
        return hierarchy_for(getattr(self, "hierarchy_", self.hierarchy), S)

    def _check_scores(self, S: Any, hierarchy: Hierarchy) -> Any:
        """Return scores that can be learned from and labelled; refuse others, with the rows."""
        S = check_scores(S, hierarchy)
        return as_probabilities(S, labels=hierarchy.names) if "probabilities" in self.needs else S

    def _correct(self, S: Any, hierarchy: Hierarchy) -> Any:
        """Return checked scores of some rows as ``_learn`` and ``_label`` take them."""
        return S

    def _learn(self, given: HeldOutScores) -> None:
        """Set what is learned, attributes whose names end in an underscore."""

    def _label(self, S: Any, hierarchy: Hierarchy) -> Any:
        """Return closed labels for checked scores."""
        raise NotImplementedError

    def __sklearn_is_fitted__(self) -> bool:
        return all(hasattr(self, name) for name in self._to_learn())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = tags.target_tags.required = self.learns
        tags.input_tags.sparse = True
        tags.target_tags.multi_output, tags.target_tags.single_output = True, False
        return tags


class PlainDecoder(Decoder):
    """Base of the decoders that learn nothing, or nothing unless asked to: then they go over to a changed hierarchy."""

    @available_if(lambda decoder: not decoder.learns)
    def update(self, diff: HierarchyDiff) -> Self:
        """Return the decoder for a changed hierarchy.

        Parameters
        ----------
        diff : HierarchyDiff
            From the hierarchy of the decoder to the new one.
        """
        return clone(self).set_params(hierarchy=diff.new).fit(np.zeros((1, diff.new.n_nodes)))
