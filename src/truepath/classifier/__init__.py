"""From X to label sets in one scikit-learn estimator: learner, combiner and decoder, fitted on held-out scores."""

from truepath.classifier import systems  # noqa: F401  (enters the presets)
from truepath.classifier.default import (
    DecoderChoice,
    default_decoder,
    default_learner,
    default_method,
    describe_default,
    with_features,
)
from truepath.classifier.explanation import Explanation, NodeReason
from truepath.classifier.files import find_row, predict_file
from truepath.classifier.fitted_on import FittedOn
from truepath.classifier.hierarchical_classifier import HierarchicalClassifier
from truepath.classifier.presets import PRESETS, Preset, get_preset, make_preset, preset, preset_names
from truepath.classifier.refused import describe_refused, list_refused
from truepath.classifier.top import TopLabels
from truepath.public import publish

__all__ = [
    "PRESETS",
    "DecoderChoice",
    "Explanation",
    "FittedOn",
    "HierarchicalClassifier",
    "NodeReason",
    "Preset",
    "TopLabels",
    "default_decoder",
    "default_learner",
    "default_method",
    "describe_default",
    "describe_refused",
    "find_row",
    "get_preset",
    "list_refused",
    "make_preset",
    "predict_file",
    "preset",
    "preset_names",
    "with_features",
]

publish(__name__, __all__, globals())
