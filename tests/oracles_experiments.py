"""Slow, obvious twins of the statistics: written with loops, from the definitions."""

from __future__ import annotations

from itertools import product


def ranks_of(row, greater_is_better):
    """1 + how many are better + half of the others that are equal."""
    sign = -1 if greater_is_better else 1
    mine = [sign * value for value in row]
    return [1 + sum(other < value for other in mine) + (mine.count(value) - 1) / 2 for value in mine]


def friedman_chi2(ranks):
    """Demšar's formula, from rank sums; ties are not corrected for."""
    N, k = len(ranks), len(ranks[0])
    sums = [sum(row[j] for row in ranks) for j in range(k)]
    return 12 / (N * k * (k + 1)) * sum(s * s for s in sums) - 3 * N * (k + 1)


def friedman_with_ties(ranks):
    """Friedman's statistic from the variances of ranks, and the F of a two-way analysis of variance of them."""
    N, k = len(ranks), len(ranks[0])
    means = [sum(row[j] for row in ranks) / N for j in range(k)]
    between = N * sum((mean - (k + 1) / 2) ** 2 for mean in means)
    within = sum((rank - (k + 1) / 2) ** 2 for row in ranks for rank in row)
    if within == 0:
        return 0.0, 0.0
    rest = (within - between) / ((N - 1) * (k - 1))
    return between / (within / (N * (k - 1))), between / (k - 1) / rest if rest > 1e-9 else float("inf")


def wilcoxon_exact(differences):
    """Try every assignment of signs; for differences without zeros and ties."""
    sizes = sorted(map(abs, differences))
    rank = [sizes.index(abs(d)) + 1 for d in differences]
    total = sum(rank)
    smaller = min(
        sum(r for r, d in zip(rank, differences) if d > 0), sum(r for r, d in zip(rank, differences) if d < 0)
    )
    extreme = 0
    for signs in product([0, 1], repeat=len(rank)):
        positive = sum(r for r, s in zip(rank, signs) if s)
        extreme += min(positive, total - positive) <= smaller
    return extreme / 2 ** len(rank)


def holm(p_values):
    """Step down a list of p-values, the smallest first."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted, highest = [0.0] * len(p_values), 0.0
    for step, i in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - step) * p_values[i]))
        adjusted[i] = highest
    return adjusted


def cliques(mean_ranks, alike):
    """All runs of neighbours without a differing pair that are in no longer one; ranks sorted."""
    k = len(mean_ranks)
    good = [
        (a, b)
        for a in range(k)
        for b in range(a + 1, k)
        if all(alike[i][j] for i in range(a, b + 1) for j in range(a, b + 1))
    ]
    return [(a, b) for a, b in good if not any((c <= a and b <= d) and (c, d) != (a, b) for c, d in good)]
