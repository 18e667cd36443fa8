"""The parts of a classifier: names for the usual ones, one hierarchy for all, one way to fit and to score."""

from __future__ import annotations

import warnings
from difflib import get_close_matches
from importlib import import_module
from inspect import signature
from typing import Any

import numpy as np
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from truepath.adapters import take_rows
from truepath.hierarchy import Hierarchy
from truepath.learners.base import HierarchicalLearner

__all__ = [
    "COMBINERS",
    "DECODERS",
    "combines_by_learning",
    "conditional_scores",
    "decides_by_learning",
    "final_step",
    "fit_learner",
    "give_hierarchy",
    "node_scores",
    "resolve_combiner",
    "resolve_decoder",
    "takes_conditional",
]

#: What a decoder may be called instead of being made
DECODERS = {
    "threshold": "Threshold",
    "single": "SingleThreshold",
    "multi": "MultiThreshold",
    "mas": "MAS",
    "masr": "MASR",
    "exact": "ExactLeafMAP",
    "best-path": "BestPath",
    "top-leaves": "TopLeaves",
}
#: And a combiner
COMBINERS = {
    "max-up": "MaxUp",
    "min-down": "MinDown",
    "path-product": "PathProduct",
    "mean-of-paths": "MeanOfPaths",
    "top-down": "TopDown",
    "true-path-rule": "TruePathRule",
    "isotonic": "Isotonic",
    "bayesian-aggregation": "BayesianAggregation",
    "blend": "Blend",
    "fael": "FAEL",
    "kernel-fael": "KernelFAEL",
    "hierarchical-fael": "HierarchicalFAEL",
}


def resolve_decoder(decoder: Any) -> Any:
    """Return a decoder for its name, the decoder given, or None for the learner's own decision."""
    if decoder is None or decoder == "learner":
        return None
    return _named(decoder, DECODERS, "decoder", "truepath.decoders", also=("learner",))


def resolve_combiner(combiner: Any, learner: Any) -> Any:
    """Return a combiner for its name or the one given; None for coherent learners and ``MaxUp`` for others."""
    if combiner is not None:
        return _named(combiner, COMBINERS, "combiner", "truepath.combiners")
    if _is_ours(learner):
        return None
    return import_module("truepath.combiners").MaxUp()


def _named(given: Any, names: dict[str, str], role: str, room: str, also: tuple[str, ...] = ()) -> Any:
    if not isinstance(given, str):
        return given
    if given not in names:
        close = get_close_matches(given, [*names, *also], n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise ValueError(f"{role} must be one of {[*names, *also]} or an object of {room}; got {given!r}.{hint}")
    return getattr(import_module(room), names[given])()


def final_step(estimator: Any) -> Any:
    """Return the last step of a pipeline, and anything else as it is."""
    while isinstance(estimator, Pipeline):
        estimator = estimator.steps[-1][1]
    return estimator


def give_hierarchy(estimator: Any, hierarchy: Hierarchy) -> Any:
    """Return a copy in which every ``hierarchy`` parameter left at None is this one; another one is an error."""
    if estimator is None:
        return None
    copy = clone(estimator)
    params = copy.get_params(deep=True)
    keys = [key for key in params if key == "hierarchy" or key.endswith("__hierarchy")]
    for key in keys:
        if isinstance(params[key], Hierarchy) and params[key] != hierarchy:
            raise ValueError(
                f"{type(copy).__name__} has another hierarchy ({key}: {params[key]}) than the classifier "
                f"({hierarchy}). Leave it out there."
            )
    missing = {key: hierarchy for key in keys if params[key] is None}
    return copy.set_params(**missing) if missing else copy


def fit_learner(learner: Any, X: Any, Y: Any, weight: np.ndarray | None, rows: np.ndarray | None) -> Any:
    """Fit a learner on some rows, with weights if its last step takes them."""
    options = {} if weight is None else _weight_options(learner, take_rows(weight, rows))
    Y = take_rows(Y, rows)
    with config_context(enable_metadata_routing=False):  # it is decided here that weights go to the last step
        return learner.fit(take_rows(X, rows), Y if _is_ours(learner) else _plain_labels(Y), **options)


def _is_ours(learner: Any) -> bool:
    return isinstance(final_step(learner), HierarchicalLearner)


def _plain_labels(Y: Any) -> np.ndarray:
    """Return labels as scikit-learn's own classifiers want them: a dense 0/1 matrix, one column as a vector."""
    dense = (Y.toarray() if sparse.issparse(Y) else Y).astype(np.int64)
    return dense[:, 0] if dense.shape[1] == 1 else dense


def _weight_options(learner: Any, weight: np.ndarray) -> dict[str, np.ndarray]:
    """Return the keyword under which the learner takes weights; warn if it takes none."""
    last = final_step(learner)
    if not has_fit_parameter(last, "sample_weight"):
        warnings.warn(
            f"{type(last).__name__} takes no sample_weight: the weights count in the combiner and decoder only.",
            UserWarning,
            stacklevel=4,
        )
        return {}
    if learner is last:
        return {"sample_weight": weight}
    prefix = ""
    while isinstance(learner, Pipeline):
        name, learner = learner.steps[-1]
        prefix += f"{name}__"
    return {f"{prefix}sample_weight": weight}


def node_scores(learner: Any, X: Any, n_nodes: int) -> np.ndarray:
    """Return a learner's scores, one column a node; scikit-learn's lists of class probabilities are put together."""
    S = learner.predict_proba(X)
    if isinstance(S, list):
        S = np.column_stack([_positive(part, k, learner) for k, part in enumerate(S)])
    S = S.toarray() if hasattr(S, "toarray") else np.asarray(S)
    if n_nodes == 1 and S.ndim == 2 and not _is_ours(learner) and S.shape[1] <= 2:
        S = _positive(S, None, learner)[:, None]  # one label is a two-class problem to scikit-learn
    if S.ndim != 2 or S.shape[1] != n_nodes:
        raise ValueError(
            f"{type(final_step(learner)).__name__}.predict_proba returned the shape {S.shape}, not (n_samples, "
            f"{n_nodes}). Wrap it in a learner of truepath.learners, such as PerNode."
        )
    return S if S.dtype.kind == "f" else S.astype(np.float64)


def _positive(part: np.ndarray, k: int | None, learner: Any) -> np.ndarray:
    """Return the probability of 1 of one output; an output constant in training has a single column."""
    if part.shape[1] == 2:
        return part[:, 1]
    classes = final_step(learner).classes_
    only = np.asarray(classes if k is None else classes[k]).ravel()[0]
    return np.full(part.shape[0], float(only))


def conditional_scores(learner: Any, X: Any) -> np.ndarray | None:
    """Return p(v | parent) for every arc where the learner estimates it directly; None elsewhere."""
    while isinstance(learner, Pipeline):
        if not hasattr(final_step(learner), "predict_conditional_proba"):
            return None
        if len(learner.steps) > 1:
            X = learner[:-1].transform(X)
        learner = learner.steps[-1][1]
    found = getattr(learner, "predict_conditional_proba", None)
    return None if found is None else found(X)


def takes_conditional(decoder: Any) -> bool:
    """Say whether a decoder can use conditional scores."""
    return "conditional" in signature(decoder.predict).parameters


def combines_by_learning(combiner: Any) -> bool:
    """Say whether a combiner has to be fitted on scores and labels."""
    return combiner is not None and bool(get_tags(combiner).requires_fit)


def decides_by_learning(decoder: Any) -> bool:
    """Say whether a decoder has to be fitted on scores and labels."""
    return decoder is not None and bool(getattr(decoder, "learns", True))
