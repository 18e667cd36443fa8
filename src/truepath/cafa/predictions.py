"""Predictions: scores of targets by term, in memory, as a long table, and as a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from truepath.cafa.evaluation.matrices import score_matrix
from truepath.cafa.ontology.ontology import Ontology
from truepath.cafa.tables.long import LongTable, as_long_table
from truepath.files.names import PathType
from truepath.files.writing import open_atomically

#: Lines written at a time
LINES = 1 << 18


@dataclass(frozen=True)
class Predictions:
    """Scores of targets by term of an ontology.

    Attributes
    ----------
    targets : list of str
    scores : csr_array, shape (n_targets, n_nodes)
    ontology : Ontology
    """

    targets: list[str]
    scores: sparse.csr_array
    ontology: Ontology

    @classmethod
    def of(cls, source: Any, ontology: Ontology, targets: Sequence[str] | None = None) -> Predictions:
        """Make predictions of a file, a long table, a frame or triples; by default of all targets in it."""
        if isinstance(source, Predictions):
            return source if targets is None else cls.of(source.table, ontology, targets)
        table = as_long_table(source, scored=True)
        names = list(table.targets if targets is None else targets)
        return cls(names, score_matrix(table, ontology, names), ontology)

    @property
    def table(self) -> LongTable:
        """Targets, terms and scores, those above 0, one line each."""
        kept = self.scores.data > 0
        rows = np.repeat(np.arange(len(self.targets), dtype=np.int32), np.diff(self.scores.indptr))[kept]
        columns = self.scores.indices[kept].astype(np.int32)
        terms = self.ontology.hierarchy.names.tolist()
        return LongTable(self.targets, terms, rows, columns, self.scores.data[kept].astype(np.float64))

    def write(self, path: PathType, *, titles: bool = False) -> Path:
        """Write ``target<TAB>term<TAB>score``, with the names of terms in a fourth column if wanted.

        Readers pass the fourth column over.
        """
        return write_long_table(self.table, path, titles=self.ontology.titles if titles else None)

    def top(self, target: str, n: int = 10) -> list[tuple[str, float]]:
        """Return the terms of a target with the highest scores, each with its name."""
        row = sparse.csr_array(self.scores[[self.targets.index(target)]])
        order = np.lexsort((row.indices, -row.data))[:n]
        return [(self.ontology.label(int(row.indices[k])), float(row.data[k])) for k in order]

    def __repr__(self) -> str:
        return f"Predictions({len(self.targets)} targets, {self.scores.nnz} scores)"


def write_long_table(
    table: LongTable, path: PathType, decimals: int | None = None, titles: Mapping[str, str] | None = None
) -> Path:
    """Write a long table so that reading it gives the same pairs and, without ``decimals``, the same scores.

    ``titles`` are names of terms, written in a further column.
    """
    number = repr if decimals is None else f"{{:.{decimals}f}}".format
    with open_atomically(Path(path)) as file:
        for start in range(0, table.n_pairs, LINES):
            part = slice(start, start + LINES)
            terms = [table.terms[k] for k in table.term_codes[part].tolist()]
            columns = [[table.targets[k] for k in table.target_codes[part].tolist()], terms]
            if table.scores is not None:
                columns.append([number(score) for score in table.scores[part].tolist()])
            if titles is not None:
                columns.append([titles.get(term, "") for term in terms])
            file.write("".join("\t".join(cells) + "\n" for cells in zip(*columns)).encode())
    return Path(path)
