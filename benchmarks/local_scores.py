"""Local scores for comparing combiners: one scikit-learn logistic regression a node, out of fold and on test rows.

Protocol: train and valid are joined; missing values become the training fold's mean, features are scaled by the
training fold; one ``LogisticRegression(C)`` a node whose labels vary in the training fold, else the constant.
Out-of-fold scores come from 5 folds. ``C`` is the one of three (two for GO) with the best out-of-fold average precision
of the *raw* scores, so that the baseline is not a weak one. Test scores come from a refit on all
training rows.

Run ``PYTHONPATH=src python benchmarks/local_scores.py CACHE_FOLDER [dataset ...]``; the results are kept in the folder.
"""

from __future__ import annotations

import sys
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from truepath.data import read_clus_arff

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "hmc"
NAMES = ("cellcycle_FUN", "derisi_FUN", "gasch1_FUN", "cellcycle_GO", "imclef07a")
STRENGTHS = (0.003, 0.03, 0.3)
N_FOLDS = 5


def load(name):
    """Return the data set with train and valid joined."""
    folder = DATA / name
    splits = [split for split in ("train", "valid", "test") if (folder / f"{split}.arff.xz").exists()]
    ds = read_clus_arff({split: folder / f"{split}.arff.xz" for split in splits}, name=name)
    return ds.merge("train", "valid") if "valid" in ds else ds


def fit_predict(X, Y, X_new, C):
    """Return the scores of one logistic regression a node on new rows."""
    scale = make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler())
    X, X_new = scale.fit_transform(X), scale.transform(X_new)
    S = np.empty((X_new.shape[0], Y.shape[1]))
    for v in range(Y.shape[1]):
        y = Y[:, v]
        if y.all() or not y.any():
            S[:, v] = y[0]
        else:
            S[:, v] = LogisticRegression(C=C, max_iter=200).fit(X, y).predict_proba(X_new)[:, 1]
    return S.astype(np.float32)


def out_of_fold(X, Y, C):
    S = np.empty(Y.shape, np.float32)
    for train, held_out in KFold(N_FOLDS, shuffle=True, random_state=0).split(X):
        S[held_out] = fit_predict(X[train], Y[train], X[held_out], C)
    return S


def make(name):
    """Return out-of-fold and test scores with the best strength, and what it was."""
    ds = load(name)
    X, Y = ds.train.X, ds.train.Y.toarray()
    strengths = STRENGTHS if ds.hierarchy.n_nodes < 1000 else STRENGTHS[:2]
    held_out = {C: out_of_fold(X, Y, C) for C in strengths}
    quality = {C: average_precision_score(Y.ravel(), S.ravel()) for C, S in held_out.items()}
    best = max(quality, key=quality.get)
    return {"S_train": held_out[best], "S_test": fit_predict(X, Y, ds.test.X, best), "C": best, "quality": str(quality)}


def main(folder, names):
    warnings.simplefilter("ignore", ConvergenceWarning)
    for name in names or NAMES:
        file = Path(folder) / f"{name}.npz"
        if not file.exists():
            start = time.perf_counter()
            np.savez(file, **make(name))
            print(f"{name}: {time.perf_counter() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
