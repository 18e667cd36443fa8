"""Decoders: from coherent scores to label sets, every prediction closed under ancestors.

They take matrices only, so they work on any model's scores.
"""

from __future__ import annotations

from truepath.decoders.base import Decoder
from truepath.decoders.conformal.label_set import ConformalSet
from truepath.decoders.conformal.promise import Kept, Promise
from truepath.decoders.conformal.risk import ConformalRisk
from truepath.decoders.conformal.subtree import ConformalSubtree
from truepath.decoders.conformal.sure import SureLabels
from truepath.decoders.expected.cost import ExpectedCost
from truepath.decoders.expected.f_measure import ExpectedF
from truepath.decoders.leaves.best_path import BestPath
from truepath.decoders.leaves.exact import ExactLeafMAP
from truepath.decoders.leaves.mas import MAS
from truepath.decoders.leaves.masr import MASR
from truepath.decoders.leaves.metalabeler import MetaLabeler
from truepath.decoders.leaves.stopping_path import StoppingPath
from truepath.decoders.leaves.top_leaves import TopLeaves
from truepath.decoders.thresholds.levels import LevelThresholds
from truepath.decoders.thresholds.multi import MultiThreshold
from truepath.decoders.thresholds.plot import plot_threshold_curve
from truepath.decoders.thresholds.single import SingleThreshold
from truepath.decoders.thresholds.threshold import Threshold
from truepath.public import publish

__all__ = [
    "MAS",
    "MASR",
    "BestPath",
    "ConformalRisk",
    "ConformalSet",
    "ConformalSubtree",
    "Decoder",
    "ExactLeafMAP",
    "ExpectedCost",
    "ExpectedF",
    "Kept",
    "LevelThresholds",
    "MetaLabeler",
    "MultiThreshold",
    "Promise",
    "SingleThreshold",
    "StoppingPath",
    "SureLabels",
    "Threshold",
    "TopLeaves",
    "plot_threshold_curve",
]

publish(__name__, __all__, globals())
