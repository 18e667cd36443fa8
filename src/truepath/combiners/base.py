"""What a combiner is: node scores in, better and (unless it says otherwise) coherent node scores out.

:class:`Combiner` is the protocol, scikit-learn's transformer over score matrices: ``fit(S, Y)``, ``transform(S)``.
:class:`Correction` is a combiner that learns nothing: give it the hierarchy and call ``transform``. A member writes
one method, ``_correct(S, hierarchy)``, on a dense float64 matrix of its own; dense and sparse input, float types and
checks are handled here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from truepath.hierarchy import Hierarchy, check_scores
from truepath.hierarchy.checks import check_truth, hierarchy_for
from truepath.hierarchy.checks import check_weight as check_row_weight
from truepath.registry import COMBINERS, Member

__all__ = [
    "Combiner",
    "Correction",
    "check_non_negative",
    "check_truth",
    "check_weight",
    "hierarchy_for",
    "row_blocks",
]

# Sparse rows are worked on densely, this many cells at a time (32 MB of float64)
BLOCK_CELLS = 1 << 22


class Combiner(Member, TransformerMixin, BaseEstimator):
    """Turns scores of the nodes into scores of the nodes; never sees X or a model.

    ``fit(S, Y, sample_weight=None)`` learns from scores of rows that the learner did not train on (a validation part,
    or out-of-fold scores: a combiner cannot see which they are, and fitted on in-sample scores it learns the
    learner's overfitting); ``transform(S)`` returns a matrix of the same shape and float type. Every combiner takes
    ``hierarchy=`` in its constructor; None means a flat label set.

    Attributes
    ----------
    name, summary, learns_from, needs
        What people type, and what they read about it; see :class:`truepath.registry.Member`.
    is_coherent : bool
        Whether the transformed scores never exceed a parent's.
    accepts_many : bool
        Whether ``S`` may be a list of score matrices, one a learner.
    """

    registry = COMBINERS
    is_coherent = True
    accepts_many = False

    hierarchy: Hierarchy | None
    hierarchy_: Hierarchy

    def fit(self, S: Any, y: Any, sample_weight: Any = None) -> Combiner:
        """Learn from scores and true labels; return self."""
        raise NotImplementedError

    def transform(self, S: Any) -> Any:
        """Return the combined scores of the rows of ``S``."""
        raise NotImplementedError

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the label names, one a column."""
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
        if sparse.issparse(S):
            return self._correct_rows(S, hierarchy)
        return self._correct(np.array(S, np.float64, order="C"), hierarchy).astype(S.dtype, copy=False)

    def _correct_rows(self, S: sparse.csr_array, hierarchy: Hierarchy) -> sparse.csr_array:
        """Correct sparse rows, a dense block at a time."""
        blocks = [
            sparse.csr_array(self._correct(S[rows].toarray().astype(np.float64), hierarchy).astype(S.dtype))
            for rows in row_blocks(*S.shape)
        ]
        return sparse.vstack(blocks, format="csr") if blocks else S.copy()

    def _correct(self, S: np.ndarray, hierarchy: Hierarchy) -> np.ndarray:
        """Return the corrected scores; ``S`` is ours to write in."""
        raise NotImplementedError

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        tags.target_tags.required = False
        return tags


def row_blocks(n_samples: int, n_nodes: int) -> Iterator[slice]:
    """Yield slices of rows that are small enough to be made dense."""
    step = max(1, BLOCK_CELLS // max(1, n_nodes))
    for start in range(0, n_samples, step):
        yield slice(start, min(start + step, n_samples))


def check_weight(sample_weight: Any, n_samples: int) -> np.ndarray:
    """Return one weight a row, all ones for None."""
    weight = check_row_weight(sample_weight, n_samples)
    return np.ones(n_samples) if weight is None else weight


def check_non_negative(S: Any, what: str) -> None:
    """Refuse negative scores where a method has no meaning for them."""
    values = S.data if sparse.issparse(S) else S
    if values.size and values.min() < 0:
        raise ValueError(
            f"Negative values in data: S has scores down to {values.min():.6g}; {what}. "
            "Turn margins into probabilities first."
        )
