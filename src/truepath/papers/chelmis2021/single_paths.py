"""Training and test rows of a data set whose instances are single paths, and the measures of Chelmis & Qi (2021)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from truepath.hierarchy.matrices import as_dense
from truepath.papers.chelmis2021.collapsed_labels import collapse_levels, merge_columns

if TYPE_CHECKING:
    from truepath.hierarchy import Hierarchy

SMOOTHINGS = (1e-9, 1e-3, 1e-2, 1e-1, 1.0)
SHALLOW = {"diatoms": 2}  # Table I gives its depth as 2, the tree has 3 levels


@dataclass(frozen=True)
class PathProblem:
    """What is learned and what it is judged by, dense.

    Attributes
    ----------
    name : str
    hierarchy : Hierarchy
    X, Y, X_test, Y_test : ndarray
    merged : ndarray of int, shape (n_nodes,)
        The authors' class of each node (:func:`collapse_levels`).
    ratio : float
        Negative over positive training labels: the lambda of the HMC-loss.
    """

    name: str
    hierarchy: Hierarchy
    X: NDArray[Any]
    y: NDArray[np.bool_]
    X_test: NDArray[Any]
    Y_test: NDArray[np.bool_]
    merged: NDArray[Any]
    ratio: float

    def hold_out(self, seed: int = 0) -> PathProblem:
        """Return the same with a third of the training rows as the test rows."""
        order = np.random.default_rng(seed).permutation(len(self.X))
        held, kept = order[: len(order) // 3], order[len(order) // 3 :]
        return replace(self, X=self.X[kept], y=self.y[kept], X_test=self.X[held], Y_test=self.y[held])

    def measure(self, y_pred: Any, S: Any) -> dict[str, Any]:
        """Return the measures of Table II and Figures 5 and 6 on the true tree."""
        from truepath import metrics

        h, truth = self.hierarchy, self.Y_test
        return {
            "micro_f1": metrics.micro_f1(truth, y_pred, h),
            "macro_f1": metrics.macro_f1(truth, y_pred, h),
            "h_f": metrics.hierarchical_f1(truth, y_pred, h),
            "hmc": metrics.hmc_loss(truth, y_pred, h, lambda_=self.ratio),
            "top_k": metrics.precision_at_k(truth, S, h, k=h.height),
            "levels": metrics.level_accuracy(truth, y_pred, h).round(4).tolist(),
            "auprc": metrics.auprc(truth, S, h),
        }

    def measure_merged(self, y_pred: Any) -> dict[str, float]:
        """Return micro- and macro-F1 of predictions that are in the authors' classes already."""
        from truepath.metrics import macro_f1, micro_f1

        truth = merge_columns(self.Y_test, self.merged)
        return {"micro_f1": micro_f1(truth, y_pred), "macro_f1": macro_f1(truth, y_pred)}


def load_problem(name: str, home: str | PathLike[str] | None = None) -> PathProblem:
    """Read a data set; train and valid, where there is one, are joined."""
    from truepath.data import load_dataset

    ds = load_dataset(name, home=home)
    train = [ds["train"], ds["valid"]] if "valid" in ds else [ds["train"]]
    X = np.vstack([part.X for part in train])
    Y = np.vstack([as_dense(part.y) for part in train])
    merged = collapse_levels(ds.hierarchy, Y, SHALLOW.get(name))
    ratio = float((Y.size - Y.sum()) / Y.sum())
    return PathProblem(name, ds.hierarchy, X, Y, ds["test"].X, as_dense(ds["test"].y), merged, ratio)


def choose_smoothing(problem: PathProblem) -> float:
    """Return the smoothing of the naive Bayes that is best on a held-out third of the training rows."""
    from truepath.learners import GlobalNaiveBayes
    from truepath.metrics import micro_f1

    inner = problem.hold_out()

    def score(smoothing: float) -> float:
        learner = GlobalNaiveBayes(hierarchy=inner.hierarchy, var_smoothing=smoothing).fit(inner.X, inner.y)
        return micro_f1(inner.Y_test, learner.predict(inner.X_test), inner.hierarchy)

    return max(SMOOTHINGS, key=score)
