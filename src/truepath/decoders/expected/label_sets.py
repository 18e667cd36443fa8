r"""Which label sets a row may have, and how likely: what expected measures of a set are taken over.

The scores of a row are marginals. Two models make a distribution over closed label sets of them:

*Many paths*: a label is true with the probability s_v / s_u given that its parent u is, and children of one parent are
independent then (on a DAG, u is the least likely parent). *One path*: a row is one label with its ancestors, and the
score of a label is what ends at it and below it.

Either is then weighted by a function of the number of labels, :math:`P(Y \mid x) \propto P_0(Y \mid x) \, w(|Y|)`:
where held-out rows have two or three labels, sets of five are not likely, whatever the marginals say.

A measure that depends on the predicted set, on what it shares with the true set and on the number of true labels alone
needs :math:`P(y_v = 1, |Y| = s \mid x)` for each label, and no more. As polynomials in z, the generating functions
:math:`E[z^{|Y|}; y_v = 1]` are products along the tree; the kernels hold their values at T points on the unit circle,
and sums over s become sums over the points (discrete Fourier transform). T is chosen for each row, so that more than T
- 1 labels have a probability of at most ``TAIL``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath import _kernels
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.matrices import dense_blocks
from truepath.hierarchy.propagation import drop_ancestors

Floats = NDArray[np.float64]
#: What a true label adds to a predicted set of k labels, of a row with s true ones
Gains = Callable[[Any, Any], Any]

#: Labels scored less are left out: the expected F of a set changes by no more than the sum of their scores
LEAST = 1e-5
#: The probability of more labels than are counted
TAIL = 1e-5
#: Numbers of points, of which each row takes the least that is enough, or the last
LENGTHS = np.array([16, 32, 48, 64, 96, 128, 192, 256, 384, 512])
#: Bases of the bounds on how many labels a row may have
BASES = np.array([1.1, 1.5, 2.0, 4.0, 16.0])
#: Sets of up to this many times the number of points are tried
SET_SIZES = 4
#: Numbers of labels are weighted as if this many rows more followed the model
USUAL_ROWS = 5.0
#: How often the weights are fitted again, given what they make of the rows
N_ROUNDS = 3


class LabelSets(NamedTuple):
    """A distribution over the label sets of a row, given its scores.

    Attributes
    ----------
    hierarchy : Hierarchy
    many : bool
        Whether rows may have several paths.
    may_end : ndarray of bool, shape (n_nodes,)
        For one path: the labels that can be the most specific one.
    weight : ndarray of float
        By the number of labels, how much more likely sets of this size are than the model says; the last one counts
        for all larger sets.
    """

    hierarchy: Hierarchy
    many: bool
    may_end: NDArray[np.bool_]
    weight: Floats

    @classmethod
    def plain(cls, hierarchy: Hierarchy, many: bool) -> LabelSets:
        """Return the model as it is, sets weighted alike and no label barred from being the last."""
        return cls(hierarchy, many, np.ones(hierarchy.n_nodes, bool), np.ones(1))

    def learn_weight(self, S: Any, n_labels: NDArray[np.int64], row_weight: Floats) -> LabelSets:
        """Return the model with weights such that sizes are as frequent among these rows as they really are.

        n_labels are the numbers of labels of the rows. Iterative proportional fitting.
        """
        spread = self._spread_sizes(S, int(n_labels.max(initial=0)))
        total = row_weight.sum()
        real = np.bincount(n_labels, row_weight, spread.shape[1])[: spread.shape[1]]
        weight = np.ones(spread.shape[1])
        for _ in range(N_ROUNDS):
            modelled = spread * weight
            share = modelled.sum(axis=1)
            held = share > 0
            modelled = (row_weight[held] / share[held]) @ modelled[held]
            usual = USUAL_ROWS / max(total, 1.0) * modelled
            known = modelled > TAIL * max(total, 1.0)
            weight[known] *= (real[known] + usual[known]) / (modelled[known] + usual[known])
        last = int(n_labels.max(initial=0)) + 2
        rare = USUAL_ROWS / max(total + USUAL_ROWS, 1.0)
        return self._replace(weight=np.append(np.maximum(weight[:last], rare**N_ROUNDS), rare))

    def best_sets(self, S: Any, gains: Gains, *, capped: bool = True, single_path: bool = False) -> Iterator[Any]:
        """Yield rows, their best closed sets, the expected measure of these, and a bound on that of all sets.

        gains(k, s) is what a true label adds to a predicted set of k labels, of a row with s true ones; it falls
        with k. Without `capped` the sets need not be closed: the bound is then one on closed sets. `single_path` looks
        among single labels with their ancestors alone.
        """
        tables: dict[int, Any] = {}
        given = *self._graph(), self.may_end, self.many, LEAST
        for rows, (scores,) in dense_blocks(S):
            scores = np.ascontiguousarray(scores, np.float64)
            length = self._lengths(scores)
            Y, value, limit = np.zeros(scores.shape, bool), np.zeros(len(scores)), np.zeros(len(scores))
            for n_points in np.unique(length).tolist():
                tables[n_points] = tables.get(n_points) or self._tables(n_points, gains)
                chosen = np.flatnonzero(length == n_points)
                found = np.zeros((chosen.size, scores.shape[1]), bool), value[chosen], limit[chosen]
                _kernels.expected.sets.best_sets(scores[chosen], *given, *tables[n_points], capped, single_path, *found)
                Y[chosen], value[chosen], limit[chosen] = found
            yield rows, Y, value, limit

    def _graph(self) -> tuple[NDArray[Any], ...]:
        """Return the parents of each label, and its path: its ancestors and itself."""
        paths = self.hierarchy.ancestor_matrix()
        return self.hierarchy.parent_ptr, self.hierarchy.parent_idx, paths.indptr, paths.indices

    def _lengths(self, S: Floats) -> NDArray[np.int64]:
        """Return the number of points that each row takes: at least one more than the labels it may have."""
        parent_ptr, parent_idx, path_ptr, _ = self._graph()
        needed = np.full(len(S), int(np.diff(path_ptr).max(initial=0)) + 1)
        if self.many:
            _kernels.expected.sizes.find_lengths(S, parent_ptr, parent_idx, LEAST, BASES, np.log(TAIL), needed)
        return _round_up(needed)

    def _tables(self, n_points: int, gains: Gains) -> tuple[Floats, ...]:
        """Return the circle, and by the size of a set what the values at the points add up to; see the kernel."""
        s = np.arange(n_points)
        weight = self.weight[np.minimum(s, self.weight.size - 1)]
        k = np.arange(1, min(self.hierarchy.n_nodes, SET_SIZES * n_points) + 1)
        worth = np.vstack([weight, weight * gains(k[:, None], np.maximum(s, 1)[None])])
        most = worth[:, 1:].max(axis=1, initial=0.0)
        return *_circle(n_points), _sum_at_points(worth), _sum_at_points(worth * s), most

    def _spread_sizes(self, S: Any, largest: int) -> Floats:
        """Return how likely each number of labels is in each row, by the model alone; at least up to the largest."""
        blocks = [np.ascontiguousarray(scores, np.float64) for _, (scores,) in dense_blocks(S)]
        needed = [int(self._lengths(scores).max(initial=0)) for scores in blocks]
        n_points = int(_round_up(np.array([max([largest + 1, *needed])]))[0])
        given = *self._graph(), self.may_end, self.many, LEAST, *_circle(n_points)
        held = [np.empty((len(scores), 2, n_points // 2)) for scores in blocks]
        for scores, out in zip(blocks, held):
            _kernels.expected.sizes.spread_sizes(scores, *given, out)
        at_points = np.concatenate(held).reshape(S.shape[0], n_points)
        share: Floats = at_points @ _sum_at_points(np.eye(n_points)).reshape(n_points, n_points).T
        return np.maximum(share, 0.0)


def _round_up(needed: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers of points that are taken."""
    found: NDArray[np.int64] = LENGTHS[np.minimum(np.searchsorted(LENGTHS, needed), LENGTHS.size - 1)]
    return found


