"""Papers, rerun: published values beside ours. Each folder here is one paper, and its ``PAPER`` is found by itself."""

from importlib import import_module
from pkgutil import iter_modules

from truepath.papers.base import PAPERS, Cell, Comparison, FinishedCell, Paper, Settings, Verdict
from truepath.papers.runner import (
    all_comparisons,
    choose_cells,
    finished_cells,
    missing_folders,
    reproduce,
)
from truepath.papers.tables import count_verdicts, to_markdown, to_rst
from truepath.public import publish

__all__ = [
    "PAPERS",
    "Cell",
    "Comparison",
    "FinishedCell",
    "Paper",
    "Settings",
    "Verdict",
    "all_comparisons",
    "choose_cells",
    "count_verdicts",
    "finished_cells",
    "missing_folders",
    "reproduce",
    "to_markdown",
    "to_rst",
]

publish(__name__, __all__, globals())
for found in iter_modules(__path__, f"{__name__}."):
    if found.ispkg:
        PAPERS.add(import_module(found.name).PAPER)
