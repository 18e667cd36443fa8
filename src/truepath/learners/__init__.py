"""Learners: ``fit(X, y)``, then ``predict_proba(X)`` returns coherent node scores; one folder per family."""

from truepath.learners.base import HierarchicalLearner, check_fit_input, check_predict_input
from truepath.learners.bayes.global_naive_bayes import GlobalNaiveBayes
from truepath.learners.bayes.networks import BayesianChain, NaiveBayesML, TreeAugmentedML
from truepath.learners.boosted.boosted_trees import BoostedTrees
from truepath.learners.boosting.ada_boost_mh import AdaBoostMH
from truepath.learners.boosting.hada_boost_mh import HAdaBoostMH
from truepath.learners.cutset.bagging import BaggedCutsetNetworks
from truepath.learners.cutset.drawing import plot_cutset_network
from truepath.learners.cutset.network import ChowLiuTree, CutsetNetwork, RestrictedCutsetNetwork
from truepath.learners.kernel.multi_label_kernel_ridge import MultiLabelKernelRidge
from truepath.learners.linear.sibling_lasso import SiblingLasso
from truepath.learners.linear.sparse_linear import SparseLinear
from truepath.learners.local.binary_relevance import BinaryRelevance
from truepath.learners.local.label_powerset import HMCLabelPowerset
from truepath.learners.local.per_level import PerLevel
from truepath.learners.local.per_node import PerNode
from truepath.learners.local.per_parent import PerParent
from truepath.learners.local.policies import POLICIES, Policy
from truepath.learners.local.published import HBR, BRMetaLabeler
from truepath.learners.network.coherent_network import CoherentNetwork
from truepath.learners.reasons import SimilarRows, contributions, similar_rows, top_features
from truepath.learners.stack import Stack
from truepath.learners.table_blend import TableBlend
from truepath.learners.trees.forest import PCTForest
from truepath.learners.trees.grow import class_weights
from truepath.learners.trees.tree import PCTree
from truepath.public import publish

__all__ = [
    "HBR",
    "POLICIES",
    "AdaBoostMH",
    "BRMetaLabeler",
    "BaggedCutsetNetworks",
    "BayesianChain",
    "BinaryRelevance",
    "BoostedTrees",
    "ChowLiuTree",
    "CoherentNetwork",
    "CutsetNetwork",
    "GlobalNaiveBayes",
    "HAdaBoostMH",
    "HMCLabelPowerset",
    "HierarchicalLearner",
    "MultiLabelKernelRidge",
    "NaiveBayesML",
    "PCTForest",
    "PCTree",
    "PerLevel",
    "PerNode",
    "PerParent",
    "Policy",
    "RestrictedCutsetNetwork",
    "SiblingLasso",
    "SimilarRows",
    "SparseLinear",
    "Stack",
    "TableBlend",
    "TreeAugmentedML",
    "check_fit_input",
    "check_predict_input",
    "class_weights",
    "contributions",
    "plot_cutset_network",
    "similar_rows",
    "top_features",
]

publish(__name__, __all__, globals())
