"""Decoders: from coherent scores to label sets, every prediction closed under ancestors.

They take matrices only, so they work on any model's scores.
"""

from __future__ import annotations

from truepath.decoders.agreement import NestedAgreement, nested_agreement
from truepath.decoders.base import Decoder
from truepath.decoders.best_path import BestPath
from truepath.decoders.compare import Comparison, StrategyResult, compare_strategies
from truepath.decoders.curves import Curve
from truepath.decoders.exact import ExactLeafMAP
from truepath.decoders.greedy_leaves import LeafPath
from truepath.decoders.mas import MAS
from truepath.decoders.masr import MASR
from truepath.decoders.metalabeler import MetaLabeler
from truepath.decoders.multi import MultiThreshold
from truepath.decoders.plot import plot_threshold_curve
from truepath.decoders.single import SingleThreshold
from truepath.decoders.threshold import Threshold
from truepath.decoders.top_leaves import TopLeaves

__all__ = [
    "MAS",
    "MASR",
    "BestPath",
    "Comparison",
    "Curve",
    "Decoder",
    "ExactLeafMAP",
    "LeafPath",
    "MetaLabeler",
    "MultiThreshold",
    "NestedAgreement",
    "SingleThreshold",
    "StrategyResult",
    "Threshold",
    "TopLeaves",
    "compare_strategies",
    "nested_agreement",
    "plot_threshold_curve",
]
