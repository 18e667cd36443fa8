"""hF and loss (7) of the mandatory leaf methods, five-fold, with Bi & Kwok's (2012) values beside.

    PYTHONPATH=src python benchmarks/table_mandatory_leaves.py [DATA SET ...] [--agreement DATA SET ...]

Preprocessing: all splits joined; nominal columns one-hot; labels with fewer than 10 rows dropped, then rows with a path
that stops above the leaves or without labels, these two again and again until nothing changes: so every label has
10 rows and every path is full. (The paper names both steps, not their order; its sizes follow from no order.) Then in
each fold (iteratively stratified, seed 0): missing values become the training mean, features are standardised.

Methods. MAS, MASR and exact decode the conditionals (MASR: the marginals) of SiblingLasso (L2,1, ten strengths down to
3 % of the largest, three folds, gap 1e-3). HBR + MetaLabeler: the k best leaves by the same marginals. BR +
MetaLabeler: the k best leaves of one multitask lasso over all leaves, flat. k comes from logistic regression on X.
HMC-LP: multinomial logistic regression (C = 0.1) over each level's label sets; trees only. alpha of MASR and of the
loss: #negative / #positive of the training labels. hF is micro-averaged over each test fold, then averaged over folds.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from truepath.data import load_dataset, stratified_folds
from truepath.data.full_paths import keep_full_paths
from truepath.decoders import MAS, MASR, ExactLeafMAP, MetaLabeler, TopLeaves, nested_agreement
from truepath.decoders.weights import balanced_alpha
from truepath.learners import HMCLabelPowerset, SiblingLasso
from truepath.metrics import hierarchical_f1, symmetric_loss

DATA_HOME = Path(__file__).resolve().parents[2] / "shared" / "data"
DEFAULT = ("seq_FUN", "pheno_FUN", "cellcycle_FUN", "enron", "imclef07a", "cellcycle_GO", "church_GO")
METHODS = ("MAS", "MASR", "exact", "HMC-LP", "HBR+ML", "BR+ML")
MIN_COUNT = 10
DAG_SECONDS = 1.0  # of integer programming a row, on DAGs

# Bi & Kwok's Table 1 (hF) and Table 2 (loss), as printed; None where there is none
PAPER_HF = {
    "enron": (0.75, None, None, 0.72, 0.74, 0.74),
    "seq_FUN": (0.26, None, None, 0.15, 0.25, 0.23),
    "pheno_FUN": (0.25, None, None, 0.12, 0.25, 0.23),
    "cellcycle_FUN": (0.20, None, None, 0.12, 0.21, 0.19),
    "church_FUN": (0.17, None, None, 0.05, 0.18, 0.17),
    "derisi_FUN": (0.18, None, None, 0.08, 0.18, 0.18),
    "gasch1_FUN": (0.25, None, None, 0.11, 0.23, 0.22),
    "gasch2_FUN": (0.24, None, None, 0.05, 0.22, 0.25),
    "spo_FUN": (0.18, None, None, 0.10, 0.18, 0.18),
    "expr_FUN": (0.28, None, None, 0.12, 0.25, 0.27),
    "seq_GO": (0.52, None, None, None, 0.58, 0.61),
    "pheno_GO": (0.57, None, None, None, 0.53, 0.55),
    "cellcycle_GO": (0.49, None, None, None, 0.49, 0.51),
    "church_GO": (0.57, None, None, None, 0.50, 0.54),
    "derisi_GO": (0.56, None, None, None, 0.49, 0.54),
    "gasch1_GO": (0.64, None, None, None, 0.56, 0.58),
    "gasch2_GO": (0.55, None, None, None, 0.50, 0.53),
    "spo_GO": (0.50, None, None, None, 0.47, 0.51),
    "expr_GO": (0.49, None, None, None, 0.57, 0.60),
}
PAPER_LOSS = {
    "enron": (0.36, 0.31, None, 0.25, 0.35, 0.35),
    "seq_FUN": (0.26, 0.24, None, 0.41, 0.38, 0.41),
    "pheno_FUN": (0.38, 0.39, None, 0.61, 0.38, 0.41),
    "cellcycle_FUN": (0.29, 0.24, None, 0.41, 0.29, 0.30),
    "church_FUN": (0.30, 0.26, None, 0.42, 0.30, 0.31),
    "derisi_FUN": (0.30, 0.26, None, 0.45, 0.30, 0.30),
    "gasch1_FUN": (0.27, 0.24, None, 0.43, 0.29, 0.29),
    "gasch2_FUN": (0.27, 0.30, None, 0.42, 0.29, 0.29),
    "spo_FUN": (0.29, 0.31, None, 0.42, 0.30, 0.30),
    "expr_FUN": (0.26, 0.24, None, 0.41, 0.28, 0.28),
}


def prepare(name: str):
    """Return X, Y and the hierarchy after the stated preprocessing."""
    ds = load_dataset(name, home=DATA_HOME).merge()
    ds = ds.one_hot() if ds.nominal else ds
    size = None
    while size != (ds.n_samples, ds.hierarchy.n_nodes):
        size = (ds.n_samples, ds.hierarchy.n_nodes)
        ds = keep_full_paths(ds.prune(MIN_COUNT))
    X = ds["all"].X
    return (X.toarray() if hasattr(X, "toarray") else X), ds["all"].Y, ds.hierarchy


def standardise(train, test):
    """Scale by the training rows; what is missing becomes the mean, 0."""
    known = np.isfinite(train).any(axis=0)
    scaler = StandardScaler().fit(train[:, known])
    return tuple(np.where(np.isfinite(Z), Z, 0.0) for Z in map(scaler.transform, (train[:, known], test[:, known])))


def lasso(hierarchy=None):
    return SiblingLasso(hierarchy, n_alphas=10, alpha_ratio=0.03, tol=1e-3)


def predict_all(X, Y, X_test, hierarchy) -> tuple[dict, object]:
    """Fit on the training rows; return every method's label sets, and the test rows' conditionals."""
    local = lasso(hierarchy).fit(X, Y)
    S, C = local.predict_proba(X_test), local.predict_conditional_proba(X_test)
    flat = np.zeros_like(S)
    flat[:, hierarchy.leaves] = lasso().fit(X, Y[:, hierarchy.leaves]).predict_proba(X_test)
    k = MetaLabeler(LogisticRegression(C=0.1, max_iter=1000), hierarchy=hierarchy).fit(X, Y).predict(X_test)
    found = {
        "MAS": MAS(hierarchy=hierarchy).predict(S, conditional=C),
        "MASR": MASR(balanced_alpha(Y), hierarchy=hierarchy).predict(S),
        "exact": ExactLeafMAP(hierarchy=hierarchy, time_limit=DAG_SECONDS).predict(S, conditional=C),
        "HBR+ML": TopLeaves(k, hierarchy=hierarchy).predict(S),
        "BR+ML": TopLeaves(k, hierarchy=hierarchy).predict(flat),
    }
    if hierarchy.is_tree:
        powerset = HMCLabelPowerset(LogisticRegression(C=0.1, max_iter=1000), hierarchy)
        found["HMC-LP"] = powerset.fit(X, Y).predict(X_test)
    return found, C


def measure(name: str, n_splits: int, agreement: bool):
    """Return the size of the data, mean and deviation of hF and loss by method, and the nested agreement or None."""
    X, Y, hierarchy = prepare(name)
    hf, loss = ({method: [] for method in METHODS} for _ in range(2))
    conditionals = []
    for train, test in stratified_folds(Y, n_splits, random_state=0):
        found, C = predict_all(*_fold(X, Y, train, test), hierarchy)
        conditionals.append(C)
        for method, labels in found.items():
            hf[method].append(hierarchical_f1(Y[test], labels, hierarchy))
            loss[method].append(symmetric_loss(Y[test], labels, hierarchy, alpha=balanced_alpha(Y[train])))
    nested = nested_agreement(None, hierarchy, 10, conditional=np.vstack(conditionals)) if agreement else None
    return (Y.shape[0], hierarchy.leaves.size), hf, loss, nested


def _fold(X, Y, train, test):
    X_train, X_test = standardise(X[train], X[test])
    return X_train, Y[train], X_test


def cells(values: dict, paper) -> str:
    """Return one cell per method: ours, and the paper's in brackets."""
    means = {method: np.mean(v) for method, v in values.items() if v}
    texts = []
    for j, method in enumerate(METHODS):
        own = f"{means[method]:.3f}" if method in means else "–"
        theirs = paper[j] if paper else None
        texts.append(own if theirs is None else f"{own} ({theirs:.2f})")
    return " | ".join(texts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=list(DEFAULT))
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--agreement", nargs="*", default=[], help="data sets whose nested agreement is counted")
    options = parser.parse_args()
    shares = []
    print(f"| data set | rows / leaves | measure | {' | '.join(METHODS)} |\n|---|---|---|" + "---|" * len(METHODS))
    for name in options.names:
        start = time.perf_counter()
        size, hf, loss, nested = measure(name, options.folds, name in options.agreement)
        for measured, values, paper in (("hF", hf, PAPER_HF), ("loss (7)", loss, PAPER_LOSS)):
            print(f"| {name} | {size[0]} / {size[1]} | {measured} | {cells(values, paper.get(name))} |", flush=True)
        if nested is not None:
            shares.append(f"| {name} | " + " | ".join(f"{100 * share:.1f}" for share in nested.reached[1:]) + " |")
        print(f"{name}: {time.perf_counter() - start:.0f} s", file=sys.stderr)
    if shares:
        print("\n| data set | " + " | ".join(f"k = {k}" for k in range(2, 11)) + " |\n|---|" + "---|" * 9)
        print("\n".join(shares))


if __name__ == "__main__":
    main()
