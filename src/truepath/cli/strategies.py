"""The labelling strategies by the names that the command line uses, and what each of them needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from truepath.errors import TruePathError

if TYPE_CHECKING:
    from truepath.decoders import Decoder
    from truepath.hierarchy import Hierarchy

__all__ = ["COHERENT", "STRATEGIES", "Strategy", "choose"]

#: What makes scores coherent, by name, and the combiner that does it
COHERENT = {
    "max-up": "MaxUp",
    "min-down": "MinDown",
    "top-down": "TopDown",
    "isotonic": "Isotonic",
    "true-path-rule": "TruePathRule",
    "mean-of-paths": "MeanOfPaths",
    "path-product": "PathProduct",
}


@dataclass(frozen=True)
class Strategy:
    """One way from scores to labels.

    ``make(hierarchy, options)`` gives the decoder; ``takes`` are the options that mean something to it; ``learns`` says
    whether it needs true labels whatever the options; ``wants_coherent`` whether it refuses incoherent scores.
    """

    about: str
    make: Callable[[Hierarchy, dict[str, Any]], Decoder]
    takes: tuple[str, ...] = ()
    learns: bool = False
    wants_coherent: bool = True

    def needs_truth(self, options: dict[str, Any]) -> bool:
        """Say whether these options make it learn from true labels."""
        balanced = "alpha" in self.takes and options.get("alpha", "balanced") == "balanced"
        return self.learns or balanced or options.get("k") == "metalabeler"


def _decoder(name: str, **fixed: Any) -> Callable[[Hierarchy, dict[str, Any]], Decoder]:
    """Return a maker of the decoder called ``name``; the module waits until it is asked."""

    def make(hierarchy: Hierarchy, options: dict[str, Any]) -> Decoder:
        from truepath import decoders

        decoder: Decoder = getattr(decoders, name)(hierarchy=hierarchy, **{**fixed, **options})
        return decoder

    return make


STRATEGIES = {
    "threshold": Strategy("labels above --threshold", _decoder("Threshold"), ("threshold",)),
    "single": Strategy("one learned threshold", _decoder("SingleThreshold"), ("objective",), learns=True),
    "multi": Strategy(
        "a threshold a class, greedy as published", _decoder("MultiThreshold", method="greedy"), ("objective",), True
    ),
    "multi-optimal": Strategy(
        "a threshold a class, provably best", _decoder("MultiThreshold", method="optimal"), ("objective",), True
    ),
    "mas": Strategy("most probable sets of leaves, greedy", _decoder("MAS"), ("k",)),
    "masr": Strategy("sets of leaves of least expected loss, greedy", _decoder("MASR"), ("k", "alpha")),
    "exact": Strategy("most probable sets of leaves, exact", _decoder("ExactLeafMAP", weights="map"), ("k",)),
    "exact-risk": Strategy(
        "sets of leaves of least expected loss, exact", _decoder("ExactLeafMAP", weights="risk"), ("k", "alpha")
    ),
    "top-leaves": Strategy("the --k best leaves", _decoder("TopLeaves"), ("k",), wants_coherent=False),
    "metalabeler": Strategy(
        "as many of the best leaves as a learned model says",
        _decoder("TopLeaves", k="metalabeler"),
        learns=True,
        wants_coherent=False,
    ),
    "best-path": Strategy("the best leaf with its ancestors", _decoder("BestPath"), wants_coherent=False),
}
_FLAGS = {"threshold": "--threshold", "objective": "--objective", "k": "--k", "alpha": "--alpha"}


def choose(name: str, given: dict[str, Any]) -> tuple[Strategy, dict[str, Any]]:
    """Return the strategy and its options; an unknown name, or an option that would mean nothing, is an error.

    >>> strategy, options = choose("mas", {"k": "3", "threshold": None})
    >>> strategy.about, options
    ('most probable sets of leaves, greedy', {'k': 3})
    """
    if name not in STRATEGIES:
        from difflib import get_close_matches

        near = get_close_matches(name, STRATEGIES, n=1)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise TruePathError(f"--strategy {name!r} is unknown.{hint} There are: {', '.join(STRATEGIES)}.")
    strategy = STRATEGIES[name]
    options = {key: value for key, value in given.items() if value is not None}
    for key in options:
        if key not in strategy.takes:
            owners = ", ".join(other for other, one in STRATEGIES.items() if key in one.takes)
            raise TruePathError(f"{_FLAGS[key]} means nothing to --strategy {name}; it belongs to {owners}.")
    return strategy, {key: _parse(key, value) for key, value in options.items()}


def _parse(key: str, value: Any) -> Any:
    """Turn the text of --k and --alpha into what the decoders take."""
    words = {"k": ("metalabeler",), "alpha": ("balanced",)}.get(key)
    if words is None or value in words:
        return value
    try:
        return int(value) if key == "k" else float(value)
    except ValueError:
        kind = "a whole number" if key == "k" else "a number"
        raise TruePathError(f"{_FLAGS[key]} must be {kind} or {words[0]!r}; got {value!r}.") from None
