r"""CAFA's evaluation: predictions against annotations, one aspect at a time.

At a threshold t target i has the predicted terms P_i(t) of an aspect, and the true terms T_i, both closed under
ancestors. With ia the weight of a term (1, or its information accretion)::

    pr_i = ia(P_i & T_i) / ia(P_i)   rc_i = ia(P_i & T_i) / ia(T_i)   mi_i = ia(P_i - T_i)   ru_i = ia(T_i - P_i)

Averages over targets give F = 2 pr rc / (pr + rc) and S = sqrt(mi^2 + ru^2); Fmax and Smin are the best over all t.

References
----------
Y. Jiang et al. An expanded evaluation of protein function prediction methods shows an improvement in accuracy.
Genome Biology 17, 2016.

D. Piovesan et al. CAFA-evaluator: a Python tool for benchmarking ontological classification methods. Bioinformatics
Advances 4, 2024.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from truepath.cafa.accretion import as_accretion
from truepath.cafa.evaluation.curves import NORMS, AspectCurve, make_curve
from truepath.cafa.evaluation.matrices import to_matrices
from truepath.cafa.evaluation.propagate import propagated_blocks
from truepath.cafa.evaluation.results import Evaluation
from truepath.cafa.ontology.ontology import Ontology
from truepath.metrics.sweep import add_sweep, check_thresholds, total_sweep
from truepath.parameters import COUNT, STEP, check_in

#: CAFA's thresholds in the floating point of its evaluator: some are a little above the hundredth they stand for
CAFA_THRESHOLDS = np.arange(0.01, 1, 0.01)
Floats = NDArray[np.float64]


def evaluate_predictions(
    truth: Any,
    predictions: Any,
    ontology: Ontology,
    *,
    ia: Any = None,
    aspects: Sequence[str] | None = None,
    norm: str = "cafa",
    prop: str = "max",
    orphans: bool = True,
    thresholds: str | float | ArrayLike = "cafa",
    max_terms: int | None = None,
    known: Any = None,
) -> Evaluation:
    """Evaluate predictions as CAFA does, aspect by aspect.

    Parameters
    ----------
    truth : Annotations, LongTable, path, frame, mapping, pairs or matrix
        Targets and their terms; ancestors are added. A matrix has one row per target and one column per node.
    predictions : LongTable, path, frame, mapping, triples or matrix
        Targets, terms and scores; a score of 0 or less is not a prediction. A matrix needs a matrix as truth.
    ontology : Ontology
    ia : mapping, array, path or None
        Information accretion of terms, see :func:`information_accretion`: then every quantity is computed weighted as
        well. Terms without one weigh nothing.
    aspects : sequence of str, optional
        Evaluate these only; by default all that have truth.
    norm : {"cafa", "pred", "gt"}, default="cafa"
        ``"cafa"`` averages precision over targets with a prediction and the rest over all targets, ``"pred"`` all over
        targets with a prediction, ``"gt"`` all over all targets.
    prop : {"max", "fill"}, default="max"
        How scores are passed on to ancestors: the greatest below, or only to terms without a score of their own.
    orphans : bool, default=True
        Whether terms without parents, such as the roots of the aspects, count.
    thresholds : "cafa", "exact", float or array-like, default="cafa"
        CAFA's 0.01, 0.02, ..., 0.99 (bit for bit those of its evaluator), every score that occurs, multiples of a step
        below 1, or given thresholds above 0.
    max_terms : int, optional
        Take this many different terms of each target and aspect: the first in the file, of a matrix the highest.
    known : as truth, optional
        What targets were known to have before (partial knowledge): these terms count neither as true nor as predicted.

    Returns
    -------
    evaluation : Evaluation

    Notes
    -----
    Time is O(cells after propagation), memory that of the predictions and a block of rows. With the defaults the
    figures are those of cafaeval 1.3.0; the page "Coming from cafaeval" lists where it differs and why.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.cafa import Ontology, evaluate_predictions
    >>> ontology = Ontology.of(Hierarchy.from_paths(["a/1", "a/2", "b"]))
    >>> truth = {"P1": ["a/1"], "P2": ["b"]}
    >>> predicted = {"P1": {"a/1": 0.9, "a/2": 0.4}, "P2": {"a": 0.3, "b": 0.2}}
    >>> evaluate_predictions(truth, predicted, ontology).summary()[0]["fmax"]
    0.7368421052631579
    """
    if norm not in NORMS:
        raise ValueError(f"norm must be one of {', '.join(NORMS)}; got {norm!r}.")
    check_in("max_terms", max_terms, COUNT, none=True)
    found = to_matrices(truth, predictions, known, ontology, max_terms)
    chosen = [ontology.aspect(name) for name in aspects] if aspects is not None else list(ontology.aspects)
    counted = np.ones(ontology.hierarchy.n_nodes)
    if not orphans:
        counted[ontology.hierarchy.roots] = 0.0
    weights = [counted] if ia is None else [counted, counted * as_accretion(ia, ontology)]
    true = found.true if found.known is None else _without(found.true, found.known)
    cuts = {name: find_thresholds(thresholds, found.scores, ontology.aspects[name]) for name in chosen}
    sweeps = [_AspectSweep(name, ontology, true, weight, cuts[name]) for weight in weights for name in chosen]
    sweeps = [sweep for sweep in sweeps if sweep.n_targets]
    for rows, scores in propagated_blocks(found.scores, ontology.hierarchy, prop):
        block = scores if found.known is None else _without(scores, found.known[rows])
        for sweep in sweeps:
            sweep.add(rows, block)
    plain = {sweep.aspect: sweep.finish(norm) for sweep in sweeps if sweep.weight is counted}
    weighted = {sweep.aspect: sweep.finish(norm) for sweep in sweeps if sweep.weight is not counted}
    options = {"norm": norm, "prop": prop, "orphans": orphans, "max_terms": max_terms}
    return Evaluation(plain, weighted, found.counts, options)


class _AspectSweep:
    """The sweep over one aspect, with or without weights."""

    def __init__(self, aspect: str, ontology: Ontology, true: sparse.csr_array, weight: Floats, cuts: NDArray[Any]):
        self.aspect, self.true, self.weight, self.cuts = aspect, true, weight, cuts
        in_aspect = ontology.flags(aspect)
        self.mass = in_aspect * weight
        self.counts = (true @ in_aspect > 0).astype(np.float64)
        self.n_targets = int(self.counts.sum())
        self.changes = np.zeros((cuts.size, 5))

    def add(self, rows: slice, scores: sparse.csr_array) -> None:
        """Sweep some rows."""
        count = self.counts[rows]
        add_sweep(self.changes, self.true[rows], scores, self.mass, self.cuts, scored=count, weight=count)

    def finish(self, norm: str) -> AspectCurve:
        total = float(self.counts @ (self.true @ self.mass))
        return make_curve(self.aspect, self.n_targets, total, self.cuts, total_sweep(self.changes), norm)


def _without(matrix: sparse.csr_array, known: sparse.csr_array) -> sparse.csr_array:
    """Clear the cells that are known."""
    kept = matrix.astype(np.float64)
    kept = sparse.csr_array(kept - kept.multiply(known))
    kept.eliminate_zeros()
    return sparse.csr_array(kept.astype(matrix.dtype))


def find_thresholds(
    thresholds: str | float | ArrayLike, scores: sparse.csr_array, nodes: NDArray[np.int64]
) -> NDArray[Any]:
    """Return ascending thresholds in the type of the scores; "exact" are the scores of some nodes."""
    if isinstance(thresholds, str):
        if thresholds == "exact":
            is_in = np.zeros(scores.shape[1], bool)
            is_in[nodes] = True
            return np.unique(scores.data[is_in[scores.indices] & (scores.data > 0)])
        if thresholds != "cafa":
            raise ValueError(f"thresholds must be 'cafa', 'exact', a step or an array; got {thresholds!r}.")
        return check_thresholds(CAFA_THRESHOLDS, scores.dtype)
    if isinstance(thresholds, float | int):
        check_in("a step of thresholds", thresholds, STEP)
        steps = np.arange(1, int(np.ceil(1 / thresholds)) + 1)
        multiples = np.round(steps * thresholds, 12)
        return check_thresholds(multiples[multiples < 1], scores.dtype)
    return check_thresholds(thresholds, scores.dtype)
