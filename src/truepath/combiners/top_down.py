"""TopDown (HTD): walk from the top, let no score exceed its parents', and stop below a refused node.

Valentini's hierarchical top-down ensembles: a node counts only when its parents were accepted. On DAGs the least of
the parents decides (HTD-DAG).

References
----------
G. Valentini. True path rule hierarchical ensembles for genome-wide gene function prediction. IEEE/ACM TCBB 8(3), 2011.

M. Notaro, M. Schubach, P. N. Robinson, G. Valentini. Prediction of Human Phenotype Ontology terms by means of
hierarchical ensemble methods. BMC Bioinformatics 18, 2017.
"""

from __future__ import annotations

import numpy as np

from truepath import _kernels
from truepath.combiners.base import Correction
from truepath.held import a_number, holds
from truepath.hierarchy import Hierarchy


@holds(threshold=a_number())
class TopDown(Correction):
    """Cap every score by its parents', and set to zero what lies below a parent that is not above the threshold.

    Parameters
    ----------
    threshold : float, default=0.0
        A parent whose new score is not above it blocks its children. At 0 this is HTD-DAG, which on scores that are
        not negative is :class:`MinDown`; at 0.5 the classic top-down classifier.
    hierarchy : Hierarchy, optional

    Notes
    -----
    O(n_samples * n_edges) time. Blocked nodes score 0 (or their parent's score, if that is negative).

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.combiners import TopDown
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> TopDown(0.5, hierarchy=h).transform([[0.75, 1.0, 0.25, 0.5, 0.25]]).tolist()
    [[0.75, 0.75, 0.25, 0.5, 0.0]]
    """

    name = "top-down"
    summary = "cap scores by the parents', and stop below a parent not above a threshold"

    def __init__(self, threshold: float = 0.0, *, hierarchy: Hierarchy | None = None):
        self.threshold = threshold
        self.hierarchy = hierarchy

    def correct(self, S: np.ndarray, hierarchy: Hierarchy) -> np.ndarray:
        _kernels.hierarchy.propagate.top_down(S, hierarchy.parent_ptr, hierarchy.parent_idx, float(self.threshold))
        return S
