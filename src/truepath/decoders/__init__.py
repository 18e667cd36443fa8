"""Decoders: from coherent scores to label sets that respect the hierarchy.

They take matrices only, so they work on any model's scores. See ``docs/thresholds.rst`` for the thresholds.
"""

from __future__ import annotations

from truepath.decoders.base import Decoder
from truepath.decoders.compare import Comparison, StrategyResult, compare_strategies
from truepath.decoders.curves import Curve
from truepath.decoders.multi import MultiThreshold
from truepath.decoders.plot import plot_threshold_curve
from truepath.decoders.single import SingleThreshold
from truepath.decoders.threshold import Threshold

__all__ = [
    "Comparison",
    "Curve",
    "Decoder",
    "MultiThreshold",
    "SingleThreshold",
    "StrategyResult",
    "Threshold",
    "compare_strategies",
    "plot_threshold_curve",
]
