"""Labels and scores of a few rows in one pass, as a server needs them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from truepath.hierarchy.matrices import as_dense

if TYPE_CHECKING:
    from truepath.classifier.hierarchical_classifier import HierarchicalClassifier

__all__ = ["label_and_score"]


def label_and_score(model: HierarchicalClassifier, X: Any) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Return what ``predict`` and ``predict_proba`` return for rows in memory, dense, with the rows scored once.

    Examples
    --------
    >>> from truepath import HierarchicalClassifier
    >>> model = HierarchicalClassifier(decoder="best-path").fit(["a cat", "an oak"] * 3, [["animal"], ["plant"]] * 3)
    >>> Y, S = label_and_score(model, ["the cat"])
    >>> bool((Y == model.predict(["the cat"])).all()), bool((S == model.predict_proba(["the cat"])).all())
    (True, True)
    """
    S = model._score_rows(X)
    Y = model._label_rows(X) if model.decoder_ is None else model._decide(X, S)
    return as_dense(Y).astype(bool, copy=False), np.asarray(as_dense(S), np.float64)
