"""Hierarchical multi-label classification: label sets that live in a tree or a DAG and respect it.

The name is the true-path rule: a label is never predicted without all of its ancestors.

Names are loaded when first used, so that ``import truepath`` stays quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from truepath.classifier import HierarchicalClassifier
    from truepath.data import Dataset, load_dataset, open_dataset
    from truepath.hierarchy import Hierarchy

__version__ = "0.1.0"

_HOME = {
    "Hierarchy": "hierarchy",
    "Dataset": "data",
    "load_dataset": "data",
    "open_dataset": "data",
    "HierarchicalClassifier": "classifier",
}
_ROOMS = (
    "adapters",
    "cafa",
    "classifier",
    "combiners",
    "data",
    "decoders",
    "errors",
    "experiments",
    "export",
    "files",
    "graph",
    "hierarchy",
    "learners",
    "metrics",
    "papers",
    "persistence",
    "preprocessing",
    "records",
    "registry",
    "report",
    "ridge",
    "serve",
    "warmup",
    "workflow",
)

__all__ = ["Dataset", "HierarchicalClassifier", "Hierarchy", "__version__", "load_dataset", "open_dataset"]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"truepath.{_HOME[name]}"), name)
    if name in _ROOMS:
        return import_module(f"truepath.{name}")
    raise AttributeError(f"module 'truepath' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *_ROOMS])
