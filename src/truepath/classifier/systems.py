"""The presets: the systems of the papers, better variants of some, and plain baselines.

All use features that accept any table: texts, categories and numbers become columns, missing values are filled
where the learner needs that.
"""

from __future__ import annotations

from typing import Any

from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline

from truepath.classifier.presets import Arguments, preset
from truepath.combiners import FAEL, KernelFAEL, TruePathRule
from truepath.decoders import MAS, MASR, BestPath, ExactLeafMAP, MultiThreshold, SingleThreshold, Threshold
from truepath.learners import (
    HBR,
    AdaBoostMH,
    BaggedCutsetNetworks,
    BRMetaLabeler,
    CutsetNetwork,
    HAdaBoostMH,
    HMCLabelPowerset,
    PCTForest,
    PCTree,
    PerNode,
    PerParent,
    RestrictedCutsetNetwork,
    SiblingLasso,
    SparseLinear,
    TableBlend,
)
from truepath.preprocessing import LAIM, AutoFeatures

_TRIGUERO = "Triguero & Vens 2016"
_BI = "Bi & Kwok 2012"
_ZHANG = "Zhang, Shah & Kakadiaris 2014"
_CHELMIS = "Chelmis & Qi 2021"
_DIMAURO = "Di Mauro, Vergari & Esposito 2016"

_LOGISTIC = "logistic regression at the nodes"
_TRAINING_CUTS = "features are discretised on the training rows alone; the authors did so before splitting the data"


def _pipe(features: AutoFeatures, *steps: Any) -> Pipeline:
    """Return a pipeline of features, what comes between, and the learner."""
    between = [(f"step{k}", step) for k, step in enumerate(steps[:-1], start=1)]
    return Pipeline([("features", features), *between, ("learner", steps[-1])])


def _scaled(learner: Any) -> Pipeline:
    return _pipe(AutoFeatures(scale=True), learner)


def _with_missing(learner: Any) -> Pipeline:
    """Return a learner that handles missing values behind features that leave them."""
    return _pipe(AutoFeatures(impute=False), learner)


def _logistic() -> LogisticRegression:
    return LogisticRegression(max_iter=300)


# ------------------------------------------------------------------------------------- baselines of our own


@preset("linear", "one linear classifier per label")
def _linear(seed: Any) -> Arguments:
    return {"learner": _scaled(SparseLinear())}


@preset("text-blend", "linear models, kernel ridge and FAEL, weighed on held-out rows")
def _text_blend(seed: Any) -> Arguments:
    return {"learner": _scaled(TableBlend(None, random_state=seed))}


@preset("blend", "forests, kernel ridge, FAEL, boosted trees, weighed on held-out rows")
def _blend(seed: Any) -> Arguments:
    return {"learner": _with_missing(TableBlend(None, random_state=seed))}


@preset("forest", "extra-randomised clustering trees")
def _forest(seed: Any) -> Arguments:
    forest = PCTForest(
        n_estimators=100, splitter="random", bootstrap=False, max_features=1 / 3, min_leaf_weight=2, random_state=seed
    )
    return {"learner": _with_missing(forest)}


@preset("half", "one linear classifier per label, cut at one half: the baseline")
def _half(seed: Any) -> Arguments:
    return {"learner": _scaled(SparseLinear()), "decoder": Threshold(0.5)}


# ---------------------------------------------------------------------------- trees and thresholds


def _clus_forest(seed: Any) -> Pipeline:
    """Clus-HMC-Ens as Triguero & Vens run it: 50 trees, leaf weight 2, log2(d) + 1 features per split."""
    forest = PCTForest(n_estimators=50, min_leaf_weight=2, max_features="log2+1", random_state=seed)
    return _with_missing(forest)


@preset("clus-ens+sts", "forest of predictive clustering trees, one threshold", _TRIGUERO, published=True)
def _clus_ens_sts(seed: Any) -> Arguments:
    return {"learner": _clus_forest(seed), "decoder": SingleThreshold(ties="published"), "cv": 1 / 3}


@preset(
    "clus-ens+mts", "forest of predictive clustering trees, one threshold per class (greedy)", _TRIGUERO, published=True
)
def _clus_ens_mts(seed: Any) -> Arguments:
    return {"learner": _clus_forest(seed), "decoder": MultiThreshold(method="greedy", ties="published"), "cv": 1 / 3}


@preset(
    "clus-ens+optimal",
    "forest of predictive clustering trees, the best threshold per class",
    _TRIGUERO,
    differs="thresholds are the optimum instead of Algorithm 5, fitted on out-of-bag scores of all rows",
)
def _clus_ens_optimal(seed: Any) -> Arguments:
    return {"learner": _clus_forest(seed), "decoder": MultiThreshold()}


@preset(
    "pct",
    "one predictive clustering tree, easy to read",
    "Vens et al. 2008",
    differs="no F-test stops the tree, and one threshold is fitted where the paper draws curves over all",
)
def _pct(seed: Any) -> Arguments:
    return {"learner": _with_missing(PCTree(random_state=seed)), "decoder": SingleThreshold()}


# ------------------------------------------------------------------------------------ mandatory leaves


@preset("mas", "multitask lasso of siblings, greedy search for the most probable leaves", _BI, published=True)
def _mas(seed: Any) -> Arguments:
    return {"learner": _scaled(SiblingLasso()), "decoder": MAS()}


@preset("masr", "multitask lasso of siblings, greedy search for the leaves of least risk", _BI, published=True)
def _masr(seed: Any) -> Arguments:
    return {"learner": _scaled(SiblingLasso()), "decoder": MASR()}


