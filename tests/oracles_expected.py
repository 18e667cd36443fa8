"""Slow, obvious twins of the label sets of greatest expected measure: every label set with its probability."""

from __future__ import annotations

import numpy as np

import oracles


def likeliest_tree(hierarchy, s):
    """Scores capped by all parents, and the parent of each node that scores least; None on top."""
    s, up = np.array(s, float), []
    for v in range(hierarchy.n_nodes):
        parents = hierarchy.parents(v).tolist()
        up.append(min(parents, key=lambda u: s[u], default=None))
        s[v] = min([s[v], *s[parents]])
    return s, up


def many_paths(hierarchy, s):
    """Every label set that is closed in the tree, and its probability: a child is true, given that its parent is,
    independently of its siblings.
    """
    s, up = likeliest_tree(hierarchy, s)
    sets = [(np.zeros(0, bool), 1.0)]
    for v in range(hierarchy.n_nodes):
        grown = []
        for y, p in sets:
            above = s[up[v]] if up[v] is not None else 1.0
            given = s[v] / above if above > 0 and (up[v] is None or y[up[v]]) else 0.0
            grown += [(np.append(y, value), p * q) for value, q in ((True, given), (False, 1 - given)) if p * q > 0]
        sets = grown
    return np.array([y for y, _ in sets]), np.array([p for _, p in sets])


def one_path(hierarchy, s, may_end):
    """Every label with its ancestors, and no label, with their probabilities: a score is what ends here and below."""
    s, _ = likeliest_tree(hierarchy, s)
    ends = np.zeros(hierarchy.n_nodes)
    paths = np.zeros((hierarchy.n_nodes + 1, hierarchy.n_nodes), bool)
    for v in range(hierarchy.n_nodes):
        paths[v, [v, *oracles.ancestors(hierarchy, v)]] = True
    for v in reversed(range(hierarchy.n_nodes)):
        below = ends[paths[:-1, v]].sum()
        ends[v] = max(s[v] - below, 0.0) if may_end[v] else 0.0
    p = np.append(ends, max(1 - ends.sum(), 0.0))
    return paths, p / p.sum()


def weigh(sets, p, weight):
    """Probabilities times a function of the number of labels, whose last value holds for all more."""
    p = p * np.asarray(weight)[np.minimum(sets.sum(axis=1), len(weight) - 1)]
    return p / p.sum()


def f_beta(true, predicted, beta):
    """The F-measure of two closed sets; 0 where both are empty."""
    below = predicted.sum() + beta**2 * true.sum()
    return (1 + beta**2) * (true & predicted).sum() / below if below else 0.0


def expected_f(predicted, sets, p, beta):
    """The mean F-measure of one predicted set."""
    return sum(q * f_beta(y, predicted, beta) for y, q in zip(sets, p))


def best_expected_f(hierarchy, sets, p, beta):
    """The greatest expected F-measure of all closed sets, all at once."""
    closed = np.array(list(oracles.closed_sets(hierarchy)), float)
    best = 0.0
    for predicted in np.array_split(closed, len(closed) // 256 + 1):
        below = predicted.sum(axis=1)[:, None] + beta**2 * sets.sum(axis=1)[None]
        f = (1 + beta**2) * (predicted @ sets.T) / np.where(below > 0, below, 1.0)
        best = max(best, float((f @ p).max()))
    return best


def rule_for_one_leaf(hierarchy, leaf_probability, beta=1.0):
    """The published rule where truth is one leaf: of the k nodes that add most at size k, the best k (Plaud et al.)."""
    paths = np.zeros((hierarchy.n_nodes, hierarchy.n_nodes), bool)
    for v in range(hierarchy.n_nodes):
        paths[v, [v, *oracles.ancestors(hierarchy, v)]] = True
    leaves = hierarchy.leaves
    best, found = 0.0, np.zeros(hierarchy.n_nodes, bool)
    for k in range(1, hierarchy.n_nodes + 1):
        worth = (1 + beta**2) / (k + beta**2 * paths[leaves].sum(axis=1))
        adds = (leaf_probability * worth) @ paths[leaves]
        first = np.argsort(-adds, kind="stable")[:k]
        if adds[first].sum() > best + 1e-12:
            best, found = adds[first].sum(), np.isin(np.arange(hierarchy.n_nodes), first)
    return found, best


def expected_h_loss(predicted, sets, p, hierarchy, costs):
    """The mean H-loss of one predicted set: mistakes below no other mistake."""
    above = [oracles.ancestors(hierarchy, v) for v in range(hierarchy.n_nodes)]
    total = 0.0
    for y, q in zip(sets, p):
        wrong = y != predicted
        total += q * sum(c for v, c in enumerate(costs) if wrong[v] and not any(wrong[u] for u in above[v]))
    return total
