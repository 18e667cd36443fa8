"""Compiled kernels equal their plain Python selves: rows gathered from long tables, scores filled in, lines cut."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from strategies import dags
from truepath import _kernels
from truepath.cafa.evaluation.propagate import fill_up
from truepath.data.tables.cut import eights_of


@given(n_cells=st.integers(0, 15), most=st.integers(1, 4), seed=st.integers(0, 99))
@settings(max_examples=25)
def test_rows_are_gathered_in_order(n_cells, most, seed):
    rng = np.random.default_rng(seed)
    rows, nodes = rng.integers(0, 3, n_cells).astype(np.int32), rng.integers(0, 4, n_cells).astype(np.int32)
    scores, group = np.round(rng.random(n_cells), 1), np.array([0, 0, 1, 1])
    kernel = _kernels.cafa.rows.gather_rows
    found, plain = (function(rows, nodes, scores, 3, group, most) for function in (kernel, kernel.py_func))
    for ours, theirs in zip(found, plain):
        np.testing.assert_array_equal(ours, theirs)
    wanted, taken = {}, {}
    for row, node, score in zip(rows.tolist(), nodes.tolist(), scores.tolist()):
        kept = taken.setdefault((row, group[node]), set())
        if score > 0 and len(kept) < most:
            kept.add(node)
            wanted[row, node] = max(score, wanted.get((row, node), 0))
    indptr, indices, data = found
    at = np.repeat(np.arange(3), np.diff(indptr)).tolist()
    assert dict(zip(zip(at, indices.tolist()), data.tolist())) == wanted


@given(dags(max_nodes=7), st.integers(0, 99))
@settings(max_examples=25)
def test_filling_gives_what_children_end_with_to_those_without(hierarchy, seed):
    rng = np.random.default_rng(seed)
    S = np.round(rng.random((3, hierarchy.n_nodes)), 1) * (rng.random((3, hierarchy.n_nodes)) < 0.5)
    wanted = S.copy()
    for v in reversed(range(hierarchy.n_nodes)):
        children = hierarchy.children(v)
        if children.size:
            wanted[:, v] = np.where(S[:, v] == 0, wanted[:, children].max(axis=1), S[:, v])
    np.testing.assert_array_equal(fill_up(sparse.csr_array(S), hierarchy).toarray(), wanted)
    closed = hierarchy.close(sparse.csr_array(S) != 0).astype(float)
    own = np.asarray(S[closed.nonzero()] > 0).ravel()
    closed.data = np.asarray(S[closed.nonzero()]).ravel().astype(float)
    graph = hierarchy.parent_ptr, hierarchy.parent_idx
    _kernels.cafa.rows.fill_rows.py_func(closed.indptr, closed.indices, closed.data, *graph, own)
    np.testing.assert_array_equal(closed.toarray(), wanted)


@pytest.mark.parametrize(
    "text", ["a\tb\n", "a\n\n!c\tx\r\nd\te\tf\r\n\r\ng\t\t\n", "\t\n", "long cell here\tand there\tz\n"]
)
def test_lines_are_cut_at_tabs(text):
    raw = text.encode()
    shape = (raw.count(b"\n"), 2)
    starts, ends = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    widths, lines = np.zeros(shape[0], np.int64), np.zeros(shape[0], np.int64)
    cut = _kernels.data.tabs.cut_tabs
    found = cut(np.frombuffer(raw, np.uint8), eights_of(raw), 0, 1, 9, 33, starts, ends, widths, lines)
    at, line, n_rows, skipped = found
    assert (at, line, n_rows + skipped) == (len(raw), shape[0] + 1, shape[0])
    wanted = [(k, said) for k, said in enumerate(text.replace("\r", "").split("\n")[:-1], 1) if said and said[0] != "!"]
    assert lines[:n_rows].tolist() == [k for k, _ in wanted]
    assert widths[:n_rows].tolist() == [said.count("\t") + 1 for _, said in wanted]
    cells = [[raw[a:b].decode() for a, b in zip(starts[i], ends[i])] for i in range(n_rows)]
    assert cells == [[*said.split("\t"), "", ""][:2] for _, said in wanted]
