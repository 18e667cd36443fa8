"""Slow, obvious twins of the combiners, straight from the definitions."""

from __future__ import annotations

import numpy as np
from scipy.optimize import lsq_linear

from oracles import ancestors, closed_sets


def max_up(S, h):
    """The greatest score of each node and everything that has it as an ancestor."""
    below = [[v for v in range(h.n_nodes) if v == u or u in ancestors(h, v)] for u in range(h.n_nodes)]
    return np.column_stack([S[:, nodes].max(axis=1) for nodes in below])


def min_down(S, h):
    """The least score of each node and its ancestors."""
    return np.column_stack([S[:, [v, *ancestors(h, v)]].min(axis=1) for v in range(h.n_nodes)])


def top_down(S, h, threshold=0.0):
    """By recursion over one row's nodes: capped, and nothing below a parent that is not above the threshold."""

    def score(row, v):
        above = min((score(row, u) for u in h.parents(v)), default=None)
        if above is None:
            return row[v]
        return min(row[v], above) if above > threshold else min(row[v], above, 0.0)

    return np.array([[score(row, v) for v in range(h.n_nodes)] for row in S])


def path_product(S, h, dag="min"):
    """Products by recursion ("min") or over the set of ancestors ("all")."""
    if dag == "all":
        return np.column_stack([S[:, [v, *ancestors(h, v)]].prod(axis=1) for v in range(h.n_nodes)])

    def score(row, v):
        return row[v] * min((score(row, u) for u in h.parents(v)), default=1.0)

    return np.array([[score(row, v) for v in range(h.n_nodes)] for row in S])


def true_path_rule(S, h, threshold=0.5, weight=None, descendants=False):
    """The bottom-up average by recursion, then min_down."""

    def raised(row, v):
        below = [w for w in range(h.n_nodes) if v in (ancestors(h, w) if descendants else h.parents(w))]
        scores = [raised(row, w) for w in below]
        positive = [s for s in scores if s > (row[v] if threshold == "free" else threshold)]
        if weight is None:
            return (row[v] + sum(positive)) / (1 + len(positive))
        return weight * row[v] + (1 - weight) * np.mean(positive) if positive else row[v]

    return min_down(np.array([[raised(row, v) for v in range(h.n_nodes)] for row in S]), h)


def paths_to(h, v):
    """Every path from the top to v."""
    parents = h.parents(v).tolist()
    return [[*path, v] for u in parents for path in paths_to(h, u)] if parents else [[v]]


def mean_of_paths(S, h):
    """The mean over all nodes of all paths."""
    return np.column_stack([S[:, np.concatenate(paths_to(h, v))].mean(axis=1) for v in range(h.n_nodes)])


def isotonic(S, h):
    """The projection as a quadratic programme: its dual is non-negative least squares over the edges."""
    D = np.zeros((h.n_edges, h.n_nodes))
    for e, (u, v) in enumerate(h.edges):
        D[e, u], D[e, v] = 1, -1
    if not h.n_edges:
        return np.array(S)
    # nnls of SciPy stops at a wrong corner for some scores with ties
    return np.array([s + D.T @ lsq_linear(D.T, -s, (0, np.inf), method="bvls", tol=1e-15).x for s in S])


def isotonic_by_sets(S, h):
    """The max-min formula: over upper sets holding v, the least mean of what they share with a lower set holding v."""
    uppers = [u for u in closed_sets(h) if u.any()]
    lowers = [~u for u in closed_sets(h) if not u.all()]

    def value(s, v):
        return max(min(s[u & low].mean() for low in lowers if low[v]) for u in uppers if u[v])

    return np.array([[value(s, v) for v in range(h.n_nodes)] for s in S])


def fael(X, Y, X_new, alpha, penalty=0.0, weight=None, fit_intercept=False):
    """Eq. (2) or (11) as written, by np.linalg.solve; an intercept is a column of ones that is not penalised."""
    X, Y, X_new = (np.asarray(M, float) for M in (X, Y, X_new))
    D = np.diag(np.ones(len(X)) if weight is None else weight)
    R = alpha * np.eye(X.shape[1]) + penalty
    if fit_intercept:
        X, X_new = (np.column_stack([M, np.ones(len(M))]) for M in (X, X_new))
        R = np.block([[R, np.zeros((len(R), 1))], [np.zeros((1, len(R) + 1))]])
    return X_new @ np.linalg.solve(X.T @ D @ X + R, X.T @ D @ Y)


def leave_one_out(X, Y, alpha, penalty=0.0, weight=None, fit_intercept=False):
    """The weighted sum of squared errors of n refits."""
    weight = np.ones(len(X)) if weight is None else np.asarray(weight, float)
    error = 0.0
    for i in range(len(X)):
        kept = np.arange(len(X)) != i
        guess = fael(X[kept], Y[kept], X[i : i + 1], alpha, penalty, weight[kept], fit_intercept)
        error += weight[i] * np.sum((np.asarray(Y, float)[i] - guess) ** 2)
    return error


def constraint_rows(h, mu):
    """M of eq. (9), pair by pair; distances by walking paths."""
    rows = []
    for q in range(h.n_nodes):
        for p in sorted(ancestors(h, q)):
            distance = min(path.index(q) - path.index(p) for path in paths_to(h, q) if p in path)
            row = np.zeros(h.n_nodes)
            row[p], row[q] = 1.0, -mu * distance
            rows.append(row)
    return np.array(rows).reshape(-1, h.n_nodes)


def tree_posterior(log_ratio, prior, h):
    """The marginals of the tree network by enumerating every closed label set."""
    out = np.empty_like(log_ratio)
    for i, evidence in enumerate(log_ratio):
        total, marginal = 0.0, np.zeros(h.n_nodes)
        greatest = max(evidence[y].sum() for y in closed_sets(h))
        for y in closed_sets(h):
            p = np.exp(evidence[y].sum() - greatest)
            for v in range(h.n_nodes):
                if all(y[u] for u in h.parents(v)):
                    p *= prior[v] if y[v] else 1 - prior[v]
            total += p
            marginal[y] += p
        out[i] = marginal / total
    return out
