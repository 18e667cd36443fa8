"""Chelmis & Qi (2021): H-Ada.MH."""

from truepath.papers.chelmis2021.paper import PAPER

__all__ = ["PAPER"]
