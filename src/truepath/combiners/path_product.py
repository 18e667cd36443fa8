"""PathProduct: local scores as conditional probabilities, multiplied along the path from the top.

If S[v] estimates p(y_v = 1 | parents of v are 1, x), as classifiers trained on the parents' examples do, the chain
rule makes marginals of them. On a tree there is one path. On a DAG two readings exist, see ``dag``.

References
----------
C. Vens, J. Struyf, L. Schietgat, S. Džeroski, H. Blockeel. Decision trees for hierarchical multi-label
classification. Machine Learning 73, 2008 (the ``"min"`` rule, for CLUS-HSC).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np
from sklearn.utils.metaestimators import available_if

from truepath.adapters.contributions import Contributions, ScorePart, hand_down, side_by_side
from truepath.combiners.base import Correction, check_non_negative
from truepath.graph import Graph, multiply_columns
from truepath.held import holds, one_of
from truepath.hierarchy import Hierarchy, cap_down, check_scores
from truepath.hierarchy.checks import hierarchy_for
from truepath.hierarchy.propagation import multiply_down
from truepath.parameters import check_choice

NEEDS_PROBABILITIES = "a product of probabilities needs values in [0, 1]"


@holds(dag=one_of("min", "all"))
class PathProduct(Correction):
    """Multiply every score by those above it.

    Parameters
    ----------
    hierarchy : Hierarchy, optional
    dag : {"min", "all"}, default="min"
        What a node with several parents takes: ``"min"``, its score times the least product of a parent (Vens et
        al.); ``"all"``, the product over the whole set of ancestors, each once, which is the chain rule when the
        score is conditioned on *all* parents. On a tree they agree.

    Notes
    -----
    Scores must lie in [0, 1] to be probabilities; negative ones are refused, and scores above 1 give incoherent
    products. ``"min"`` takes O(n_samples * n_edges) time, ``"all"`` O(n_samples * number of ancestor pairs), through
    logarithms.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.combiners import PathProduct
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> PathProduct(hierarchy=h).transform([[0.5, 0.5, 1.0, 0.25, 0.5]]).tolist()
    [[0.5, 0.25, 0.5, 0.25, 0.125]]
    """

    name = "path-product"
    summary = "multiply every score by those above it"
    needs = ("conditional scores in [0, 1]",)

    def __init__(self, *, hierarchy: Hierarchy | None = None, dag: str = "min"):
        self.hierarchy = hierarchy
        self.dag = dag

    def fit(self, S: Any, y: Any = None, sample_weight: Any = None) -> PathProduct:
        """Check the shapes and that no score is negative; nothing is learned.

        Parameters
        ----------
        S : array-like or sparse matrix, shape (n_samples, n_nodes)
        y, sample_weight : ignored
        """
        super().fit(S)
        check_non_negative(check_scores(S, self.hierarchy_), NEEDS_PROBABILITIES)
        return self

    def contributions(self, parts: Sequence[ScorePart], nodes: Any) -> Contributions:
        """Return those of the products, factor by factor; see :mod:`truepath.adapters.contributions`."""
        hierarchy = hierarchy_for(self.hierarchy, parts[0].scores[None, :])
        nodes = np.asarray(nodes, np.int64)
        closed = np.unique(np.concatenate([nodes, *(hierarchy.ancestors(v) for v in nodes)]))
        own = parts[0].contributions(closed)
        if self.dag == "min" or hierarchy.is_tree:
            parents = [np.searchsorted(closed, hierarchy.parents(v)).tolist() for v in closed]
            return hand_down(own, parents, multiplies=True).take(nodes)
        return side_by_side(
            [reduce(Contributions.times, [own.take([u], [v]) for u in _chain(hierarchy, v)]) for v in nodes]
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags

    def correct(self, S: np.ndarray, hierarchy: Hierarchy) -> np.ndarray:
        check_choice(self, "dag", ("min", "all"))
        check_non_negative(S, NEEDS_PROBABILITIES)
        if self.dag == "all" and not hierarchy.is_tree:
            return _multiply_ancestors(S, hierarchy)
        return multiply_down(S, hierarchy, out=S)

    @available_if(lambda self: self.dag == "min" or self._fixed_hierarchy().is_tree)
    def export_scores(self, graph: Graph, parts: list[str]) -> str:
        """Add the products to an ONNX graph; on a DAG those of ``dag="min"``."""
        return graph.like(multiply_columns(graph, graph.double(parts[0]), self._fixed_hierarchy()), parts[0])


def _chain(hierarchy: Hierarchy, v: int) -> list[int]:
    """Return a label and its ancestors."""
    return [int(v), *hierarchy.ancestors(v).tolist()]


def _multiply_ancestors(S: np.ndarray, hierarchy: Hierarchy) -> np.ndarray:
    """Return the product over each node's ancestors and itself; log 0 = -inf stands for a zero factor."""
    with np.errstate(divide="ignore"):
        logs = np.log(S)
    products = np.exp((hierarchy.ancestor_matrix().astype(np.float64) @ logs.T).T)
    # Sums of different orders round differently: a child could pass its parent by one unit in the last place
    return cap_down(products, hierarchy)
