"""One run: fit on some rows, predict others, measure. The same job gives the same bits wherever it runs."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath.experiments.measures import MetricWithOptions
from truepath.experiments.records import RunKey
from truepath.experiments.sources import Source
from truepath.hierarchy import Hierarchy


@dataclass(frozen=True, eq=False)
class Job:
    """Everything that a worker needs.

    Attributes
    ----------
    key : RunKey
        What the run is called.
    estimator : unfitted estimator, as :meth:`Method.make` returns it
    source : Source
    train, test : ndarray of int
        Row numbers.
    measures : tuple of MetricWithOptions
    """

    key: RunKey
    estimator: Any
    source: Source
    train: NDArray[np.int64]
    test: NDArray[np.int64]
    measures: tuple[MetricWithOptions, ...]

    @property
    def sizes(self) -> dict[str, int]:
        """Rows, features and labels."""
        X = self.source.rows.X
        return {
            "n_train": self.train.size,
            "n_test": self.test.size,
            "n_features": X.shape[1] if X.ndim == 2 else 1,
            "n_labels": self.source.hierarchy.n_nodes,
        }


def run_job(job: Job) -> dict[str, Any]:
    """Fit, predict and measure; return the measures' values and the seconds it took."""
    from truepath.adapters.fitting import fit_learner
    from truepath.adapters.groups import check_groups

    # Taking rows copies them: workers may hold the data as read-only memory maps
    rows, hierarchy = job.source.rows, job.source.hierarchy
    train, test = rows.take(job.train), rows.take(job.test)
    start = time.perf_counter()
    estimator = fit_learner(job.estimator, train.X, train.y, groups=check_groups(train.groups, len(train)))
    fitted = time.perf_counter()
    predicted = _predict(estimator, test.X, hierarchy, {measure.metric.needs for measure in job.measures})
    done = time.perf_counter()
    values = {
        m.label: m.metric(test.y, predicted[m.metric.needs], hierarchy, **m.options_for(hierarchy))
        for m in job.measures
    }
    return {"values": values, "fit_seconds": fitted - start, "predict_seconds": done - fitted}


def _predict(estimator: Any, X: Any, hierarchy: Hierarchy, needs: set[str]) -> dict[str, Any]:
    from truepath.adapters import node_scores

    predicted: dict[str, Any] = {}
    if "labels" in needs:
        predicted["labels"] = estimator.predict(X)
    if "scores" in needs:
        predicted["scores"] = node_scores(estimator, X, hierarchy.n_nodes, hierarchy=hierarchy)
    return predicted
