"""One map per label: fitted, applied, and what comes out made coherent."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath.combiners.calibration.bins import ScoreBins, SiblingGroups, pool_bins
from truepath.combiners.calibration.families import BetaMaps, IsotonicMaps, SigmoidMaps
from truepath.graph import Graph, cap_columns, raise_columns
from truepath.hierarchy import Hierarchy, cap_down, raise_up

Floats = NDArray[np.float64]

FAMILIES = ("isotonic", "sigmoid", "beta")


def make_family(name: str, x: Floats) -> Any:
    """Return the family of a name; ``x`` are the mean scores of the bins."""
    return IsotonicMaps(x) if name == "isotonic" else SigmoidMaps() if name == "sigmoid" else BetaMaps()


def fit_maps(family: Any, bins: ScoreBins, groups: SiblingGroups, pooling: float) -> Floats:
    """Return one map per label: drawn towards that of its group, each group towards the one above, the top to all."""
    whole = ScoreBins(bins.n.sum(axis=0, keepdims=True), bins.k.sum(axis=0, keepdims=True), bins.x)
    top: Floats = family.fit(whole, family.identity, 1.0)
    n_nodes = bins.n.shape[0]
    if not np.isfinite(pooling):
        return np.repeat(top, n_nodes, axis=0)
    pooled = pool_bins(bins, groups)
    of_group = np.repeat(top, n_nodes + 1, axis=0)
    for depth, members in enumerate(groups.by_depth):
        prior = top if depth == 0 else groups.of_label[members] @ of_group
        own = ScoreBins(pooled.n[members], pooled.k[members], bins.x)
        of_group[members] = family.fit(own, prior, pooling)
    maps: Floats = family.fit(bins, groups.of_label @ of_group, pooling)
    return maps


def map_scores(family: Any, maps: Floats, S: Floats, hierarchy: Hierarchy) -> Floats:
    """Return the probabilities of dense scores, coherent; what is 0 stays 0."""
    found: Floats = np.where(S > 0, family.apply(maps, S), 0.0)
    return make_coherent(found, hierarchy)


def make_coherent(S: Floats, hierarchy: Hierarchy) -> Floats:
    """Return the mean of what lowers children to their parents and what raises parents to their children."""
    if hierarchy.n_edges == 0:
        return S
    coherent: Floats = (cap_down(S, hierarchy) + raise_up(S, hierarchy)) / 2
    return coherent


def export_coherent(graph: Graph, scores: str, hierarchy: Hierarchy) -> str:
    """Add what :func:`make_coherent` does to an ONNX graph."""
    if hierarchy.n_edges == 0:
        return scores
    both = graph.add("Add", cap_columns(graph, scores, hierarchy), raise_columns(graph, scores, hierarchy))
    return graph.add("Div", both, graph.constant(2.0))
