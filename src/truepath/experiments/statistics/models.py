r"""Two models on the same rows: how much they differ by a measure, with an interval and a test.

Both resample rows and keep the models paired. The *bootstrap* draws rows with replacement, the same ones for both
models, and takes quantiles of the difference as the interval, moved where drawing itself changes the difference
(:mod:`truepath.resampling`). The *permutation test* asks how often a difference at least as large comes about if it
does not matter which model made which prediction: in each row the two predictions are swapped or not, at random, or in
all :math:`2^n` ways if these are few. Any measure will do, those of the whole set (areas, micro- and macro-averages) as
well as means over rows.

References
----------
B. Efron, R. J. Tibshirani. An Introduction to the Bootstrap. 1993, chapters 13 and 15.

A. Yeh. More accurate tests for the statistical significance of result differences. COLING 2000.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from html import escape
from typing import Any

import numpy as np

from truepath.data.tables.join import join_rows
from truepath.data.tables.labels import LabelTable
from truepath.data.tables.scores import ScoreTable
from truepath.errors import TruePathError
from truepath.experiments.statistics.resampling import Show, draw_rows, pair_models, swap_predictions
from truepath.files.strict_json import json_values
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.checks import flat_like
from truepath.hierarchy.matrices import as_matrix, by_name
from truepath.metrics import get_metric
from truepath.resampling import check_resampling


@dataclass(frozen=True)
class ModelComparison:
    """How much two models differ on the same rows, by one measure.

    Attributes
    ----------
    metric : str
    greater_is_better : bool
    names : tuple of str
        What the two models are called.
    values : tuple of float
        The measure of each model, on all rows.
    difference : float
        The first value minus the second.
    low, high : float
        The ends of the bootstrap interval of the difference; NaN if the measure is undefined on every resample.
    confidence : float
        About the share of such intervals that hold the true difference.
    p_value : float
        Two-sided, of the permutation test.
    n_samples : int
        The number of rows.
    n_resamples : int
        How often rows were drawn, and predictions swapped at random.
    is_exact : bool
        Whether the predictions were swapped in every possible way instead.
    """

    metric: str
    greater_is_better: bool
    names: tuple[str, str]
    values: tuple[float, float]
    difference: float
    low: float
    high: float
    confidence: float
    p_value: float
    n_samples: int
    n_resamples: int
    is_exact: bool

    @property
    def better(self) -> str | None:
        """The name of the better model; None if no difference is shown at the level ``1 - confidence``."""
        if not self.p_value < 1 - self.confidence:
            return None
        return self.names[0] if (self.difference > 0) == self.greater_is_better else self.names[1]

    def to_dict(self) -> dict[str, Any]:
        """Return everything in a form that JSON can hold: None for NaN."""
        found: dict[str, Any] = json_values({**asdict(self), "better": self.better})
        return found

    def __str__(self) -> str:
        direction = "higher" if self.greater_is_better else "lower"
        width = max(map(len, self.names))
        models = [f"  {name:<{width}}  {value:.4f}" for name, value in zip(self.names, self.values)]
        swaps = f"all {2**self.n_samples:,}" if self.is_exact else f"{self.n_resamples:,} random"
        interval = f"{100 * self.confidence:g}% interval {self.low:+.4f} to {self.high:+.4f}"
        level = f"{1 - self.confidence:.3g}"
        return "\n".join(
            [
                f"{self.metric} ({direction} is better), {self.n_samples:,} rows",
                *models,
                f"difference {self.difference:+.4f}, {interval} ({self.n_resamples:,} draws of the rows)",
                f"permutation test: p = {self.p_value:.3g} ({swaps} swaps of the two predictions)",
                f"{self.better} is better." if self.better else f"No difference is shown at the level {level}.",
            ]
        )

    def _repr_html_(self) -> str:
        """Return the same lines for notebooks."""
        return f"<pre>{escape(str(self))}</pre>"


def compare_models(
    y_true: Any,
    a: Any,
    b: Any,
    hierarchy: Hierarchy | None = None,
    *,
    metric: str = "hierarchical_f1",
    names: tuple[str, str] = ("a", "b"),
    n_resamples: int = 2000,
    confidence: float = 0.95,
    random_state: Any = None,
    by_order: bool = False,
    on_progress: Show | None = None,
    **options: Any,
) -> ModelComparison:
    r"""Compare two models by their predictions for the same rows.

    Parameters
    ----------
    y_true : array-like, sparse matrix, frame or LabelTable, shape (n_samples, n_nodes)
    a, b : array-like, sparse matrix, frame, LabelTable or ScoreTable, shape (n_samples, n_nodes)
        Labels or scores, whichever the metric needs. Tables that were read from files
        (:func:`~truepath.data.read_labels`, :func:`~truepath.data.read_scores`) are joined by their ids, whatever the
        order of their rows; other matrices have their rows in the same order.
    hierarchy : Hierarchy, optional
    metric : str, default="hierarchical_f1"
        Any name of :func:`~truepath.metrics.list_metrics`.
    names : pair of str, default=("a", "b")
        What the two are called in the result.
    n_resamples : int, default=2000
        How often rows are drawn for the interval, and predictions swapped for the test.
    confidence : float, default=0.95
    random_state : int or numpy Generator, optional
        The same seed gives the same bits.
    by_order : bool, default=False
        Whether to take the rows of tables in their order, without matching ids.
    on_progress : callable, optional
        Called as ``on_progress(done, total, what)`` while a measure of the whole set is computed again and again.
    **options
        Passed on to the metric, such as ``nodes`` or ``average``.

    Returns
    -------
    comparison : ModelComparison

    Raises
    ------
    TruePathError
        If there are fewer than two rows, or the tables do not hold the same rows.

    See Also
    --------
    compare : several methods over several data sets.

    Notes
    -----
    The rows are the sample: the result says what to expect for other rows of the same kind, not for other data sets
    or for models trained again. The interval is the percentile interval and holds the difference, as that of
    :func:`~truepath.metrics.bootstrap_interval`; resamples on which the measure is undefined are left out. With at most
    :math:`\log_2` of ``n_resamples`` rows all swaps are tried, and the p-value is
    exact; otherwise it is at least ``2 / (n_resamples + 1)``. Measures that are known from sums over rows (means
    over rows, precision, recall and F1 over all cells) take O(n_samples * n_resamples); others are computed four
    times for each resample.

    Examples
    --------
    >>> import numpy as np
    >>> from truepath.experiments import compare_models
    >>> truth = np.array([[1, 1, 0], [1, 0, 1], [1, 1, 0], [0, 0, 1]])
    >>> found = compare_models(truth, truth, truth[::-1], metric="exact_match", random_state=0)
    >>> found.values, found.difference, found.p_value, found.is_exact
    ((1.0, 0.0), 1.0, 0.125, True)
    """
    check_resampling(n_resamples, confidence)
    if "sample_weight" in options:
        raise ValueError("all rows are resampled with equal probability; sample_weight is not supported.")
    truth, first, second = _same_rows(y_true, a, b, hierarchy, by_order)
    n = truth.shape[0]
    if n < 2:
        raise TruePathError("comparing models needs at least two rows; there is one.")
    record = get_metric(metric)
    first_value, second_value = (record(truth, predicted, hierarchy, **options) for predicted in (first, second))
    pairs = pair_models(record, truth, first, second, hierarchy, options)
    if on_progress is not None:
        pairs = pairs.showing(on_progress, 2 * n_resamples)
    generator = np.random.default_rng(random_state)
    low, high = draw_rows(pairs, first_value - second_value, n_resamples, confidence, generator)
    p_value = swap_predictions(pairs, n_resamples, generator)
    return ModelComparison(
        record.name,
        record.greater_is_better,
        names,
        (first_value, second_value),
        first_value - second_value,
        low,
        high,
        confidence,
        p_value,
        n,
        n_resamples,
        n < 63 and 2**n <= n_resamples,
    )


def _same_rows(y_true: Any, a: Any, b: Any, hierarchy: Hierarchy | None, by_order: bool) -> tuple[Any, Any, Any]:
    """Return three matrices whose rows and columns mean the same."""
    tables = {"y_true": y_true, "a": a, "b": b}
    matrices = {name: _matrix_of(table) for name, table in tables.items()}
    order = hierarchy or flat_like(*matrices.values())
    found = {name: as_matrix(by_name(matrix, order, name), name=name) for name, matrix in matrices.items()}
    if hasattr(y_true, "row_keys"):
        for name in ("a", "b"):
            if hasattr(tables[name], "row_keys"):
                rows = join_rows(y_true.row_keys, tables[name].row_keys, by_order=by_order).rows
                found[name] = found[name][rows]
    for name in ("a", "b"):
        if found[name].shape != found["y_true"].shape:
            problem = f"{name} must have the shape of y_true, {found['y_true'].shape}; got {found[name].shape}."
            raise TruePathError(problem, "Both models must have predicted the same rows and labels.")
    return found["y_true"], found["a"], found["b"]


def _matrix_of(table: Any) -> Any:
    if isinstance(table, LabelTable):
        return table.y
    return table.S if isinstance(table, ScoreTable) else table
