"""Shapley values by definition: all subsets of features, trees followed question by question."""

from __future__ import annotations

from itertools import combinations
from math import factorial

import numpy as np

from truepath._kernels.trees import arrays as fields
from truepath._kernels.trees import tree as questions


def share_left(tree, t, x):
    """Return which share of row x goes left at node t."""
    return questions.share_left.py_func(t, tree.link, tree.number, tree.categories, x)


def expected_vector(tree, x, known, n_nodes, t=0):
    """Return the mean label vector where questions about unknown features are answered as by the training rows."""
    link, number = tree.link, tree.number
    if link[t, fields.FEATURE] < 0:
        vector = np.zeros(n_nodes)
        entries = slice(link[t, fields.LEAF_START], link[t, fields.LEAF_STOP])
        vector[tree.leaf_label[entries]] = tree.leaf_value[entries]
        return vector
    left, right = link[t, fields.LEFT], link[t, fields.RIGHT]
    if link[t, fields.FEATURE] in known:
        share = share_left(tree, t, x)
    else:
        share = number[left, fields.WEIGHT] / (number[left, fields.WEIGHT] + number[right, fields.WEIGHT])
    below = (expected_vector(tree, x, known, n_nodes, int(child)) for child in (left, right))
    return share * next(below) + (1 - share) * next(below)


def shapley_values(tree, x, n_nodes):
    """Return the Shapley value of each feature for each label, and the vector without any feature."""
    d = x.size
    worth = {}
    for size in range(d + 1):
        for known in combinations(range(d), size):
            worth[frozenset(known)] = expected_vector(tree, x, set(known), n_nodes)
    phi = np.zeros((d, n_nodes))
    for j in range(d):
        for known, value in worth.items():
            if j not in known:
                factor = factorial(len(known)) * factorial(d - len(known) - 1) / factorial(d)
                phi[j] += factor * (worth[known | {j}] - value)
    return phi, worth[frozenset()]


def shapley_of(worth, n_players):
    """Return the Shapley value of each player in a game: ``worth(known)`` of each set of players, a number or array."""
    values = []
    for j in range(n_players):
        total = 0.0
        others = [k for k in range(n_players) if k != j]
        for size in range(n_players):
            factor = factorial(size) * factorial(n_players - size - 1) / factorial(n_players)
            for known in combinations(others, size):
                total = total + factor * (worth({*known, j}) - worth(set(known)))
        values.append(total)
    return np.array(values)
