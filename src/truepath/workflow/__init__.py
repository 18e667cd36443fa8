"""From a file of rows to a measured, fitted model: the steps of ``truepath fit`` and its neighbours, as functions.

Names are loaded when first used: commands that only read a hierarchy or files of labels start without any learner.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from truepath.public import publish

if TYPE_CHECKING:
    from truepath.workflow.advice import Advice, advise
    from truepath.workflow.fit import FitResult, evaluate_model, fit_dataset
    from truepath.workflow.hierarchies import open_hierarchy
    from truepath.workflow.predictions import ModelFiles, Reading, compare_files, read_outputs, read_run
    from truepath.workflow.training import describe_training, drop_ids, open_training, read_again
    from truepath.workflow.update import UpdateMeasured, measure_update, update_model

__all__ = [
    "Advice",
    "FitResult",
    "ModelFiles",
    "Reading",
    "UpdateMeasured",
    "advise",
    "compare_files",
    "describe_training",
    "drop_ids",
    "evaluate_model",
    "fit_dataset",
    "measure_update",
    "open_hierarchy",
    "open_training",
    "read_again",
    "read_outputs",
    "read_run",
    "update_model",
]

#: The files, and what each promises
_FILES = {
    "advice": ("Advice", "advise"),
    "fit": ("FitResult", "evaluate_model", "fit_dataset"),
    "hierarchies": ("open_hierarchy",),
    "predictions": ("ModelFiles", "Reading", "compare_files", "read_outputs", "read_run"),
    "training": ("describe_training", "drop_ids", "open_training", "read_again"),
    "update": ("UpdateMeasured", "measure_update", "update_model"),
}


def __getattr__(name: str) -> Any:
    for file, names in _FILES.items():
        if name in names:
            home = import_module(f"{__name__}.{file}")
            publish(__name__, names, vars(home))
            return getattr(home, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
