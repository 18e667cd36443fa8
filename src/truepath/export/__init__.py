"""Models for other programs: scores and label sets as an ONNX graph, thresholds and hierarchy included."""

from truepath.adapters.exporting import FEATURES
from truepath.export.model import LABELS, SCORES, to_onnx
from truepath.public import publish

__all__ = ["FEATURES", "LABELS", "SCORES", "to_onnx"]

publish(__name__, __all__, globals())
