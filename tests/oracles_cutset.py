"""Slow, obvious twins of cutset networks: probabilities by walking the structure, queries by listing everything."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np

from truepath.learners.cutset.structure import LeafTree


def log_joint(node, states):
    """Log-probability of one complete assignment of all variables."""
    total = 0.0
    while not isinstance(node, LeafTree):
        state = states[node.variable]
        total += node.log_weights[state]
        node = node.children[state]
    for position, variable in enumerate(node.variables):
        parent = node.parent[position]
        given = states[node.variables[parent]] if parent >= 0 else 0
        total += node.factors[position, given, states[variable]]
    return total


def completions(evidence, n_states):
    """All complete assignments that agree with one row of evidence (-1 = unobserved)."""
    choices = [range(k) if e < 0 else (int(e),) for e, k in zip(evidence, n_states)]
    return [np.array(states) for states in product(*choices)]


def is_closed(labels, hierarchy):
    return all(labels[u] or not labels[v] for u, v in hierarchy.edges)


def mpe(node, evidence, n_states, n_labels, hierarchy=None, nonempty=False):
    """Best log-probability over all (closed, non-empty) completions."""
    best = -np.inf
    for states in completions(evidence, n_states):
        labels = states[:n_labels]
        if (hierarchy is None or is_closed(labels, hierarchy)) and (labels.any() or not nonempty):
            best = max(best, log_joint(node, states))
    return best


def marginals(node, evidence, n_states, n_labels):
    """Log P(evidence), and P(label on | evidence)."""
    listed = completions(evidence, n_states)
    weights = np.exp([log_joint(node, states) for states in listed])
    on = np.array([states[:n_labels] for states in listed])
    return np.log(weights.sum()), weights @ on / weights.sum()


def count_pairs(Z, mask, n_first):
    """The plain product that the bit-set kernel counts."""
    kept = Z[mask.astype(bool)].astype(np.int64)
    return kept[:, :n_first].T @ kept


def chow_liu_weight(states, n_states, alpha, floor):
    """Mutual information of all pairs, counted cell by cell, with the prior of the whole set (a slice of all rows)."""
    n, n_variables = states.shape
    information = np.zeros((n_variables, n_variables))
    for u in range(n_variables):
        for v in range(n_variables):
            if u != v:
                table = np.zeros((n_states[u], n_states[v]))
                np.add.at(table, (states[:, u], states[:, v]), 1)
                prior = (table + 4 * floor / table.size) / (n + 4 * floor)
                joint = (table + alpha * prior) / (n + alpha)
                outer = joint.sum(1, keepdims=True) * joint.sum(0, keepdims=True)
                information[u, v] = (joint * np.log(joint / outer)).sum()
    return information


def laim(values, Y, cuts):
    """The LAIM criterion, literally: see truepath.preprocessing.laim."""
    edges = [-np.inf, *cuts, np.inf]
    total = 0.0
    for low, high in pairwise(edges):
        inside = (values > low) & (values <= high)
        quanta = Y[inside].sum(axis=0)
        if quanta.sum():
            total += quanta.max() ** 2 / quanta.sum()
    return total / (len(edges) - 1)
