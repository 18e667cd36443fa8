"""Features fitted on training rows: from texts, categories, numbers and dates; and the LAIM discretizer."""

from truepath.preprocessing.auto_features import AutoFeatures
from truepath.preprocessing.laim import LAIM
from truepath.public import publish

__all__ = ["LAIM", "AutoFeatures"]

publish(__name__, __all__, globals())
