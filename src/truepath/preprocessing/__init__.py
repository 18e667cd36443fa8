"""Preprocessing fitted on training rows: discretisation for the learners that need discrete features."""

from truepath.preprocessing.auto_features import AutoFeatures
from truepath.preprocessing.laim import LAIM
from truepath.public import publish

__all__ = ["LAIM", "AutoFeatures"]

publish(__name__, __all__, globals())
