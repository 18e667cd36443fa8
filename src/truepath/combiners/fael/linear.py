r"""FAEL: every node's global score is a weighted sum of the local scores of *all* nodes.

Zhang, Shah & Kakadiaris' fully associative ensemble learning. With the local scores X (our ``S``), labels Y and
weights W, ``W[p, k]`` being the weight of node p's local score in node k's global score::

    min_W ||Y - X W||_F^2 + lambda_1 ||W||_F^2        eq. (1)
    W = (X'X + lambda_1 I)^-1 X'Y                      eq. (2)

lambda_1 is ``alpha`` here. The raw scores X W are neither coherent nor within [0, 1], so a projection follows.

References
----------
L. Zhang, S. K. Shah, I. A. Kakadiaris. Fully associative ensemble learning for hierarchical multi-label
classification. BMVC 2014.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from truepath.adapters.contributions import Contributions, ScorePart, add_sloped
from truepath.adapters.groups import check_groups
from truepath.combiners.base import Combiner
from truepath.combiners.fael.weights import Weights, solve_dual, solve_primal
from truepath.combiners.projections import (
    Projection,
    check_projection,
    export_projection,
    project_part,
    project_scores,
    projection,
)
from truepath.combiners.sources import (
    Rows,
    System,
    check_held_out,
    check_sources,
    float_type,
    make_system,
    stack_sources,
)
from truepath.graph import Graph
from truepath.held import an_object, holds, integer, numbers
from truepath.hierarchy import Hierarchy
from truepath.ridge import spectrum as ridge


@holds(intercept_=numbers("n_nodes"), n_sources_=integer(1), project=projection)
class FAEL(Combiner):
    """Combine local scores by ridge regression on the labels of all nodes (B-FAEL without constraints).

    Parameters
    ----------
    alpha : float or {"loo", "gcv"}, default=1.0
        The ridge penalty lambda_1; or how to choose it from ``alphas``: by leave-one-out squared error or by
        generalised cross-validation, both in closed form from one eigendecomposition.
    hierarchy : Hierarchy, optional
    alphas : sequence of float, optional
        The candidates, 1e-3 to 1e5 by powers of ten unless given.
    fit_intercept : bool, default=False
        Whether to centre scores and labels (by their weighted means), which adds one constant per node that is not
        penalised. The paper does not.
    project : str, combiner or None, default="isotonic"
        The correction that makes the raw scores coherent (they are clipped to [0, 1], too), such as ``"max-up"`` or
        ``"min-down"``; None returns X W itself.

    Attributes
    ----------
    weights_ : Weights, shape (n_sources * n_nodes, n_nodes)
        W as a ``scipy.sparse.linalg.LinearOperator``; ``weights_.block(rows, columns)`` looks into it,
        ``weights_.toarray()`` writes it out.
    intercept_ : ndarray, shape (n_nodes,)
    alpha_ : float
    errors_ : ndarray
        The criterion for each of ``alphas``, when ``alpha`` is chosen.

    See Also
    --------
    HierarchicalFAEL : ties the weights of parents and children.
    KernelFAEL : other kernels than the linear one.

    Notes
    -----
    ``S`` may be a list of score matrices (several learners); W then stacks the rows of each. Fit on
    scores of rows that the learners did not train on.

    With n rows and p columns the fit forms and factors one matrix of size min(n, p): O(n p min(n, p)); labels stay
    sparse throughout. When n < p nothing of the size (n_nodes, n_nodes) is made; sparse scores stay sparse unless an
    intercept is fitted. A class without positives scores 0 everywhere (before the projection).

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.combiners import FAEL
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> Y = h.encode([["a/1"], ["a/2"], ["b/1"], ["a"]])
    >>> S = [[0.8, 0.3, 0.2, 0.1, 0.1], [0.7, 0.1, 0.6, 0.3, 0.1], [0.1, 0.0, 0.1, 0.9, 0.6], [0.6, 0.2, 0.2, 0.2, 0.0]]
    >>> FAEL(alpha=0.1, hierarchy=h).fit(S, Y).transform(S).round(2)[0].tolist()
    [1.0, 0.57, 0.13, 0.0, 0.0]
    """

    name = "fael"
    summary = "ridge regression of all labels on the scores of all nodes"
    learns_from = "held-out scores and labels"
    accepts_many = True

    weights_: Weights
    alpha_: float

    def __init__(
        self,
        alpha: float | str = 1.0,
        *,
        hierarchy: Hierarchy | None = None,
        alphas: Any = None,
        fit_intercept: bool = False,
        project: Projection = "isotonic",
    ):
        self.alpha = alpha
        self.hierarchy = hierarchy
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.project = project

    def fit(self, S: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> FAEL:
        """Solve for the weights.

        Parameters
        ----------
        S : array-like or sparse matrix, shape (n_samples, n_nodes), or a list of them
            Local scores of rows the learners did not train on.
        y : array-like or sparse matrix of 0 and 1, shape (n_samples, n_nodes)
        sample_weight : array-like, shape (n_samples,), optional
        groups : array-like, shape (n_samples,), optional
            What each row belongs to. Whole groups are left out to choose alpha, by either criterion: one by one up to
            10 of them, beyond in 10 parts.
        """
        check_projection(self.project)
        parts, Y, weight, hierarchy = check_held_out(self.hierarchy, S, y, sample_weight)
        labels = sparse.csr_array(Y, dtype=np.float64)  # few cells are set, whatever form they came in
        groups = check_groups(groups, Y.shape[0])
        self._solve(Rows(stack_sources(parts), labels, weight, hierarchy, len(parts), groups))
        self.hierarchy_, self.n_features_in_, self.n_sources_ = hierarchy, hierarchy.n_nodes, len(parts)
        return self

    def _solve(self, rows: Rows) -> None:
        """Choose alpha if asked, then eq. (2)."""
        system = make_system(rows, self.fit_intercept)
        self.alpha_ = self._find_alpha(lambda: _spectrum(system), system.Yw, system.root, rows.groups)
        if system.is_wide:
            self.weights_ = solve_dual(system.Z, None, system.Yw, self.alpha_)
        else:
            self.weights_ = solve_primal(system.Z, system.Yw, self.alpha_)
        self._set_intercept(rows)

    def _find_alpha(
        self, spectrum: Callable[[], ridge.Spectrum], Yw: Any, root: np.ndarray | None, groups: np.ndarray | None
    ) -> float:
        """Return alpha as given, or the best of the candidates by the criterion it names."""
        if not isinstance(self.alpha, str):
            return ridge.check_penalty(self.alpha, "alpha")
        alphas = ridge.check_candidates(self.alpha, self.alphas)
        best, self.errors_ = ridge.choose_alpha(spectrum(), Yw, alphas, self.alpha, root, groups)
        return float(alphas[best])

    def _set_intercept(self, rows: Rows) -> None:
        if self.fit_intercept:
            self.intercept_ = rows.y_mean - self.weights_.rmatvec(rows.x_mean)
        else:
            self.intercept_ = np.zeros(rows.hierarchy.n_nodes)

    def transform(self, S: Any) -> np.ndarray:
        """Return the global scores, dense, in the float type of ``S``.

        Parameters
        ----------
        S : array-like or sparse matrix, shape (n_samples, n_nodes), or a list of as many as in ``fit``
        """
        check_is_fitted(self, "hierarchy_")
        parts = check_sources(S, self.hierarchy_, self.n_sources_)
        found = project_scores(self._predict(stack_sources(parts)), self.hierarchy_, self.project)
        return found.astype(float_type(parts), copy=False)

    def check_loaded(self) -> None:
        """Refuse weights from a file that are not those of the nodes."""
        if self._maps_nodes():
            an_object("apply", of=("Weights",))(vars(self).get("weights_"), {})
            if self.weights_.shape != (self.n_sources_ * self.hierarchy_.n_nodes, self.hierarchy_.n_nodes):
                raise ValueError("the weights of a FAEL are not those of its nodes")

    def _predict(self, X: Any) -> np.ndarray:
        """Return the raw global scores."""
        return self.weights_.apply(X) + self.intercept_

    def export_scores(self, graph: Graph, parts: list[str]) -> str:
        """Add the global scores to an ONNX graph."""
        rows = [graph.double(part) for part in parts]
        made = self._export_values(graph, rows[0] if len(rows) == 1 else graph.add("Concat", *rows, axis=1))
        made = graph.add("Add", made, graph.constant(self.intercept_[None, :], float))
        return graph.like(export_projection(graph, made, self.hierarchy_, self.project), *parts)

    def export_needs(self) -> list[Any]:
        """Return the members that an export relies on: the correction that makes the scores coherent."""
        correction = check_projection(self.project)
        return [] if correction is None else [correction]

    def _export_values(self, graph: Graph, rows: str) -> str:
        """Add the raw global scores, without the intercept."""
        return graph.add("MatMul", rows, graph.constant(self.weights_.toarray(), float))

    def _maps_nodes(self) -> bool:
        """Say whether the weights are those of local scores, not of features of a kernel."""
        return True

    @available_if(lambda self: self._maps_nodes())
    def contributions(self, parts: Sequence[ScorePart], nodes: Any) -> Contributions:
        """Return the sums over all nodes of the local scores' contributions times their weights, projected.

        Parameters
        ----------
        parts : sequence of ScorePart, as many as score matrices in ``fit``
        nodes : sequence of int

        Returns
        -------
        found : Contributions
            See :mod:`truepath.adapters.contributions`.
        """
        check_is_fitted(self, "hierarchy_")
        scores = self._predict(np.concatenate([part.scores for part in parts])[None, :])[0]
        told = cache(lambda: [part.everything() for part in parts])

        def weigh(wanted: Any) -> Contributions:
            W = self.weights_.block(np.arange(self.weights_.shape[0]), wanted)
            return add_sloped(told(), W, wanted, scores[wanted])

        projected = project_part(ScorePart(scores, weigh), self.hierarchy_, self.project)
        return projected.contributions(np.asarray(nodes, np.int64))

    @available_if(lambda self: self._maps_nodes())
    def source_weights(self) -> np.ndarray:
        """Return the sum of the absolute weights that each learner's scores have for each node's global score."""
        check_is_fitted(self, "hierarchy_")
        n_nodes = self.hierarchy_.n_nodes
        W = np.abs(self.weights_.toarray()).reshape(self.n_sources_, n_nodes, n_nodes)
        return np.ascontiguousarray(W.sum(axis=1).T)

    @available_if(lambda self: self._maps_nodes())
    def votes(self, S: Any, nodes: Any) -> np.ndarray:
        """Return what the local score of every node adds to the global scores of some nodes, in one row.

        Parameters
        ----------
        S : array-like, shape (n_nodes,)
            Local scores of one row.
        nodes : sequence of int

        Returns
        -------
        votes : ndarray, shape (n_nodes, n_chosen)
            Each column, and the intercept, sum to the global score before it is made coherent.
        """
        check_is_fitted(self, "hierarchy_")
        n_nodes = self.hierarchy_.n_nodes
        if self.weights_.shape[0] != n_nodes:
            raise ValueError("these weights belong to kernel features or to several learners; nodes have no votes.")
        W = self.weights_.block(np.arange(n_nodes), np.asarray(nodes, np.int64))
        votes: np.ndarray = np.asarray(S, np.float64).reshape(n_nodes, 1) * W
        return votes

    def plot_weights(self, nodes: Any = None, *, source: int = 0, ax: Any = None, annotate: bool | None = None) -> Any:
        """Draw the weights among some nodes as a heat map, as in the paper's Figure 1 (needs matplotlib).

        Parameters
        ----------
        nodes : str, or sequence of names or numbers, optional
            One name means that node and all its descendants; by default all nodes.
        source : int, default=0
            Whose scores, when several learners were combined.
        ax : matplotlib Axes, optional
        annotate : bool, optional
            Whether to write the numbers in; by default up to 12 nodes.

        Returns
        -------
        ax : matplotlib Axes
        """
        from truepath.combiners.fael.weight_map import draw_weights

        check_is_fitted(self, "hierarchy_")
        if self.weights_.shape[0] != self.n_sources_ * self.hierarchy_.n_nodes:
            raise ValueError("these weights belong to kernel features, not to nodes; only nodes can be drawn.")
        return draw_weights(self.weights_, self.hierarchy_, nodes, source, ax, annotate)


def _spectrum(system: System) -> ridge.Spectrum:
    """Decompose Z Z' on its smaller side."""
    return ridge.kernel_spectrum(ridge.gram(system.Z.T)) if system.is_wide else ridge.gram_spectrum(system.Z)
