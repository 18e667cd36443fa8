"""Graphs of ONNX operators: what learners, combiners, decoders and transformers write themselves into."""

from truepath.graph.graph import Graph
from truepath.graph.lookups import interpolate, places
from truepath.graph.walks import cap_columns, close_columns, multiply_columns, raise_columns
from truepath.public import publish

__all__ = ["Graph", "cap_columns", "close_columns", "interpolate", "multiply_columns", "places", "raise_columns"]

publish(__name__, __all__, globals())
