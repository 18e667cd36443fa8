"""How labels are decided for one request: as the model does, by other thresholds, or with another coverage."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from truepath.classifier.place import Place, saved_sets
from truepath.decoders import Threshold
from truepath.serve.refusals import RefusedError, shown

if TYPE_CHECKING:
    from truepath.classifier import HierarchicalClassifier


def decide_as_asked(
    model: HierarchicalClassifier,
    threshold: float | None = None,
    thresholds: dict[str, float] | None = None,
    coverage: float | None = None,
) -> HierarchicalClassifier:
    """Return the model as it is, or a copy that shares all but the decoder.

    Examples
    --------
    >>> from truepath import HierarchicalClassifier
    >>> model = HierarchicalClassifier().fit(["a cat", "an oak"] * 3, [["animal"], ["plant"]] * 3)
    >>> decide_as_asked(model, threshold=0.0).predict_labels(["the cat"])
    [('animal', 'plant')]
    """
    if threshold is None and thresholds is None and coverage is None:
        return model
    if coverage is not None and (threshold is not None or thresholds is not None):
        raise RefusedError(422, "coverage and thresholds exclude each other.", "Send one of the two.")
    decoder = _covering(model, coverage) if coverage is not None else _cutting(model, threshold, thresholds or {})
    changed = copy(model)
    changed.decoder_ = decoder
    return changed


def find_place(
    model: HierarchicalClassifier, allowed: list[str] | None = None, priors: dict[str, float] | None = None
) -> Place | None:
    """Return what follows from the labels that a request allows and their shares, if it says any.

    Examples
    --------
    >>> from truepath import HierarchicalClassifier
    >>> model = HierarchicalClassifier().fit(["a cat", "an oak"] * 3, [["animal"], ["plant"]] * 3)
    >>> find_place(model, ["plant"]).possible.tolist()
    [False, True]
    """
    if allowed is None and priors is None:
        return None
    known = {*model.hierarchy_.names.tolist(), *model.hierarchy_.aliases, *saved_sets(model)}
    _check_length([*(allowed or []), *(priors or {})], known)
    return Place(model, [""], allowed, priors)


def _check_length(names: Iterable[str], known: Collection[str]) -> None:
    """Refuse a name that is longer than all that there are: nothing is near it, and looking is dear."""
    longest = max(map(len, known), default=0)
    for name in names:
        if len(name) > longest:
            raise RefusedError(
                422, f"the label {shown(name)} is not in the hierarchy.", "GET /hierarchy lists the labels."
            )


def has_coverage(model: HierarchicalClassifier) -> bool:
    """Say whether the label sets of a model hold all true labels with a probability that can be chosen."""
    return "coverage" in getattr(model.decoder_, "get_params", dict)()


def _covering(model: HierarchicalClassifier, coverage: float) -> Any:
    if not has_coverage(model):
        how = type(model.decoder_).__name__
        problem = f"the label sets of this model have no coverage: it decides by {how}."
        raise RefusedError(422, problem, "Leave coverage out.")
    return copy(model.decoder_).set_params(coverage=coverage)


def _cutting(model: HierarchicalClassifier, threshold: float | None, given: dict[str, float]) -> Any:
    """Return a decoder of thresholds: those given, for the other labels one for all, or the model's."""
    hierarchy = model.hierarchy_
    usual = getattr(model.decoder_, "thresholds_", None)
    if threshold is None and usual is None and len(given) < hierarchy.n_nodes:
        named = f"{len(given)} of {hierarchy.n_nodes} labels"
        problem = f"the model has no thresholds of its own, and thresholds names {named}."
        raise RefusedError(422, problem, "Send threshold, one for all other labels.")
    first = threshold if threshold is not None else 0.0 if usual is None else usual
    cuts = np.broadcast_to(np.asarray(first, np.float64), (hierarchy.n_nodes,)).copy()
    _check_length(given, {*hierarchy.names.tolist(), *hierarchy.aliases})
    cuts[hierarchy.indices(list(given))] = list(given.values())
    return Threshold(cuts, hierarchy=hierarchy, coherent="max-up").fit(np.zeros((1, hierarchy.n_nodes)))
