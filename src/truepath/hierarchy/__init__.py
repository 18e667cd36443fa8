"""What a label graph is: build, check, order, closure, and the way between label names and matrices."""

from truepath.hierarchy.checks import check_labels, check_scores, check_weight, resolve_hierarchy
from truepath.hierarchy.hierarchy import Hierarchy
from truepath.public import publish

__all__ = ["Hierarchy", "check_labels", "check_scores", "check_weight", "resolve_hierarchy"]

publish(__name__, __all__, globals())
