"""Learners: ``fit(X, Y)``, then ``predict_proba(X)`` returns coherent node scores."""

from truepath.learners.ada_boost_mh import AdaBoostMH
from truepath.learners.base import HierarchicalLearner
from truepath.learners.binary_relevance import BinaryRelevance
from truepath.learners.global_naive_bayes import GlobalNaiveBayes
from truepath.learners.hada_boost_mh import HAdaBoostMH
from truepath.learners.label_powerset import HMCLabelPowerset
from truepath.learners.per_level import PerLevel
from truepath.learners.per_node import PerNode
from truepath.learners.per_parent import PerParent
from truepath.learners.policies import POLICIES, Policy
from truepath.learners.presets import HBR, BRMetaLabeler
from truepath.learners.sibling_lasso import SiblingLasso

__all__ = [
    "HBR",
    "POLICIES",
    "AdaBoostMH",
    "BRMetaLabeler",
    "BinaryRelevance",
    "GlobalNaiveBayes",
    "HAdaBoostMH",
    "HMCLabelPowerset",
    "HierarchicalLearner",
    "PerLevel",
    "PerNode",
    "PerParent",
    "Policy",
    "SiblingLasso",
]
