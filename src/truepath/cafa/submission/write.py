"""Writing submissions: propagated, rounded, the highest scores of each target, perhaps one file per aspect."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from truepath.cafa.evaluation.propagate import propagated_blocks
from truepath.cafa.predictions import Predictions, write_long_table
from truepath.cafa.submission.rules import SubmissionRules
from truepath.files.names import PathType


def prepare_submission(predictions: Predictions, rules: SubmissionRules | None = None) -> Predictions:
    """Return predictions as a submission holds them.

    Scores are passed on to ancestors, put into the range, and rounded; scores that round to nothing are dropped. Of
    each target the highest scores are kept, of equal ones those nearer to the root: what is kept is closed.

    Parameters
    ----------
    predictions : Predictions
    rules : SubmissionRules, optional
    """
    rules = rules or SubmissionRules()
    blocks = [
        _keep_highest(_round(scores, rules), rules.max_terms)
        for _, scores in propagated_blocks(predictions.scores, predictions.ontology.hierarchy, "max")
    ]
    kept = sparse.csr_array(sparse.vstack(blocks, format="csr")) if blocks else predictions.scores
    return Predictions(predictions.targets, kept, predictions.ontology)


def _round(scores: sparse.csr_array, rules: SubmissionRules) -> sparse.csr_array:
    scores = sparse.csr_array(scores, dtype=np.float64, copy=True)
    scores.data = np.round(np.minimum(scores.data, rules.highest), rules.decimals)
    scores.data[scores.data <= rules.lowest] = 0.0
    scores.eliminate_zeros()
    return scores


def _keep_highest(scores: sparse.csr_array, most: int) -> sparse.csr_array:
    """Keep the highest of each row, ties by node number, in falling order."""
    rows = np.repeat(np.arange(scores.shape[0]), np.diff(scores.indptr))
    order = np.lexsort((scores.indices, -scores.data, rows))
    rank = np.arange(rows.size) - scores.indptr[rows]
    chosen = order[rank < most]
    counts = np.minimum(np.diff(scores.indptr), most)
    indptr = np.r_[0, np.cumsum(counts)]
    return sparse.csr_array((scores.data[chosen], scores.indices[chosen], indptr), shape=scores.shape)


def write_submission(
    predictions: Any, path: PathType, *, rules: SubmissionRules | None = None, split_aspects: bool = False
) -> list[Path]:
    """Write a valid submission: ``target<TAB>term<TAB>score``.

    Parameters
    ----------
    predictions : Predictions
    path : path
        With ``split_aspects``, ``submission.tsv`` becomes ``submission_biological_process.tsv`` and so on.
    rules : SubmissionRules, optional
    split_aspects : bool, default=False
        Whether to write one file per aspect.

    Returns
    -------
    paths : list of Path
        The files written.
    """
    rules = rules or SubmissionRules()
    ready = prepare_submission(predictions, rules)
    if not split_aspects:
        return [write_long_table(ready.table, path, rules.decimals)]
    written, path = [], Path(path)
    for aspect in ready.ontology.aspects:
        part = sparse.csr_array(ready.scores, copy=True)
        part.data = part.data * ready.ontology.flags(aspect)[part.indices]
        table = Predictions(ready.targets, part, ready.ontology).table
        written.append(write_long_table(table, path.with_stem(f"{path.stem}_{aspect}"), rules.decimals))
    return written
