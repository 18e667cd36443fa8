"""What a decoder is: node scores in, closed label sets out."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator

__all__ = ["Decoder"]


class Decoder(BaseEstimator):
    """Turns scores ``S`` into label sets ``Y`` that respect the hierarchy; never sees X or a model.

    ``fit(S, Y)`` learns what there is to learn, on scores of rows the learner did not train on; ``predict(S)``
    gives a closed boolean matrix, dense for dense scores and CSR for sparse ones. Every decoder takes
    ``hierarchy=`` in its constructor; None means a flat label set.
    """

    def fit(self, S: Any, Y: Any, sample_weight: Any = None) -> Decoder:
        """Learn from scores and true labels; return self."""
        raise NotImplementedError

    def predict(self, S: Any) -> Any:
        """Return the closed label sets of the rows of ``S``."""
        raise NotImplementedError
