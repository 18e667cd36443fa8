"""Di Mauro, Vergari & Esposito (2016): cutset networks."""

from truepath.papers.dimauro2016.paper import PAPER

__all__ = ["PAPER"]
