"""Transfer: a protein gets the terms of those it is similar to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from truepath.cafa.baselines.similarities import Similarities
from truepath.cafa.evaluation.matrices import gather, label_matrix
from truepath.cafa.ontology.ontology import Ontology
from truepath.cafa.predictions import Predictions


def predict_by_transfer(
    similarities: Similarities,
    annotations: Any,
    ontology: Ontology,
    *,
    how: str = "weighted",
    targets: Sequence[str] | None = None,
) -> Predictions:
    """Predict the terms of similar proteins.

    Parameters
    ----------
    similarities : Similarities
        From :func:`read_hits` or :func:`find_similar`.
    annotations : Annotations, LongTable, path, frame, mapping or pairs
        Of the similar proteins; those without count for nothing.
    ontology : Ontology
    how : {"weighted", "max"}, default="weighted"
        ``"weighted"``: the share of the similarity that comes from proteins with the term. ``"max"``: the highest
        similarity to a protein with the term, which should be an identity or a cosine.
    targets : sequence of str, optional
        The proteins to predict; by default all queries. One without similar proteins gets nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from truepath import Hierarchy
    >>> from truepath.cafa import Ontology, find_similar, predict_by_transfer
    >>> ontology = Ontology.of(Hierarchy.from_edges([("root", "a"), ("root", "b")]))
    >>> near = find_similar([[1.0, 0.0]], ["Q"], [[1.0, 0.0], [1.0, 1.0]], ["P1", "P2"])
    >>> predicted = predict_by_transfer(near, {"P1": ["a"], "P2": ["b"]}, ontology)
    >>> [(term, round(score, 3)) for term, score in predicted.top("Q")]
    [('root', 1.0), ('a', 0.586), ('b', 0.414)]
    """
    if how not in ("weighted", "max"):
        raise ValueError(f"how must be 'weighted' or 'max'; got {how!r}.")
    labels, _ = label_matrix(annotations, ontology, targets=similarities.subjects)
    weights = similarities.weights
    if targets is not None:
        place = {name: i for i, name in enumerate(similarities.queries)}
        none = sparse.csr_array((1, weights.shape[1]))
        padded = sparse.csr_array(sparse.vstack([weights, none], format="csr"))
        weights = padded[[place.get(name, weights.shape[0]) for name in targets]]
    names = list(similarities.queries if targets is None else targets)
    scores = _weighted(weights, labels) if how == "weighted" else _greatest(weights, labels)
    return Predictions(names, scores, ontology)


def _weighted(weights: sparse.csr_array, labels: sparse.csr_array) -> sparse.csr_array:
    """Share the similarity to annotated proteins out among their terms."""
    is_annotated = np.diff(labels.indptr) > 0
    total = np.asarray(weights @ is_annotated.astype(np.float64)).ravel()
    scale = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)
    found = sparse.csr_array(weights @ labels.astype(np.float64))
    found.data = np.minimum(found.data * np.repeat(scale, np.diff(found.indptr)), 1.0)
    return found


def _greatest(weights: sparse.csr_array, labels: sparse.csr_array) -> sparse.csr_array:
    """Give each term the greatest similarity to a protein that has it."""
    rows = np.repeat(np.arange(weights.shape[0]), np.diff(weights.indptr))
    lengths = np.diff(labels.indptr)[weights.indices]
    starts = np.repeat(labels.indptr[weights.indices] - (np.cumsum(lengths) - lengths), lengths)
    nodes = labels.indices[starts + np.arange(starts.size)]
    shape = weights.shape[0], labels.shape[1]
    return gather(np.repeat(rows, lengths), nodes, np.repeat(weights.data, lengths), shape)
