"""Dictionaries of every shape at their edges: which shape it is, names in several places, and what is refused."""

from __future__ import annotations

import pytest

from truepath import Hierarchy
from truepath.errors import HierarchyError


def read(content, **options):
    """Return the names in their order, and the edges by names."""
    found = Hierarchy.from_dict(content, **options)
    return found.names.tolist(), {(found.names[u], found.names[v]) for u, v in found.edges}


AB, ABC = (["a", "b"], {("a", "b")}), (["a", "b", "c"], {("a", "b"), ("a", "c")})


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({"a": {"b": {}, "c": {}}}, ABC),
        ({"a": {"b": None}}, AB),
        ({"a": {"b": ""}}, AB),
        ({"a": {"b": []}}, AB),
        ({"d": {"a": [{"b": {}}, "c"]}}, (["d", "a", "c", "b"], {("d", "a"), ("a", "c"), ("a", "b")})),
        ({"a": {"b": "c"}}, (["a", "b", "c"], {("a", "b"), ("b", "c")})),
        ({"a": {"b": "c"}, "d": None}, (["a", "d", "b", "c"], {("a", "b"), ("b", "c")})),
        ({"a": {"b": "c"}, "d": "e"}, (["a", "d", "b", "e", "c"], {("a", "b"), ("b", "c"), ("d", "e")})),
        ({1: {2: None}}, (["1", "2"], {("1", "2")})),
        ({"name": "a", "children": ["b", {"title": "c"}]}, ABC),
        ({"label": "a", "items": [{"key": 7, "children": None}]}, (["a", "7"], {("a", "7")})),
        ({"text": "a", "nodes": []}, (["a"], set())),
        ([{"id": 0}, {"id": 1}], (["0", "1"], set())),
        ({"a": ["b", "c"], "b": [], "c": []}, ABC),
        ({"a": ("b", "c")}, ABC),
        ({"b": ["a"], "c": {"a"}, "a": []}, ABC),
        ({"b": ["a", "c"], "a": None, "c": None}, (["a", "c", "b"], {("a", "b"), ("c", "b")})),
        ({"b": "a", "c": ["a"]}, ABC),
        ({"b": 1, "c": "1"}, None),
        ({"b": "a", "z": None}, (["a", "b", "z"], {("a", "b")})),
        ({"b": "a", "a": ""}, AB),
        ({"b": "a", "a": []}, AB),
        ([{"id": "a"}, {"id": "b", "parent": "a"}], AB),
        ([{"name": "a", "parents": []}, {"name": "b", "parents": ["a"]}], AB),
        ([{"child": "b", "name": "x", "parent_id": "a"}], AB),
        ([{"id": 2, "parentId": 1}, {"id": 1, "parentId": ""}], (["1", "2"], {("1", "2")})),
        ({"links": [["a", "b"], ("a", "c")]}, ABC),
        ({"nodes": ["a", "b", "z"], "edges": [{"source": "a", "target": "b"}]}, (["a", "z", "b"], {("a", "b")})),
        ({"nodes": [{"id": "a", "name": "x"}, {"name": "b"}], "edges": [["a", "b"]]}, AB),
        ({"nodes": [], "links": "none", "edges": [["a", "b"]]}, AB),
        ({"format": "a"}, (["a", "format"], {("a", "format")})),
        ({"links": {"a": None}}, (["links", "a"], {("links", "a")})),
    ],
)
def test_each_shape_is_read(content, expected):
    if expected is None:
        with pytest.raises(HierarchyError, match="is not the JSON of a hierarchy"):
            read(content)
        return
    names, edges = read(content)
    assert edges == expected[1]
    assert sorted(names) == sorted(expected[0])


def test_names_come_in_the_order_of_the_outline():
    nested = {"b": {"z": {}, "y": {"k": {}}}, "a": {"x": {}, "c": {}}}
    assert read(nested)[0] == ["b", "a", "z", "y", "k", "x", "c"]
    named = [{"name": "b", "children": ["z", {"name": "y", "children": ["k"]}]}, {"name": "a", "children": ["x", "c"]}]
    assert read(named)[0] == ["b", "z", "y", "k", "a", "x", "c"]


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ({"a": {"x": {}}, "b": {"x": {}}}, {"a", "b", "a/x", "b/x"}),
        ({"a": {"a": {}}}, {"a", "a/a"}),
        ({"a": {"b": {"x": {}}, "x": {}}}, {"a", "a/b", "a/b/x", "a/x"}),
        ({"a": {"b": {"c": {}}}}, {"a", "b", "c"}),
    ],
)
def test_names_in_several_places_are_paths(content, names):
    found = Hierarchy.from_dict(content)
    assert set(found.names) == names
    assert found.sep == ("/" if any("/" in name for name in names) else None)
    assert found.n_edges == len(names) - found.roots.size


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({"all": {"a": {"b": {}}}}, AB),
        ({"name": "all", "children": [{"name": "a", "children": ["b"]}]}, AB),
        ({"a": {"b": {}}}, AB),
        ({"a": "all", "b": "a", "all": None}, AB),
        ({"links": [["all", "a"], ["a", "b"]], "nodes": ["all", "a", "b"]}, AB),
        ([{"id": "all"}, {"id": "a", "parent": "all"}, {"id": "b", "parent": "a"}], AB),
    ],
)
def test_the_root_is_left_out_wherever_it_stands(content, expected):
    names, edges = read(content, root="all")
    assert (sorted(names), edges) == (sorted(expected[0]), expected[1])


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"a": {"b": 3}}, "^3 is not an entry of an outline"),
        ({"a": {"b": [True]}}, "^True is not an entry of an outline"),
        ({"a": 1.5, "b": None}, "not the JSON of a hierarchy"),
        ({"a": ["b", 1.5]}, "not the JSON of a hierarchy"),
        ({"a": [True, "b"]}, "^True is not a name"),
        ({True: "b"}, "^True is not a name"),
        ({"a": {None: {}}}, "^None is not a name"),
        ([{"name": "a", "children": [{"x": 1}]}], r"the entry \{'x': 1\} has no name \(name, id"),
        ([{"name": "a", "children": [3]}], "the entry 3 has no name"),
        ([{"name": "a"}, 3], "not the JSON of a hierarchy"),
        ("a", "not the JSON of a hierarchy: 'a'"),
        ([{"parent": "a"}], r"the record \{'parent': 'a'\} has no id or name"),
        ({"links": [["a", "b", "c"]]}, "the link .* has no source and target"),
        ({"links": [["a"]]}, "the link .* has no source and target"),
        ({"links": [["a", None]]}, "the link .* has no source and target"),
        ({"links": ["ab"]}, "the link 'ab' has no source and target"),
        ({"links": [{"source": "a"}]}, "the link .* has no source and target"),
        ({"links": [["a", "b"]], "nodes": "ab"}, "the nodes 'ab' are not a list"),
        ({"links": [["a", "b"]], "nodes": [{"size": 1}]}, "^None is not a name"),
        ({"a": ["b"], "c": ["d"]}, "could be parents or children"),
    ],
)
def test_what_is_no_hierarchy_is_named(content, said):
    with pytest.raises(HierarchyError, match=said):
        read(content)


def test_an_outline_of_nothing_but_the_root_is_empty():
    with pytest.raises(HierarchyError, match="the hierarchy is empty"):
        read({"name": "all", "children": []}, root="all")


def test_long_content_is_cut_in_messages():
    for length, shown in ((58, repr("x" * 58)), (59, f"'{'x' * 56}...")):
        with pytest.raises(HierarchyError) as found:
            read("x" * length)
        assert f"hierarchy: {shown}. " in str(found.value)
