"""The parts of a classifier: names, presets and defaults resolved, and which of them learn."""

from __future__ import annotations

from inspect import signature
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

from sklearn.utils import get_tags

from truepath.adapters.capabilities import reach
from truepath.adapters.cost import check_budget
from truepath.adapters.prepare import adapt, check_learner, is_of_truepath
from truepath.classifier.default import default_decoder, default_learner
from truepath.classifier.presets import PRESETS
from truepath.combiners import Calibrator
from truepath.hierarchy import Hierarchy
from truepath.registry import COMBINERS, DECODERS

if TYPE_CHECKING:
    from truepath.classifier.hierarchical_classifier import HierarchicalClassifier


class Parts(NamedTuple):
    """The parts and where held-out scores come from; None for a part that is not there."""

    learner: Any
    combiner: Any
    calibrator: Any
    decoder: Any
    cv: Any


def resolve_parts(model: HierarchicalClassifier, X: Any, Y: Any, hierarchy: Hierarchy) -> Parts:
    """Return the parts that the parameters of a classifier mean, given the rows and labels to learn from.

    The name of a preset as ``learner`` brings its combiner, decoder and ``cv`` too, wherever these are left at their
    defaults (None, "auto" and "auto").
    """
    chosen: dict[str, Any] = {"learner": model.learner}
    if isinstance(model.learner, str):
        chosen = PRESETS[model.learner].parts(model.random_state)
    elif model.learner is None:
        chosen = {"learner": default_learner(X, model.random_state)}
    check_learner(chosen["learner"])
    learner = adapt(chosen["learner"])
    combiner = chosen.get("combiner") if model.combiner is None else model.combiner
    if combiner is None and not is_of_truepath(learner):
        combiner = "max-up"  # learners of truepath are coherent
    calibrator = Calibrator(model.calibrate) if isinstance(model.calibrate, str) else model.calibrate
    decoder = chosen.get("decoder", "auto") if _is(model.decoder, "auto") else model.decoder
    decoder = default_decoder(Y, hierarchy).name if _is(decoder, "auto") else decoder
    cv = chosen.get("cv", "auto") if _is(model.cv, "auto") else model.cv
    if isinstance(decoder, Real) and not isinstance(decoder, bool):
        raise TypeError(
            f"decoder must be a decoder or its name; got {decoder!r}. One threshold for all labels: "
            f"decoder=truepath.decoders.Threshold({decoder!r})."
        )
    decoder = None if _is(decoder, "learner") else DECODERS.resolve(decoder)
    return Parts(learner, COMBINERS.resolve(combiner), calibrator, decoder, cv)


def give_budget(learner: Any, budget: Any, n_jobs: int | None) -> Any:
    """Hand the classifier's budget and workers to a learner that has a budget and leaves them open; return it."""
    check_budget(budget)
    member = reach(learner).member
    if hasattr(member, "budget"):
        given = {"budget": budget, "n_jobs": n_jobs}
        member.set_params(**{name: value for name, value in given.items() if getattr(member, name, value) is None})
    return learner


def _is(value: Any, word: str) -> bool:
    return isinstance(value, str) and value == word


def takes_conditional(decoder: Any) -> bool:
    """Return whether a decoder can use conditional scores."""
    return "conditional" in signature(decoder.predict).parameters


def combines_by_learning(combiner: Any) -> bool:
    """Return whether a combiner has to be fitted on scores and labels."""
    return combiner is not None and bool(get_tags(combiner).requires_fit)


def decides_by_learning(decoder: Any) -> bool:
    """Return whether a decoder has to be fitted on scores and labels."""
    return decoder is not None and bool(getattr(decoder, "learns", True))
