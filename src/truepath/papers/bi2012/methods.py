"""The methods of Bi & Kwok's (2012) tables, in families that share their fits: a fold in, label sets out.

MAS, MASR and exact decode the conditionals (MASR: the marginals) of SiblingLasso (L2,1, ten strengths down to 3 % of
the largest, three folds, gap 1e-3). HBR + MetaLabeler: the k best leaves by the same marginals. BR + MetaLabeler: the
k best leaves of one multitask lasso over all leaves, flat. CLUS-HMC + MetaLabeler: those of a predictive clustering
tree whose F-test level is chosen on a third of the training rows, as Vens et al. (2008) do. k comes from logistic
regression on X. HMC-LP: multinomial logistic regression over each level's label sets; trees only. alpha of MASR: the
number of negative over positive training labels, as the loss has it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from truepath.decoders import MAS, MASR, ExactLeafMAP, MetaLabeler, TopLeaves
from truepath.decoders.leaves.weights import balanced_alpha
from truepath.hierarchy.matrices import as_dense
from truepath.learners import HMCLabelPowerset, PCTForest, PCTree, SiblingLasso
from truepath.metrics import auprc, hierarchical_f1, symmetric_loss
from truepath.papers.bi2012.agreement import NestedAgreement, nested_agreement
from truepath.papers.bi2012.folds import Fold

DAG_SECONDS = 1.0  # of integer programming per row, on DAGs
F_TEST_LEVELS = (0.001, 0.005, 0.01, 0.05, 0.1, 0.125)  # Vens et al. (2008)
K_MAX = 10  # of Figure 3

LabelSets = dict[str, Any]
Scores = dict[tuple[str, str], list[float]]  # by method and measure, one per fold


def decode_lasso(fold: Fold) -> LabelSets:
    """Return what the decoders predict from one multitask lasso per group of siblings, and from a flat one."""
    h = fold.hierarchy
    local = _lasso(h).fit(fold.X, fold.y)
    S, C = local.predict_proba(fold.X_test), local.predict_conditional_proba(fold.X_test)
    flat = np.zeros_like(S)
    flat[:, h.leaves] = _lasso().fit(fold.X, fold.y[:, h.leaves]).predict_proba(fold.X_test)
    k = _count_leaves(fold)
    return {
        "MAS": MAS(hierarchy=h).predict(S, conditional=C),
        "MAS, k by MetaLabeler": MAS(k, hierarchy=h).predict(S, conditional=C),
        "MASR": MASR(balanced_alpha(fold.y), hierarchy=h).predict(S),
        "exact": _exact(S, C, h),
        "HBR + MetaLabeler": TopLeaves(k, hierarchy=h).predict(S),
        "BR + MetaLabeler": TopLeaves(k, hierarchy=h).predict(flat),
    }


def decode_powerset(fold: Fold) -> LabelSets:
    """Return what label powerset, level by level, predicts; nothing on DAGs, which have no levels."""
    if not fold.hierarchy.is_tree:
        return {}
    return {"HMC-LP": HMCLabelPowerset(_logistic(), hierarchy=fold.hierarchy).fit(fold.X, fold.y).predict(fold.X_test)}


def decode_trees(fold: Fold) -> LabelSets:
    """Return the best leaves of a predictive clustering tree, and of a forest of them."""
    dense = fold._replace(X=as_dense(fold.X), X_test=as_dense(fold.X_test))
    best = TopLeaves(_count_leaves(fold), hierarchy=fold.hierarchy)
    tree = PCTree(hierarchy=fold.hierarchy, significance=_choose_level(dense))
    forest = PCTForest(hierarchy=fold.hierarchy, random_state=0)
    named = {"CLUS-HMC + MetaLabeler": tree, "PCT forest + MetaLabeler": forest}
    return {name: best.predict(m.fit(dense.X, dense.y).predict_proba(dense.X_test)) for name, m in named.items()}


FAMILIES: dict[str, Callable[[Fold], LabelSets]] = {
    "lasso": decode_lasso,
    "powerset": decode_powerset,
    "trees": decode_trees,
}


def score_family(family: str, folds: Iterator[Fold]) -> Scores:
    """Return hF, loss (7) and the mean number of leaves of every method of a family, fold by fold."""
    scores: Scores = {}
    for fold in folds:
        for method, found in FAMILIES[family](fold).items():
            for measure, value in _measure(fold, found).items():
                scores.setdefault((method, measure), []).append(value)
    return scores


def check_nesting(folds: Iterator[Fold]) -> NestedAgreement:
    """Return, over the test rows of all folds, how often the best sets of k - 1 and of k leaves are nested."""
    parts = [(fold, _lasso(fold.hierarchy).fit(fold.X, fold.y)) for fold in folds]
    conditional = np.vstack([local.predict_conditional_proba(fold.X_test) for fold, local in parts])
    return nested_agreement(None, parts[0][0].hierarchy, K_MAX, conditional=conditional)


def _measure(fold: Fold, found: Any) -> dict[str, float]:
    h = fold.hierarchy
    return {
        "hF": hierarchical_f1(fold.Y_test, found, h),
        "loss (7)": symmetric_loss(fold.Y_test, found, h, alpha=balanced_alpha(fold.y)),
        "leaves predicted": float(np.asarray(found[:, h.leaves].sum(axis=1)).mean()),
    }


def _lasso(hierarchy: Any = None) -> SiblingLasso:
    return SiblingLasso(hierarchy=hierarchy, n_alphas=10, alpha_ratio=0.03, tol=1e-3)


def _logistic() -> LogisticRegression:
    return LogisticRegression(C=0.1, max_iter=1000)


def _count_leaves(fold: Fold) -> NDArray[np.int64]:
    return MetaLabeler(_logistic(), hierarchy=fold.hierarchy).fit(fold.X, fold.y).predict(fold.X_test)


def _exact(S: Any, C: Any, hierarchy: Any) -> Any:
    """Return the optimum; on a DAG the best found in a second per row, which is not always proved optimal."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return ExactLeafMAP(hierarchy=hierarchy, time_limit=DAG_SECONDS).predict(S, conditional=C)


def _choose_level(fold: Fold) -> float:
    """Return the F-test level whose tree has the largest pooled area under precision-recall on a third held out."""
    held = np.random.default_rng(0).permutation(fold.X.shape[0]) % 3 == 0
    grown, judged = np.flatnonzero(~held), np.flatnonzero(held)

    def area(level: float) -> float:
        tree = PCTree(hierarchy=fold.hierarchy, significance=level).fit(fold.X[grown], fold.y[grown])
        return float(auprc(fold.y[judged], tree.predict_proba(fold.X[judged]), fold.hierarchy))

    return max(F_TEST_LEVELS, key=area)
