"""The naive baseline: every target gets every term with the share of annotated proteins that have it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from truepath.cafa.evaluation.matrices import label_matrix
from truepath.cafa.ontology.ontology import Ontology
from truepath.cafa.predictions import Predictions


def predict_naively(
    annotations: Any, ontology: Ontology, targets: Sequence[str], *, max_terms: int = 1500
) -> Predictions:
    """Predict by frequency: of the proteins annotated in an aspect, the share that has the term.

    Parameters
    ----------
    annotations : Annotations, LongTable, path, frame, mapping or pairs
        Of the proteins to count in.
    ontology : Ontology
    targets : sequence of str
    max_terms : int, default=1500
        The commonest terms only, all aspects together.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.cafa import Ontology, predict_naively
    >>> ontology = Ontology.of(Hierarchy.from_edges([("root", "a"), ("root", "b")]))
    >>> predict_naively({"P1": ["a"], "P2": ["a"], "P3": ["b"], "P4": ["a"]}, ontology, ["Q"]).top("Q")
    [('root', 1.0), ('a', 0.75), ('b', 0.25)]
    """
    labels, _ = label_matrix(annotations, ontology)
    counts = np.asarray(labels.sum(axis=0), np.float64).ravel()
    shares = np.zeros(counts.size)
    for aspect, nodes in ontology.aspects.items():
        n_annotated = int((labels @ ontology.flags(aspect) > 0).sum())
        shares[nodes] = counts[nodes] / n_annotated if n_annotated else 0.0
    kept = np.sort(np.lexsort((np.arange(shares.size), -shares))[:max_terms])
    kept = kept[shares[kept] > 0]
    n = len(targets)
    indptr = np.arange(n + 1) * kept.size
    scores = sparse.csr_array((np.tile(shares[kept], n), np.tile(kept, n), indptr), shape=(n, shares.size))
    return Predictions(list(targets), scores, ontology)
