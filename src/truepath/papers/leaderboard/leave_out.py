"""The blend that a fit would have given without some of its members, with no member fitted again."""

from __future__ import annotations

from collections.abc import Container
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray


def score_without(model: Any, left_out: Container[str], y: Any, X: Any) -> NDArray[Any]:
    """Return the scores of rows by a blend for tables without some members.

    Members do not know of each other, and each has its own seed: only the combiner is fitted again, on what is left of
    the scores that it was fitted on.

    Parameters
    ----------
    model : HierarchicalClassifier
        Fitted, its learner a pipeline that ends in a TableBlend with ``keep_held_out=True``.
    left_out : tuple of str
        Names of members.
    y : label matrix
        Of the rows that the model learned from.
    X : rows to score
    """
    from sklearn.base import clone

    from truepath.adapters.fitting import fit_part

    features, blend = model.learner_[:-1], copy(model.learner_[-1])
    stack = blend.stack_ = copy(blend.stack_)
    kept = [k for k, (name, _) in enumerate(stack.learners) if name not in left_out]
    sources = [stack.member_scores_[k] for k in kept]
    is_known = np.isfinite(blend.held_out_scores_).all(axis=1)
    stack.learners_ = [stack.learners_[k] for k in kept]
    combiner = clone(stack.combiner_)
    stack.combiner_ = fit_part(combiner, sources, y[is_known], None, stack.hierarchy_)
    S: NDArray[Any] = blend.predict_proba(features.transform(X))
    return S
