"""Information accretion: how many bits a term adds once its parents are known; computed, read and written.

ia(v) = -log2 p(v | all parents of v), counted in annotations. It is what :func:`truepath.metrics.information_content`
computes; CAFA's script adds one made-up protein that has every term, so that no term is impossible.
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath.cafa.evaluation.matrices import label_matrix
from truepath.cafa.ontology.ontology import Ontology
from truepath.cafa.tables.columns import read_rows
from truepath.cafa.tables.problems import Problems
from truepath.files.names import PathType
from truepath.files.writing import open_atomically
from truepath.metrics import information_content


def information_accretion(annotations: Any, ontology: Ontology, *, dummy: bool = True) -> dict[str, float]:
    """Return the information accretion of every term of the ontology, in bits.

    Parameters
    ----------
    annotations : Annotations, LongTable, path, frame, mapping, pairs or matrix
        Usually those that are known at training time, not the truth of the test.
    ontology : Ontology
    dummy : bool, default=True
        Whether to add one target that has every term, as CAFA's script does. Without it terms that nobody has get 0.

    Returns
    -------
    ia : dict of str to float
        By term, in the order of the hierarchy.

    Notes
    -----
    In each aspect the targets with a term of it count: a root, which all of them have, gets 0.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.cafa import Ontology, information_accretion
    >>> ontology = Ontology.of(Hierarchy.from_edges([("root", "a"), ("root", "b")]))
    >>> information_accretion({"P1": ["a"], "P2": ["b"], "P3": ["a"]}, ontology, dummy=False)
    {'root': 0.0, 'a': 0.5849625007211562, 'b': 1.584962500721156}
    """
    if isinstance(annotations, np.ndarray) or sparse.issparse(annotations):
        labels = sparse.csr_array(ontology.hierarchy.close(annotations))
    else:
        labels, _ = label_matrix(annotations, ontology)
    content = np.zeros(ontology.hierarchy.n_nodes)
    for aspect, nodes in ontology.aspects.items():
        content[nodes] = _of_aspect(labels, ontology, aspect, dummy)
    return dict(zip(ontology.hierarchy.names.tolist(), content.tolist()))


def _of_aspect(labels: sparse.csr_array, ontology: Ontology, aspect: str, dummy: bool) -> NDArray[np.float64]:
    """Count in the targets of one aspect."""
    nodes = ontology.aspects[aspect]
    own = sparse.csr_array(labels[labels @ ontology.flags(aspect) > 0])
    if dummy:
        own = sparse.csr_array(sparse.vstack([own, sparse.csr_array(np.ones((1, own.shape[1]), bool))]))
    if not own.shape[0]:
        return np.zeros(nodes.size)
    return information_content(own, ontology.hierarchy)[nodes]


def read_accretion(path: PathType) -> dict[str, float]:
    """Read ``term<TAB>accretion`` lines; a line with less, or without a number of 0 or more, is an error."""
    problems = Problems()
    found: dict[str, float] = {}
    for rows in read_rows(path, 2, problems):
        values, (codes, words) = rows.floats(1), rows.numbered(0)
        for i in np.flatnonzero(~(values >= 0) | np.isinf(values)).tolist():
            said = f"{rows.cell(i, 1)[:40]!r} is not an information accretion, a number >= 0"
            problems.add(path, int(rows.lines[i]), said)
        found.update(zip([words[code] for code in codes], values.tolist()))
    problems.raise_if_any("Write one term and its accretion per line, separated by a tab.")
    return found


def write_accretion(ia: Mapping[str, float], path: PathType) -> Path:
    """Write one line per term, so that reading gives the same numbers."""
    with open_atomically(Path(path)) as file:
        file.write("".join(f"{term}\t{float(value)!r}\n" for term, value in ia.items()).encode())
    return Path(path)


def as_accretion(ia: Any, ontology: Ontology) -> NDArray[np.float64]:
    """Return one number per node, of a file, a mapping (terms that it lacks get 0) or an array."""
    if isinstance(ia, (str, PathLike)):
        ia = read_accretion(ia)
    if isinstance(ia, Mapping):
        nodes = ontology.resolve(list(ia)).nodes
        content = np.zeros(ontology.hierarchy.n_nodes)
        content[nodes[nodes >= 0]] = np.array(list(ia.values()), np.float64)[nodes >= 0]
        return content
    content = np.asarray(ia, np.float64)
    if content.shape != (ontology.hierarchy.n_nodes,) or not (content >= 0).all() or np.isinf(content).any():
        raise ValueError("ia must be a mapping from terms, a file, or one finite number of 0 or more per node.")
    return content
