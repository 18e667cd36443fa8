"""Truth and predictions as matrices of targets by terms, with a count of everything that did not get in."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath import _kernels
from truepath.cafa.ontology.ontology import Ontology
from truepath.cafa.tables.long import LongTable, as_long_table
from truepath.errors import InputWarning
from truepath.hierarchy import check_scores
from truepath.hierarchy.matrices import as_bool, as_matrix


class Matrices(NamedTuple):
    """Targets, their closed truth, their scores as given, what they were known to have, and counts."""

    targets: list[str]
    true: sparse.csr_array
    scores: sparse.csr_array
    known: sparse.csr_array | None
    counts: dict[str, int]


def to_matrices(truth: Any, predictions: Any, known: Any, ontology: Ontology, max_terms: int | None) -> Matrices:
    """Bring truth, predictions and known annotations to the same targets."""
    if _is_matrix(truth) or _is_matrix(predictions):
        return _from_matrices(truth, predictions, known, ontology, max_terms)
    counts: dict[str, int] = {}
    true, targets = label_matrix(truth, ontology, counts=counts)
    held = None if known is None else label_matrix(known, ontology, targets=targets)[0]
    predicted = as_long_table(predictions, scored=True)
    scores = score_matrix(predicted, ontology, targets, max_terms=max_terms, counts=counts)
    return Matrices(targets, true, scores, held, counts)


def _is_matrix(given: Any) -> bool:
    return isinstance(given, np.ndarray) or sparse.issparse(given)


def _from_matrices(truth: Any, predictions: Any, known: Any, ontology: Ontology, max_terms: int | None) -> Matrices:
    n_nodes = ontology.hierarchy.n_nodes
    true = as_bool(sparse.csr_array(as_matrix(truth, n_nodes, "truth")))
    scores = sparse.csr_array(check_scores(predictions, ontology.hierarchy, name="predictions"))
    if true.shape != scores.shape:
        raise ValueError(f"truth and predictions must have one shape; got {true.shape} and {scores.shape}.")
    held = None if known is None else as_bool(sparse.csr_array(as_matrix(known, n_nodes, "known")))
    if max_terms is not None:
        scores = _highest(scores, ontology, max_terms)
    counts = {"targets": true.shape[0], "targets with predictions": int((np.diff(scores.indptr) > 0).sum())}
    close = ontology.hierarchy.close
    held = None if held is None else close(held)
    return Matrices([str(i) for i in range(true.shape[0])], close(true), scores, held, counts)


def _highest(scores: sparse.csr_array, ontology: Ontology, max_terms: int) -> sparse.csr_array:
    """Keep the highest scores of each row and aspect; ties go to the smaller node number."""
    rows = np.repeat(np.arange(scores.shape[0]), np.diff(scores.indptr))
    order = np.lexsort((scores.indices, -scores.data, rows))
    cells = rows[order], scores.indices[order], scores.data[order]
    return gather(*cells, scores.shape, _group(ontology), max_terms)


def label_matrix(
    source: Any, ontology: Ontology, *, targets: Sequence[str] | None = None, counts: dict[str, int] | None = None
) -> tuple[sparse.csr_array, list[str]]:
    """Return the closed labels of targets, and the targets: by default those with a term of the ontology.

    Parameters
    ----------
    source : Annotations, LongTable, path, frame, mapping or pairs
    ontology : Ontology
    targets : sequence of str, optional
        Rows of the matrix; pairs of other targets are left out.
    counts : dict, optional
        Where to record how many pairs and targets got in.
    """
    table = as_long_table(source)
    at, nodes = _nodes(table, ontology, "truth", counts)
    if targets is None:
        has_any = np.bincount(table.target_codes[at][nodes >= 0], minlength=len(table.targets)) > 0
        targets = [name for name, is_there in zip(table.targets, has_any) if is_there]
        if counts is not None:
            counts["truth: targets without any term of the ontology"] = len(table.targets) - len(targets)
            counts["targets"] = len(targets)
    rows = _rows(table, targets)[at]
    is_in = (rows >= 0) & (nodes >= 0)
    flags = np.ones(int(is_in.sum()), bool)
    shape = (len(targets), ontology.hierarchy.n_nodes)
    return ontology.hierarchy.close(sparse.csr_array((flags, (rows[is_in], nodes[is_in])), shape=shape)), list(targets)


def score_matrix(
    table: LongTable,
    ontology: Ontology,
    targets: Sequence[str],
    *,
    max_terms: int | None = None,
    counts: dict[str, int] | None = None,
) -> sparse.csr_array:
    """Return the scores of targets as they are given; of a pair that is repeated the highest counts.

    Parameters are those of :func:`label_matrix`; ``max_terms`` takes the first terms of each target and aspect.
    """
    assert table.scores is not None
    at, nodes = _nodes(table, ontology, "predictions", counts)
    rows = _rows(table, targets)
    n_others = int((rows < 0).sum())
    rows, given = rows[at], table.scores[at]
    is_in = (rows >= 0) & (nodes >= 0)
    if not is_in.all():
        rows, nodes, given = rows[is_in], nodes[is_in], given[is_in]
    shape = (len(targets), ontology.hierarchy.n_nodes)
    scores = gather(rows, nodes, given, shape, _group(ontology), max_terms)
    n_others += table.problems.left_out["other targets"]
    _warn_about_scores(given, n_others, targets)
    if counts is not None:
        counts["predictions: of targets without truth"] = n_others
        counts["targets with predictions"] = int((np.diff(scores.indptr) > 0).sum())
    return scores


def _warn_about_scores(given: NDArray[np.float64], n_others: int, targets: Sequence[str]) -> None:
    """Warn where no target is known, and of scores that no threshold from 0 to 1 tells apart."""
    if n_others and targets and not given.size:
        said = f"none of the {n_others:,} pairs is of a target that is asked for, such as {targets[0]!r}."
        warnings.warn(f"{said} Ids must be written alike in both files.", InputWarning, stacklevel=3)
    if given.size and (n_outside := int(((given < 0) | (given > 1)).sum())):
        said = f"{n_outside:,} of {given.size:,} scores are not from 0 to 1, such as {given.max():.6g}"
        warnings.warn(f"{said}: thresholds end at 1. Divide them by the largest.", InputWarning, stacklevel=3)


def _nodes(
    table: LongTable, ontology: Ontology, what: str, counts: dict[str, int] | None
) -> tuple[Any, NDArray[np.int32]]:
    """Return places of pairs and their nodes, -1 for none; small numbers, since there may be very many pairs.

    A pair has one node, or several where its term is an alternative id that several terms share.
    """
    often = np.bincount(table.term_codes, minlength=len(table.terms))
    resolved = ontology.resolve(table.terms, often.tolist())
    if counts is not None:
        counts[f"{what}: pairs"] = table.n_pairs
        counts |= {f"{what}: with {kind} terms": n for kind, n in resolved.counts.items() if n}
    if not table.n_pairs:
        return slice(None), np.empty(0, np.int32)
    if not any(term in ontology.shared for term in table.terms):
        return slice(None), resolved.nodes.astype(np.int32)[table.term_codes]
    return _several_nodes(table, ontology, resolved.nodes)


def _several_nodes(table: LongTable, ontology: Ontology, nodes: NDArray[np.int64]) -> tuple[Any, NDArray[np.int32]]:
    """Do the same where terms have several nodes: the pair is there once for each."""
    numbers, shared = ontology.hierarchy.numbers, ontology.shared
    lists = [[numbers[name] for name in shared.get(term, ())] or [v] for term, v in zip(table.terms, nodes.tolist())]
    n_nodes = np.array([len(each) for each in lists])
    starts, times = np.cumsum(n_nodes) - n_nodes, n_nodes[table.term_codes]
    at = np.repeat(np.arange(table.n_pairs), times)
    within = np.arange(at.size) - np.repeat(np.cumsum(times) - times, times)
    return at, np.concatenate(lists).astype(np.int32)[starts[table.term_codes[at]] + within]


def _rows(table: LongTable, targets: Sequence[str]) -> NDArray[np.int32]:
    place = {name: i for i, name in enumerate(targets)}
    of = np.array([place.get(name, -1) for name in table.targets], np.int32)
    return of[table.target_codes] if table.n_pairs else np.empty(0, np.int32)


def _group(ontology: Ontology) -> NDArray[np.int64]:
    """Return the number of each node's aspect."""
    group = np.zeros(ontology.hierarchy.n_nodes, np.int64)
    for k, of in enumerate(ontology.aspects.values()):
        group[of] = k
    return group


def gather(
    rows: Any, columns: Any, values: Any, shape: tuple[int, int], group: Any = None, most: int | None = None
) -> sparse.csr_array:
    """Make a matrix of cells: of a repeated one the greatest value counts, and none of 0 or less.

    With ``most``, a row has the first cells of each group of columns only.
    """
    cells = rows.astype(np.int32, copy=False), columns.astype(np.int32, copy=False), values
    group = np.zeros(shape[1], np.int64) if group is None else group
    most = np.iinfo(np.int64).max if most is None else most
    indptr, indices, data = _kernels.cafa.rows.gather_rows(*cells, shape[0], group, most)
    found = sparse.csr_array((data, indices, indptr), shape=shape)
    found.sort_indices()
    return found
