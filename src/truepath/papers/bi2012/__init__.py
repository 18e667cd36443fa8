"""Bi & Kwok (2012): mandatory leaf node prediction."""

from truepath.papers.bi2012.paper import PAPER

__all__ = ["PAPER"]
