"""Every metric once more in plain loops, straight from the formula.

All take ``(T, P or S, hierarchy, nodes, weight, **options)``: dense arrays, the list of counted nodes, a list with one
weight a row.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import chain, pairwise
from math import log, log2, nan, sqrt

import numpy as np

from oracles import ancestors, close_upwards


def costs_of(hierarchy, costs):
    if costs == "uniform":
        return [1.0] * hierarchy.n_nodes
    c = [0.0] * hierarchy.n_nodes
    for v in range(hierarchy.n_nodes):
        parents = hierarchy.parents(v).tolist()
        c[v] = sum(c[u] / len(hierarchy.children(u)) for u in parents) if parents else 1 / len(hierarchy.roots)
    return c


def weighted_mean(values, weight):
    kept = [(x, w) for x, w in zip(values, weight) if x == x]
    total = sum(w for _, w in kept)
    return sum(x * w for x, w in kept) / total if total else nan


def ratio(above, below, zero_division):
    return above / below if below else zero_division


# ---------------------------------------------------------------- labels


def prf(hits, true, predicted, zero_division):
    return (
        ratio(hits, predicted, zero_division),
        ratio(hits, true, zero_division),
        ratio(2 * hits, true + predicted, zero_division),
    )


def precision_recall_f1(T, P, hierarchy, nodes, weight, average, zero_division=0.0, close=True):
    if close:
        T, P = close_upwards(T, hierarchy), close_upwards(P, hierarchy)
    rows = range(len(T))
    depth = hierarchy.depth
    cells = {
        "micro": [[(i, v) for i in rows for v in nodes]],
        "macro": [[(i, v) for i in rows] for v in nodes],
        "samples": [[(i, v) for v in nodes] for i in rows],
        "levels": [[(i, v) for i in rows for v in nodes if depth[v] == d] for d in sorted(set(depth[nodes].tolist()))],
    }[average]
    w = [1] * len(T) if average == "samples" else weight
    groups = [
        prf(
            sum(w[i] for i, v in group if T[i, v] and P[i, v]),
            sum(w[i] for i, v in group if T[i, v]),
            sum(w[i] for i, v in group if P[i, v]),
            zero_division,
        )
        for group in cells
    ]
    group_weight = weight if average == "samples" else [1] * len(groups)
    return tuple(weighted_mean(column, group_weight) for column in zip(*groups))


def h_loss(T, P, hierarchy, nodes, weight, costs="normalized"):
    c = costs_of(hierarchy, costs)
    losses = []
    for t, p in zip(T, P):
        wrong = {v for v in nodes if t[v] != p[v]}
        losses.append(sum(c[v] for v in wrong if not ancestors(hierarchy, v) & wrong))
    return weighted_mean(losses, weight)


def hierarchical_hamming_loss(T, P, hierarchy, nodes, weight):
    losses = []
    for t, p in zip(T, P):
        wrong = {v for v in nodes if t[v] != p[v]}
        losses.append(sum(1 for v in nodes if ({v} | ancestors(hierarchy, v)) & wrong) / len(nodes))
    return weighted_mean(losses, weight)


def prices(T, nodes, weight, lambda_):
    """(alpha, beta) of each counted node."""
    found = {}
    for v in nodes:
        over = [v] if lambda_ == "per_class" else nodes
        positive = sum(w for i, w in enumerate(weight) for u in over if T[i, u])
        negative = sum(w for i, w in enumerate(weight) for u in over if not T[i, u])
        beta = 2 / (1 + negative / positive) if positive else 0.0
        if not isinstance(lambda_, str):
            beta = 2 / (1 + lambda_)
        found[v] = 2 - beta, beta
    return found


def hmc_loss(T, P, hierarchy, nodes, weight, lambda_="per_class", costs="normalized"):
    c, price = costs_of(hierarchy, costs), prices(T, nodes, weight, lambda_)
    losses = [
        sum(price[v][0] * c[v] for v in nodes if t[v] and not p[v])
        + sum(price[v][1] * c[v] for v in nodes if p[v] and not t[v])
        for t, p in zip(T, P)
    ]
    return weighted_mean(losses, weight)


def symmetric_loss(T, P, hierarchy, nodes, weight, alpha=1.0):
    c = costs_of(hierarchy, "normalized")
    plus, minus = 2 / (1 + alpha), 2 * alpha / (1 + alpha)
    losses = []
    for t, p in zip(T, P):
        extra = sum(plus * c[v] for v in nodes if p[v] and not t[v])
        missing = sum(minus * c[v] for v in nodes if t[v] and not p[v])
        losses.append(extra + missing)
    return weighted_mean(losses, weight)


def hamming_score(T, P, hierarchy, nodes, weight):
    return weighted_mean([sum(t[v] == p[v] for v in nodes) / len(nodes) for t, p in zip(T, P)], weight)


def exact_match(T, P, hierarchy, nodes, weight):
    return weighted_mean([all(t[v] == p[v] for v in nodes) for t, p in zip(T, P)], weight)


def jaccard_score(T, P, hierarchy, nodes, weight, zero_division=0.0):
    values = []
    for t, p in zip(T, P):
        true, predicted = {v for v in nodes if t[v]}, {v for v in nodes if p[v]}
        values.append(ratio(len(true & predicted), len(true | predicted), zero_division))
    return weighted_mean(values, weight)


def level_accuracy(T, P, hierarchy, nodes, weight, rows="all"):
    found = []
    for d in range(1, hierarchy.height + 1):
        level = [v for v in nodes if hierarchy.depth[v] == d]
        right = [
            all(t[v] == p[v] for v in level) if rows == "all" or any(t[v] for v in level) else nan for t, p in zip(T, P)
        ]
        found.append(weighted_mean(right, weight) if level else nan)
    return found


def unlabeled_share(T, P, hierarchy, nodes, weight):
    return weighted_mean([not any(p[v] for v in nodes) for p in P], weight)


def incoherent_share(T, S, hierarchy, nodes, weight):
    broken = [any(s[v] > s[u] for v in nodes for u in ancestors(hierarchy, v) if u in nodes) for s in S]
    return weighted_mean(broken, weight)


# ---------------------------------------------------------------- scores


def best_first(s, nodes):
    return sorted(nodes, key=lambda v: (-s[v], v))


def precision_at_k(T, S, hierarchy, nodes, weight, k, out_of="k"):
    values, k = [], min(k, len(nodes))
    for t, s in zip(T, S):
        best = best_first(s, nodes)[:k]
        below = k if out_of == "k" else min(k, sum(bool(t[v]) for v in nodes))
        values.append(ratio(sum(bool(t[v]) for v in best), below, 0.0))
    return weighted_mean(values, weight)


def ndcg_at_k(T, S, hierarchy, nodes, weight, k):
    values = []
    for t, s in zip(T, S):
        places = range(min(k, len(nodes)))
        gain = sum(t[best_first(s, nodes)[j]] / np.log2(j + 2) for j in places)
        ideal = sum(t[best_first([int(y) for y in t], nodes)[j]] / np.log2(j + 2) for j in places)
        values.append(ratio(gain, ideal, 0.0))
    return weighted_mean(values, weight)


def r_precision(T, S, hierarchy, nodes, weight):
    values = []
    for t, s in zip(T, S):
        n_true = sum(bool(t[v]) for v in nodes)
        values.append(ratio(sum(bool(t[v]) for v in best_first(s, nodes)[:n_true]), n_true, 0.0))
    return weighted_mean(values, weight)


def psp_at_k(T, S, hierarchy, nodes, weight, k):
    n_rows = sum(weight)
    above = max(np.log(n_rows) - 1, 0) * 2.5**0.55
    worth = [
        1 + above * np.exp(-0.55 * np.log(sum(w for t, w in zip(T, weight) if t[v]) + 1.5)) for v in range(len(T[0]))
    ]
    got = ideal = 0.0
    for t, s, w in zip(T, S, weight):
        got += w * sum(worth[v] for v in best_first(s, nodes)[:k] if t[v])
        ideal += w * sum(sorted((worth[v] for v in nodes if t[v]), reverse=True)[:k])
    return ratio(got, ideal, 0.0)


def curve_points(cells):
    """(tp, fp) at every distinct score from the highest down, after a first (0, 0); cells are (score, true, weight)."""
    points = [(0, 0)]
    for t in sorted({s for s, _, _ in cells}, reverse=True):
        points.append(
            (sum(w for s, y, w in cells if y and s >= t), sum(w for s, y, w in cells if not y and s >= t)),
        )
    return points


def area(cells, method):
    points = curve_points(cells)
    n_pos = points[-1][0]
    if not n_pos:
        return nan
    total = 0.0
    for (tp_a, fp_a), (tp_b, fp_b) in pairwise(points):
        if tp_b == tp_a:
            continue
        if method == "average_precision":
            total += (tp_b - tp_a) * tp_b / (tp_b + fp_b)
        else:
            total += interpolated(tp_a, fp_a, tp_b, fp_b)
    return total / n_pos


def interpolated(tp_a, fp_a, tp_b, fp_b):
    """Integrate t / (t + fp(t)) over tp_a..tp_b, fp linear in t: exact fractions, one logarithm."""
    tp_a, fp_a, tp_b, fp_b = map(Fraction, (tp_a, fp_a, tp_b, fp_b))
    slope = (fp_b - fp_a) / (tp_b - tp_a)
    a, b = 1 + slope, fp_a - slope * tp_a
    if b == 0:
        return float((tp_b - tp_a) / a)
    return float((tp_b - tp_a) / a) - float(b / a**2) * (log(a * tp_b + b) - log(a * tp_a + b))


def stepped(tp_a, fp_a, tp_b, fp_b, n_steps=20000):
    """Integrate the same by the midpoint rule, as Davis & Goadrich interpolate point by point."""
    width = (tp_b - tp_a) / n_steps
    total = 0.0
    for j in range(n_steps):
        tp = tp_a + (j + 0.5) * width
        fp = fp_a + (tp - tp_a) * (fp_b - fp_a) / (tp_b - tp_a)
        total += width * tp / (tp + fp)
    return total


def auprc(T, S, hierarchy, nodes, weight, average="pooled", method="average_precision"):
    cells = {v: [(float(S[i, v]), bool(T[i, v]), weight[i]) for i in range(len(T))] for v in nodes}
    if average == "pooled":
        return area(list(chain.from_iterable(cells.values())), method)
    areas = [area(cells[v], method) for v in nodes]
    n_pos = [sum(w for _, y, w in cells[v] if y) for v in nodes]
    return weighted_mean(areas, n_pos if average == "weighted" else [1] * len(nodes))


def information_content(T, hierarchy, weight):
    content = []
    for v in range(hierarchy.n_nodes):
        above = sum(w for t, w in zip(T, weight) if all(t[u] for u in hierarchy.parents(v)))
        here = sum(w for t, w in zip(T, weight) if t[v])
        content.append(-log2(here / above) if here else 0.0)
    return content


def cafa_at(T, S, nodes, weight, ic, t):
    """(precision, recall, remaining uncertainty, misinformation) at threshold t, row by row."""
    rows = []
    for y, s, w in zip(T, S, weight):
        true, predicted = {v for v in nodes if y[v]}, {v for v in nodes if s[v] > 0 and s[v] >= t}
        mass = [sum(ic[v] for v in sorted(part)) for part in (true, predicted, true & predicted)]
        rows.append((w, *mass, sum(ic[v] for v in true - predicted), sum(ic[v] for v in predicted - true)))
    scored = [row for row in rows if row[1] > 0]
    covered = [row for row in scored if row[2] > 0]
    pr = sum(w * hit / pred for w, _, pred, hit, _, _ in covered)
    rc = sum(w * hit / true for w, true, _, hit, _, _ in scored)
    n = sum(weight)
    return (
        ratio(pr, sum(row[0] for row in covered), 0.0),
        ratio(rc, sum(row[0] for row in scored), 0.0),
        sum(row[0] * row[4] for row in rows) / n,
        sum(row[0] * row[5] for row in rows) / n,
    )


def fmax(T, S, hierarchy, nodes, weight, ic=None, thresholds="exact"):
    ic = [1.0] * hierarchy.n_nodes if ic is None else ic
    found = [0.0]
    for t in cuts(S, nodes, thresholds):
        pr, rc, _, _ = cafa_at(T, S, nodes, weight, ic, t)
        found.append(ratio(2 * pr * rc, pr + rc, 0.0))
    return max(found)


def wfmax(T, S, hierarchy, nodes, weight, thresholds="exact"):
    return fmax(T, S, hierarchy, nodes, weight, information_content(T, hierarchy, weight), thresholds)


def smin(T, S, hierarchy, nodes, weight, thresholds="exact"):
    ic = information_content(T, hierarchy, weight)
    candidates = cuts(S, nodes, thresholds) + ([np.inf] if thresholds == "exact" else [])
    points = (cafa_at(T, S, nodes, weight, ic, t) for t in candidates)
    return min(sqrt(ru**2 + mi**2) for _, _, ru, mi in points)


def cuts(S, nodes, thresholds):
    if thresholds == "exact":
        return sorted({float(S[i, v]) for i in range(len(S)) for v in nodes if S[i, v] > 0})
    return [j / 100 for j in range(1, 101)]
