"""Adapters: how rows, labels and learners of others are taken as they come."""

from truepath.adapters.labels import derive_hierarchy, encode_labels
from truepath.adapters.rows import count_rows, take_rows
from truepath.public import publish

__all__ = ["count_rows", "derive_hierarchy", "encode_labels", "take_rows"]

publish(__name__, __all__, globals())
