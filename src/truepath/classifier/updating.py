"""A fitted classifier under a changed hierarchy: learner, combiner and decoder carried over, the rest learned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from truepath.adapters import final_step
from truepath.classifier.parts import combines_by_learning, decides_by_learning
from truepath.decoders import Threshold
from truepath.errors import TruePathError
from truepath.files.text import counted
from truepath.hierarchy import Hierarchy, HierarchyDiff
from truepath.learners import PCTForest, PCTree, update_learner

if TYPE_CHECKING:
    from truepath.classifier.hierarchical_classifier import HierarchicalClassifier

__all__ = ["as_diff", "say_update", "update_parts"]


def as_diff(model: HierarchicalClassifier, change: Hierarchy | HierarchyDiff) -> HierarchyDiff:
    """Return the change as a diff from the model's hierarchy."""
    return change if isinstance(change, HierarchyDiff) else model.hierarchy_.diff(change)


def update_parts(model: HierarchicalClassifier, diff: HierarchyDiff, X: Any, y: Any) -> dict[str, Any]:
    """Return learner, combiner and decoder for the new hierarchy; refuse a model with parts that are to be refitted."""
    if model.calibrator_ is not None or combines_by_learning(model.combiner_):
        what = "calibrator" if model.calibrator_ is not None else "combiner"
        raise TruePathError(f"its {what} was learned from the scores of all labels.", "Fit the classifier again.")
    nothing = np.zeros((1, diff.new.n_nodes))
    combiner = None if model.combiner_ is None else clone(model.combiner_).set_params(hierarchy=diff.new).fit(nothing)
    decoder = _update_decoder(model.decoder_, diff)
    learner = _update_last(model.learner_, diff, X, y)
    return {"learner_": learner, "combiner_": combiner, "decoder_": decoder, "hierarchy_": diff.new}


def say_update(model: HierarchicalClassifier, diff: HierarchyDiff) -> str:
    """Say what an update learned, and what it left as it was."""
    learned = ", ".join(diff.new.names[diff.touched].tolist()) or "nothing"
    if isinstance(final_step(model.learner_), PCTree | PCTForest):
        return f"learned: {learned}; the questions of trees as they were, all leaves counted again"
    return f"learned: {learned}; the other {counted(diff.new.n_nodes - diff.touched.size, 'label')} as they were"


def _update_last(learner: Any, diff: HierarchyDiff, X: Any, y: Any) -> Any:
    """Update the last step of a pipeline; those before it stay as they were fitted."""
    if not isinstance(learner, Pipeline):
        return update_learner(learner, diff, X, y)
    *before, (name, last) = learner.steps
    X = Pipeline(before).transform(X) if before else X
    return Pipeline([*before, (name, _update_last(last, diff, X, y))])


def _update_decoder(decoder: Any, diff: HierarchyDiff) -> Any:
    """Return a decoder with the thresholds that were learned; a new label gets the largest of its parents'."""
    if decoder is None:
        return None
    if not decides_by_learning(decoder):
        return clone(decoder).set_params(hierarchy=diff.new).fit(np.zeros((1, diff.new.n_nodes)))
    known = getattr(decoder, "thresholds_", None)
    if known is None or "coverage" in decoder.get_params() or "risk" in decoder.get_params():
        raise TruePathError(f"its decoder {type(decoder).__name__} must be learned again.", "Fit the classifier again.")
    back = {new: old for old, new in diff.renamed.items()}
    old = dict(zip(diff.old.names.tolist(), np.asarray(known, np.float64).tolist()))
    usual, found = float(np.median(known)), np.empty(diff.new.n_nodes)
    for v, name in enumerate(diff.new.names.tolist()):  # parents come before children
        above = found[diff.new.parents(v)]
        own = old.get(back.get(name, name), above.max() if above.size else usual)
        found[v] = max(own, above.max(initial=-np.inf))
    return Threshold(found, hierarchy=diff.new).fit(np.zeros((1, diff.new.n_nodes)))
