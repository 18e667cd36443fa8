"""Which proteins are like which: from the tables that BLAST and DIAMOND write, or from embeddings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath.cafa.evaluation.matrices import gather
from truepath.cafa.tables.columns import read_rows
from truepath.cafa.tables.problems import Problems
from truepath.files.names import PathType
from truepath.parameters import Range, check_in

#: Columns of BLAST's and DIAMOND's tabular output (-outfmt 6), from 0 on
QUERY, SUBJECT, IDENTITY, EVALUE, BITSCORE = 0, 1, 2, 10, 11


@dataclass(frozen=True)
class Similarities:
    """How similar queries are to subjects.

    Attributes
    ----------
    queries, subjects : list of str
    weights : csr_array, shape (n_queries, n_subjects)
        Bit scores, shares of identical positions, or cosines: higher is more similar, and none is 0.
    """

    queries: list[str]
    subjects: list[str]
    weights: sparse.csr_array

    def __repr__(self) -> str:
        return f"Similarities({len(self.queries)} queries, {len(self.subjects)} subjects, {self.weights.nnz} hits)"


def read_hits(
    path: PathType, *, by: str = "bitscore", max_evalue: float = 1e-3, leave_out_self: bool = True
) -> Similarities:
    """Read tabular output of BLAST or DIAMOND (``-outfmt 6``, twelve columns).

    Parameters
    ----------
    path : path
    by : {"bitscore", "identity"}, default="bitscore"
        What similarity is; identity is a share between 0 and 1.
    max_evalue : float, default=1e-3
        Hits above this expectation are left out.
    leave_out_self : bool, default=True
        Whether to leave out hits of a query with itself.
    """
    if by not in ("bitscore", "identity"):
        raise ValueError(f"by must be 'bitscore' or 'identity'; got {by!r}.")
    check_in("max_evalue", max_evalue, Range(Real, 0))
    problems = Problems()
    queries: dict[str, int] = {}
    subjects: dict[str, int] = {}
    parts: list[tuple[NDArray[Any], ...]] = []
    for rows in read_rows(path, 12, problems, comment="#"):
        values, expected = rows.floats(BITSCORE if by == "bitscore" else IDENTITY), rows.floats(EVALUE)
        for i in np.flatnonzero(np.isnan(values) | np.isnan(expected)).tolist():
            problems.add(path, int(rows.lines[i]), "the expectation or the score is not a number")
        columns = rows.indexed(QUERY, queries), rows.indexed(SUBJECT, subjects), values
        parts.append(tuple(column[expected <= max_evalue] for column in columns))
    problems.raise_if_any("Write hits with -outfmt 6 (its twelve columns).")
    q, s, w = (np.concatenate(column) for column in zip(*parts)) if parts else (np.empty(0),) * 3
    if leave_out_self:
        is_other = _differ(list(queries), list(subjects), q, s)
        q, s, w = q[is_other], s[is_other], w[is_other]
    weights = gather(q, s, w if by == "bitscore" else w / 100, (len(queries), len(subjects)))
    return Similarities(list(queries), list(subjects), weights)


def _differ(
    names: Sequence[str], others: Sequence[str], rows: NDArray[Any], columns: NDArray[Any]
) -> NDArray[np.bool_]:
    """Say which pairs are not of one protein with itself."""
    place = {name: k for k, name in enumerate(others)}
    own = np.array([place.get(name, -1) for name in names], np.int64)
    return np.asarray(own[rows] != columns)


def find_similar(
    X: Any, ids: Sequence[str], known_X: Any, known_ids: Sequence[str], *, n_neighbors: int = 10
) -> Similarities:
    """Find the nearest known proteins of each by the cosine of their embeddings; a protein is not its own neighbour.

    Parameters
    ----------
    X, known_X : array-like, shape (n, n_features)
    ids, known_ids : sequence of str
    n_neighbors : int, default=10
    """
    from sklearn.neighbors import NearestNeighbors

    known_X, X = np.asarray(known_X), np.asarray(X)
    wanted = min(n_neighbors + 1, len(known_ids))
    distances, found = NearestNeighbors(n_neighbors=wanted, metric="cosine").fit(known_X).kneighbors(X)
    rows = np.repeat(np.arange(len(ids)), wanted)
    columns, weights = found.ravel(), np.maximum(1 - distances.ravel(), 0.0)
    is_other = _differ(ids, known_ids, rows, columns)
    counts: NDArray[np.int64] = np.cumsum(is_other) - is_other
    rank: NDArray[np.int64] = counts - np.repeat(counts[::wanted], wanted)
    kept = is_other & (rank < n_neighbors)
    cells = rows[kept], columns[kept], weights[kept].astype(np.float64)
    return Similarities(list(ids), list(known_ids), gather(*cells, (len(ids), len(known_ids))))
