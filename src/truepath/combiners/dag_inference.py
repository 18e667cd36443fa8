"""Exact probabilities on DAGs given that no forbidden label is true, by variable elimination in both directions.

The model: y_v ~ Bernoulli(c_v) if all parents of v are true, else 0; so p(y_v = 1) is the product of c over v and its
ancestors. Given that nothing forbidden is true, a topmost forbidden label t whose parents are all true weighs 1 - c_t.
Labels are eliminated one by one, that with the fewest neighbours first; the tables on the way hold 2^k numbers for each
row, k labels together. Where k would pass ``MOST_TOGETHER``, there is no plan.

References
----------
A. Darwiche (2003). A differential approach to inference in Bayesian networks. Journal of the ACM 50.
"""

from __future__ import annotations

from functools import lru_cache, reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from truepath.hierarchy import Hierarchy

Floats = NDArray[np.float64]

#: Labels that a table holds together, at most
MOST_TOGETHER = 12


class Bucket(NamedTuple):
    """One label, what is multiplied when it is summed out, and the labels that the result is about.

    Places are numbers in the order of elimination; ``own`` are families and forbidden labels by their node number.
    """

    scope: tuple[int, ...]
    own: tuple[int, ...]
    before: tuple[int, ...]


class EliminationPlan(NamedTuple):
    """The place of each label in the order of elimination, the families of labels by place, and what is done there."""

    places: dict[int, int]
    families: dict[int, tuple[int, ...]]
    buckets: tuple[Bucket, ...]

    @property
    def size(self) -> int:
        """The most numbers that a table holds for a row."""
        return max((1 << len(bucket.scope) for bucket in self.buckets), default=1)


@lru_cache(maxsize=256)  # asked for again by every block of rows
def plan_elimination(hierarchy: Hierarchy, flags: bytes) -> EliminationPlan | None:
    """Return how to sum the possible labels out, whose flags these are; None where tables would be too large."""
    possible = np.frombuffer(flags, bool)
    families = {v: (v, *hierarchy.parents(v).tolist()) for v in np.flatnonzero(possible).tolist()}
    for t in np.flatnonzero(~possible).tolist():
        parents = hierarchy.parents(t)
        if parents.size and possible[parents].all():
            families[t] = tuple(parents.tolist())
    order = _order(families, np.flatnonzero(possible).tolist())
    if order is None:
        return None
    places = {v: k for k, v in enumerate(order)}
    placed = {v: tuple(sorted(places[u] for u in family)) for v, family in families.items()}
    scopes: list[set[int]] = [{k} for k in range(len(order))]
    own: list[list[int]] = [[] for _ in order]
    before: list[list[int]] = [[] for _ in order]
    for v, family in placed.items():
        scopes[family[0]].update(family)
        own[family[0]].append(v)
    for k, scope in enumerate(scopes):
        rest = scope - {k}
        if rest:
            scopes[min(rest)] |= rest
            before[min(rest)].append(k)
    buckets = tuple(Bucket(tuple(sorted(scopes[k])), tuple(own[k]), tuple(before[k])) for k in range(len(order)))
    return EliminationPlan(places, placed, buckets)


def _order(families: dict[int, tuple[int, ...]], nodes: list[int]) -> list[int] | None:
    """Return the labels, always that with the fewest neighbours next; None if one has too many."""
    near: dict[int, set[int]] = {v: set() for v in nodes}
    for family in families.values():
        if len(family) > MOST_TOGETHER:
            return None
        for v in family:
            near[v].update(family)
    for v in nodes:
        near[v].discard(v)
    order = []
    by_count: list[set[int]] = [set() for _ in range(MOST_TOGETHER)]
    for v in nodes:
        by_count[min(len(near[v]), MOST_TOGETHER - 1)].add(v)
    while near:
        first = next((k for k, found in enumerate(by_count) if found), None)
        v = min(by_count[first])  # type: ignore[index]
        if len(near[v]) >= MOST_TOGETHER:
            return None
        by_count[first].discard(v)  # type: ignore[index]
        around = near.pop(v)
        order.append(v)
        for u in around:
            by_count[min(len(near[u]), MOST_TOGETHER - 1)].discard(u)
            near[u] |= around
            near[u] -= {u, v}
            by_count[min(len(near[u]), MOST_TOGETHER - 1)].add(u)
    return order


