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
    assert set(new.names[diff.touched]) == {"a", "d", "e", "f", "g"}  # rows of f may be new to a and e


def test_paths_take_what_is_below_along():
    editor = PATHS.edit().rename("animal", "fauna").move("plant/oak", "fauna")
    assert editor.done().names.tolist() == ["fauna", "fauna/cat", "fauna/dog", "plant", "fauna/oak"]
    assert editor.done().sep == "/"
    diff = editor.diff()
    assert diff.renamed["plant/oak"] == "fauna/oak"
    assert diff.moved == {"fauna/oak": (("plant",), ("fauna",))}
    Y = PATHS.encode([["plant/oak"], ["animal/dog"]])
    assert diff.new.decode(diff.transfer(Y), most_specific=False) == [
        ("fauna", "fauna/oak"),
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


def test_rows_go_over_by_their_most_specific_labels():
    h = Hierarchy.from_edges(
        [(None, "animal"), (None, "plant"), ("plant", "sessile"), ("sessile", "coral"), ("plant", "oak")]
    )
    Y = h.encode([["coral"], ["sessile"], ["coral", "oak"], ["plant"]])

    def carried(editor):
        return editor.done().decode(editor.diff().transfer(Y), most_specific=False)

    coral = ("animal", "coral")
    kept = [coral, ("plant", "sessile"), ("animal", "plant", "oak", "coral"), ("plant",)]
    assert [set(row) for row in carried(h.edit().move("coral", "animal"))] == [set(row) for row in kept]
    gone = carried(h.edit().remove("coral").move("sessile", "animal"))
    assert gone[:2] == [("animal", "sessile"), ("animal", "sessile")]
    apart = h.edit().split("sessile", ["fixed", "slow"]).move("fixed", "animal")  # coral below fixed, rows of sessile?
    assert set(carried(apart)[0]) == {"animal", "fixed", "coral"}
    assert carried(apart)[1] == ()
    assert carried(h.edit().split("sessile", ["fixed", "slow"]))[1] == ("plant",)


def test_a_part_may_have_the_name_of_what_was_split():
    h = Hierarchy.from_edges([(None, "animal"), ("animal", "cat"), ("cat", "tom")])
    diff = h.edit().split("cat", ["cat", "tiger"]).diff()
    assert (diff.split, diff.added, diff.removed) == ({"cat": ("cat", "tiger")}, (), ())
    assert diff.origin[diff.new.index("cat")] == -1
    assert set(diff.new.names[diff.touched]) == {"cat", "tiger", "tom"}
    assert diff.moved == {"tom": (("cat",), ("cat",))}  # another one
    assert diff.new.decode(diff.transfer(h.encode([["cat"], ["tom"]]))) == [("animal",), ("tom",)]


@pytest.mark.parametrize(
    ("then", "parts"),
    [
        (lambda e: e.rename("e1", "e3"), ("e3", "e2")),
        (lambda e: e.remove("e1"), ("e2",)),
        (lambda e: e.split("e1", ["p", "q"]), ("e2", "p", "q")),
        (lambda e: e.merge(["e1", "d"], "de"), ("e2", "de")),
        (lambda e: e.remove("e1").remove("e2"), None),
    ],
)
def test_what_was_split_is_changed_further(then, parts):
    editor = then(DAG.edit().split("e", ["e1", "e2"]))
    diff = editor.diff()
    assert diff.split.get("e") == parts
    assert ("e" in diff.removed) == (parts is None)
    assert set(parts or ()) <= set(diff.new.names[diff.touched])


def test_titles_and_alternative_names_stay_with_their_label():
    h = Hierarchy(
        ["a", "b", "c"], np.array([(0, 1)]), {"A1": "a", "B1": "b"}, None, {"a": "the first", "b": "the second"}
    )
    new = h.edit().rename("a", "x").add("a", "x").done()
    assert (dict(new.titles), dict(new.aliases)) == ({"x": "the first", "b": "the second"}, {"A1": "x", "B1": "b"})
    both = h.edit().merge(["a", "b"], "b").done()
    assert (dict(both.titles), dict(both.aliases)) == ({"b": "the second"}, {"A1": "b", "B1": "b"})
    apart = h.edit().split("a", ["a", "a2"]).rename("c", "B1").done()
    assert (dict(apart.titles), dict(apart.aliases)) == ({"b": "the second"}, {})
    assert apart.index("B1") == apart.numbers["B1"]


def test_a_step_that_is_refused_changes_nothing():
    editor = PATHS.edit().add("plant/cat", "plant")
    before = editor.done()
    for step in (
        lambda: editor.split("animal", ["x", "plant"]),
        lambda: editor.move("animal/cat", "plant"),
        lambda: editor.rename("animal", "plant"),
        lambda: editor.merge(["animal/cat", "animal/dog"], "plant"),
    ):
        with pytest.raises(ValueError, match="already"):
            step()
        assert editor.done() == before
        assert not before.diff(editor.done())


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
        (lambda e: e.split("e", []), "no labels are given to split 'e' into"),
        (lambda e: e.split("e", ["x", "x"]), "called 'x' already"),
        (lambda e: e.merge([], "x"), "no labels are given to merge into 'x'"),
    ],
)
def test_what_is_refused(change, said):
    with pytest.raises(ValueError, match=said):
        change(DAG.edit())


@pytest.mark.parametrize("shape", [(2, 3), (5,)])
def test_labels_of_another_hierarchy_do_not_go_over(shape):
    with pytest.raises(ValueError, match=r"a column for each of the old hierarchy's \d+ labels; got shape"):
        DAG.edit().remove("e").diff().transfer(np.zeros(shape, bool))


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
