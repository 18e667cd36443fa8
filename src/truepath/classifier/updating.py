"""A fitted classifier under a changed hierarchy: every part goes over to it, and what changed is learned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truepath.adapters.capabilities import ask, grade, update_learner
from truepath.english import counted
from truepath.hierarchy import HierarchyDiff

if TYPE_CHECKING:
    from truepath.classifier.hierarchical_classifier import HierarchicalClassifier


def update_parts(model: HierarchicalClassifier, diff: HierarchyDiff, X: Any, y: Any) -> dict[str, Any]:
    """Return the parts of a classifier for the new hierarchy; what cannot go over to it is refused before the rest."""
    parts: dict[str, Any] = {"hierarchy_": diff.new}
    for name in ("combiner_", "calibrator_", "decoder_"):
        part = getattr(model, name)
        parts[name] = None if part is None else ask(part, "update").member.update(diff)
    return parts | {"learner_": update_learner(model.learner_, diff, X, y)}


def describe_update(model: HierarchicalClassifier, diff: HierarchyDiff) -> str:
    """Return a sentence about what an update learned, and what it left as it was."""
    learned = ", ".join(diff.new.names[diff.touched].tolist()) or "nothing"
    others = counted(diff.new.n_nodes - diff.touched.size, "label")
    is_exact = grade(model.learner_, "update") == "exact"
    return f"learned: {learned}; the other {others} {'as they were' if is_exact else 'nearly as they were'}"
