"""Hierarchies: closure, coherence, encoding and renumbering."""

from __future__ import annotations

import numpy as np

from fuzzing.checks import check, refusable, same
from fuzzing.drawing import draw_hierarchy, draw_labels, draw_scores, renumber, sparsely
from truepath import Hierarchy
from truepath.hierarchy import cap_down, raise_up


@check("closing labels", 15)
def closing(rng: np.random.Generator) -> None:
    """Closing adds ancestors alone, once, in any form and numbering."""
    h = draw_hierarchy(rng)
    Y = rng.random((int(rng.integers(0, 6)), h.n_nodes)) < 0.3
    closed = h.close(Y)
    assert (closed >= Y).all()
    assert h.is_closed(closed)
    same(h.close(closed), closed, "closing twice")
    wanted = Y.copy()
    for v in range(h.n_nodes):
        for u in h.ancestors(v):
            wanted[:, u] |= Y[:, v]
    same(closed, wanted, "closing by hand")
    same(h.close(sparsely(rng, Y)).toarray(), closed, "sparse labels")
    other, old = renumber(rng, h)
    same(other.close(Y[:, old]), closed[:, old], "renumbered")


@check("names there and back", 15)
def encoding(rng: np.random.Generator) -> None:
    """Decoding gives the most specific names; encoding them gives the labels back."""
    h = draw_hierarchy(rng)
    Y = draw_labels(rng, h)
    same(h.encode(h.decode(Y)), Y, "most specific names")
    same(h.encode(h.decode(Y, most_specific=False)), Y, "all names")


@check("scores up and down", 15)
def correcting(rng: np.random.Generator) -> None:
    """Raising and capping give coherent scores, change nothing twice, and do not see the numbering."""
    h = draw_hierarchy(rng)
    S = draw_scores(rng, (int(rng.integers(0, 6)), h.n_nodes))
    other, old = renumber(rng, h)
    for correct in (raise_up, cap_down):
        before = S.copy()
        found = correct(S, h)
        same(S, before, "the input is left alone")
        assert h.is_coherent(found)
        assert found.dtype == S.dtype
        same(correct(found, h), found, "twice")
        same(correct(S[:, old], other), found[:, old], "renumbered")


@check("edges as they come", 15)
def from_edges(rng: np.random.Generator) -> None:
    """Repeated edges change nothing; cycles and loops are refused with their names."""
    n_nodes = int(rng.integers(1, 8))
    edges = [tuple(f"n{v}" for v in rng.integers(0, n_nodes, 2)) for _ in range(int(rng.integers(0, 10)))]
    h = refusable(lambda: Hierarchy.from_edges(edges))
    again = Hierarchy.from_edges([*edges, *(edges[k] for k in rng.integers(0, len(edges), 3))] if edges else edges)
    assert h == again
    for parent, child in edges:
        assert h.index(parent) in h.ancestors(child)
