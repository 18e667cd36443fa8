"""What a label graph is: build, check, order, closure, and the way between label names and matrices."""

from truepath.hierarchy.allowed import AllowedLabels
from truepath.hierarchy.checks import check_labels, check_scores, check_weight, resolve_hierarchy
from truepath.hierarchy.difference import HierarchyDiff
from truepath.hierarchy.drawing.picture import HierarchyPicture
from truepath.hierarchy.editing import HierarchyEditor
from truepath.hierarchy.hierarchy import Hierarchy
from truepath.hierarchy.propagation import cap_down, raise_up
from truepath.public import publish

__all__ = [
    "AllowedLabels",
    "Hierarchy",
    "HierarchyDiff",
    "HierarchyEditor",
    "HierarchyPicture",
    "cap_down",
    "check_labels",
    "check_scores",
    "check_weight",
    "raise_up",
    "resolve_hierarchy",
]

publish(__name__, __all__, globals())
