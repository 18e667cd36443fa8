"""Hierarchies that change: what an editor makes, what a diff says, and what becomes of labels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from strategies import hierarchies, label_matrices
from truepath import Hierarchy

PATHS = Hierarchy.from_paths(["animal/cat", "animal/dog", "plant/oak"])
DAG = Hierarchy.from_edges([("a", "c"), ("b", "c"), ("c", "d"), (None, "e")])


def links(hierarchy):
    names = hierarchy.names
    return {(names[u], names[v]) for u, v in hierarchy.edges}


def test_nothing_changed():
    for h in (PATHS, DAG):
        editor = h.edit()
        assert editor.done() == h
        assert not editor.diff()
        assert str(h.diff(h)) == "no change"


def test_labels_are_added_and_removed():
    new = DAG.edit().add("f", ["a", "e"]).add("g").remove("c").done()
    assert links(new) == {("a", "f"), ("e", "f"), ("a", "d"), ("b", "d")}
    diff = DAG.diff(new)
    assert (diff.added, diff.removed) == (("f", "g"), ("c",))
    assert diff.moved == {"d": (("c",), ("a", "b"))}
    assert set(new.names[diff.touched]) == {"d", "f", "g"}


def test_paths_take_what_is_below_along():
    editor = PATHS.edit().rename("animal", "fauna").move("plant/oak", "fauna")
    assert editor.done().names.tolist() == ["fauna", "fauna/cat", "fauna/dog", "plant", "fauna/oak"]
    assert editor.done().sep == "/"
    diff = editor.diff()
    assert diff.renamed["plant/oak"] == "fauna/oak"
    assert diff.moved == {"fauna/oak": (("plant",), ("fauna",))}
    Y = PATHS.encode([["plant/oak"], ["animal/dog"]])
    assert diff.new.decode(diff.transfer(Y), most_specific=False) == [
        ("fauna", "plant", "fauna/oak"),
        ("fauna", "fauna/dog"),
    ]


def test_labels_are_merged_and_split():
    editor = DAG.edit().merge(["a", "b"], "ab").split("e", ["e1", "e2"])
    new, diff = editor.done(), editor.diff()
    assert links(new) == {("ab", "c"), ("c", "d")}
    assert (diff.merged, diff.split, diff.added, diff.removed) == ({"ab": ("a", "b")}, {"e": ("e1", "e2")}, (), ())
    Y = DAG.encode([["a"], ["e"], ["d", "e"]])
    assert new.decode(diff.transfer(Y)) == [("ab",), (), ("d",)]
    np.testing.assert_array_equal(diff.transfer(sparse.csr_array(Y)).toarray(), diff.transfer(Y))
    assert "merged: a, b -> ab" in str(diff)
    assert "split: e -> e1, e2" in str(diff)


@given(hierarchies(max_nodes=6), st.data())
@settings(max_examples=30)
def test_removing_a_label_keeps_all_others_above_and_below(hierarchy, data):
    if hierarchy.n_nodes < 2:
        return
    gone = data.draw(st.sampled_from(hierarchy.names.tolist()))
    editor = hierarchy.edit().remove(gone)
    new = editor.done()
    for name in new.names:
        above = {u for u in hierarchy.names[hierarchy.ancestors(name)] if u != gone}
        assert set(new.names[new.ancestors(name)]) == above
    Y = data.draw(label_matrices(hierarchy))
    moved = editor.diff().transfer(Y)
    kept = hierarchy.indices(new.names.tolist())
    np.testing.assert_array_equal(moved, Y[:, kept])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda e: e.add("a"), "called 'a' already"),
        (lambda e: e.remove("x"), "no label is called 'x'"),
        (lambda e: e.add("y", "x"), "no label is called 'x'"),
        (lambda e: e.rename("a", "b"), "called 'b' already"),
        (lambda e: e.move("a", "d").done(), "cycle"),
    ],
)
def test_what_is_refused(change, said):
    with pytest.raises(ValueError, match=said):
        change(DAG.edit())


def test_changes_are_sentences_too():
    h = Hierarchy.from_edges([(None, "go to it"), ("go to it", "up"), ("go to it", "down"), (None, "put into")])
    by_words = ["rename go to it to get it", "add left under get it; put into", "move up", "merge up; down into sides"]
    editor = h.edit()
    for step in [*by_words, "split put into into in; out", "add top", "remove left"]:
        editor.apply(step)
    by_hand = h.edit().rename("go to it", "get it").add("left", ["get it", "put into"]).move("up")
    by_hand = by_hand.merge(["up", "down"], "sides").split("put into", ["in", "out"]).add("top").remove("left")
    assert editor.done() == by_hand.done()
    for wrong, said in {
        "grow x": "not a change",
        "remove": "not a change",
        "merge up": "'into'",
        "move x": "'x'",
    }.items():
        with pytest.raises(ValueError, match=said):
            h.edit().apply(wrong)


def test_notebooks_show_a_tree_that_folds():
    shown = Hierarchy.from_paths(["<b>/1", "<b>/2"])._repr_html_()
    assert "<summary>&lt;b&gt; (2)</summary>" in shown
    assert "also below b" in DAG._repr_html_()
    assert "more</p>" in Hierarchy.flat(1000)._repr_html_()


def test_notebooks_show_what_changed():
    h = Hierarchy.from_paths(["a", "<b>"])
    shown = h.edit().rename("<b>", "c").add("d").diff()._repr_html_()
    assert "<th>renamed</th><td style='text-align:left'>&lt;b&gt; -&gt; c</td>" in shown
    assert "no change" in h.edit().diff()._repr_html_()
