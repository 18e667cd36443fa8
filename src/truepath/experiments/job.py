"""One run: fit on some rows, predict others, measure. The same job gives the same bits wherever it runs."""

from __future__ import annotations

import platform
import time
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath import __version__
from truepath.experiments.measures import MetricWithOptions
from truepath.experiments.records import RunKey, RunRecord
from truepath.experiments.sources import Source

__all__ = ["Job", "run_job", "versions"]


@dataclass(frozen=True, eq=False)
class Job:
    """All that a worker needs.

    Attributes
    ----------
    record : RunRecord
        Key, settings and measures, to be completed.
    estimator : unfitted estimator
    source : Source
    train, test : ndarray of int
        Row numbers.
    measures : tuple of MetricWithOptions
    """

    record: RunRecord
    estimator: Any
    source: Source
    train: NDArray[np.int64]
    test: NDArray[np.int64]
    measures: tuple[MetricWithOptions, ...]

    @property
    def key(self) -> RunKey:
        """What the run is called."""
        return self.record.key


def run_job(job: Job) -> RunRecord:
    """Fit, predict and measure; what the method raises becomes part of the record."""
    from threadpoolctl import threadpool_limits

    rows = job.source.rows
    sizes = {
        "n_train": job.train.size,
        "n_test": job.test.size,
        "n_features": rows.X.shape[1] if rows.X.ndim == 2 else 1,
        "n_labels": job.source.hierarchy.n_nodes,
    }
    record = replace(job.record, sizes=sizes, versions=versions())
    try:
        with threadpool_limits(limits=1):  # sums in BLAS depend on the number of threads, and that on n_jobs
            return _fit_and_measure(job, record)
    except Exception as problem:
        line = " ".join(f"{type(problem).__name__}: {problem}".split())
        return replace(record, error=line, traceback=traceback.format_exc())


def _fit_and_measure(job: Job, record: RunRecord) -> RunRecord:
    # Taking rows copies them: workers may hold the data as read-only memory maps
    rows, hierarchy = job.source.rows, job.source.hierarchy
    train, test = rows.take(job.train), rows.take(job.test)
    start = time.perf_counter()
    estimator = job.estimator.fit(train.X, _labels_for(job.estimator, train.y))
    fitted = time.perf_counter()
    predicted = _predict(estimator, test.X, {measure.metric.needs for measure in job.measures})
    done = time.perf_counter()
    values = {
        m.label: m.metric(test.y, predicted[m.metric.needs], hierarchy, **m.options_for(hierarchy))
        for m in job.measures
    }
    return replace(record, values=values, fit_seconds=fitted - start, predict_seconds=done - fitted)


def _labels_for(estimator: Any, Y: Any) -> Any:
    """Return CSR for estimators that know hierarchies; scikit-learn's own want dense labels."""
    knows = "hierarchy" in getattr(estimator, "get_params", dict)()
    return Y if knows else Y.toarray()


def _predict(estimator: Any, X: Any, needs: set[str]) -> dict[str, Any]:
    predicted: dict[str, Any] = {}
    if "labels" in needs:
        predicted["labels"] = estimator.predict(X)
    if "scores" in needs:
        predicted["scores"] = _as_scores(estimator, estimator.predict_proba(X))
    return predicted


def _as_scores(estimator: Any, predicted: Any) -> Any:
    """Return one matrix; scikit-learn's multi-output classifiers give a list with the classes of each label."""
    if not isinstance(predicted, list):
        return predicted
    columns = []
    for part, classes in zip(predicted, estimator.classes_):
        of_true = np.flatnonzero(np.asarray(classes) == 1)
        columns.append(part[:, of_true[0]] if of_true.size else np.zeros(part.shape[0]))
    return np.column_stack(columns)


def versions() -> Mapping[str, str]:
    """Return the versions a run's numbers may depend on."""
    import scipy
    import sklearn

    return {
        "truepath": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "sklearn": sklearn.__version__,
    }
