"""Votes of small trees: where a cell falls, what it votes, rule (7), reweighting, and the hierarchy-aware loss.

A tree of depth D has the nodes 0 .. 2^D - 2 in heap order (the children of k are 2k + 1 and 2k + 2) and 2^D leaves. Its
tables have one column per class, or one for all classes. Node `feature` -1 sends every row left.
"""

from __future__ import annotations

import math

import numpy as np

from truepath._kernels.jit import kernel


@kernel
def descend(bins, place, feature, cut_bin, missing_bin, missing_left, node):
    """In place: move the cells at `node` to its children; the cut is given in bins, one per column of `place`."""
    for i in range(place.shape[0]):
        for j in range(place.shape[1]):
            if place[i, j] == node:
                goes_left = True
                if feature[j] >= 0:
                    b = bins[i, feature[j]]
                    goes_left = missing_left[j] if b == missing_bin[j] else b <= cut_bin[j]
                place[i, j] = 2 * node + 1 if goes_left else 2 * node + 2


@kernel
def sum_leaves(w, y, place, n_inner, positive, negative):
    """Add every cell's weight to its leaf: `positive` and `negative` have the shape (n_leaves, n_classes)."""
    step = 1 if place.shape[1] > 1 else 0
    for i in range(w.shape[0]):
        for j in range(w.shape[1]):
            leaf = place[i, j * step] - n_inner
            if y[i, j] > 0:
                positive[leaf, j] += w[i, j]
            else:
                negative[leaf, j] += w[i, j]


@kernel
def read_votes(place, n_inner, leaf_votes, votes):
    """Write the vote of every cell's leaf."""
    step = 1 if place.shape[1] > 1 else 0
    for i in range(votes.shape[0]):
        for j in range(votes.shape[1]):
            votes[i, j] = leaf_votes[place[i, j * step] - n_inner, j]


@kernel
def walk(X, feature, threshold, missing_left, leaf_votes, votes):
    """Write the votes of one tree for rows of raw features; tables have the shape (n_inner, n_columns)."""
    n_inner, n_columns = feature.shape
    for i in range(votes.shape[0]):
        leaf = 0
        for j in range(votes.shape[1]):
            if j < n_columns:
                node = 0
                while node < n_inner:
                    goes_left = True
                    if feature[node, j] >= 0:
                        x = X[i, feature[node, j]]
                        goes_left = missing_left[node, j] if math.isnan(x) else x <= threshold[node, j]
                    node = 2 * node + 1 if goes_left else 2 * node + 2
                leaf = node - n_inner
            votes[i, j] = leaf_votes[leaf, j]


@kernel
def measure_edge(w, y, votes):
    """Return r_t = sum of w y h, eq. (9)."""
    edge = 0.0
    for i in range(w.shape[0]):
        of_row = 0.0
        for j in range(w.shape[1]):
            of_row += w[i, j] * y[i, j] * votes[i, j]
        edge += of_row
    return edge


@kernel
def reweigh(w, y, votes, alpha, margins):
    """In place, eq. (10): w <- w exp(-alpha y h) / Z. Returns Z_t, eq. (11); adds alpha h to the margins."""
    right, wrong = math.exp(-alpha), math.exp(alpha)
    Z = 0.0
    for i in range(w.shape[0]):
        of_row = 0.0
        for j in range(w.shape[1]):
            margins[i, j] += alpha * votes[i, j]
            agreement = y[i, j] * votes[i, j]
            if agreement == 1.0:
                w[i, j] *= right
            elif agreement == -1.0:
                w[i, j] *= wrong
            else:
                w[i, j] *= math.exp(-alpha * agreement)
            of_row += w[i, j]
        Z += of_row
    for i in range(w.shape[0]):
        for j in range(w.shape[1]):
            w[i, j] /= Z
    return Z


@kernel
def add_votes(margins, alpha, votes):
    """In place: margins += alpha * votes, cell by cell as in training."""
    for i in range(margins.shape[0]):
        for j in range(margins.shape[1]):
            margins[i, j] += alpha * votes[i, j]


@kernel
def hierarchical_mistakes(margins, y, parent_ptr, parent_idx, enforce):
    """Return in how many cells a label or one of its ancestors is wrong, eq. (2)-(3); enforce: no below a no."""
    n_nodes = margins.shape[1]
    is_wrong, is_yes = np.zeros(n_nodes, np.bool_), np.zeros(n_nodes, np.bool_)
    count = 0
    for i in range(margins.shape[0]):
        n_wrong = 0
        for v in range(n_nodes):
            n_wrong += (margins[i, v] > 0.0) != (y[i, v] > 0)
        if n_wrong == 0:  # true labels are consistent: enforcing changes nothing
            continue
        for v in range(n_nodes):
            is_yes[v] = margins[i, v] > 0.0
            above = False
            for k in range(parent_ptr[v], parent_ptr[v + 1]):
                above |= is_wrong[parent_idx[k]]
                if enforce and not is_yes[parent_idx[k]]:
                    is_yes[v] = False
            is_wrong[v] = above or is_yes[v] != (y[i, v] > 0)
            count += is_wrong[v]
    return count
