"""From rows to JSON: one pass through the model for a batch, then labels, best labels and scores of each request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from truepath.classifier.top_search import check_top, top_of_scores
from truepath.files.strict_json import dump_json
from truepath.hierarchy.matrices import as_dense
from truepath.hierarchy.names import short_name
from truepath.serve.decisions import decide_as_asked, find_place
from truepath.serve.rows import RowForm

if TYPE_CHECKING:
    from truepath.classifier import HierarchicalClassifier
    from truepath.classifier.place import Place


class AnswerOptions(NamedTuple):
    """What one request asks for; ``model`` decides as the request says."""

    model: HierarchicalClassifier
    top: int | None = None
    per: str = "row"
    among: str = "all"
    scores: bool = False
    min_score: float = 0.0
    place: Place | None = None

    @classmethod
    def of(cls, model: HierarchicalClassifier, asked: Any) -> AnswerOptions:
        """Read a request."""
        if asked.top is not None:
            check_top(asked.top, asked.per, asked.among)
        decided = decide_as_asked(model, asked.threshold, asked.thresholds, asked.coverage)
        top = None if asked.top is None else min(asked.top, model.hierarchy_.n_nodes)
        place = find_place(decided, asked.allowed, asked.priors)
        return cls(decided, top, asked.per, asked.among, asked.scores, asked.min_score, place)


class Answerer:
    """Labels batches: ``answerer([(rows, wanted), ...])`` is the JSON of each request's rows, without brackets."""

    def __init__(self, model: HierarchicalClassifier, form: RowForm):
        self.model, self.form = model, form
        h = model.hierarchy_
        self.names: list[str] = h.names.tolist()
        self.parents: list[list[int]] = [h.parents(v).tolist() for v in range(h.n_nodes)]

    def __call__(self, batch: Sequence[tuple[list[Any], AnswerOptions]]) -> list[bytes]:
        """Predict all rows at once and write the answers."""
        X = self.form.to_rows([row for rows, _ in batch for row in rows])
        Y, S = self.model.label_and_score(X)
        found, start = [], 0
        for rows, wanted in batch:
            part = slice(start, start + len(rows))
            start = part.stop
            found.append(self._write(*self._decide(Y[part], S[part], wanted), wanted))
        return found

    def _decide(self, Y: Any, S: Any, wanted: AnswerOptions) -> tuple[Any, Any]:
        """Return labels and scores of a request's rows, given those of the model."""
        if wanted.place is None:
            return (Y if wanted.model is self.model else as_dense(wanted.model.decoder_.predict(S))), S
        own = wanted.place.keep(Y) if wanted.model.decoder_ is None else as_dense(wanted.place.decide(S))
        return own, wanted.place.score(S)

    def _write(self, Y: Any, S: Any, wanted: AnswerOptions) -> bytes:
        rows = [self._describe(*row, wanted) for row in zip(Y, S)]
        if wanted.top is not None:
            best = top_of_scores(S, self.model.hierarchy_, wanted.top, wanted.per, wanted.among)
            for i, row in enumerate(rows):
                row["top"] = [{"label": name, "probability": value} for name, value in best[i]]
        return dump_json(rows)[1:-1].encode()

    def _describe(self, y: Any, s: Any, wanted: AnswerOptions) -> dict[str, Any]:
        """Return a row's most specific labels, none of which is a parent of another label of the row, and the rest."""
        nodes = np.flatnonzero(y)
        above = {u for v in nodes.tolist() for u in self.parents[v]}
        labels = [self.names[v] for v in nodes.tolist() if v not in above]
        row: dict[str, Any] = {"labels": labels, "probabilities": self._by_name(nodes, s)}
        if wanted.scores:
            is_possible = True if wanted.place is None else wanted.place.possible
            row["scores"] = self._by_name(np.flatnonzero((s >= wanted.min_score) & is_possible), s)
        return row

    def _by_name(self, nodes: Any, s: Any) -> dict[str, float]:
        return {self.names[v]: value for v, value in zip(nodes.tolist(), s[nodes].tolist())}


def explain_as_json(model: HierarchicalClassifier, row: Any, n_others: int, n_causes: int, **place: Any) -> bytes:
    """Return why one row got its labels; a threshold that is not finite (never, always) is null.

    ``short`` is a label's name without that of a parent in front, for where it is shown below one.
    """
    found = model.explain(row, n_others=n_others, n_causes=n_causes, **place)
    h = model.hierarchy_
    nodes = found.to_dicts()
    for node in nodes:
        node["parents"] = h.names[h.parents(node["node"])].tolist()
        node["short"] = short_name(h, node["node"])
    y = np.zeros((1, h.n_nodes), bool)
    y[0, [record.node for record in found.records if record.predicted]] = True
    labels = list(h.decode(y)[0])
    return dump_json({"labels": labels, "decoder": found.decoder, "method": found.method, "nodes": nodes}).encode()
