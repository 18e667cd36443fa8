"""The projections a combiner can end with: from any scores to coherent ones in [0, 1]."""

from __future__ import annotations

import numpy as np

from truepath import _kernels
from truepath.combiners.isotonic import project_isotonic
from truepath.hierarchy import Hierarchy

__all__ = ["check_projection", "project_scores"]


def _max_up(S: np.ndarray, hierarchy: Hierarchy) -> np.ndarray:
    _kernels.hierarchy.propagate.max_up(S, hierarchy.child_ptr, hierarchy.child_idx)
    return S


def _min_down(S: np.ndarray, hierarchy: Hierarchy) -> np.ndarray:
    _kernels.hierarchy.propagate.min_down(S, hierarchy.parent_ptr, hierarchy.parent_idx)
    return S


PROJECTIONS = {"isotonic": project_isotonic, "max-up": _max_up, "min-down": _min_down}


def check_projection(project: str | None) -> None:
    """Refuse an unknown projection."""
    if project is not None and project not in PROJECTIONS:
        raise ValueError(f"project must be one of {', '.join(map(repr, PROJECTIONS))} or None; got {project!r}.")


def project_scores(S: np.ndarray, hierarchy: Hierarchy, project: str | None, *, clip: bool = True) -> np.ndarray:
    """Project float64 scores (in place) and clip them to [0, 1]; None leaves them as they are.

    Clipping after the isotonic projection gives the projection on coherent scores within [0, 1].
    """
    check_projection(project)
    if project is None:
        return S
    S = PROJECTIONS[project](np.ascontiguousarray(S), hierarchy)
    return np.clip(S, 0.0, 1.0, out=S) if clip else S
