"""Held-out scores counted by label and by bin: all that a calibration learns from, whatever the number of rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import expit

from truepath.hierarchy import Hierarchy
from truepath.metrics.score_bins import bin_scores

Floats = NDArray[np.float64]

#: Bounds of the bins, equally far apart as logits; scores of 0 are in none
EDGES: Floats = np.concatenate([[0.0], expit(np.arange(-9.0, 9.01, 0.15)), [np.inf]])


class ScoreBins(NamedTuple):
    """For labels or groups of labels: weight of the rows in each bin, of those where the label is true, and the scores.

    Attributes
    ----------
    n, k : ndarray, shape (n_groups, n_bins)
    x : ndarray, shape (n_bins,)
        The mean score of each bin over all labels; its middle where there is none.
    """

    n: Floats
    k: Floats
    x: Floats


def count_scores(S: Any, Y: Any, weight: Floats | None = None) -> ScoreBins:
    """Count scores above 0 by label and bin."""
    n, k, total = bin_scores(Y, S, EDGES, weight=weight)
    count = n.sum(axis=0)
    middle = (EDGES[:-1] + np.minimum(EDGES[1:], 1.0)) / 2
    return ScoreBins(n, k, np.where(count > 0, total.sum(axis=0) / np.maximum(count, 1e-300), middle))


class SiblingGroups(NamedTuple):
    """The labels that stand below one label, which help each other; the last group is that of the top labels.

    Attributes
    ----------
    of_label : csr_array, shape (n_nodes, n_nodes + 1)
        The groups of each label with their shares: the children of each of its parents, or the top labels.
    by_depth : list of ndarray of int
        The groups, those further up first; the first array holds the group of the top labels alone.
    """

    of_label: Any
    by_depth: list[NDArray[np.int64]]


def group_siblings(hierarchy: Hierarchy) -> SiblingGroups:
    """Return each label's groups; a label with several parents belongs to each in part."""
    n = hierarchy.n_nodes
    parents, counts = hierarchy.parent_idx, np.diff(hierarchy.parent_ptr)
    label = np.concatenate([np.repeat(np.arange(n), counts), hierarchy.roots])
    group = np.concatenate([parents, np.full(hierarchy.roots.size, n)])
    share = 1.0 / np.maximum(counts[label], 1)
    of_label = sparse.csr_array((share, (label, group)), shape=(n, n + 1))
    inner = [level[~hierarchy.is_leaf[level]] for level in hierarchy.levels]
    return SiblingGroups(of_label, [np.array([n]), *(level for level in inner if level.size)])


def pool_bins(bins: ScoreBins, groups: SiblingGroups) -> ScoreBins:
    """Return the counts of the groups: those of their labels together."""
    members = groups.of_label.astype(bool).astype(np.float64).T.tocsr()
    return ScoreBins(members @ bins.n, members @ bins.k, bins.x)
