"""One model per aspect: trained on embeddings and annotations, kept in a folder, asked for predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from truepath.cafa.evaluation.matrices import label_matrix
from truepath.cafa.ontology.ontology import Ontology
from truepath.cafa.predictions import Predictions
from truepath.cafa.training.account import Account, Learned, account_for
from truepath.cafa.training.embeddings import Embeddings
from truepath.classifier import HierarchicalClassifier
from truepath.errors import TruePathError
from truepath.files.names import PathType
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.matrices import as_dense
from truepath.parameters import ANY_SHARE, COUNT, check_in
from truepath.registry import LEARNERS


@dataclass(frozen=True)
class FunctionModels:
    """Fitted models by aspect; made by :func:`train_models` or :func:`load_models`.

    Attributes
    ----------
    models : dict of str to HierarchicalClassifier
    account : Account or None
        What became of every line of the annotations; None of models from a folder.
    """

    models: Mapping[str, HierarchicalClassifier]
    account: Account | None = field(default=None, repr=False, compare=False)

    def predict(self, embeddings: Embeddings, ontology: Ontology, *, max_terms: int = 1500) -> Predictions:
        """Score the terms of each protein; the highest of each protein and aspect are kept.

        Parameters
        ----------
        embeddings : Embeddings
        ontology : Ontology
            It has all terms that the models know.
        max_terms : int, default=1500
        """
        check_in("max_terms", max_terms, COUNT)
        blocks = []
        for model in self.models.values():
            nodes = ontology.hierarchy.indices(model.hierarchy_.names.tolist())
            scores = as_dense(model.predict_proba(embeddings.X))
            blocks.append(_spread(scores, nodes, ontology.hierarchy.n_nodes, max_terms))
        total = sparse.csr_array(sum(blocks[1:], start=blocks[0]))
        return Predictions(list(embeddings.ids), total, ontology)

    def save(self, folder: PathType) -> Path:
        """Write one model file per aspect into a folder."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        for aspect, model in self.models.items():
            model.save(folder / f"{aspect}.tp")
        return folder


def _spread(scores: Any, nodes: Any, n_nodes: int, most: int) -> sparse.csr_array:
    """Put the highest scores of each row into the columns of the whole ontology."""
    kept = min(most, scores.shape[1])
    order = np.argsort(-scores, axis=1, kind="stable")[:, :kept]
    values = np.take_along_axis(scores, order, axis=1).astype(np.float64)
    rows = np.repeat(np.arange(scores.shape[0]), kept)
    found = sparse.csr_array((values.ravel(), (rows, nodes[order.ravel()])), shape=(scores.shape[0], n_nodes))
    found.eliminate_zeros()
    return found


def load_models(folder: PathType) -> FunctionModels:
    """Load the models of a folder that :meth:`FunctionModels.save` wrote."""
    files = sorted(Path(folder).glob("*.tp"))
    if not files:
        raise TruePathError(f"{folder}: no models (*.tp) in this folder.", "Train some with truepath cafa train.")
    return FunctionModels({file.stem: HierarchicalClassifier.load(file) for file in files})


def train_models(
    embeddings: Embeddings,
    annotations: Any,
    ontology: Ontology,
    *,
    head: str | Any = "kernel-ridge",
    aspects: Sequence[str] | None = None,
    min_count: int = 10,
    min_used: float = 0.5,
    random_state: int | None = 0,
    n_jobs: int | None = None,
) -> FunctionModels:
    """Train one model per aspect on the proteins that have both an embedding and a term of the aspect.

    What became of every line of the annotations is in ``account``: NOT lines, terms that are unknown or obsolete, and
    proteins without an embedding are not trained on.

    Parameters
    ----------
    embeddings : Embeddings
    annotations : Annotations, LongTable, path, frame, mapping or pairs
    ontology : Ontology
    head : str or learner, default="kernel-ridge"
        What learns from the embeddings, by its name: kernel ridge regression, ``"sparse-linear"`` (one linear
        classifier per term), ``"network"`` (needs PyTorch) or any other learner that needs no estimator.
    aspects : sequence of str, optional
    min_count : int, default=10
        Terms with fewer proteins are not learned.
    min_used : float, default=0.5
        Training on less than this share of the annotated proteins, or of the lines about them, is refused: most often
        their ids are written in two ways, or the ontology is another one. 0 trains on what there is.
    random_state : int or None, default=0
    n_jobs : int, optional

    Returns
    -------
    models : FunctionModels
    """
    check_in("min_count", min_count, COUNT)
    check_in("min_used", min_used, ANY_SHARE)
    learner = LEARNERS.resolve(head)
    if isinstance(head, str) and hasattr(learner, "random_state"):
        learner.set_params(random_state=random_state)
    table, account = account_for(annotations, embeddings.ids, ontology)
    account.check(min_used)
    has_embedding = set(embeddings.ids)
    labels, targets = label_matrix(table, ontology, targets=[name for name in table.targets if name in has_embedding])
    chosen = [ontology.aspect(name) for name in aspects] if aspects is not None else list(ontology.aspects)
    models, learned = {}, {}
    for aspect in chosen:
        hierarchy, rows, Y, n_rare = _part(labels, ontology, aspect, min_count)
        learned[aspect] = Learned(0 if hierarchy is None else hierarchy.n_nodes, n_rare, len(rows))
        if hierarchy is None:
            continue
        model = HierarchicalClassifier(
            learner, hierarchy=hierarchy, decoder=None, random_state=random_state, n_jobs=n_jobs
        )
        models[aspect] = model.fit(embeddings.take([targets[i] for i in rows]), Y)
    if not models:
        raise TruePathError(f"no term has {min_count} annotated proteins with an embedding.", "Lower min_count.")
    return FunctionModels(models, replace(account, aspects=learned))


def _part(
    labels: sparse.csr_array, ontology: Ontology, aspect: str, min_count: int
) -> tuple[Hierarchy | None, list[int], Any, int]:
    """Return the common terms of an aspect, the proteins that have one, their labels, and how many terms are rare."""
    nodes = ontology.aspects[aspect]
    counts = np.asarray(labels[:, nodes].sum(axis=0)).ravel()
    kept, n_rare = nodes[counts >= min_count], int(((counts > 0) & (counts < min_count)).sum())
    if not kept.size:
        return None, [], None, n_rare
    smaller = ontology.hierarchy.subgraph(kept)
    Y = labels[:, ontology.hierarchy.indices(smaller.names.tolist())]
    rows = np.flatnonzero(np.diff(Y.indptr) > 0)
    return smaller, rows.tolist(), as_dense(Y[rows]), n_rare
