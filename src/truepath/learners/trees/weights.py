"""Class weights of predictive clustering trees: a class deep in the hierarchy counts less than one near its top.

On a tree w_v = w0 ** depth(v). In a DAG a node has several depths, and the weight follows its parents' instead
(Vens et al., 2008, section 4.2): w_v = w0 * f(w_u over the parents u), with f the average by default.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from truepath.hierarchy import Hierarchy

__all__ = ["WEIGHTINGS", "class_weights"]

#: How the weights of several parents become one
WEIGHTINGS: dict[str, Callable[..., Any]] = {"avg_parent": np.mean, "sum_parent": np.sum, "min": np.min, "max": np.max}


def class_weights(hierarchy: Hierarchy, w0: float = 0.75, weighting: str = "avg_parent") -> np.ndarray:
    """Return the weight of each class in the variance of a node.

    Parameters
    ----------
    hierarchy : Hierarchy
    w0 : float, default=0.75
        The factor from level to level, above 0.
    weighting : {"avg_parent", "sum_parent", "min", "max", "uniform"}, default="avg_parent"
        How the weights of several parents are combined; "uniform" gives every class the weight 1.

    Returns
    -------
    ndarray of float64, shape (n_nodes,)

    References
    ----------
    Vens, C., Struyf, J., Schietgat, L., Dzeroski, S. & Blockeel, H. (2008). Decision trees for hierarchical
    multi-label classification. Machine Learning 73, 185-214.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> h = Hierarchy.from_edges([(None, "a"), (None, "b"), ("a", "c"), ("b", "c"), ("c", "d"), ("a", "d")])
    >>> class_weights(h, 0.5)
    array([0.5  , 0.5  , 0.25 , 0.1875])
    >>> class_weights(h, 0.5, "min")
    array([0.5  , 0.5  , 0.25 , 0.125])
    """
    if not (np.isfinite(w0) and w0 > 0):
        raise ValueError(f"w0 must be a number above 0; got {w0!r}. The published setting is 0.75.")
    if weighting == "uniform":
        return np.ones(hierarchy.n_nodes)
    if weighting not in WEIGHTINGS:
        known = ", ".join(map(repr, [*WEIGHTINGS, "uniform"]))
        raise ValueError(f"weighting must be one of {known}; got {weighting!r}.")
    combine = WEIGHTINGS[weighting]
    weight = np.empty(hierarchy.n_nodes)
    for v in range(hierarchy.n_nodes):  # parents come before children
        above = hierarchy.parents(v)
        weight[v] = w0 * (combine(weight[above]) if above.size else 1.0)
    return weight
