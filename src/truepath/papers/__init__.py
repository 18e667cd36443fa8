"""The five papers, rerun: published values beside ours."""

from truepath.papers.base import Cell, Comparison, Paper, Settings, Verdict
from truepath.papers.registry import PAPERS, get_paper
from truepath.papers.runner import (
    all_comparisons,
    choose_cells,
    finished_cells,
    missing_folders,
    reproduce,
)
from truepath.papers.store import Finished
from truepath.papers.tables import count_verdicts, to_markdown, to_rst
from truepath.public import publish

__all__ = [
    "PAPERS",
    "Cell",
    "Comparison",
    "Finished",
    "Paper",
    "Settings",
    "Verdict",
    "all_comparisons",
    "choose_cells",
    "count_verdicts",
    "finished_cells",
    "get_paper",
    "missing_folders",
    "reproduce",
    "to_markdown",
    "to_rst",
]

publish(__name__, __all__, globals())
