"""Learners: ``fit(X, Y)``, then ``predict_proba(X)`` returns coherent node scores."""

from truepath.learners.ada_boost_mh import AdaBoostMH
from truepath.learners.base import HierarchicalLearner
from truepath.learners.bayes_networks import BayesianChain, NaiveBayesML, TreeAugmentedML
from truepath.learners.binary_relevance import BinaryRelevance
from truepath.learners.cutset_bagging import BaggedCutsetNetworks
from truepath.learners.cutset_drawing import plot_cutset_network
from truepath.learners.cutset_network import ChowLiuTree, CutsetNetwork, RestrictedCutsetNetwork
from truepath.learners.global_naive_bayes import GlobalNaiveBayes
from truepath.learners.hada_boost_mh import HAdaBoostMH
from truepath.learners.label_powerset import HMCLabelPowerset
from truepath.learners.pct_forest import PCTForest
from truepath.learners.pct_tree import PCTree
from truepath.learners.pct_weights import class_weights
from truepath.learners.per_level import PerLevel
from truepath.learners.per_node import PerNode
from truepath.learners.per_parent import PerParent
from truepath.learners.policies import POLICIES, Policy
from truepath.learners.presets import HBR, BRMetaLabeler
from truepath.learners.sibling_lasso import SiblingLasso
from truepath.learners.stack import Stack

__all__ = [
    "HBR",
    "POLICIES",
    "AdaBoostMH",
    "BRMetaLabeler",
    "BaggedCutsetNetworks",
    "BayesianChain",
    "BinaryRelevance",
    "ChowLiuTree",
    "CutsetNetwork",
    "GlobalNaiveBayes",
    "HAdaBoostMH",
    "HMCLabelPowerset",
    "HierarchicalLearner",
    "NaiveBayesML",
    "PCTForest",
    "PCTree",
    "PerLevel",
    "PerNode",
    "PerParent",
    "Policy",
    "RestrictedCutsetNetwork",
    "SiblingLasso",
    "Stack",
    "TreeAugmentedML",
    "class_weights",
    "plot_cutset_network",
]
