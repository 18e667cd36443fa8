"""Learners: ``fit(X, Y)``, then ``predict_proba(X)`` returns coherent node scores."""

from truepath.learners.bayes_networks import BayesianChain, NaiveBayesML, TreeAugmentedML
from truepath.learners.cutset_bagging import BaggedCutsetNetworks
from truepath.learners.cutset_drawing import plot_cutset_network
from truepath.learners.cutset_network import ChowLiuTree, CutsetNetwork, RestrictedCutsetNetwork

__all__ = [
    "BaggedCutsetNetworks",
    "BayesianChain",
    "ChowLiuTree",
    "CutsetNetwork",
    "NaiveBayesML",
    "RestrictedCutsetNetwork",
    "TreeAugmentedML",
    "plot_cutset_network",
]
