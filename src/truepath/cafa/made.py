"""Made-up proteins with functions: an ontology of three aspects, embeddings and dated annotations, to try things on."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truepath.cafa.annotations.annotations import Annotations, Coded
from truepath.cafa.ontology.ontology import Ontology
from truepath.cafa.training.embeddings import Embeddings
from truepath.files.names import PathType
from truepath.files.writing import open_atomically, write_text
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.build import number_edges

#: Aspects, and how GAF files write them
SIGNS = {"molecular_function": "F", "biological_process": "P", "cellular_component": "C"}
EVIDENCE = ("IDA", "IMP", "IEA", "TAS")


class FunctionData(NamedTuple):
    """Made-up proteins: an ontology, an embedding for each protein, and annotations."""

    ontology: Ontology
    embeddings: Embeddings
    annotations: Annotations

    def write(self, folder: PathType) -> list[Path]:
        """Write ``made.obo``, ``annotations.gaf`` and ``embeddings.npz`` into a folder."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        write_text(folder / "made.obo", _obo(self.ontology))
        write_text(folder / "annotations.gaf", _gaf(self.annotations, self.ontology))
        with open_atomically(folder / "embeddings.npz") as file:
            np.savez(file, ids=np.array(self.embeddings.ids), X=self.embeddings.X)
        return [folder / name for name in ("made.obo", "annotations.gaf", "embeddings.npz")]


def make_function_data(
    n_proteins: int = 400, n_terms: int = 90, *, n_features: int = 32, random_state: int | None = 0
) -> FunctionData:
    """Make proteins whose embeddings tell something about their functions.

    Parameters
    ----------
    n_proteins, n_terms, n_features : int
    random_state : int or None, default=0

    Returns
    -------
    data : FunctionData
        Each protein has one to three terms, annotated between 2018 and 2024.

    Examples
    --------
    >>> from truepath.cafa import make_function_data
    >>> data = make_function_data()
    >>> data.ontology
    Ontology(90 terms, 118 edges, aspects: molecular_function 30, biological_process 30, cellular_component 30)
    >>> data.annotations
    Annotations(776 lines, 400 targets, 0 negated)
    """
    rng = np.random.default_rng(random_state)
    ontology = _ontology(n_terms, rng)
    hierarchy = ontology.hierarchy
    centers = rng.normal(0, 1, (n_terms, n_features))
    for v in range(n_terms):  # a term is near its parents
        for u in hierarchy.parents(v):
            centers[v] += 0.7 * centers[u] / max(1, hierarchy.parents(v).size)
    weight = 1 / np.arange(1, n_terms + 1) ** 0.5
    weight = np.where(hierarchy.depth > 1, rng.permutation(weight), 0.0)
    n_each = rng.integers(1, 4, n_proteins)
    terms = [rng.choice(n_terms, n, replace=False, p=weight / weight.sum()) for n in n_each]
    X = np.array([centers[some].mean(axis=0) for some in terms]) + 0.6 * rng.normal(size=(n_proteins, n_features))
    ids = [f"Q{i:05d}" for i in range(n_proteins)]
    return FunctionData(ontology, Embeddings(ids, X.astype(np.float32)), _annotations(ids, terms, ontology, rng))


def _ontology(n_terms: int, rng: Generator) -> Ontology:
    """Make an ontology of three aspects: each a root, and terms below one or two earlier ones."""
    names = [f"T:{v + 1:07d}" for v in range(n_terms)]
    edges, aspects, titles = [], {}, {}
    for aspect, own in zip(SIGNS, np.array_split(np.arange(n_terms), len(SIGNS))):
        for j, v in enumerate(own.tolist()):
            said = aspect.replace("_", " ")
            titles[names[v]] = f"made-up {said} {j}" if j else said
            parents = {int(rng.integers(j)) for _ in range(1 + (rng.random() < 0.4))} if j else set()
            edges += [(names[own[u]], names[v]) for u in sorted(parents)]
        aspects[aspect] = [names[v] for v in own]
    hierarchy = Hierarchy(*number_edges(edges, names, None), titles=titles)
    return Ontology(hierarchy, {name: np.sort(hierarchy.indices(of)) for name, of in aspects.items()})


def _annotations(ids: list[str], terms: list[NDArray[np.int64]], ontology: Ontology, rng: Generator) -> Annotations:
    """Date the annotations and give them evidence."""
    sizes = [len(some) for some in terms]
    n_rows = sum(sizes)
    years, months, days = rng.integers(2018, 2025, n_rows), rng.integers(1, 13, n_rows), rng.integers(1, 29, n_rows)
    return Annotations(
        target=Coded(ids, np.repeat(np.arange(len(ids)), sizes).astype(np.int32)),
        term=Coded(ontology.hierarchy.names.tolist(), np.concatenate(terms).astype(np.int32)),
        evidence=Coded(list(EVIDENCE), rng.choice(len(EVIDENCE), n_rows, p=[0.5, 0.2, 0.2, 0.1]).astype(np.int32)),
        taxon=Coded(["9606"], np.zeros(n_rows, np.int32)),
        date=(years * 10_000 + months * 100 + days).astype(np.int32),
        is_negated=np.zeros(n_rows, bool),
    )


def _obo(ontology: Ontology) -> str:
    hierarchy, stanzas = ontology.hierarchy, ["format-version: 1.2\nontology: made\n"]
    for v, name in enumerate(hierarchy.names.tolist()):
        above = "".join(f"is_a: {hierarchy.names[u]}\n" for u in hierarchy.parents(v))
        said = f"id: {name}\nname: {ontology.titles[name]}\nnamespace: {ontology.aspect_of[v]}\n"
        stanzas.append(f"[Term]\n{said}{above}")
    return "\n".join(stanzas)


def _gaf(annotations: Annotations, ontology: Ontology) -> str:
    lines = ["!gaf-version: 2.2"]
    for i in range(len(annotations)):
        target, term = (c.words[c.codes[i]] for c in (annotations.target, annotations.term))
        evidence = annotations.evidence.words[annotations.evidence.codes[i]]
        sign = SIGNS[ontology.aspect_of[ontology.hierarchy.index(term)]]
        cells = ["Made", target, target, "involved_in", term, "PMID:0", evidence, "", sign, "", "", "protein"]
        lines.append("\t".join([*cells, "taxon:9606", str(annotations.date[i]), "Made", "", ""]))
    return "\n".join(lines) + "\n"
