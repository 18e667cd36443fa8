"""Triguero & Vens (2016): labelling strategies."""

from truepath.papers.triguero2016.paper import PAPER

__all__ = ["PAPER"]
