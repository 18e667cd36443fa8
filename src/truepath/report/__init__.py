"""Reports: one self-contained HTML page about a model or a comparison, and the folder a page is made from."""

from __future__ import annotations

from truepath.public import publish
from truepath.report.experiment_page import write_experiment_report
from truepath.report.folder_page import write_folder_report
from truepath.report.page import write_report
from truepath.report.reasons import find_reasons
from truepath.report.run import Evaluated, Run
from truepath.report.run_folder import load_run, save_run

__all__ = [
    "Evaluated",
    "Run",
    "find_reasons",
    "load_run",
    "save_run",
    "write_experiment_report",
    "write_folder_report",
    "write_report",
]

publish(__name__, __all__, globals())
