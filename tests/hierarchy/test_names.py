"""Names without those of parents in front: only where the hierarchy's names are paths."""

from __future__ import annotations

import pytest

from truepath import HierarchicalClassifier, Hierarchy, load_dataset
from truepath.hierarchy.names import short_name
from truepath.hierarchy.separators import sep_of_edges


@pytest.mark.parametrize(
    ("edges", "sep", "short"),
    [
        ([("animal", "animal/cat")], "/", "cat"),
        ([("animal", "animal :: cat")], " :: ", "cat"),
        ([("plant", "animal/cat"), ("animal", "animal/cat")], "/", "cat"),
        ([("cat", "category")], "/", "category"),  # nothing stands between
        ([("animal", "animal/")], "/", "animal/"),  # nothing comes after
        ([("1.2", "1.2.3")], ".", "3"),
        ([("1.2", "1.2.3")], None, "1.2.3"),
        ([("E08", "E08.7")], "/", "E08.7"),
        ([("E08", "E08-E13")], " > ", "E08-E13"),
    ],
)
def test_what_a_name_adds_to_its_parents(edges, sep, short):
    h = Hierarchy.from_edges(edges, sep=sep)
    assert short_name(h, h.n_nodes - 1) == short


def test_codes_keep_their_stem_everywhere():
    h = Hierarchy.from_edges([("E08", "E08.7"), ("E08", "E08.9"), ("I10", "I10-x")])
    X, y = [[0.0], [1.0], [2.0]] * 4, [["E08.7"], ["E08.9"], ["I10-x"]] * 4
    model = HierarchicalClassifier("linear", hierarchy=h).fit(X, y)
    for page in (h.plot().to_svg(), h._repr_html_(), str(model.explain([[0.0]]))):
        assert all(code in page for code in ("E08.7", "I10-x"))


@pytest.mark.parametrize(
    ("edges", "sep"),
    [
        ([(None, "a"), ("a", "a/b"), ("a/b", "a/b/c")], "/"),
        ([("a", "a > b")], " > "),
        ([("a", "a/b"), ("a", "a > c")], None),
        ([("a", "a/b"), ("a", "c")], None),
        ([("E08", "E08.7")], None),
        ([(None, "a/b")], None),
    ],
)
def test_names_that_are_all_paths_are_seen(edges, sep):
    assert sep_of_edges(edges) == sep


@pytest.mark.parametrize(("name", "sep"), [("toy", "/"), ("pypi-topics", " :: ")])
def test_bundled_names_are_paths(name, sep):
    h = load_dataset(name).hierarchy
    assert h.sep == sep
    assert all(sep not in short_name(h, v) for v in range(h.n_nodes))
