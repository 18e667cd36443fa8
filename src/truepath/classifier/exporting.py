"""A classifier in an export graph: the scores of its learner, combined and calibrated, and its decision."""

from __future__ import annotations

from typing import Any

import numpy as np

from truepath.adapters.capabilities import ask, reach, refusal
from truepath.adapters.exporting import export_scores
from truepath.decoders import Threshold
from truepath.graph import Graph
from truepath.hierarchy import Hierarchy
from truepath.learners.base import HALF, HierarchicalLearner


def export_final_scores(graph: Graph, model: Any, rows: Any) -> str:
    """Add the final scores of a fitted classifier."""
    scores = export_scores(graph, model.learner_, rows)
    for part in (model.combiner_, model.calibrator_):
        if part is not None:
            scores = str(ask(part, "export").member.export_scores(graph, [scores]))
    return scores


def export_decision(graph: Graph, decoder: Any, learner: Any, hierarchy: Hierarchy, scores: str) -> str:
    """Add the label sets by a decoder; None is the learner's own decision, which must be at one half."""
    if decoder is None:
        member = reach(learner).member
        if type(member).predict is not HierarchicalLearner.predict:
            raise refusal(member, "export of labels", "it decides by its own predict. Choose a decoder.")
        decoder = Threshold(HALF, hierarchy=hierarchy).fit(np.zeros((1, hierarchy.n_nodes)))
    return str(ask(decoder, "export of labels").member.export_labels(graph, scores))
