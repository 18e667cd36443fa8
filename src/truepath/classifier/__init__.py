"""The whole way from X to label sets in one scikit-learn estimator."""

from truepath.classifier.explanation import Explanation, NodeReason
from truepath.classifier.hierarchical_classifier import HierarchicalClassifier
from truepath.classifier.presets import Preset, get_preset, make_preset, preset_names
from truepath.public import publish

__all__ = [
    "Explanation",
    "HierarchicalClassifier",
    "NodeReason",
    "Preset",
    "get_preset",
    "make_preset",
    "preset_names",
]

publish(__name__, __all__, globals())
