"""Hierarchies in their own files: the formats, found by one registry."""

from truepath.data.hierarchies import edges, lines, pairs, saved

__all__ = ["edges", "lines", "pairs", "saved"]
