"""Learners: ``fit(X, Y)``, then ``predict_proba(X)`` returns coherent node scores."""

from truepath.learners.base import HierarchicalLearner

__all__ = ["HierarchicalLearner"]
