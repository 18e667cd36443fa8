"""A model server: predictions, explanations and the hierarchy over HTTP, with a page to try them."""

from truepath.public import publish
from truepath.serve.app import make_app, run_server
from truepath.serve.settings import ServeSettings

__all__ = ["ServeSettings", "make_app", "run_server"]

publish(__name__, __all__, globals())
