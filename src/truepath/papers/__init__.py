"""Papers, rerun: published values beside ours. Each folder here is one paper, and its ``PAPER`` is found by itself."""

from importlib import import_module
from pkgutil import iter_modules

from truepath.papers.base import PAPERS, Paper, Settings
from truepath.papers.runner import choose_cells, reproduce
from truepath.public import publish

__all__ = [
    "PAPERS",
    "Paper",
    "Settings",
    "choose_cells",
    "reproduce",
]

publish(__name__, __all__, globals())
for found in iter_modules(__path__, f"{__name__}."):
    if found.ispkg:
        PAPERS.add(import_module(found.name).PAPER)
