"""Slow, obvious twins of what the learners compute."""

from __future__ import annotations

import numpy as np
from scipy.special import expit


def lasso_objective(X, Y, W, b, alpha, penalty, omega=None):
    """The multitask logistic lasso's objective, cell by cell from its definition."""
    X = X.toarray() if hasattr(X, "toarray") else np.asarray(X)
    omega = np.full(X.shape[0], 1 / X.shape[0]) if omega is None else omega
    Z = X @ W + b
    loss = sum(
        omega[i] * (np.logaddexp(0, Z[i, j]) - Y[i, j] * Z[i, j]) for i in range(Y.shape[0]) for j in range(Y.shape[1])
    )
    rows = np.linalg.norm(W, axis=1).sum() if penalty == "l21" else np.abs(W).sum()
    return float(loss + alpha * rows)


def proximal_lasso(X, Y, alpha, penalty, omega=None, n_iter=200_000, tol=1e-13):
    """Plain proximal gradient with a fixed step, no acceleration, no working set; returns W and b."""
    X = X.toarray() if hasattr(X, "toarray") else np.asarray(X)
    omega = np.full(X.shape[0], 1 / X.shape[0]) if omega is None else omega
    A = np.column_stack([X, np.ones(X.shape[0])])
    step = 4 / np.linalg.eigvalsh(A.T @ (omega[:, None] * A)).max()
    V = np.zeros((A.shape[1], Y.shape[1]))
    for _ in range(n_iter):
        new = V - step * A.T @ (omega[:, None] * (expit(A @ V) - Y))
        W = new[:-1]
        if penalty == "l1":
            W = np.sign(W) * np.maximum(np.abs(W) - step * alpha, 0)
        else:
            norms = np.linalg.norm(W, axis=1, keepdims=True)
            W = W * np.maximum(1 - step * alpha / np.maximum(norms, 1e-300), 0)
        new = np.vstack([W, new[-1:]])
        if np.abs(new - V).max() < tol:
            break
        V = new
    return V[:-1], V[-1]


def linear_objective(X, positive, w, C, loss="log"):
    """The penalised loss of one linear classifier, row by row; the last weight is that of a feature that is 1."""
    cost = np.broadcast_to(C, len(X))
    total = float(w @ w) / 2
    for x, is_positive, c in zip(X, positive, cost):
        margin = (1 if is_positive else -1) * float(np.append(x, 1.0) @ w)
        total += c * (np.logaddexp(0, -margin) if loss == "log" else max(0.0, 1 - margin) ** 2)
    return total


def dual_logistic(X, positive, C, n_passes=3000):
    """Dual coordinate descent in its plainest form: every variable's optimum by bisection, rows in their order."""
    A, y = np.column_stack([X, np.ones(len(X))]), np.where(positive, 1.0, -1.0)
    cost, dual, w = np.broadcast_to(C, len(X)), np.zeros(len(X)), np.zeros(A.shape[1])
    for _ in range(n_passes):
        before = w.copy()
        for i, x in enumerate(A):
            rest = w - dual[i] * y[i] * x
            low, high = 0.0, float(cost[i])
            for _ in range(50):
                a = (low + high) / 2
                slope = y[i] * (rest @ x) + a * (x @ x) + np.log(max(a, 1e-300)) - np.log(max(cost[i] - a, 1e-300))
                low, high = (a, high) if slope < 0 else (low, a)
            dual[i] = (low + high) / 2
            w = rest + dual[i] * y[i] * x
        if np.abs(w - before).max() < 1e-8:
            break
    return w


def policy_rows(policy, Y, hierarchy, v):
    """Positive and negative row numbers by the definitions of Silla & Freitas, set by set."""
    exact = [
        {i for i in np.flatnonzero(Y[:, u]) if not any(Y[i, c] for c in hierarchy.children(u))}
        for u in range(hierarchy.n_nodes)
    ]
    rows = [set(np.flatnonzero(Y[:, u]).tolist()) for u in range(hierarchy.n_nodes)]
    everything = set(range(Y.shape[0]))
    parents = hierarchy.parents(v).tolist()
    siblings = {int(c) for u in parents for c in hierarchy.children(u)} - {v}
    if not parents:
        siblings = set(hierarchy.roots.tolist()) - {v}
    above = set().union(*(exact[u] for u in hierarchy.ancestors(v)))
    under_all = everything.intersection(*(rows[u] for u in parents))
    exact_siblings = set().union(*(exact[u] for u in siblings))
    row_siblings = set().union(*(rows[u] for u in siblings))
    table = {
        "exclusive": (exact[v], everything - exact[v]),
        "less_exclusive": (exact[v], everything - rows[v]),
        "less_inclusive": (rows[v], everything - rows[v]),
        "inclusive": (rows[v], everything - rows[v] - above),
        "siblings": (rows[v], row_siblings - rows[v]),
        "exclusive_siblings": (exact[v], exact_siblings - exact[v]),
        "parents": (rows[v], under_all - rows[v]),
    }
    positive, negative = table[policy]
    return {int(i) for i in positive}, {int(i) for i in negative}


def halve_plainly(V, first, second, n_rounds=20):
    """Balanced two-means of unit vectors from two of them: the half, 0 or 1, of each."""
    side, best = None, 0.0
    centers = [V[first], V[second]]
    for _ in range(n_rounds):
        if side is not None:
            centers = [V[side == 0].sum(axis=0), V[side == 1].sum(axis=0)]
            lengths = [np.linalg.norm(center) for center in centers]
            if sum(lengths) <= best * (1 + 1e-4):
                break
            best = sum(lengths)
            centers = [center / length for center, length in zip(centers, lengths)]
        order = np.argsort(V @ (centers[1] - centers[0]), kind="stable")
        side = np.zeros(len(V), int)
        side[order[len(V) - len(V) // 2 :]] = 1
    return side