def conditional_changes(S: Floats, hierarchy: Hierarchy, plan: EliminationPlan) -> Floats:
    """Return p(y_v = 1 | nothing forbidden) / p(y_v = 1); NaN in rows that are sure of something forbidden."""
    given, marginal = _conditionals(S, hierarchy)
    tables = {
        v: _family_table(given[:, v], len(family), family.index(plan.places[v]) if v in plan.places else None)
        for v, family in plan.families.items()
    }
    beliefs = _both_ways(tables, plan, S.shape[0])
    changes = np.zeros(S.shape)
    for v, k in plan.places.items():
        changes[:, v] = beliefs[k] / np.where(marginal[:, v] > 0, marginal[:, v], np.inf)
    return changes


def _conditionals(S: Floats, hierarchy: Hierarchy) -> tuple[Floats, Floats]:
    """Return c_v, the score over the product of c over its ancestors, at most 1, and the product with its own."""
    given, marginal = np.empty(S.shape), np.empty(S.shape)
    for v in range(hierarchy.n_nodes):
        above = hierarchy.ancestors(v)
        product = given[:, above].prod(axis=1)
        given[:, v] = np.divide(S[:, v], product, out=np.zeros(len(S)), where=product > 0).clip(max=1.0)
        marginal[:, v] = product * given[:, v]
    return given, marginal


def _family_table(given: Floats, n: int, own: int | None) -> Floats:
    """Return p(own | the others), 1 or 0 on the axis ``own``; of a forbidden label, p(it is false | its parents)."""
    table = np.ones((given.size, 1 << n)) if own is None else np.zeros((given.size, 1 << n))
    if own is None:
        table[:, -1] = 1 - given
    else:
        own_bit = 1 << (n - 1 - own)
        table[:, [k for k in range(1 << n) if not k & own_bit]] = 1.0
        table[:, -1] = given
        table[:, (1 << n) - 1 - own_bit] = 1 - given
    return table.reshape(given.size, *[2] * n)


def _both_ways(tables: dict[int, Floats], plan: EliminationPlan, n_rows: int) -> list[Floats]:
    """Return the probability that each label is true, by place."""
    products: list[Floats] = []
    parts: list[list[Floats]] = []
    messages: list[Floats] = []
    for bucket in plan.buckets:
        found = [_spread(tables[v], plan.families[v], bucket.scope) for v in bucket.own]
        found += [_spread(messages[k], plan.buckets[k].scope[1:], bucket.scope) for k in bucket.before]
        products.append(reduce(np.multiply, found))
        parts.append(found[len(bucket.own) :])
        messages.append(_scaled(products[-1].sum(axis=1)))
    above: list[Floats] = [np.ones(n_rows)] * len(plan.buckets)  # what the rest of the sum multiplies a message by
    beliefs: list[Floats] = [np.zeros(0)] * len(plan.buckets)
    for k in range(len(plan.buckets) - 1, -1, -1):
        bucket = plan.buckets[k]
        outer = above[k][:, None]
        whole = products[k] * outer
        sums = whole.reshape(n_rows, 2, -1).sum(axis=2)
        with np.errstate(invalid="ignore", divide="ignore"):
            beliefs[k] = sums[:, 1] / sums.sum(axis=1)
        own = [_spread(tables[v], plan.families[v], bucket.scope) for v in bucket.own]
        base = reduce(np.multiply, own, np.broadcast_to(outer, (n_rows, *[2] * len(bucket.scope))))
        for j, rest in zip(bucket.before, _without_each(parts[k], base)):
            inside = plan.buckets[j].scope[1:]
            axes = tuple(1 + at for at, one in enumerate(bucket.scope) if one not in inside)
            above[j] = _scaled(rest.sum(axis=axes))
    return beliefs


def _without_each(parts: list[Floats], base: Floats) -> list[Floats]:
    """Return for each part the product of the base and all others."""
    after = [base]
    for part in parts[:0:-1]:
        after.append(after[-1] * part)
    found, before = [], None
    for part, rest in zip(parts, after[::-1]):
        found.append(rest if before is None else rest * before)
        before = part if before is None else before * part
    return found


def _spread(table: Floats, own: tuple[int, ...], scope: tuple[int, ...]) -> Floats:
    """Return a table about some labels as one about more; both list labels in the order of elimination."""
    return table.reshape(len(table), *[2 if one in own else 1 for one in scope])


def _scaled(table: Floats) -> Floats:
    """Return each row's numbers over the greatest of them: products of many stay in range."""
    most = table.reshape(len(table), -1).max(axis=1, initial=0.0)
    return np.asarray(table / np.where(most > 0, most, 1.0).reshape(-1, *[1] * (table.ndim - 1)))
