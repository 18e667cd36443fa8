"""Learners: ``fit(X, Y)``, then ``predict_proba(X)`` returns coherent node scores."""

from truepath.learners.base import HierarchicalLearner
from truepath.learners.pct_forest import PCTForest
from truepath.learners.pct_tree import PCTree
from truepath.learners.pct_weights import class_weights

__all__ = ["HierarchicalLearner", "PCTForest", "PCTree", "class_weights"]
