"""Decoders: closed label sets, row by row, from dense and sparse scores."""

from __future__ import annotations

import numpy as np

from fuzzing.checks import check, refusable, same
from fuzzing.drawing import draw_coherent_scores, draw_hierarchy, draw_labels, sparsely
from truepath.registry import DECODERS


@check("decoders", 40)
def decoding(rng: np.random.Generator) -> None:
    """One random decoder on one random case."""
    member = DECODERS.members()[int(rng.integers(len(DECODERS)))]
    h = draw_hierarchy(rng)
    Y = draw_labels(rng, h)
    S = draw_coherent_scores(rng, h, len(Y))
    decoder = refusable(lambda: member(hierarchy=h).fit(S, Y))
    new = draw_coherent_scores(rng, h, int(rng.integers(1, 6)))
    found = refusable(lambda: decoder.predict(new))
    assert found.shape == new.shape
    assert found.dtype == bool
    assert h.is_closed(found), f"{member.name}: not closed"
    rows = rng.permutation(len(new))
    same(decoder.predict(new[rows]), found[rows], f"{member.name}: rows in another order")
    same(decoder.predict(new[:1]), found[:1], f"{member.name}: one row alone")
    thin = decoder.predict(sparsely(rng, new))
    same(thin.toarray() if hasattr(thin, "toarray") else thin, found, f"{member.name}: sparse scores")
