"""Several files of predictions as one: weights per aspect that are not negative, learned where the truth is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath.cafa.evaluation.matrices import label_matrix
from truepath.cafa.ontology.ontology import Ontology
from truepath.cafa.predictions import Predictions
from truepath.combiners.blend import nnls_from_gram
from truepath.hierarchy import raise_up


@dataclass(frozen=True)
class LearnedBlend:
    """Weights of several sources by aspect; made by :func:`learn_blend`.

    Attributes
    ----------
    weights : mapping of str to ndarray, shape (n_sources,)
    """

    ontology: Ontology
    weights: Mapping[str, NDArray[np.float64]]

    def apply(self, sources: Sequence[Any], targets: Sequence[str] | None = None) -> Predictions:
        """Blend as many sources as were learned from, in the same order; by default for all their targets."""
        n = len(next(iter(self.weights.values())))
        if len(sources) != n:
            raise ValueError(f"{len(sources)} sources where the weights are for {n}.")
        given = [Predictions.of(source, self.ontology) for source in sources]
        names = list(dict.fromkeys(t for part in given for t in part.targets)) if targets is None else list(targets)
        hierarchy = self.ontology.hierarchy
        total = sparse.csr_array((len(names), hierarchy.n_nodes))
        for k, part in enumerate(given):
            scores = raise_up(Predictions.of(part, self.ontology, names).scores, hierarchy)
            weight = np.zeros(hierarchy.n_nodes)
            for aspect, values in self.weights.items():
                weight[self.ontology.aspects[aspect]] = values[k]
            scores.data = scores.data * weight[scores.indices]
            total = sparse.csr_array(total + scores)
        total.data = np.minimum(total.data, 1.0)
        total.eliminate_zeros()
        return Predictions(names, total, self.ontology)


def learn_blend(sources: Sequence[Any], truth: Any, ontology: Ontology) -> LearnedBlend:
    """Learn the weights of several sources of predictions by non-negative least squares, one set per aspect.

    Parameters
    ----------
    sources : sequence of predictions
        Files, tables or :class:`Predictions` for the targets of ``truth``, which none of them was trained on.
    truth : Annotations, LongTable, path, frame, mapping or pairs
    ontology : Ontology

    Returns
    -------
    blend : LearnedBlend

    Notes
    -----
    Scores are passed on to ancestors first. Blends of such scores are coherent within an aspect.
    """
    labels, targets = label_matrix(truth, ontology)
    labels = labels.astype(np.float64)
    parts = [
        sparse.csr_array(raise_up(Predictions.of(source, ontology, targets).scores, ontology.hierarchy))
        for source in sources
    ]
    if not parts:
        raise ValueError("no predictions to blend.")
    products = np.array([[_columns(a.multiply(b)) for b in parts] for a in parts])
    hits = np.array([_columns(a.multiply(labels)) for a in parts])
    weights = {
        aspect: nnls_from_gram(products[:, :, nodes].sum(axis=2), hits[:, nodes].sum(axis=1))
        for aspect, nodes in ontology.aspects.items()
    }
    return LearnedBlend(ontology, weights)


def _columns(matrix: Any) -> NDArray[np.float64]:
    """Return the sums of the columns."""
    return np.asarray(matrix.sum(axis=0), np.float64).ravel()
