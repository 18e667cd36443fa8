"""The projections a combiner can end with: from any scores to coherent ones in [0, 1].

A projection is a correction, which learns nothing: one of those in the registry by its name, or an object.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from sklearn.base import clone

from truepath.adapters.capabilities import ask
from truepath.adapters.contributions import Contributions, ScorePart, combine_contributions
from truepath.combiners.base import Correction
from truepath.graph import Graph
from truepath.held import Sizes
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.matrices import as_dense
from truepath.registry import COMBINERS

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
    S = correction.correct(as_dense(S), hierarchy)
    return np.clip(S, 0.0, 1.0, out=S) if clip else S


def export_projection(graph: Graph, scores: str, hierarchy: Hierarchy, project: Projection) -> str:
    """Add what :func:`project_scores` does, or refuse a correction that cannot be exported."""
    correction = check_projection(project)
    if correction is None:
        return scores
    member = ask(clone(correction).set_params(hierarchy=hierarchy), "export").member
    return graph.clip(member.export_scores(graph, [scores]), 0.0, 1.0)


def project_part(part: ScorePart, hierarchy: Hierarchy, project: Projection) -> ScorePart:
    """Return a row's scores after :func:`project_scores`, with their contributions."""
    correction = check_projection(project)
    if correction is None:
        return part
    correction = clone(correction).set_params(hierarchy=hierarchy)
    scores = project_scores(part.scores[None, :].copy(), hierarchy, project)[0]
    return ScorePart(scores, lambda nodes: combine_contributions(correction, [part], nodes).clipped())


def score_part(raw: ScorePart, constant: np.ndarray, hierarchy: Hierarchy, project: Projection) -> ScorePart:
    """Return a row's scores made of raw values: clipped, those of labels without any choice set, and projected.

    ``constant`` holds the scores of labels that no row or every row has, NaN for the others.
    """
    is_constant = np.isfinite(constant)

    def clipped(nodes: Any) -> Contributions:
        found = raw.contributions(nodes).clipped()
        output = np.where(is_constant[nodes], constant[nodes], found.output)
        return found.scaled(np.where(is_constant[nodes], 0.0, 1.0), output)

    scores = np.where(is_constant, constant, np.clip(raw.scores, 0.0, 1.0))
    return project_part(ScorePart(scores, clipped), hierarchy, project)


def projection(value: Any, sizes: Sizes) -> None:
    """Check a projection that came from a file."""
    check_projection(value)