def _circle(n_points: int) -> tuple[Floats, Floats]:
    """Return cosines and sines of half steps round the circle; the points are at the odd ones."""
    angle = np.pi * np.arange(2 * n_points) / n_points
    return np.cos(angle), np.sin(angle)


def _sum_at_points(worth: Floats) -> Floats:
    """Return what weights of a generating function's values at the points make sums over sizes of its coefficients.

    ``worth[k, s]`` is the weight of the coefficient of z^s in sum k. The weights of the real parts come first, then
    those of the imaginary parts: (n_sums, 2, n_points / 2).
    """
    n_points = worth.shape[1]
    turned = worth * np.exp(-1j * np.pi / n_points * np.arange(n_points))
    found = np.fft.fft(turned, axis=1)[:, : n_points // 2] * (2 / n_points)  # points come in conjugate pairs
    return np.stack([found.real, -found.imag], axis=1)


def count_true(Y: Any) -> NDArray[np.int64]:
    """Return the number of labels of each row."""
    return np.asarray(Y.sum(axis=1), np.int64).ravel()


def find_ends(Y: Any, hierarchy: Hierarchy) -> NDArray[np.bool_]:
    """Return which labels are the most specific of any row; leaves may always be."""
    specific = drop_ancestors(sparse.csr_array(Y, dtype=bool), hierarchy)
    may_end = hierarchy.is_leaf.copy()
    may_end[specific.indices] = True
    return may_end
