"""The parts of a classifier: names and presets resolved, and which of them learn."""

from __future__ import annotations

from inspect import signature
from typing import Any, NamedTuple

from sklearn.utils import get_tags

from truepath.adapters import adapt, check_learner, is_of_truepath
from truepath.classifier.defaults import default_learner
from truepath.classifier.presets import PRESETS
from truepath.registry import COMBINERS, DECODERS

__all__ = ["Parts", "combines_by_learning", "decides_by_learning", "resolve_parts", "takes_conditional"]

#: What a classifier without a decoder of its own, or a preset's, decides by
USUAL_DECODER = "single"


class Parts(NamedTuple):
    """Learner, combiner, decoder and where held-out scores come from; None for a part that is not there."""

    learner: Any
    combiner: Any
    decoder: Any
    cv: Any


def resolve_parts(learner: Any, combiner: Any, decoder: Any, cv: Any, X: Any, random_state: Any) -> Parts:
    """Return the parts that the parameters of a classifier stand for.

    The name of a preset as ``learner`` brings its combiner, decoder and ``cv`` too, wherever these are left at their
    defaults (None, "auto" and "auto").
    """
    chosen: dict[str, Any] = {}
    if isinstance(learner, str):
        chosen = PRESETS[learner].parts(random_state)
    elif learner is None:
        chosen = {"learner": default_learner(X, random_state)}
    learner = chosen.get("learner", learner)
    check_learner(learner)
    learner = adapt(learner)
    combiner = chosen.get("combiner") if combiner is None else combiner
    decoder = chosen.get("decoder", USUAL_DECODER) if _is(decoder, "auto") else decoder
    cv = chosen.get("cv", cv) if _is(cv, "auto") else cv
    return Parts(learner, _resolve_combiner(combiner, learner), _resolve_decoder(decoder), cv)


def _is(value: Any, word: str) -> bool:
    return isinstance(value, str) and value == word


def _resolve_decoder(decoder: Any) -> Any:
    """Return a decoder for its name, the decoder given, or None for the learner's own decision."""
    return None if _is(decoder, "learner") else DECODERS.resolve(decoder)


def _resolve_combiner(combiner: Any, learner: Any) -> Any:
    """Return a combiner for its name or the one given; by default none for coherent learners, MaxUp for others."""
    if combiner is None and not is_of_truepath(learner):
        combiner = "max-up"
    return COMBINERS.resolve(combiner)


def takes_conditional(decoder: Any) -> bool:
    """Say whether a decoder can use conditional scores."""
    return "conditional" in signature(decoder.predict).parameters


def combines_by_learning(combiner: Any) -> bool:
    """Say whether a combiner has to be fitted on scores and labels."""
    return combiner is not None and bool(get_tags(combiner).requires_fit)


def decides_by_learning(decoder: Any) -> bool:
    """Say whether a decoder has to be fitted on scores and labels."""
    return decoder is not None and bool(getattr(decoder, "learns", True))
