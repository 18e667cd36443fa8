r"""Blend: several learners' scores into one, by weights that are not negative.

For each group of nodes g, w_g >= 0 minimises ``sum over rows and nodes v in g of (Y - sum_j w_gj S_j)^2`` on held-out
scores: non-negative least squares on a Gram matrix as small as the number of learners.

References
----------
L. Breiman. Stacked regressions. Machine Learning 24, 1996.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from scipy.optimize import nnls
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from truepath.adapters.contributions import Contributions, ScorePart, add_up
from truepath.adapters.groups import check_groups
from truepath.combiners.base import Combiner
from truepath.combiners.projections import (
    Projection,
    check_projection,
    export_projection,
    project_part,
    project_scores,
    projection,
)
from truepath.combiners.sources import check_held_out, check_sources, float_type
from truepath.graph import Graph
from truepath.held import holds, integers, numbers
from truepath.hierarchy import Hierarchy, HierarchyDiff
from truepath.hierarchy.matrices import as_dense

if TYPE_CHECKING:
    from typing import Self  # Python 3.11


@holds(weights_=numbers("g", "s"), groups_=integers("n_nodes", least=0, below="g"), project=projection)
class Blend(Combiner):
    """Average several score matrices with non-negative weights, global or one set per group of nodes.

    Parameters
    ----------
    groups : {"global", "level", "node"} or array-like of int, shape (n_nodes,), default="global"
        Which nodes share weights: all, those of one depth, none, or those of equal number.
    hierarchy : Hierarchy, optional
    project : str, combiner or None, default="isotonic"
        The correction that makes the blend coherent (it is clipped to [0, 1], too), such as ``"max-up"``; None for no
        change. A global blend of coherent scores is coherent already.

    Attributes
    ----------
    weights_ : ndarray, shape (n_groups, n_sources)
    groups_ : ndarray of int, shape (n_nodes,)

    Notes
    -----
    ``S`` is a list of score matrices of equal shape, one per learner, in the same order in ``fit`` and ``transform``.
    The weights need not add up to one: a set of overconfident learners is shrunk. A group without positives gets
    zeros. O(n_sources^2 * n_samples * n_nodes).

    Examples
    --------
    >>> import numpy as np
    >>> from truepath import Hierarchy
    >>> from truepath.combiners import Blend
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> Y = h.encode([["a/1"], ["a/2"], ["b/1"], ["a"]])
    >>> good, noise = 0.8 * Y, np.full(Y.shape, 0.0)
    >>> Blend(hierarchy=h).fit([good, noise], Y).weights_.round(6).tolist()
    [[1.25, 0.0]]
    """

    name = "blend"
    summary = "average several learners' scores with weights that are not negative"
    learns_from = "held-out scores and labels"
    needs = ("several learners' scores",)
    accepts_many = True

    def __init__(self, groups: Any = "global", *, hierarchy: Hierarchy | None = None, project: Projection = "isotonic"):
        self.groups = groups
        self.hierarchy = hierarchy
        self.project = project

    def fit(self, S: Any, y: Any, sample_weight: Any = None) -> Blend:
        """Fit the weights.

        Parameters
        ----------
        S : list of array-like or sparse matrices, each of shape (n_samples, n_nodes)
            Scores of rows the learners did not train on.
        y : array-like or sparse matrix of 0 and 1, shape (n_samples, n_nodes)
        sample_weight : array-like, shape (n_samples,), optional
        """
        self._fit(S, y, sample_weight, None)
        return self

    def _fit(self, S: Any, y: Any, sample_weight: Any, row_groups: Any, **options: Any) -> None:
        """Fit the weights of all groups of nodes; rows may be in groups too."""
        check_projection(self.project)
        parts, Y, weight, hierarchy = check_held_out(self.hierarchy, S, y, sample_weight)
        self.groups_ = self._group(hierarchy)
        row_groups = check_groups(row_groups, Y.shape[0])
        self.weights_ = self._find_weights(parts, Y, weight, self.groups_, row_groups, **options)
        self.hierarchy_, self.n_features_in_ = hierarchy, hierarchy.n_nodes

    def _find_weights(
        self, parts: list[Any], Y: Any, weight: np.ndarray, groups: np.ndarray, row_groups: np.ndarray | None
    ) -> np.ndarray:
        """Return the weights, shape (n_groups, n_sources)."""
        return _fit_weights(parts, Y, weight, groups)

    def _group(self, hierarchy: Hierarchy) -> np.ndarray:
        """Return the number of each node's group."""
        n_nodes = hierarchy.n_nodes
        named = {"global": np.zeros(n_nodes, int), "level": hierarchy.depth - 1, "node": np.arange(n_nodes)}
        if isinstance(self.groups, str):
            if self.groups not in named:
                raise ValueError(
                    f"groups must be one of {', '.join(map(repr, named))} or an array; got {self.groups!r}."
                )
            return named[self.groups]
        groups = np.asarray(self.groups)
        if groups.shape != (n_nodes,) or groups.dtype.kind not in "iu":
            raise ValueError(
                f"groups must hold one int per node, shape ({n_nodes},); got {groups.dtype} {groups.shape}."
            )
        return np.unique(groups, return_inverse=True)[1]

    def check_loaded(self) -> None:
        """Refuse weights from a file that are those of no scores at all."""
        if not self.weights_.shape[1]:
            raise ValueError(f"a {type(self).__name__} has no weights")

    def update(self, diff: HierarchyDiff) -> Self:
        """Return the blend for a changed hierarchy: the same weights; a new label takes those of a parent.

        Parameters
        ----------
        diff : HierarchyDiff
            From the hierarchy of the blend to the new one.
        """
        check_is_fitted(self, "weights_")
        new = clone(self).set_params(hierarchy=diff.new)
        usual = int(np.bincount(self.groups_).argmax())
        new.groups_ = diff.carry_over(self.groups_, lambda above: int(above[0]) if above.size else usual)
        if not isinstance(self.groups, str):
            new.groups = new.groups_
        new.weights_, new.hierarchy_, new.n_features_in_ = self.weights_, diff.new, diff.new.n_nodes
        return new

    def transform(self, S: Any) -> np.ndarray:
        """Return the blend, dense, in the float type of the scores.

        Parameters
        ----------
        S : list of array-like or sparse matrices, as many as in ``fit``
        """
        check_is_fitted(self, "weights_")
        parts = check_sources(S, self.hierarchy_, self.weights_.shape[1])
        blended = weighted_sum(parts, self.weights_[self.groups_], np.float64)
        return project_scores(blended, self.hierarchy_, self.project).astype(float_type(parts), copy=False)

    def export_scores(self, graph: Graph, parts: list[str]) -> str:
        """Add the weighted sum of several scores to an ONNX graph."""
        total = None
        for part, weight in zip(parts, self.weights_[self.groups_].T):
            if weight.any():
                own = graph.add("Mul", graph.double(part), graph.constant(weight[None, :], float))
                total = own if total is None else graph.add("Add", total, own)
        if total is None:
            total = graph.add("Mul", graph.double(parts[0]), graph.constant(0.0))
        return graph.like(export_projection(graph, total, self.hierarchy_, self.project), *parts)

    def take_sources(self, places: Any) -> Self:
        """Return the blend of some of its sources, in this order; those left out should be ones that count nothing.

        Parameters
        ----------
        places : sequence of int
        """
        check_is_fitted(self, "weights_")
        new = copy(self)
        new.weights_ = self.weights_[:, places]
        return new

    def source_weights(self) -> np.ndarray:
        """Return what each score matrix counts in the score of each label, shape (n_nodes, n_sources)."""
        check_is_fitted(self, "weights_")
        return self.weights_[self.groups_]

    def contributions(self, parts: Sequence[ScorePart], nodes: Any) -> Contributions:
        """Return the weighted sums of the parts' contributions, projected.

        Parameters
        ----------
        parts : sequence of ScorePart, as many as score matrices in ``fit``
        nodes : sequence of int

        Returns
        -------
        found : Contributions
            See :mod:`truepath.adapters.contributions`.
        """
        weights = self.source_weights()

        def add(wanted: Any) -> Contributions:
            used = [k for k in range(len(parts)) if weights[wanted, k].any()] or [0]
            return add_up([parts[k].contributions(wanted) for k in used], weights[wanted][:, used])

        total = np.einsum("kv,vk->v", [part.scores for part in parts], weights)
        projected = project_part(ScorePart(total, add), self.hierarchy_, self.project)
        return projected.contributions(np.asarray(nodes, np.int64))


