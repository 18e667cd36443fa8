"""What a decoder is: coherent scores in, closed label sets out; some learn from held-out scores how.

A decoder never sees features or a model. ``fit(S, Y)`` takes scores of instances that the scoring model was *not*
trained on, with their true labels; ``predict(S)`` returns a boolean matrix that respects the hierarchy, dense for
dense scores, CSR for sparse ones (where an absent score is 0).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from truepath.hierarchy.checks import check_scores, check_truth, check_weight, hierarchy_for
from truepath.registry import DECODERS, Member

if TYPE_CHECKING:
    from truepath.hierarchy import Hierarchy

__all__ = ["Decoder", "FitInput", "check_fit_input"]


class FitInput(NamedTuple):
    """Checked arguments of ``fit``."""

    S: Any
    y: Any
    sample_weight: NDArray[np.float64] | None
    hierarchy: Hierarchy


class Decoder(Member, BaseEstimator):
    """Base of all decoders; a subclass has ``hierarchy`` among its parameters, ``fit`` and ``_label``.

    ``fit`` ends with ``self.hierarchy_`` set. ``_label(S)`` gets checked scores and returns closed labels of the
    same kind, dense or CSR.
    """

    registry = DECODERS
    hierarchy: Hierarchy | None = None

    @property
    def learns(self) -> bool:
        """Whether ``fit`` learns from scores and labels; then they must be those of held-out rows."""
        return False

    def fit(self, S: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Decoder:
        """Learn from held-out scores and labels. Decoders that learn nothing take note of the hierarchy only."""
        self.hierarchy_ = hierarchy_for(self.hierarchy, S)
        self.n_features_in_ = self.hierarchy_.n_nodes
        return self

    def predict(self, S: Any) -> Any:
        """Return the label sets of scored instances.

        Parameters
        ----------
        S : array-like or sparse matrix of float, shape (n_samples, n_nodes)

        Returns
        -------
        Y : ndarray or csr_array of bool, shape (n_samples, n_nodes)
            Closed under ancestors.
        """
        check_is_fitted(self, "hierarchy_")
        return self._label(self._check_scores(S))

    def fit_predict(self, S: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Any:
        """Fit, and return the label sets of the same scores."""
        return self.fit(S, y, sample_weight).predict(S)

    def _check_scores(self, S: Any) -> Any:
        """Check the scores that are to be labelled."""
        return check_scores(S, self.hierarchy_)

    def _label(self, S: Any) -> Any:
        """Return closed labels for checked scores."""
        raise NotImplementedError


def check_fit_input(
    decoder: Decoder, S: Any, Y: Any, sample_weight: ArrayLike | None = None, *, coherent: bool = False
) -> FitInput:
    """Check the arguments of ``fit``, and set ``hierarchy_`` and ``n_features_in_``."""
    hierarchy = hierarchy_for(decoder.hierarchy, S)
    S = check_scores(S, hierarchy, coherent=coherent)
    Y = check_truth(Y, S, hierarchy)
    decoder.hierarchy_, decoder.n_features_in_ = hierarchy, hierarchy.n_nodes
    if S.shape[0] == 0:
        raise ValueError("S has no rows; at least one scored instance is needed.")
    return FitInput(S, Y, check_weight(sample_weight, S.shape[0]), hierarchy)
