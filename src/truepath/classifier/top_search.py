"""How the best labels of rows are found: by the learner's own search, or from the scores of all labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from truepath import _kernels
from truepath.adapters.capabilities import ask, offers
from truepath.classifier.top import TopLabels
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.matrices import as_dense
from truepath.metrics.ranking.at_k import best_columns
from truepath.metrics.ranking.propensity import check_propensities
from truepath.parameters import COUNT, check_in

if TYPE_CHECKING:
    from truepath.classifier.hierarchical_classifier import HierarchicalClassifier

AMONG = ("all", "leaves", "most-specific")
PER = ("row", "level")


def join_top(parts: Iterator[TopLabels]) -> TopLabels:
    """Return the labels of all blocks of rows together."""
    found = list(parts)
    nodes = np.concatenate([part.nodes for part in found])
    return TopLabels(nodes, np.concatenate([part.probabilities for part in found]), found[0].levels, found[0].hierarchy)


def check_top(k: Any, per: str, among: str, propensities: Any = None) -> None:
    """Refuse what is not a number of labels, unknown names, and what does not go together."""
    check_in("k", k, COUNT)
    for name, value, known in (("per", per, PER), ("among", among, AMONG)):
        if value not in known:
            raise ValueError(f"{name} must be one of {', '.join(map(repr, known))}; got {value!r}.")
    if per == "level" and among != "all":
        raise ValueError(f"per='level' already says which labels compete; among must be 'all', got {among!r}.")
    if propensities is not None and among == "most-specific":
        raise ValueError("among='most-specific' goes by scores alone; propensities go with 'all' and 'leaves'.")


def top_levels(hierarchy: Hierarchy, k: int, per: str) -> NDArray[np.int64]:
    """Return the level of each place; 0 where the places are those of the whole row."""
    if per == "level":
        return np.repeat(np.arange(1, hierarchy.height + 1), min(k, max(map(len, hierarchy.levels), default=0)))
    return np.zeros(min(k, hierarchy.n_nodes), np.int64)


def top_rows(
    model: HierarchicalClassifier,
    score: Callable[[Any, int], Any],
    X: Any,
    start: int,
    k: int,
    per: str,
    among: str,
    propensities: Any = None,
    may_search: bool = True,
) -> TopLabels:
    """Return the best labels of some rows, the first of which messages call ``start``; ``score`` gives all scores.

    ``may_search`` says whether the model's own scores are the final ones.
    """
    h = model.hierarchy_
    levels = top_levels(h, k, per)
    is_plain = may_search and per == "row" and among != "most-specific" and propensities is None
    if is_plain and searches_itself(model):
        return _searched(model, X, levels, is_leaf=among == "leaves")
    return top_of_scores(score(X, start), h, k, per, among, propensities)


def top_of_scores(
    S: Any, hierarchy: Hierarchy, k: int, per: str = "row", among: str = "all", propensities: Any = None
) -> TopLabels:
    """Return the best labels of rows whose final scores are known; parameters as for ``predict_top``."""
    h, levels = hierarchy, top_levels(hierarchy, k, per)
    S = np.ascontiguousarray(as_dense(S), np.float64)
    worth = S if propensities is None else S / check_propensities(propensities, h.n_nodes)
    nodes = np.full((S.shape[0], levels.size), -1, np.int64)
    if per == "level":
        for level, members in enumerate(h.levels, start=1):
            nodes[:, levels == level] = _best_among(worth, members, int((levels == level).sum()))
    elif among == "most-specific":
        order = np.argsort(-S, axis=1, kind="stable")  # of equals the smaller number: parents before children
        _kernels.leaves.top.most_specific(S, order, h.parent_ptr, h.parent_idx, nodes)
    else:
        nodes = _best_among(worth, h.leaves if among == "leaves" else np.arange(h.n_nodes), levels.size)
    found = np.take_along_axis(S, np.maximum(nodes, 0), axis=1)
    return TopLabels(nodes, np.where(nodes >= 0, found, np.nan), levels, h)


def _best_among(S: NDArray[np.float64], among: NDArray[Any], k: int) -> NDArray[np.int64]:
    """Return the k best of some labels in each row, best first; -1 where a row has fewer that score above 0."""
    best = among[best_columns(S[:, among], min(k, among.size))]
    found = np.full((S.shape[0], k), -1, np.int64)
    found[:, : best.shape[1]] = np.where(np.take_along_axis(S, best, axis=1) > 0, best, -1)
    return found


def searches_itself(model: HierarchicalClassifier) -> bool:
    """Say whether the learner finds its best labels without scoring the others, and its scores are the final ones."""
    return model.combiner_ is None and model.calibrator_ is None and offers(model.learner_, "best labels")


def _searched(model: HierarchicalClassifier, X: Any, levels: NDArray[np.int64], *, is_leaf: bool) -> TopLabels:
    """Return what the learner's own search finds."""
    found = ask(model.learner_, "best labels")
    best = found.member.predict_top(found.rows(X), levels.size, leaves=is_leaf)
    counts = np.diff(best.indptr)
    rows = np.repeat(np.arange(counts.size), counts)
    order = np.lexsort((best.indices, -best.data, rows))  # of equals the smaller number
    place = np.arange(order.size) - np.repeat(best.indptr[:-1], counts)
    nodes = np.full((counts.size, levels.size), -1, np.int64)
    probabilities = np.full(nodes.shape, np.nan)
    nodes[rows, place], probabilities[rows, place] = best.indices[order], best.data[order]
    return TopLabels(nodes, probabilities, levels, model.hierarchy_)
