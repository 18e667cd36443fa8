"""From X to label sets in one scikit-learn estimator."""

from truepath.classifier import systems  # noqa: F401  (enters the presets)
from truepath.classifier.explanation import Explanation, NodeReason
from truepath.classifier.files import predict_file
from truepath.classifier.hierarchical_classifier import HierarchicalClassifier
from truepath.classifier.parts import FittedOn, default_learner, default_method
from truepath.classifier.presets import PRESETS, Preset, get_preset, make_preset, preset, preset_names
from truepath.classifier.top import TopLabels
from truepath.classifier.tried import Tried
from truepath.public import publish

__all__ = [
    "PRESETS",
    "Explanation",
    "FittedOn",
    "HierarchicalClassifier",
    "NodeReason",
    "Preset",
    "TopLabels",
    "Tried",
    "default_learner",
    "default_method",
    "get_preset",
    "make_preset",
    "predict_file",
    "preset",
    "preset_names",
]

publish(__name__, __all__, globals())
