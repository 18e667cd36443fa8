"""A fitted classifier under a changed hierarchy: every part goes over to it, and what changed is learned.

Where the rows bring features that the steps before the learner do not know, nothing of what was learned fits them: the
classifier is then fitted anew, as it was, under the new hierarchy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from truepath.adapters.capabilities import ask, grade, reach, update_learner
from truepath.adapters.new_features import find_new_features
from truepath.english import counted
from truepath.hierarchy import HierarchyDiff

if TYPE_CHECKING:
    from truepath.classifier.hierarchical_classifier import HierarchicalClassifier

#: Labels and features that a sentence names at most
MOST_NAMED = 10


def update_parts(model: HierarchicalClassifier, diff: HierarchyDiff, X: Any, y: Any) -> dict[str, Any]:
    """Return what a classifier keeps for the new hierarchy; what cannot go over to it is refused before the rest."""
    parts: dict[str, Any] = {"hierarchy_": diff.new}
    for name in ("combiner_", "calibrator_", "decoder_"):
        part = getattr(model, name)
        parts[name] = None if part is None else ask(part, "update").member.update(diff)
    ask(model.learner_, "update")
    unknown = find_new_features(model.learner_, diff, X, y)
    if unknown:
        why = f"the features did not know {_listed(unknown)}"
        said = f"learned: all {counted(diff.new.n_nodes, 'label')} anew, since {why}"
        return _fit_anew(model, diff, X, y) | {"updated_": said}
    learner = update_learner(model.learner_, diff, X, y)
    return parts | {"learner_": learner, "updated_": _describe_update(learner, diff)}


def _fit_anew(model: HierarchicalClassifier, diff: HierarchyDiff, X: Any, y: Any) -> dict[str, Any]:
    """Return what a classifier with the same parameters learns under the new hierarchy."""
    fresh = clone(model)
    held = [key for key, value in fresh.get_params().items() if key.endswith("__hierarchy") and value == diff.old]
    fresh.set_params(hierarchy=diff.new, **dict.fromkeys(held, diff.new)).fit(X, y)
    return {name: value for name, value in vars(fresh).items() if name.endswith("_") and name != "fitted_on_"}


def _describe_update(learner: Any, diff: HierarchyDiff) -> str:
    """Return a sentence about what an update learned, and what it left as it was."""
    learned = np.asarray(getattr(reach(learner).member, "relearned_", diff.touched))
    n_others = diff.new.n_nodes - learned.size
    how = "as they were" if grade(learner, "update") == "exact" else "nearly as they were"
    others = f"; the other {counted(n_others, 'label')} {how}" if n_others else ""
    return f"learned: {_listed(diff.new.names[learned].tolist()) or 'nothing'}{others}"


def _listed(names: list[str]) -> str:
    """Return the first names, and how many there are besides."""
    rest = f" and {counted(len(names) - MOST_NAMED, 'other')}" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + rest
