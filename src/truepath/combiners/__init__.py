"""Node scores in, coherent node scores out: corrections that learn nothing, and combiners fitted on held-out scores."""

from truepath.combiners.base import Combiner, Correction
from truepath.combiners.bayesian_aggregation import BayesianAggregation
from truepath.combiners.blend import Blend
from truepath.combiners.calibration.calibrator import Calibrator
from truepath.combiners.conditioning import condition_scores
from truepath.combiners.fael.blend import FAELBlend
from truepath.combiners.fael.hierarchical import HierarchicalFAEL
from truepath.combiners.fael.kernel import KernelFAEL
from truepath.combiners.fael.linear import FAEL
from truepath.combiners.greedy_blend import GreedyBlend
from truepath.combiners.isotonic import Isotonic
from truepath.combiners.max_up import MaxUp
from truepath.combiners.mean_of_paths import MeanOfPaths
from truepath.combiners.min_down import MinDown
from truepath.combiners.path_product import PathProduct
from truepath.combiners.priors import LabelShares, shift_scores
from truepath.combiners.top_down import TopDown
from truepath.combiners.true_path_rule import TruePathRule
from truepath.public import publish

__all__ = [
    "FAEL",
    "BayesianAggregation",
    "Blend",
    "Calibrator",
    "Combiner",
    "Correction",
    "FAELBlend",
    "GreedyBlend",
    "HierarchicalFAEL",
    "Isotonic",
    "KernelFAEL",
    "LabelShares",
    "MaxUp",
    "MeanOfPaths",
    "MinDown",
    "PathProduct",
    "TopDown",
    "TruePathRule",
    "condition_scores",
    "shift_scores",
]

publish(__name__, __all__, globals())
