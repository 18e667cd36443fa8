"""Local scores for comparing combiners: one logistic regression per node, out of fold and on test rows.

Train and valid are joined; missing values become the training fold's mean, features are scaled by the training fold;
one ``LogisticRegression(C)`` per node whose labels vary in the training fold, otherwise the constant. Out-of-fold
scores come from 5 folds. ``C`` is the one of three (two where there are more than 1,000 nodes) with the best out-of-
fold average precision of the *raw* scores, so that the baseline is not a weak one. Test scores come from a refit on all
training rows.
"""

from __future__ import annotations

from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from truepath.hierarchy import Hierarchy
from truepath.hierarchy.matrices import as_dense
from truepath.resampling import cross_fit

STRENGTHS = (0.003, 0.03, 0.3)
N_FOLDS = 5
MANY_NODES = 1000  # above this, two strengths are tried
N_BLOCKS = 16  # of nodes: pieces of work for parallel fitting


class LocalScores(NamedTuple):
    """Raw scores of the training rows (out of fold) and of the test rows, the labels, and the strength chosen."""

    S_train: NDArray[Any]
    Y_train: NDArray[np.bool_]
    S_test: NDArray[Any]
    Y_test: NDArray[np.bool_]
    hierarchy: Hierarchy
    C: float


def make_local_scores(
    name: str, home: str | PathLike[str] | None = None, *, random_state: int = 0, n_jobs: int | None = None
) -> LocalScores:
    """Score a data set by local classifiers."""
    from sklearn.metrics import average_precision_score

    from truepath.data import load_dataset

    ds = load_dataset(f"hmc/{name}", home=home)
    ds = ds.merge("train", "valid", into="train") if "valid" in ds else ds
    X, Y = ds.train.X, as_dense(ds.train.y)
    strengths = STRENGTHS if ds.hierarchy.n_nodes < MANY_NODES else STRENGTHS[:2]
    held_out = {C: _out_of_fold(X, Y, C, random_state, n_jobs) for C in strengths}
    quality = {C: average_precision_score(Y.ravel(), S.ravel()) for C, S in held_out.items()}
    best = max(strengths, key=lambda C: quality[C])
    S_test = _fit_predict(X, Y, ds.test.X, best, n_jobs)
    return LocalScores(held_out[best], Y, S_test, as_dense(ds.test.y), ds.hierarchy, best)


def _out_of_fold(X: Any, Y: NDArray[Any], C: float, random_state: int, n_jobs: int | None) -> NDArray[Any]:
    from sklearn.model_selection import KFold

    splits = KFold(N_FOLDS, shuffle=True, random_state=random_state).split(X)
    return cross_fit(splits, lambda train, held_out: _fit_predict(X[train], Y[train], X[held_out], C, n_jobs))


def _fit_predict(X: Any, Y: NDArray[Any], X_new: Any, C: float, n_jobs: int | None) -> NDArray[Any]:
    """Return the scores of one logistic regression per node on new rows."""
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from truepath.adapters.parallel import run_parallel

    scale = make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler())
    X, X_new = scale.fit_transform(X), scale.transform(X_new)
    blocks = np.array_split(np.arange(Y.shape[1]), min(N_BLOCKS, Y.shape[1]))
    cases = ((Y[:, block],) for block in blocks)
    return np.hstack(run_parallel(_fit_block, cases, common=(X, X_new, C), n_jobs=n_jobs))


def _fit_block(X: NDArray[Any], X_new: NDArray[Any], C: float, Y: NDArray[Any]) -> NDArray[Any]:
    """Fit and score the nodes of a block."""
    import warnings

    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    S = np.empty((X_new.shape[0], Y.shape[1]), np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # 200 steps are enough for scores
        for v in range(Y.shape[1]):
            y = Y[:, v]
            if y.all() or not y.any():
                S[:, v] = y[0]
            else:
                S[:, v] = LogisticRegression(C=C, max_iter=200).fit(X, y).predict_proba(X_new)[:, 1]
    return S
