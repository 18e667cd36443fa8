"""Saving fitted estimators in a safe format, and loading them again without running code from the file."""

from truepath.persistence.container import describe_model
from truepath.persistence.model_file import load, save, trusted_types
from truepath.public import publish

__all__ = ["describe_model", "load", "save", "trusted_types"]

publish(__name__, __all__, globals())