@preset("exact-leaves", "as mas, the exact optimum", _BI, differs="the optimum instead of the greedy search")
def _exact_leaves(seed: Any) -> Arguments:
    return {"learner": _scaled(SiblingLasso()), "decoder": ExactLeafMAP()}


@preset(
    "br+metalabeler",
    "the best leaves of flat binary relevance, their number predicted",
    "Tang, Rajan & Narayanan 2009",
    differs="logistic regression instead of support vector machines",
)
def _br_metalabeler(seed: Any) -> Arguments:
    return {"learner": _scaled(BRMetaLabeler(_logistic())), "decoder": None}


# ---------------------------------------------------------------------------------- local classifiers


def _local(policy: str) -> Pipeline:
    return _scaled(PerNode(_logistic(), policy=policy))


@preset(
    "hbr",
    "a local classifier at each node, decided top-down at one half",
    "Cesa-Bianchi, Gentile & Zaniboni 2006",
    differs=f"{_LOGISTIC} instead of support vector machines",
)
def _hbr(seed: Any) -> Arguments:
    return {"learner": _scaled(HBR(_logistic())), "decoder": None}


@preset(
    "hmc-lp",
    "label powersets level by level (trees only)",
    "Cerri, de Carvalho & Freitas 2011",
    differs="logistic regression for the label sets of a level",
)
def _hmc_lp(seed: Any) -> Arguments:
    return {"learner": _scaled(HMCLabelPowerset(_logistic())), "decoder": None}


@preset(
    "lcpn",
    "a local classifier at each node, one threshold",
    "Silla & Freitas 2011",
    differs=f"{_LOGISTIC} and one fitted threshold; the survey leaves both open",
)
def _lcpn(seed: Any) -> Arguments:
    return {"learner": _local("siblings"), "decoder": SingleThreshold()}


@preset(
    "lcppn",
    "a local classifier at each parent, the best path",
    "Silla & Freitas 2011",
    differs="logistic regression at the parents and the best whole path; the survey leaves both open",
)
def _lcppn(seed: Any) -> Arguments:
    return {"learner": _scaled(PerParent(_logistic())), "decoder": BestPath()}


@preset(
    "tpr",
    "local classifiers, true-path rule, one threshold",
    "Valentini 2011",
    differs=f"{_LOGISTIC}, and one fitted threshold instead of one half",
)
def _tpr(seed: Any) -> Arguments:
    return {"learner": _local("less_inclusive"), "combiner": TruePathRule(), "decoder": SingleThreshold()}


@preset(
    "fael",
    "local classifiers, final scores learned from the scores of all nodes",
    _ZHANG,
    differs=f"{_LOGISTIC}, lambda chosen by generalised cross-validation, one threshold: the text states none of these",
)
def _fael(seed: Any) -> Arguments:
    return {"learner": _local("siblings"), "combiner": FAEL("gcv"), "decoder": SingleThreshold()}


@preset("kernel-fael", "as fael, with a kernel", _ZHANG, differs=f"{_LOGISTIC}, kernel width and lambda of our choice")
def _kernel_fael(seed: Any) -> Arguments:
    return {"learner": _local("siblings"), "combiner": KernelFAEL(), "decoder": SingleThreshold()}


# ------------------------------------------------------------------------------------------- boosting


def _boosted(booster: Any) -> Arguments:
    return {"learner": _pipe(AutoFeatures(dense=True), booster), "decoder": None}


@preset("h-ada.mh", "hierarchy-aware boosting of stumps, every round kept consistent", _CHELMIS, published=True)
def _h_ada_mh(seed: Any) -> Arguments:
    # Algorithm 1, and section V.B: one-layer trees, T = 600 on the image sets
    booster = HAdaBoostMH(
        n_estimators=600, constraint="train", max_depth=1, max_bins=None, single_path=False, random_state=seed
    )
    return _boosted(booster)


@preset(
    "h-ada.mh+free",
    "hierarchy-aware boosting of small trees, the final vote made consistent",
    _CHELMIS,
    differs="rounds are free and the final vote is made consistent; trees of depth 2, 200 rounds, one path where all "
    "training rows have one",
)
def _h_ada_mh_free(seed: Any) -> Arguments:
    return _boosted(HAdaBoostMH(random_state=seed))


@preset(
    "ada.mh",
    "flat boosting, its own votes",
    "Schapire & Singer 1999",
    differs="one tree of depth 2 per label and round instead of one stump for all labels",
)
def _ada_mh(seed: Any) -> Arguments:
    return _boosted(AdaBoostMH(random_state=seed))


# ------------------------------------------------------------------------------------ cutset networks


def _cutset(network: Any) -> Pipeline:
    return _pipe(AutoFeatures(dense=True), LAIM(), network)


@preset(
    "rcnet",
    "restricted cutset network on discretised features, most probable label set",
    _DIMAURO,
    differs=_TRAINING_CUTS,
)
def _rcnet(seed: Any) -> Arguments:
    return {"learner": _cutset(RestrictedCutsetNetwork(force_nonempty=True)), "decoder": None}


@preset("cnet", "cutset network on discretised features, most probable label set", _DIMAURO, differs=_TRAINING_CUTS)
def _cnet(seed: Any) -> Arguments:
    return {"learner": _cutset(CutsetNetwork(force_nonempty=True)), "decoder": None}


@preset(
    "rcnet-bag",
    "ten bagged restricted cutset networks, one threshold",
    _DIMAURO,
    differs="a bag of networks instead of one, and one fitted threshold instead of the most probable label set",
)
def _rcnet_bag(seed: Any) -> Arguments:
    return {"learner": _cutset(BaggedCutsetNetworks(random_state=seed)), "decoder": SingleThreshold()}
