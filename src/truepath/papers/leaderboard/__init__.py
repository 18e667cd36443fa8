"""The best published AU(PRC) on the field's twenty data sets, beside the default model."""

from truepath.papers.leaderboard.paper import PAPER

__all__ = ["PAPER"]
