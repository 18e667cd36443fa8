"""Learners: ``fit(X, Y)``, then ``predict_proba(X)`` returns coherent node scores."""

from truepath.learners.base import HierarchicalLearner
from truepath.learners.stack import Stack

__all__ = ["HierarchicalLearner", "Stack"]
