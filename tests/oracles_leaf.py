"""Slow, obvious twins of mandatory leaf prediction: the formulas and Algorithms 1-3 of Bi & Kwok as printed."""

from __future__ import annotations

from bisect import insort
from itertools import product

import numpy as np

import oracles


def arcs(hierarchy):
    """Every (child, parent) in order of child, then parent; None for the root."""
    for v in range(hierarchy.n_nodes):
        above = sorted(hierarchy.parents(v).tolist())
        yield from ((v, u) for u in above or [None])


def log_joint(y, p, hierarchy):
    """Eq. (1) on a tree, eq. (9) without 1/n(x) on a DAG; y_root = 1, and a child of a negative parent is negative."""
    total = 0.0
    for (v, u), p_vu in zip(arcs(hierarchy), p):
        if u is None or y[u]:
            total += np.log(p_vu if y[v] else 1 - p_vu)
    return total


def posterior_weights(p, hierarchy):
    """Eq. (6) and Proposition 4, case by case: the nodes' weights and the root's."""
    p = dict(zip(arcs(hierarchy), p))
    w = np.zeros(hierarchy.n_nodes)
    for i in range(hierarchy.n_nodes):
        above = hierarchy.parents(i).tolist() or [None]
        w[i] = sum(np.log(p[i, j]) - np.log(1 - p[i, j]) for j in above)
        w[i] += sum(np.log(1 - p[child, i]) for child in hierarchy.children(i).tolist())
    return w, sum(np.log(1 - p[child, None]) for child in hierarchy.roots.tolist())


def loss(predicted, true, costs, alpha):
    """Loss (7) for the costs c_i."""
    total = 0.0
    for i, c in enumerate(costs):
        if predicted[i] and not true[i]:
            total += 2 * c / (1 + alpha)
        if true[i] and not predicted[i]:
            total += 2 * alpha * c / (1 + alpha)
    return total


def full_path_sets(hierarchy):
    """Every non-empty label set that is closed and whose paths all end in leaves, and its number of leaves."""
    leaves = hierarchy.leaves
    chosen = np.array(list(product([False, True], repeat=leaves.size)))[1:]
    reach = np.zeros((leaves.size, hierarchy.n_nodes), int)
    for row, leaf in enumerate(leaves.tolist()):
        reach[row, [leaf, *oracles.ancestors(hierarchy, leaf)]] = 1
    return (chosen.astype(int) @ reach) > 0, chosen.sum(axis=1)


def has_full_paths(y, hierarchy):
    """Whether a row is closed, not empty, and every label in it is a leaf or has a labelled child."""
    closed = all(y[u] for v in np.flatnonzero(y) for u in hierarchy.parents(v))
    full = all(hierarchy.is_leaf[v] or y[hierarchy.children(v)].any() for v in np.flatnonzero(y))
    return bool(closed and full and y.any())


def best_by_size(w, root, hierarchy):
    """For each k the largest sum of weights by brute force, and all the sets that reach it."""
    Y, sizes = full_path_sets(hierarchy)
    values = root + Y @ w
    found = []
    for k in range(1, hierarchy.leaves.size + 1):
        best = values[sizes == k].max()
        found.append((best, Y[(sizes == k) & (values >= best - 1e-9)]))
    return found


def algorithm_1(w, root, hierarchy, k):
    """MAS as printed, with Algorithm 2 on trees, 3 on DAGs: the leaves in order and SNV(Omega) after each."""
    update = algorithm_2 if hierarchy.is_tree else algorithm_3
    omega, snv_omega = set(), root
    unassigned = {leaf: {leaf} | oracles.ancestors(hierarchy, leaf) for leaf in hierarchy.leaves.tolist()}
    snv = {leaf: update(leaf, w, omega, snv_omega, hierarchy) for leaf in unassigned}
    order, values = [], []
    for _ in range(k):
        best = max(sorted(unassigned), key=snv.__getitem__)  # the first of the largest
        omega |= unassigned.pop(best)
        snv_omega = snv[best]
        order.append(best)
        values.append(snv_omega)
        for leaf in unassigned:
            snv[leaf] = update(leaf, w, omega, snv_omega, hierarchy)
    return order, values


def algorithm_2(leaf, w, omega, snv_omega, hierarchy):
    """Updating the SNV of an unassigned tree supernode."""
    node, snv = leaf, snv_omega
    while True:
        snv += w[node]
        above = hierarchy.parents(node).tolist()
        if not above or above[0] in omega:  # the root is always in Omega
            return snv
        node = above[0]


def algorithm_3(leaf, w, omega, snv_omega, hierarchy):
    """Updating the SNV of an unassigned DAG supernode; T is a sorted list."""
    T, snv = [leaf], snv_omega
    while T:
        node = T.pop()
        snv += w[node]
        for u in hierarchy.parents(node).tolist():
            if u not in omega and u not in T:
                insort(T, u)
    return snv
