"""The projections a combiner can end with: from any scores to coherent ones in [0, 1].

A projection is a correction, which learns nothing: one of those in the registry by its name, or an object.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from truepath.combiners.base import Correction
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.matrices import as_dense
from truepath.registry import COMBINERS

__all__ = ["Projection", "check_projection", "project_scores"]

Projection: TypeAlias = str | Correction | None


def check_projection(project: Projection) -> Correction | None:
    """Return the correction of that name, or the one given; refuse what learns, and what leaves scores incoherent."""
    if project is None:
        return None
    known = [member.name for member in COMBINERS.members() if issubclass(member, Correction)]
    if isinstance(project, str) and project not in known:
        raise ValueError(f"project must be one of {', '.join(map(repr, known))} or None; got {project!r}.")
    correction = COMBINERS.resolve(project)
    if not isinstance(correction, Correction) or not correction.is_coherent:
        raise ValueError(f"project must be a correction that makes scores coherent; got {project!r}.")
    return correction


def project_scores(S: np.ndarray, hierarchy: Hierarchy, project: Projection, *, clip: bool = True) -> np.ndarray:
    """Project float64 scores (in place) and clip them to [0, 1]; None leaves them as they are.

    Clipping after the isotonic projection gives the projection on coherent scores within [0, 1].
    """
    correction = check_projection(project)
    if correction is None:
        return S
    S = correction._correct(as_dense(S), hierarchy)
    return np.clip(S, 0.0, 1.0, out=S) if clip else S
