r"""TruePathRule (TPR): positive children speak for their parent, then a refused parent silences its children.

Valentini's two-way walk. Bottom-up, a node's score is averaged with the new scores of its positive children phi_v::

    TPR      ybar_v = (yhat_v + sum_{c in phi_v} ybar_c) / (1 + |phi_v|)
    TPR-w    ybar_v = w yhat_v + (1 - w) mean_{c in phi_v} ybar_c          (yhat_v if phi_v is empty)

where phi_v holds the children with ybar_c above a threshold, or, threshold-free, above yhat_v. DESCENS takes positive
*descendants* in their place. Top-down, no score may exceed a parent's (the least one's, on a DAG).

References
----------
G. Valentini. True path rule hierarchical ensembles for genome-wide gene function prediction. IEEE/ACM TCBB 8(3), 2011.

M. Notaro, M. Schubach, P. N. Robinson, G. Valentini. Prediction of Human Phenotype Ontology terms by means of
hierarchical ensemble methods. BMC Bioinformatics 18, 2017 (TPR-DAG, threshold-free, DESCENS).
"""

from __future__ import annotations

from numbers import Real

import numpy as np

from truepath import _kernels
from truepath.combiners.base import Correction
from truepath.combiners.projections import Projection, project_scores, projection
from truepath.held import a_number, either, flag, holds, maybe, one_of
from truepath.hierarchy import Hierarchy


@holds(threshold=either(one_of("free"), a_number()), weight=maybe(a_number(0, 1)), descendants=flag, project=projection)
class TruePathRule(Correction):
    """Average with the positive children bottom-up, then cap by the parents top-down.

    Parameters
    ----------
    threshold : float or "free", default=0.5
        A child is positive when its new score is above it; ``"free"``, when it is above the node's own score
        (then the first pass only raises).
    hierarchy : Hierarchy, optional
    weight : float or None, default=None
        None averages the node with each positive child alike (TPR). A number in [0, 1] is the share of the node's own
        score (TPR-w).
    descendants : bool, default=False
        Whether all positive descendants are averaged, not only children (DESCENS).
    project : str or combiner, default="min-down"
        The correction of the second pass: the published top-down cap, or ``"isotonic"``, the nearest coherent scores
        (known as ISO-TPR).

    Notes
    -----
    O(n_samples * n_edges) time; with ``descendants``, O(n_samples * number of ancestor pairs). On a DAG a child with
    several parents speaks for each of them. DESCENS averages the descendants' new scores, not their raw ones.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.combiners import TruePathRule
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> S = [[0.25, 0.75, 0.0, 0.75, 0.25]]
    >>> TruePathRule(hierarchy=h).transform(S).tolist()
    [[0.5, 0.5, 0.0, 0.75, 0.25]]
    >>> TruePathRule(weight=0.25, hierarchy=h).transform(S).tolist()
    [[0.625, 0.625, 0.0, 0.75, 0.25]]
    """

    name = "true-path-rule"
    summary = "average with the positive children, then cap by the parents (TPR)"

    def __init__(
        self,
        threshold: float | str = 0.5,
        *,
        hierarchy: Hierarchy | None = None,
        weight: float | None = None,
        descendants: bool = False,
        project: Projection = "min-down",
    ):
        self.threshold = threshold
        self.hierarchy = hierarchy
        self.weight = weight
        self.descendants = descendants
        self.project = project

    def correct(self, S: np.ndarray, hierarchy: Hierarchy) -> np.ndarray:
        self._check()
        below = _descendants(hierarchy) if self.descendants else (hierarchy.child_ptr, hierarchy.child_idx)
        is_free = self.threshold == "free"
        options = () if is_free else (float(self.threshold),)
        kernels = _kernels.hierarchy.propagate
        if self.weight is None:
            (kernels.average_greater if is_free else kernels.average_positive)(S, *below, *options)
        else:
            (kernels.weigh_greater if is_free else kernels.weigh_positive)(S, *below, *options, float(self.weight))
        return project_scores(S, hierarchy, self.project, clip=False)

    def _check(self) -> None:
        """Refuse options that have no meaning."""
        if self.threshold != "free" and not isinstance(self.threshold, Real):
            raise ValueError(f"threshold must be a number or 'free'; got {self.threshold!r}.")
        if self.weight is not None and not 0 <= self.weight <= 1:
            raise ValueError(f"weight must lie in [0, 1], or be None for TPR; got {self.weight!r}.")
        if self.project is None:
            raise ValueError("project must be 'min-down', 'max-up' or 'isotonic'; the rule has a second pass.")


def _descendants(hierarchy: Hierarchy) -> tuple[np.ndarray, np.ndarray]:
    """Return index arrays of all descendants, shaped like those of the children."""
    below = hierarchy.ancestor_matrix().T.tocsr()
    below.setdiag(False)
    below.eliminate_zeros()
    below.sort_indices()
    return below.indptr.astype(np.int32), below.indices.astype(np.int32)
