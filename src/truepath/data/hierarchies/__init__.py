"""Hierarchies in files of their own: the formats, found by one registry."""

from truepath.data.hierarchies import edges, lines, pairs, saved

__all__ = ["edges", "lines", "pairs", "saved"]
