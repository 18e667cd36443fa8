"""What features add to a row's scores: the record that members return, the steps that pass it on, the way to ask.

Contributions are on the scale of scores and add up: the base plus all values is the score. A model is a chain of steps,
and each step passes on what it is given, from the base to the score:

- a weighted sum adds up the weighted contributions (:func:`add_up`);
- a function of one number, such as a sigmoid, a clip or a unit of a network, scales all values by the ratio of its own
  change to that of the number (:meth:`Contributions.through`): the Aumann-Shapley shares of a function of one sum;
- a product of two numbers gives each factor's values times the mean of the other (:meth:`Contributions.times`): the
  Shapley values of two factors;
- a maximum or minimum passes on the contributions of the label that attains it (:meth:`ScorePart.of_others`).

A combiner passes on by ``contributions(parts, nodes)``, with a :class:`ScorePart` for each score matrix. It asks a
part for the labels that it needs and no others. Learners and combiners without the method score again with one
feature, or one score, left out at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from inspect import signature
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from truepath.adapters.capabilities import offers, reach
from truepath.adapters.fitting import node_scores
from truepath.adapters.prepare import tags_of
from truepath.errors import TruePathError
from truepath.hierarchy.matrices import as_dense

Floats = NDArray[np.float64]
Nodes = NDArray[np.int64]

#: A change below this share of the numbers is rounding: a function's slope stands for its ratio
LEAST_CHANGE = 1e-9
#: Contributions that miss the score by more than this are wrong; single precision misses it by less
MOST_ROUNDING = 1e-4


@dataclass(frozen=True)
class Contributions:
    """What the features of one row add to the scores of some labels; base plus the sum of the values is the score.

    Parameters
    ----------
    nodes : array-like of int
        The labels.
    values : ndarray of float, shape (n_columns, n_labels)
    base : ndarray of float, shape (n_labels,)
        What the values start from.
    method : str
        How they were found: "linear" (weights times values), "shapley", "path" (along a tree's branches), "rescale"
        (unit by unit in a network), "slopes" (mean derivatives from the base to the row), "leave-one-out"
        (the change of the score when one feature is taken away), "margin" (linear, before the sigmoid), or several of
        these joined by " + ".
    columns : ndarray of int, optional
        The columns of the row that ``values`` is about, ascending; all others add nothing. By default all.
    features : ndarray of str, optional
        What these columns are called: words, columns, or columns with a value. "x0", "x1", ... by default.

    Attributes
    ----------
    output : ndarray of float, shape (n_labels,)
        The score; for "margin" what it is before the sigmoid, given the label's parents where it was trained on their
        rows.

    Examples
    --------
    >>> from truepath.adapters import Contributions
    >>> found = Contributions([4], np.array([[0.25], [-0.5]]), np.array([0.5]), "linear")
    >>> found.of(4), found.output.tolist()
    ([('x1', -0.5), ('x0', 0.25)], [0.25])
    """

    nodes: Any
    values: Floats
    base: Floats
    method: str
    columns: Any = None
    features: Any = None
    output: Floats = field(init=False)

    def __post_init__(self) -> None:
        columns = np.arange(len(self.values)) if self.columns is None else np.asarray(self.columns, np.int64)
        features = np.array([f"x{j}" for j in columns], object) if self.features is None else self.features
        object.__setattr__(self, "nodes", np.asarray(self.nodes, np.int64))
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "features", features)
        object.__setattr__(self, "output", self.base + self.values.sum(axis=0))

    def of(self, node: int, n: int = 5) -> list[tuple[str, float]]:
        """Return the n features that matter most to a label, the largest first, without those that add nothing."""
        values = self.values[:, int(np.flatnonzero(self.nodes == node)[0])]
        order = np.argsort(-np.abs(values), kind="stable")[:n]
        return [(str(self.features[j]), float(values[j])) for j in order if values[j] != 0]

    def take(self, nodes: Any, named: Any = None) -> Contributions:
        """Return the contributions to some of the labels, in this order; ``named`` are the labels they then are of."""
        order = np.argsort(self.nodes, kind="stable")
        at = order[np.searchsorted(self.nodes[order], nodes)]
        return replace(self, nodes=nodes if named is None else named, values=self.values[:, at], base=self.base[at])

    def named(self, names: Any) -> Contributions:
        """Return the same with the features called by the names of all columns; None, or too few, changes nothing."""
        if names is None or (self.columns.size and self.columns[-1] >= len(names)):
            return self
        return replace(self, features=np.asarray(names, object)[self.columns])

    def scaled(self, scale: Floats, output: Floats) -> Contributions:
        """Return the values times a number for each label, the base such that they add up to ``output``."""
        values = self.values * scale
        return replace(self, values=values, base=output - values.sum(axis=0))

    def through(self, function: Callable[[Floats], Floats], slope: Callable[[Floats], Floats]) -> Contributions:
        """Return the contributions to a function of each score, whose derivative is ``slope``."""
        output = function(self.output)
        with np.errstate(invalid="ignore", divide="ignore"):
            change = self.output - self.base
            is_steady = np.abs(change) <= LEAST_CHANGE * np.maximum(1.0, np.abs(self.output))
            ratio = np.where(is_steady, slope(self.output), (output - function(self.base)) / change)
        return self.scaled(np.where(np.isfinite(ratio) & np.isfinite(self.base), ratio, 0.0), output)

    def clipped(self) -> Contributions:
        """Return the contributions to the scores clipped to [0, 1]."""
        return self.through(lambda s: np.clip(s, 0.0, 1.0), lambda s: ((s >= 0) & (s <= 1)).astype(np.float64))

    def times(self, other: Contributions) -> Contributions:
        """Return the contributions to the product of two scores, label by label."""
        means = (self.base + self.output) / 2, (other.base + other.output) / 2
        found = add_up([self, other], np.column_stack(means[::-1]))
        return replace(found, base=self.output * other.output - found.values.sum(axis=0))

    def settled(self, scores: Floats) -> Contributions:
        """Return the same adding up to the scores themselves: what rounding has left is shared out in proportion."""
        change = self.output - self.base
        is_steady = np.abs(change) <= LEAST_CHANGE
        ratio = np.where(is_steady, 1.0, (scores - self.base) / np.where(is_steady, 1.0, change))
        return self.scaled(ratio, scores)


def add_up(parts: Sequence[Contributions], weights: ArrayLike, base: Any = 0.0) -> Contributions:
    """Return the weighted sum of contributions to the same labels; ``weights`` has shape (n_labels, n_parts).

    Examples
    --------
    >>> one = Contributions([0], np.array([[1.0]]), np.array([0.5]), "linear", columns=[2])
    >>> two = Contributions([0], np.array([[4.0], [2.0]]), np.array([0.0]), "shapley", columns=[0, 2])
    >>> both = add_up([one, two], [[0.5, 0.5]])
    >>> both.of(0), both.base.tolist(), both.method
    ([('x0', 2.0), ('x2', 1.5)], [0.25], 'linear + shapley')
    """
    weights = np.asarray(weights, np.float64)
    columns, named = np.unique(np.concatenate([part.columns for part in parts]), return_index=True)
    features = np.concatenate([part.features for part in parts])[named]
    values = np.zeros((columns.size, parts[0].nodes.size))
    total = np.zeros(parts[0].nodes.size) + base
    for part, weight in zip(parts, weights.T):
        values[np.searchsorted(columns, part.columns)] += part.values * weight
        total += part.base * weight
    methods = dict.fromkeys(method for part in parts for method in part.method.split(" + "))
    return Contributions(parts[0].nodes, values, total, " + ".join(methods), columns, features)


def side_by_side(parts: Sequence[Contributions]) -> Contributions:
    """Return the contributions to the labels of all parts as one record."""
    nodes = np.concatenate([part.nodes for part in parts])
    ends = np.cumsum([part.nodes.size for part in parts])
    spread = []
    for part, end in zip(parts, ends):
        own = slice(end - part.nodes.size, end)
        values, base = np.zeros((len(part.values), nodes.size)), np.zeros(nodes.size)
        values[:, own], base[own] = part.values, part.base
        spread.append(replace(part, nodes=nodes, values=values, base=base))
    return add_up(spread, np.ones((nodes.size, len(parts))))


def hand_down(own: Contributions, parents: Sequence[Sequence[int]], *, multiplies: bool) -> Contributions:
    """Return the contributions to scores that go down a hierarchy.

    A label's score is its own times the least score of a parent, or its own unless a parent's is less.

    Parameters
    ----------
    own : Contributions
        To the labels' own scores, parents before children.
    parents : sequence of sequences of int
        For each label, the places of its parents in ``own``.
    multiplies : bool
    """
    values, base, output = own.values.copy(), own.base.copy(), own.output.copy()
    for k, above in enumerate(parents):
        if not len(above):
            continue
        u = above[int(np.argmin(output[list(above)]))]
        if multiplies:
            values[:, k] *= (base[u] + output[u]) / 2
            values[:, k] += values[:, u] * ((base[k] + output[k]) / 2)
            base[k], output[k] = base[k] * base[u], output[k] * output[u]
        elif output[u] < output[k]:
            values[:, k], base[k], output[k] = values[:, u], base[u], output[u]
    return replace(own, values=values, base=base)


class ScorePart(NamedTuple):
    """One of the score matrices that a combiner is given, in one row."""

    scores: Floats  # of all labels
    contributions: Callable[[Any], Contributions]  # to some labels

    def everything(self) -> Contributions:
        """Return the contributions to all labels."""
        return self.contributions(np.arange(self.scores.size))

    def of_others(self, others: Any, nodes: Any) -> Contributions:
        """Return the contributions to other labels as those to some labels: whose scores are those of the others."""
        return self.contributions(np.unique(others)).take(others, named=nodes)

    def kept(self) -> ScorePart:
        """Return a part that is asked for all labels at most once."""
        everything = cache(self.everything)
        return self._replace(contributions=lambda nodes: everything().take(nodes))


def part_of(learner: Any, x: Any, scores: Floats) -> ScorePart:
    """Return what a fitted learner is to a combiner; ``scores`` are those of the row x, for all labels."""
    return ScorePart(np.asarray(scores, np.float64), lambda nodes: ask_contributions(learner, x, nodes, scores))


def constant_part(scores: Any) -> ScorePart:
    """Return scores that no feature adds to: those of a model elsewhere."""
    S = np.asarray(scores, np.float64)
    return ScorePart(S, lambda nodes: Contributions(nodes, np.zeros((0, len(nodes))), S[nodes], "elsewhere"))


def ask_contributions(
    learner: Any,
    x: Any,
    nodes: Any,
    scores: Any = None,
    *,
    own_features: bool = False,
    method: str = "auto",
    baseline: Any = None,
) -> Contributions:
    """Ask a fitted learner, at the end of any pipelines and searches, what features add; or leave them out.

    Parameters
    ----------
    learner : fitted learner
    x : one row, as the learner takes it
    nodes : sequence of int
    scores : ndarray of float, shape (n_nodes,), optional
        The learner's scores of the row, if they are known.
    own_features : bool, default=False
        Whether features are those that reach the learner itself, rather than the columns of ``x``. Steps that keep
        columns apart, such as scalers, make no difference; behind others a learner within a stack cannot be asked by
        column, and features are left out.
    method : str, default="auto"
        A way that the learner offers, or "leave-one-out".
    baseline : one row like those that reach the learner, optional
        What features become when they are left out, see :func:`leave_out`.
    """
    found, nodes = reach(learner), np.asarray(nodes, np.int64)
    check_is_fitted(found.member)
    if own_features:
        learner, x = found.member, found.rows(x)
    x = x if sparse.issparse(x) else np.asarray(x)
    can_say = offers(learner, "contributions") and (own_features or keeps_columns(learner, x.shape[1]))
    if method == "leave-one-out" or (method == "auto" and not can_say):
        return leave_out(learner, x, nodes, baseline)
    asked = {} if method == "auto" else {"method": method}
    if asked and not (can_say and "method" in signature(found.member.contributions).parameters):
        raise ValueError(f"method={method!r} is not offered by {type(found.member).__name__}; it takes 'auto' alone.")
    told = found.member.contributions(x if own_features else found.rows(x), nodes, **asked)
    if method == "margin":
        return told
    scores = node_scores(learner, x)[0] if scores is None else np.asarray(scores)
    return _check_sum(told, scores.astype(np.float64)[nodes], found.member)


def _check_sum(told: Contributions, scores: Floats, member: Any) -> Contributions:
    """Return contributions that add up to the scores; refuse those that miss them by more than rounding."""
    missed = np.abs(told.output - scores)
    if (missed > MOST_ROUNDING).any():
        v = int(np.argmax(missed))
        raise TruePathError(
            f"the contributions of {type(member).__name__} to label {int(told.nodes[v])} add up to "
            f"{told.output[v]:.6g}, but its score is {scores[v]:.6g}.",
            "Its method contributions must return a base and values whose sum is the score of predict_proba.",
        )
    return told.settled(scores)


def keeps_columns(learner: Any, n_columns: int) -> bool:
    """Say whether each column of a row is one column, and no other, of the row that reaches the learner itself."""
    names: Any = np.array([f"x{j}" for j in range(n_columns)], object)
    for step in reach(learner).steps:
        if not hasattr(step, "get_feature_names_out") or getattr(step, "n_features_in_", len(names)) != len(names):
            return False
        known = getattr(step, "feature_names_in_", names)
        names = np.asarray(known, object)
        if not np.array_equal(step.get_feature_names_out(names), names):
            return False
    return True


def leave_out(learner: Any, x: Any, nodes: Nodes, baseline: Any = None) -> Contributions:
    """Return how much scores fall when a feature is taken away.

    A feature that is taken away becomes that of ``baseline``, one row such as the means of the training rows. Without
    one, what is stored in sparse rows is set to 0, and what is not stored is absent already. In dense rows 0 is a value
    like any other: each feature becomes a missing value where the learner takes these, and 0 where it does not; there
    a feature that is 0 adds nothing.
    """
    if sparse.issparse(x):
        row = sparse.csr_array(x).astype(np.float64)
        usual = sparse.csr_array(np.zeros((1, x.shape[1])) if baseline is None else baseline).astype(np.float64)
        columns = np.unique(np.concatenate([part.indices[part.data != 0] for part in (row, usual)]))
        stored = sparse.csr_array(_without(as_dense(row[:, columns]), as_dense(usual[:, columns])[0]))
        places = stored.data, columns[stored.indices], stored.indptr
        without: Any = sparse.csr_array(places, shape=(stored.shape[0], row.shape[1]))
    else:
        row, columns = np.asarray(x, np.float64), np.arange(x.shape[1])
        tags = tags_of(learner)
        takes_missing = tags is not None and tags.input_tags.allow_nan
        absent = np.nan if takes_missing else 0.0
        without = _without(row, absent if baseline is None else np.asarray(as_dense(baseline), np.float64).ravel())
    S = node_scores(learner, without)[:, nodes].astype(np.float64)
    values = S[-1] - S[:-1]
    return Contributions(nodes, values, S[-1] - values.sum(axis=0), "leave-one-out", columns)


def _without(row: Floats, gone: Any) -> Floats:
    """Return a row once without each value, and at last as it is."""
    n = row.shape[1]
    rows = np.repeat(row, n + 1, axis=0)
    rows[np.arange(n), np.arange(n)] = gone
    return rows


def combine_contributions(combiner: Any, parts: Sequence[ScorePart], nodes: Any) -> Contributions:
    """Return the contributions to a combiner's scores: as it passes them on, or by leaving out one score at a time."""
    nodes = np.asarray(nodes, np.int64)
    if hasattr(combiner, "contributions"):
        found: Contributions = combiner.contributions(parts, nodes)
        return found
    told = [part.everything() for part in parts]
    at = np.concatenate([part.scores for part in parts])
    base = np.concatenate([part.base for part in told])
    rows = np.vstack([_without(at[None, :], base), base])
    split = np.split(rows, len(parts), axis=1)
    S = np.asarray(as_dense(combiner.transform(split if len(parts) > 1 else split[0])), np.float64)[:, nodes]
    before, after = S[-1], S[-2]
    moved = (at - base)[:, None]
    slopes = np.divide(after - S[:-2], moved, out=np.zeros_like(S[:-2]), where=moved != 0)
    found = add_sloped(told, slopes, nodes, after)
    change = found.values.sum(axis=0)
    is_steady = np.abs(change) <= LEAST_CHANGE
    scale = np.where(is_steady, 1.0, (after - before) / np.where(is_steady, 1.0, change))
    return replace(found.scaled(scale, after), method=found.method + " + leave-one-out")


def add_sloped(told: Sequence[Contributions], slopes: Floats, nodes: Any, output: Floats) -> Contributions:
    """Return contributions to scores that rise by ``slopes``, (n_scores, n_labels), with those told, side by side."""
    n_nodes = told[0].nodes.size
    moved = [
        replace(
            part, nodes=nodes, values=part.values @ slopes[k * n_nodes : (k + 1) * n_nodes], base=np.zeros(len(nodes))
        )
        for k, part in enumerate(told)
    ]
    found = add_up(moved, np.ones((len(nodes), len(told))))
    return found.scaled(np.ones(len(nodes)), output)
