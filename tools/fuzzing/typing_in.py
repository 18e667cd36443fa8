"""What people type in: labels, scores and options of any kind give an answer or a clear error."""

from __future__ import annotations

from typing import Any

import numpy as np

from fuzzing.checks import check, refusable
from fuzzing.drawing import draw_hierarchy
from truepath import HierarchicalClassifier
from truepath.learners import PCTree
from truepath.metrics import auprc, micro_f1
from truepath.registry import COMBINERS, DECODERS

ODD: list[Any] = [None, "", "a", " ", b"a", 0, 1, -1, 2.5, np.nan, np.inf, True, [], (), {}, set(), ["a"], [["a"]]]
ODD += [object(), np.zeros(0), np.zeros((0, 0)), np.zeros((2, 2, 2)), np.array("a"), 1j, "a/b", ["a", None], [[None]]]


def odd(rng: np.random.Generator) -> Any:
    """Draw something odd, or a list of odd things."""
    if rng.random() < 0.4:
        return ODD[int(rng.integers(len(ODD)))]
    return [ODD[int(k)] for k in rng.integers(0, len(ODD), int(rng.integers(1, 5)))]


@check("odd labels", 30)
def labels(rng: np.random.Generator) -> None:
    """Labels of any kind, by name or as a matrix."""
    h = draw_hierarchy(rng, 5)
    given = [h.names[0], odd(rng)] if rng.random() < 0.5 else odd(rng)
    Y = refusable(lambda: h.encode(given))
    assert h.is_closed(Y)


@check("odd scores", 30)
def scores(rng: np.random.Generator) -> None:
    """Score matrices of any kind, to combiners, decoders and metrics."""
    h = draw_hierarchy(rng, 4)
    given = odd(rng)
    target = int(rng.integers(4))
    if target == 0:
        refusable(lambda: COMBINERS["max-up"](hierarchy=h).transform(given))
    elif target == 1:
        refusable(lambda: DECODERS["threshold"](hierarchy=h).predict(given))
    elif target == 2:
        refusable(lambda: auprc(given, odd(rng), h))
    else:
        refusable(lambda: micro_f1(odd(rng), given, h))


@check("odd rows", 3)
def rows(rng: np.random.Generator) -> None:
    """Rows and labels of any kind, to a classifier."""
    X: Any = odd(rng) if rng.random() < 0.5 else rng.normal(size=(4, 2))
    y: Any = odd(rng) if rng.random() < 0.5 else [["a/b"], ["a"], ["c"], ["a/b"]]
    refusable(lambda: HierarchicalClassifier(PCTree(), decoder="threshold").fit(X, y))
