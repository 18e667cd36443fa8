"""The best cut of every feature for every class at once, from weighted label sums over sorted rows.

Rows are grouped once (see :mod:`truepath.learners.boosting.feature_bins`): a *bundle* is a run of features whose
joint values are few, a *group* the rows that agree on all of them. A group's rows are added up once, and
the sum goes to one bin of each of the bundle's features: three features of eight values cost one pass over the rows
instead of three.

Classes are taken in blocks of ``WIDTH`` columns, so that the sums of a group stay in registers and the weights of a
block in the cache. A cut is coded as ``2 * bin + missing``: rows up to that bin go left, rows without a value
go left when ``missing`` is 1; -1 stands for no cut.
"""

from __future__ import annotations

import numpy as np

from truepath._kernels.arrays import copy_first
from truepath._kernels.jit import inner, kernel

WIDTH = 32  # columns of a block: classes, or positive and negative weights of half as many
EDGE, Z, GINI = 0, 1, 2  # what a cut is judged by
SPLIT = 2.0**17 + 1  # gains keep 36 of 53 bits: those that differ by the order of their sums tie


@inner
def add_rows(block, rows, total):
    """Add the listed rows of a block to `total`, four at a time: their loads overlap."""
    i = 0
    while i + 4 <= rows.size:
        a, b, c, d = block[rows[i]], block[rows[i + 1]], block[rows[i + 2]], block[rows[i + 3]]
        for j in range(WIDTH):
            total[j] += (a[j] + b[j]) + (c[j] + d[j])
        i += 4
    while i < rows.size:
        a = block[rows[i]]
        for j in range(WIDTH):
            total[j] += a[j]
        i += 1


@inner
def fill_block(w, y, place, node, first, channels, block):
    """Copy the weights of the classes from `first` on: signed by the label, or (two channels) positive and negative.

    Only cells whose place in the tree is `node` count; `place` has one column per class, or one for all.
    """
    half = WIDTH // channels
    last = min(first + half, w.shape[1])
    step = 1 if place.shape[1] > 1 else 0
    if node == 0 and channels == 1 and last - first == WIDTH:  # all cells are at the root: the usual case, quickly
        for i in range(w.shape[0]):
            row, weights, labels = block[i], w[i, first:], y[i, first:]
            for k in range(WIDTH):
                row[k] = weights[k] if labels[k] > 0 else -weights[k]
        return
    block[:] = 0.0
    for i in range(w.shape[0]):
        for j in range(first, last):
            if place[i, j * step] == node:
                if channels == 1:
                    block[i, j - first] = w[i, j] * y[i, j]
                elif y[i, j] > 0:
                    block[i, j - first] = w[i, j]
                else:
                    block[i, half + j - first] = w[i, j]


@kernel
def sum_bundle(block, order, group_end, group_bins, first_bin, hist):
    """Add the rows of every group to the bins of the bundle's features; `hist` starts at bin `first_bin`."""
    total = np.empty(WIDTH)
    start = 0
    for g in range(group_end.size):
        total[:] = 0.0
        add_rows(block, order[start : group_end[g]], total)
        start = group_end[g]
        for k in range(group_bins.shape[1]):
            row = hist[group_bins[g, k] - first_bin]
            for j in range(WIDTH):
                row[j] += total[j]


@inner
def judge(left, total, channels, criterion, gain):
    """Write the gain of a cut for each class of the block; larger is better under every criterion."""
    half = WIDTH // channels
    if criterion == EDGE:
        if channels == 1:
            for j in range(WIDTH):
                gain[j] = abs(left[j]) + abs(total[j] - left[j])
        else:
            for j in range(half):
                gain[j] = abs(left[j] - left[half + j]) + abs((total[j] - left[j]) - (total[half + j] - left[half + j]))
    elif criterion == Z:
        for j in range(half):
            right = max(total[j] - left[j], 0.0) * max(total[half + j] - left[half + j], 0.0)
            gain[j] = -np.sqrt(left[j] * left[half + j]) - np.sqrt(right)
    else:
        for j in range(half):
            gain[j] = purity(left[j], left[half + j]) + purity(total[j] - left[j], total[half + j] - left[half + j])


@inner
def round_gains(gain):
    """In place: keep 36 bits (Veltkamp's splitting). The same for any order of search, unlike a tolerance."""
    for j in range(WIDTH):
        lifted = gain[j] * SPLIT
        gain[j] = lifted - (lifted - gain[j])


