"""What a combiner is: node scores in, better and (unless it says otherwise) coherent node scores out.

:class:`CombinerLike` is the protocol, scikit-learn's transformer over score matrices: ``fit(S, y)``, ``transform(S)``;
:class:`Combiner` is the base of those in this module.
:class:`Correction` is a combiner that learns nothing: give it the hierarchy and call ``transform``. A member writes
one method, ``correct(S, hierarchy)``, on a dense float64 matrix of its own; dense and sparse input, float types and
checks are handled here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted

from truepath.held import a_hierarchy, holds, maybe, size
from truepath.hierarchy import Hierarchy, HierarchyDiff, check_scores
from truepath.hierarchy.checks import hierarchy_for
from truepath.hierarchy.matrices import dense_blocks, has_negative
from truepath.registry import COMBINERS, Member

if TYPE_CHECKING:
    from typing import Self  # Python 3.11

# Sparse rows are worked on densely, this many cells at a time (32 MB of float64)
BLOCK_CELLS = 1 << 22


@runtime_checkable
class CombinerLike(Protocol):
    """The protocol of a combiner, whether from this library or not."""

    def fit(self, S: Any, y: Any, sample_weight: Any = None) -> Any:
        """Learn from held-out scores and labels, and return self."""

    def transform(self, S: Any) -> Any:
        """Return a score matrix of the shape of ``S``; self stays as it is."""


@holds(hierarchy=maybe(a_hierarchy), hierarchy_=a_hierarchy, n_features_in_=size("n_nodes"))
class Combiner(Member, TransformerMixin, BaseEstimator):
    """Turns scores of the nodes into scores of the nodes; never sees X or a model.

    ``fit(S, y, sample_weight=None)`` learns from scores of rows that the learner did not train on (a validation part,
    or out-of-fold scores: a combiner cannot see which they are, and fitted on in-sample scores it learns the
    learner's overfitting); ``transform(S)`` returns a matrix of the same shape and float type. Every combiner takes
    ``hierarchy=`` in its constructor; None means a flat label set.

    Attributes
    ----------
    name, summary, learns_from, needs
        What people type, and what they read about it; see :class:`truepath.registry.Member`.
    accepts_many : bool
        Whether ``S`` may be a list of score matrices, one per learner.
    """

    registry = COMBINERS
    accepts_many = False

    hierarchy: Hierarchy | None
    hierarchy_: Hierarchy

    def fit(self, S: Any, y: Any, sample_weight: Any = None) -> Combiner:
        """Learn from scores and true labels; return self."""
        raise NotImplementedError

    def transform(self, S: Any) -> Any:
        """Return the combined scores of the rows of ``S``."""
        raise NotImplementedError

    @property
    def is_coherent(self) -> bool:
        """Whether the transformed scores never exceed a parent's: yes, unless a projection is left out."""
        return getattr(self, "project", "") is not None

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the label names, one per column."""
        hierarchy = getattr(self, "hierarchy_", self.hierarchy)
        if hierarchy is None:
            check_is_fitted(self, "hierarchy_")
            hierarchy = self.hierarchy_
        return hierarchy.names

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        return tags


class Correction(Combiner):
    """A combiner without training: ``transform`` works at once, ``fit`` only checks."""

    def __init__(self, *, hierarchy: Hierarchy | None = None):
        self.hierarchy = hierarchy

    def fit(self, S: Any, y: Any = None, sample_weight: Any = None) -> Correction:
        """Check the shapes; nothing is learned.

        Parameters
        ----------
        S : array-like or sparse matrix, shape (n_samples, n_nodes)
        y, sample_weight : ignored
        """
        hierarchy = hierarchy_for(self.hierarchy, S)
        check_scores(S, hierarchy)
        self.hierarchy_ = hierarchy
        self.n_features_in_ = hierarchy.n_nodes
        return self

    def update(self, diff: HierarchyDiff) -> Self:
        """Return the same correction for a changed hierarchy."""
        return clone(self).set_params(hierarchy=diff.new).fit(np.zeros((1, diff.new.n_nodes)))

    def transform(self, S: Any) -> Any:
        """Return the corrected scores: dense stays dense, CSR stays CSR, float32 stays float32.

        Parameters
        ----------
        S : array-like or sparse matrix, shape (n_samples, n_nodes)

        Returns
        -------
        S : ndarray or csr_array, shape (n_samples, n_nodes)
        """
        hierarchy = hierarchy_for(getattr(self, "hierarchy_", self.hierarchy), S)
        S = check_scores(S, hierarchy)
        return self._correct_rows(S, hierarchy) if sparse.issparse(S) else self._correct_densely(S, hierarchy)

    def _correct_densely(self, S: Any, hierarchy: Hierarchy) -> Any:
        return transform_densely(lambda rows: self.correct(rows, hierarchy), S)

    def _correct_rows(self, S: sparse.csr_array, hierarchy: Hierarchy) -> sparse.csr_array:
        """Correct sparse rows: by making them dense, unless a member overrides this."""
        return self._correct_densely(S, hierarchy)

    def correct(self, S: np.ndarray, hierarchy: Hierarchy) -> np.ndarray:
        """Return the corrected scores; ``S`` may be overwritten."""
        raise NotImplementedError

    def _fixed_hierarchy(self) -> Hierarchy:
        """Return the hierarchy that was fitted or given."""
        return getattr(self, "hierarchy_", self.hierarchy)  # type: ignore[return-value]

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        tags.target_tags.required = False
        return tags


def transform_densely(function: Callable[[np.ndarray], np.ndarray], S: Any) -> Any:
    """Apply a function of dense float64 rows that it may write in; CSR goes through it some rows at a time.

    The result has the form and the float type of ``S``.
    """
    if not sparse.issparse(S):
        return function(np.array(S, np.float64, order="C")).astype(S.dtype, copy=False)
    blocks = [
        sparse.csr_array(function(block.astype(np.float64, copy=False)).astype(S.dtype, copy=False))
        for _, (block,) in dense_blocks(S, cells=BLOCK_CELLS)
    ]
    return sparse.vstack(blocks, format="csr") if blocks else S.copy()


def check_non_negative(S: Any, what: str) -> None:
    """Refuse negative scores where a method has no meaning for them."""
    if has_negative(S):
        raise ValueError(
            f"Negative values in data: S has scores down to {S.min():.6g}; {what}. "
            "Turn margins into probabilities first."
        )
