"""Preprocessing fitted on training rows: discretisation for the learners that need discrete features."""

from truepath.preprocessing.laim import LAIM

__all__ = ["LAIM"]
