"""Saving fitted estimators in a safe format, and loading them again without running code from the file."""

from truepath.persistence.container import describe_model
from truepath.persistence.model_file import load, save, trusted_types
from truepath.persistence.trust import packages_to_trust, trusted_types_of
from truepath.public import publish

__all__ = ["describe_model", "load", "packages_to_trust", "save", "trusted_types", "trusted_types_of"]

publish(__name__, __all__, globals())
