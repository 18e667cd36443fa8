"""Learners: ``fit(X, Y)``, then ``predict_proba(X)`` returns coherent node scores."""

from truepath.learners.cutset_network import ChowLiuTree, CutsetNetwork, RestrictedCutsetNetwork

__all__ = ["ChowLiuTree", "CutsetNetwork", "RestrictedCutsetNetwork"]