@inner
def purity(positive, negative):
    """Return the squared signed weight over the weight; an empty side adds nothing."""
    weight = positive + negative
    return (positive - negative) ** 2 / weight if weight > 0.0 else 0.0


@inner
def keep_better(gain, cut, best, best_cut):
    """Take the cut where it beats the best one so far; the first of equals stays. Written without a branch."""
    for j in range(WIDTH):
        is_better = gain[j] > best[j]
        best[j] = gain[j] if is_better else best[j]
        best_cut[j] = cut if is_better else best_cut[j]


@inner
def try_cut(cut, left, total, channels, criterion, gain, best, best_cut, shared):
    """Judge one cut for the classes of a block, and keep it where it is the best, or add up its gain for all."""
    judge(left, total, channels, criterion, gain)
    if shared.size:
        total_gain = 0.0
        for j in range(WIDTH // channels):
            total_gain += gain[j]
        shared[cut] += total_gain
    else:
        round_gains(gain)
        keep_better(gain, cut, best, best_cut)


@kernel
def scan_feature(hist, first_bin, n_bins, has_missing, total, channels, criterion, best, best_cut, shared):
    """Judge every cut of a feature, its sums in hist[:n_bins], with missing values (the last bin) on either side.

    `best` and `best_cut` keep the winner of each class of the block; `shared`, unless it is empty, gathers the gains of
    all classes instead, by the cut's code.
    """
    left, shifted, gain = np.zeros(WIDTH), np.empty(WIDTH), np.zeros(WIDTH)
    for k in range(n_bins - 1):
        row = hist[k]
        for j in range(WIDTH):
            left[j] += row[j]
        cut = 2 * (first_bin + k)
        try_cut(cut, left, total, channels, criterion, gain, best, best_cut, shared)
        if has_missing and k < n_bins - 2:
            for j in range(WIDTH):
                shifted[j] = left[j] + hist[n_bins - 1, j]
            try_cut(cut + 1, shifted, total, channels, criterion, gain, best, best_cut, shared)


@kernel
def search_cuts(
    w, y, place, node, bundles, channels, criterion, bundle_ptr, order, group_ptr, group_end, group_start, group_bins,
    bin_ptr, has_missing, best, best_cut, shared
):  # fmt: skip
    """Search the bundles `bundles[0]` to `bundles[1]` for every class.

    Fills `best` and `best_cut`, one entry per class; or, unless empty, `shared`: gains summed over classes, with
    the gains of no cut at all in `best`.
    """
    n_samples, n_classes = w.shape
    half = WIDTH // channels
    block = np.empty((n_samples, WIDTH))
    total, gain, gain_cut = np.empty(WIDTH), np.zeros(WIDTH), np.empty(WIDTH, np.int64)
    hist = np.empty((widest(bundle_ptr, bin_ptr, bundles), WIDTH))
    everything = np.arange(n_samples)
    for first in range(0, n_classes, half):
        last = min(first + half, n_classes)
        fill_block(w, y, place, node, first, channels, block)
        total[:] = 0.0
        add_rows(block, everything, total)
        judge(np.zeros(WIDTH), total, channels, criterion, gain)
        if not shared.size:
            round_gains(gain)
        gain_cut[:] = -1
        for u in range(bundles[0], bundles[1]):
            f0, f1 = bundle_ptr[u], bundle_ptr[u + 1]
            hist[: bin_ptr[f1] - bin_ptr[f0]] = 0.0
            members = group_bins[group_start[u] : group_start[u + 1]].reshape((-1, f1 - f0))
            sum_bundle(block, order[u], group_end[group_ptr[u] : group_ptr[u + 1]], members, bin_ptr[f0], hist)
            for f in range(f0, f1):
                own = hist[bin_ptr[f] - bin_ptr[f0] :]
                n_bins = bin_ptr[f + 1] - bin_ptr[f]
                scan_feature(
                    own, bin_ptr[f], n_bins, has_missing[f], total, channels, criterion,
                    gain, gain_cut, shared,
                )  # fmt: skip
        copy_first(gain, last - first, best[first:])
        copy_first(gain_cut, last - first, best_cut[first:])


@inner
def widest(bundle_ptr, bin_ptr, bundles):
    """Return the largest number of bins of a bundle."""
    most = 1
    for u in range(bundles[0], bundles[1]):
        most = max(most, bin_ptr[bundle_ptr[u + 1]] - bin_ptr[bundle_ptr[u]])
    return most
