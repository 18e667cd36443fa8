"""The rows behind the numbers: true and predicted labels, scores, texts and reasons, as much as a page can hold."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath.hierarchy.matrices import dense_blocks
from truepath.metrics.ranking.at_k import best_columns
from truepath.report.explorer.packing import pack_numbers, pack_rows, pack_shares
from truepath.report.run import Evaluated, Run

#: Labels that a page stores at most, over rows and methods, and characters of texts
MOST_CELLS = 800_000
MOST_CHARACTERS = 1_500_000
TEXT_LENGTH = 400
#: The best labels of a row that are neither true nor predicted
N_OTHERS = 5
#: Reasons that a page stores at most, over rows and methods
MOST_REASONS = 60_000


def choose_rows(run: Run, random_state: Any = 0) -> NDArray[np.int64]:
    """Return the rows that the page stores: all of them, or as many as fit, drawn at random; ascending."""
    sizes = np.diff(run.y_true.indptr).astype(np.int64)
    for result in run.results:
        sizes += np.diff(result.y_pred.indptr)
        if result.S is not None:
            sizes += np.diff(result.y_pred.indptr) + N_OTHERS  # their scores
    sizes += 4
    if sizes.sum() <= MOST_CELLS:
        return np.arange(run.n_samples)
    order = np.random.default_rng(random_state).permutation(run.n_samples)
    n_rows = max(1, int(np.searchsorted(np.cumsum(sizes[order]), MOST_CELLS, side="right")))
    return np.sort(order[:n_rows])


def row_table(run: Run, random_state: Any = 0) -> dict[str, Any]:
    """Return the stored rows ready for JSON."""
    rows = choose_rows(run, random_state)
    truth = run.y_true[rows]
    truth.sort_indices()
    return {
        "n": int(rows.size),
        "at": None if rows.size == run.n_samples else pack_numbers(np.diff(rows, prepend=0)),
        "ids": None if run.ids is None else [run.ids[i] for i in rows],
        "texts": None if run.texts is None else _cut_texts([run.texts[i] for i in rows]),
        "true": pack_rows(truth.indptr, truth.indices),
        "methods": [_method_rows(result, rows, truth) for result in run.results],
    }


def _cut_texts(texts: list[str]) -> list[str]:
    """Cut long texts, shorter where there are many."""
    most = int(np.clip(MOST_CHARACTERS // max(len(texts), 1), 60, TEXT_LENGTH))
    return [text if len(text) <= most else text[:most].rsplit(" ", 1)[0] + " …" for text in texts]


def _method_rows(result: Evaluated, rows: NDArray[np.int64], truth: Any) -> dict[str, Any]:
    """Return a method's labels and scores of the rows."""
    labels = result.y_pred[rows]
    labels.sort_indices()
    table: dict[str, Any] = {"predicted": pack_rows(labels.indptr, labels.indices), "scores": None}
    if result.S is not None:
        table["others"], table["scores"] = _pack_scores(result.S[rows], truth, labels)
    if result.reasons is not None:
        table["reasons"] = _pack_reasons([result.reasons[i] for i in rows])
    return table


def _pack_scores(S: Any, truth: Any, labels: Any) -> tuple[dict[str, str], dict[str, Any]]:
    """Return the best other labels of each row, and the scores of all its labels in the order of nodes."""
    found, sizes, values = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0)]
    low, high = 0.0, 1.0
    for _, (true, predicted, scores) in dense_blocks(truth, labels, S):
        shown = true | predicted
        others = _best_others(scores, shown)
        found.append(np.nonzero(others)[1])
        sizes.append(others.sum(axis=1))
        values.append(scores[shown | others].astype(np.float64))
        low, high = min(low, float(scores.min())), max(high, float(scores.max()))
    indptr = np.concatenate([[0], np.cumsum(np.concatenate(sizes))])
    shares = pack_shares(np.concatenate(values), low, high)
    return pack_rows(indptr, np.concatenate(found)), {"low": low, "high": high, "shares": shares}


def _best_others(scores: NDArray[Any], shown: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mark the best scored labels that are not shown anyway; none that scores 0."""
    left = np.where(shown | (scores <= 0), -np.inf, scores).astype(np.float64)
    best = best_columns(left, min(N_OTHERS, left.shape[1]))
    marked = np.zeros_like(shown)
    np.put_along_axis(marked, best, True, axis=1)
    return np.asarray(marked & (left > -np.inf))


def _pack_reasons(reasons: list[Any]) -> list[Any]:
    """Return each row's reasons as [node, [[cause, value], ...]]; None for rows without, and once there are enough."""
    packed: list[Any] = []
    left = MOST_REASONS
    for of_row in reasons:
        if not of_row or left <= 0:
            packed.append(None)
            continue
        left -= sum(len(causes) for causes in of_row.values())
        packed.append([[v, [[cause, float(f"{x:.3g}")] for cause, x in causes]] for v, causes in of_row.items()])
    return packed
