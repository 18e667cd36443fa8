"""Zhang, Shah & Kakadiaris (2014): FAEL."""

from truepath.papers.zhang2014.paper import PAPER

__all__ = ["PAPER"]
