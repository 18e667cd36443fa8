"""The papers' systems by name: learner, combiner and decoder as published, behind features that take any table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline

from truepath.classifier.defaults import forest_learner, linear_learner
from truepath.classifier.hierarchical_classifier import HierarchicalClassifier
from truepath.combiners import FAEL, KernelFAEL, TruePathRule
from truepath.decoders import MAS, MASR, BestPath, ExactLeafMAP, MultiThreshold, SingleThreshold, Threshold
from truepath.errors import TruePathError
from truepath.hierarchy import Hierarchy
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
)
from truepath.preprocessing import LAIM, AutoFeatures

__all__ = ["PRESETS", "Preset", "get_preset", "make_preset", "preset_names"]

Parts = dict[str, Any]


@dataclass(frozen=True)
class Preset:
    """A named combination.

    Attributes
    ----------
    name : str
    summary : str
        What it is, in a line.
    reference : str
    parts : callable
        ``parts(random_state)`` returns the arguments of :class:`HierarchicalClassifier`.
    """

    name: str
    summary: str
    reference: str
    parts: Callable[[Any], Parts]


def _pipe(features: AutoFeatures, *steps: Any) -> Pipeline:
    """Return a pipeline of features, what comes between, and the learner."""
    between = [(f"step{k}", step) for k, step in enumerate(steps[:-1], start=1)]
    return Pipeline([("features", features), *between, ("learner", steps[-1])])


def _scaled() -> AutoFeatures:
    return AutoFeatures(scale=True)


def _clus_forest(seed: Any) -> Pipeline:
    """Clus-HMC-Ens in the setting of Triguero & Vens: 50 trees, leaf weight 2, log2(d) + 1 features."""
    forest = PCTForest(n_estimators=50, min_leaf_weight=2, max_features="log2", random_state=seed)
    return _pipe(AutoFeatures(impute=False), forest)


def _local(policy: str = "siblings") -> Pipeline:
    return _pipe(_scaled(), PerNode(LogisticRegression(max_iter=300), policy=policy))


def _boosted(booster: Any) -> Pipeline:
    return _pipe(AutoFeatures(dense=True), booster)


def _cutset(network: Any) -> Pipeline:
    return _pipe(AutoFeatures(dense=True), LAIM(), network)


_TRIGUERO = "Triguero & Vens 2016"
_BI = "Bi & Kwok 2012"
_ZHANG = "Zhang, Shah & Kakadiaris 2014"
_CHELMIS = "Chelmis & Qi 2021"
_DIMAURO = "Di Mauro, Vergari & Esposito 2016"

PRESETS: dict[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset(
            "linear",
            "logistic regression for every label, one threshold; the default for words",
            "",
            lambda seed: {"learner": linear_learner()},
        ),
        Preset(
            "forest",
            "extra-randomised clustering trees, one threshold; the default for tables",
            "",
            lambda seed: {"learner": forest_learner(seed)},
        ),
        Preset(
            "clus-ens+sts",
            "forest of predictive clustering trees, one threshold",
            _TRIGUERO,
            lambda seed: {"learner": _clus_forest(seed), "decoder": SingleThreshold()},
        ),
        Preset(
            "clus-ens+mts",
            "forest of predictive clustering trees, a threshold for each class",
            _TRIGUERO,
            lambda seed: {"learner": _clus_forest(seed), "decoder": MultiThreshold()},
        ),
        Preset(
            "pct",
            "one predictive clustering tree, to be read",
            "Vens et al. 2008",
            lambda seed: {"learner": _pipe(AutoFeatures(impute=False), PCTree(random_state=seed))},
        ),
        Preset(
            "mas",
            "multitask lasso of siblings, the most probable label set that ends in leaves (greedy)",
            _BI,
            lambda seed: {"learner": _pipe(_scaled(), SiblingLasso()), "decoder": MAS()},
        ),
        Preset(
            "masr",
            "multitask lasso of siblings, the label set of least risk that ends in leaves",
            _BI,
            lambda seed: {"learner": _pipe(_scaled(), SiblingLasso()), "decoder": MASR()},
        ),
        Preset(
            "exact-leaves",
            "as mas, the exact optimum",
            _BI,
            lambda seed: {"learner": _pipe(_scaled(), SiblingLasso()), "decoder": ExactLeafMAP()},
        ),
        Preset(
            "hbr",
            "a local classifier at each node, decided top-down at one half",
            "Cesa-Bianchi, Gentile & Zaniboni 2006",
            lambda seed: {"learner": _pipe(_scaled(), HBR(LogisticRegression(max_iter=300))), "decoder": None},
        ),
        Preset(
            "hmc-lp",
            "label powersets level by level (trees only)",
            "Cerri, de Carvalho & Freitas 2011",
            lambda seed: {
                "learner": _pipe(_scaled(), HMCLabelPowerset(LogisticRegression(max_iter=300))),
                "decoder": None,
            },
        ),
        Preset(
            "br+metalabeler",
            "the best leaves of flat binary relevance, their number predicted",
            "Tang, Rajan & Narayanan 2009",
            lambda seed: {
                "learner": _pipe(_scaled(), BRMetaLabeler(LogisticRegression(max_iter=300))),
                "decoder": None,
            },
        ),
        Preset(
            "lcpn",
            "a local classifier at each node, one threshold",
            "Silla & Freitas 2011",
            lambda seed: {"learner": _local()},
        ),
        Preset(
            "lcppn",
            "a local classifier at each parent, the best path",
            "Silla & Freitas 2011",
            lambda seed: {
                "learner": _pipe(_scaled(), PerParent(LogisticRegression(max_iter=300))),
                "decoder": BestPath(),
            },
        ),
        Preset(
            "tpr",
            "local classifiers, true-path rule, one threshold",
            "Valentini 2011",
            lambda seed: {"learner": _local("less_inclusive"), "combiner": TruePathRule()},
        ),
        Preset(
            "fael",
            "local classifiers, final scores learned from the scores of all nodes",
            _ZHANG,
            lambda seed: {"learner": _local(), "combiner": FAEL("gcv")},
        ),
        Preset(
            "kernel-fael",
            "as fael, with a kernel",
            _ZHANG,
            lambda seed: {"learner": _local(), "combiner": KernelFAEL()},
        ),
        Preset(
            "h-ada.mh",
            "hierarchy-aware boosting, its own votes",
            _CHELMIS,
            lambda seed: {"learner": _boosted(HAdaBoostMH(random_state=seed)), "decoder": None},
        ),
        Preset(
            "ada.mh",
            "flat boosting, its own votes",
            "Schapire & Singer 1999",
            lambda seed: {"learner": _boosted(AdaBoostMH(random_state=seed)), "decoder": None},
        ),
        Preset(
            "rcnet",
            "restricted cutset network on discretised features, most probable label set",
            _DIMAURO,
            lambda seed: {"learner": _cutset(RestrictedCutsetNetwork(force_nonempty=True)), "decoder": None},
        ),
        Preset(
            "cnet",
            "cutset network on discretised features, most probable label set",
            _DIMAURO,
            lambda seed: {"learner": _cutset(CutsetNetwork(force_nonempty=True)), "decoder": None},
        ),
        Preset(
            "rcnet-bag",
            "ten bagged restricted cutset networks, one threshold",
            _DIMAURO,
            lambda seed: {"learner": _cutset(BaggedCutsetNetworks(random_state=seed))},
        ),
        Preset(
            "half",
            "logistic regression for every label, cut at one half: the baseline",
            "",
            lambda seed: {"learner": linear_learner(), "decoder": Threshold(0.5)},
        ),
    )
}


def preset_names() -> list[str]:
    """Return the names of all presets.

    Examples
    --------
    >>> from truepath.classifier import preset_names
    >>> {"clus-ens+mts", "mas", "masr", "h-ada.mh", "fael", "rcnet"} <= set(preset_names())
    True
    """
    return list(PRESETS)


def get_preset(name: str) -> Preset:
    """Return what is known of a preset: summary, reference and parts."""
    if name not in PRESETS:
        close = get_close_matches(str(name), PRESETS, n=2)
        hint = f"Did you mean {' or '.join(map(repr, close))}?" if close else f"There are {', '.join(PRESETS)}."
        raise TruePathError(f"no preset is called {name!r}. {hint}")
    return PRESETS[name]


def make_preset(
    name: str, hierarchy: Hierarchy | None = None, *, random_state: Any = 0, n_jobs: int | None = None, **changes: Any
) -> HierarchicalClassifier:
    """Return the unfitted classifier of a preset.

    Parameters
    ----------
    name : str
        One of :func:`preset_names`.
    hierarchy : Hierarchy, optional
    random_state, n_jobs
        As in :class:`HierarchicalClassifier`; the seed goes to the learner as well.
    **changes
        Other arguments of the classifier in place of the preset's, such as ``decoder="multi"``.

    Examples
    --------
    >>> from truepath.classifier import make_preset
    >>> model = make_preset("clus-ens+mts", random_state=1)
    >>> model.decoder, model.learner[-1].n_estimators
    (MultiThreshold(), 50)
    """
    parts = {**get_preset(name).parts(random_state), **changes}
    return HierarchicalClassifier(hierarchy=hierarchy, random_state=random_state, n_jobs=n_jobs, **parts)