def weighted_sum(parts: list[Any], weights: np.ndarray, dtype: Any) -> np.ndarray:
    """Return the sum of score matrices, each column times its weight; ``weights`` has shape (n_nodes, n_sources)."""
    total = np.zeros(parts[0].shape, dtype)
    for part, weight in zip(parts, weights.T):
        if weight.any():
            total += as_dense(part) * weight.astype(dtype)
    return total


def _fit_weights(parts: list[Any], Y: Any, weight: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Solve one small non-negative least-squares problem per group, from the sums of products of each column."""
    dense = [as_dense(part).astype(np.float64, copy=False) for part in parts]
    n_groups, n_sources = int(groups.max()) + 1, len(parts)
    gram, target = np.empty((n_groups, n_sources, n_sources)), np.empty((n_groups, n_sources))
    for j, first in enumerate(dense):
        weighted = weight[:, None] * first
        hits = (
            np.asarray(Y.multiply(weighted).sum(axis=0)).ravel() if sparse.issparse(Y) else (Y * weighted).sum(axis=0)
        )
        target[:, j] = np.bincount(groups, weights=hits, minlength=n_groups)
        for k in range(j + 1):
            products = np.einsum("iv,iv->v", weighted, dense[k])
            gram[:, j, k] = gram[:, k, j] = np.bincount(groups, weights=products, minlength=n_groups)
    return np.array([nnls_from_gram(G, b) for G, b in zip(gram, target)])


def nnls_from_gram(G: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Minimise w'Gw - 2 b'w over w >= 0: least squares with a root of G, G = F'F and F'd = b."""
    values, vectors = np.linalg.eigh(G)
    kept = values > values[-1] * np.finfo(float).eps * G.shape[0]
    if not kept.any():
        return np.zeros(b.size)
    F = np.sqrt(values[kept])[:, None] * vectors[:, kept].T
    d = vectors[:, kept].T @ b / np.sqrt(values[kept])
    rows = np.pad(F, ((0, 1), (0, 0)))  # SciPy 1.15 ends early where there are no more rows than columns
    return nnls(rows, np.append(d, 0.0))[0]
