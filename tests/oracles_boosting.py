"""Slow, obvious twins of the boosting code: Algorithm 1 of Chelmis & Qi, and stumps by trying everything."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

SPLIT = 2.0**17 + 1


def costs_by_parents(hierarchy):
    """c_v = sum over parents of c_u / |children(u)|; the root's cost is 1, and it has hierarchy.roots as children."""
    cost = np.zeros(hierarchy.n_nodes)
    for v in range(hierarchy.n_nodes):
        parents = hierarchy.parents(v)
        if parents.size:
            cost[v] = sum(cost[u] / hierarchy.children(u).size for u in parents)
        else:
            cost[v] = 1 / hierarchy.roots.size
    return cost


def clip_by_rule_7(votes, hierarchy):
    """h(x, v) stays where all parents vote yes; below a no it is no higher than that no."""
    clipped = votes.copy()
    for i in range(votes.shape[0]):
        for v in range(votes.shape[1]):
            for u in hierarchy.parents(v):
                if clipped[i, u] <= 0:
                    clipped[i, v] = min(clipped[i, v], clipped[i, u])
    return clipped


def algorithm_1(Y, hierarchy, costs, weak, n_rounds, clip, learning_rate=1.0, real=False):
    """Yield (w_t, r_t, alpha_t, Z_t, margins) round by round; ``weak(t, w)`` gives h_t on the training rows."""
    n_samples = len(Y)
    y = np.where(Y, 1.0, -1.0)
    w = np.ones((n_samples, 1)) * costs / (n_samples * costs.sum())  # eq. (5)
    margins = np.zeros(y.shape)
    for t in range(n_rounds):
        h = weak(t, w)
        if clip:
            h = clip_by_rule_7(h, hierarchy)  # eq. (7)
        r = (w * y * h).sum()  # eq. (9)
        bounded = np.clip(r, -1 + 1e-10, 1 - 1e-10)
        alpha = learning_rate * (1.0 if real else 0.5 * np.log((1 + bounded) / (1 - bounded)))  # eq. (8)
        raised = w * np.exp(-alpha * y * h)
        Z = raised.sum()  # eq. (11)
        margins = margins + alpha * h
        yield w, r, alpha, Z, margins
        w = raised / Z  # eq. (10)


def list_cuts(x):
    """Yield (threshold, missing_left, goes_left) for every cut of a column, missing values on the right first."""
    values = np.unique(x[~np.isnan(x)])
    is_missing = np.isnan(x)
    for below, above in pairwise(values):
        threshold = below / 2 + above / 2
        yield threshold, False, np.where(is_missing, False, x <= threshold)
        if is_missing.any():
            yield threshold, True, np.where(is_missing, True, x <= threshold)
    if is_missing.any() and values.size:
        yield np.inf, False, ~is_missing


def side_gain(w, y, criterion):
    """What one side of a cut is worth for each class."""
    positive, negative = (w * (y > 0)).sum(axis=0), (w * (y < 0)).sum(axis=0)
    if criterion == "edge":
        return np.abs(positive - negative)
    if criterion == "z":
        return -np.sqrt(positive * negative)
    weight = positive + negative
    return np.divide((positive - negative) ** 2, weight, out=np.zeros(weight.shape), where=weight > 0)


def cut_gain(w, y, goes_left, criterion):
    """What a cut is worth for each class."""
    return side_gain(w[goes_left], y[goes_left], criterion) + side_gain(w[~goes_left], y[~goes_left], criterion)


def round_gain(gain):
    """Keep 36 bits, so that sums in another order tie."""
    lifted = gain * SPLIT
    return lifted - (lifted - gain)


def best_stump(X, w, y, criterion, shared):
    """Return for each class (or for all together) (feature, threshold, missing_left, gain); feature -1: no cut."""
    width = 1 if shared else w.shape[1]

    def judge(gain):
        return round_gain(np.array([gain.sum()]) if shared else gain)

    gain = judge(side_gain(w, y, criterion))
    best = [(-1, np.inf, False, gain[j]) for j in range(width)]
    for f in range(X.shape[1]):
        for threshold, missing_left, goes_left in list_cuts(X[:, f]):
            gain = judge(cut_gain(w, y, goes_left, criterion))
            for j in range(width):
                if gain[j] > best[j][3]:
                    best[j] = (f, threshold, missing_left, gain[j])
    return best


def stump_votes(X, w, y, stumps):
    """Return +1 and -1 votes of discrete stumps on their own training rows."""
    votes = np.empty(w.shape)
    for j in range(w.shape[1]):
        f, threshold, missing_left, _ = stumps[j if len(stumps) > 1 else 0]
        x = X[:, f]
        goes_left = np.ones(len(X), bool) if f < 0 else np.where(np.isnan(x), missing_left, x <= threshold)
        for side in (goes_left, ~goes_left):
            balance, weight = (w[side, j] * y[side, j]).sum(), w[side, j].sum()
            votes[side, j] = 1.0 if balance > weight * 2.0**-36 else -1.0
    return votes
