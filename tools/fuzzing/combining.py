"""Combiners: coherent scores, row by row."""

from __future__ import annotations

import numpy as np

from fuzzing.checks import check, close, refusable, same
from fuzzing.drawing import draw_hierarchy, draw_labels, draw_scores, sparsely
from truepath.registry import COMBINERS


@check("combiners", 40)
def combining(rng: np.random.Generator) -> None:
    """One random combiner on one random case."""
    member = COMBINERS.members()[int(rng.integers(len(COMBINERS)))]
    h = draw_hierarchy(rng)
    Y = draw_labels(rng, h, int(rng.integers(2, 9)))
    S, new = draw_scores(rng, Y.shape), draw_scores(rng, (int(rng.integers(1, 6)), h.n_nodes))
    combiner = refusable(lambda: member(hierarchy=h).fit(S, Y))
    before = new.copy()
    found = refusable(lambda: combiner.transform(new))
    same(new, before, f"{member.name}: the input is left alone")
    assert found.shape == new.shape
    assert found.dtype == new.dtype
    assert np.isfinite(found).all()
    if combiner.is_coherent:
        assert h.is_coherent(found), f"{member.name}: not coherent"
    rows = rng.permutation(len(new))
    close(combiner.transform(new[rows]), found[rows], f"{member.name}: rows in another order", atol=1e-6)
    thin = combiner.transform(sparsely(rng, new))
    close(thin.toarray() if hasattr(thin, "toarray") else thin, found, f"{member.name}: sparse scores", atol=1e-5)
