"""Building a hierarchy: order, errors, equality, and the ways in and out."""

import copy
import itertools
import json
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import oracles
from strategies import dags, hierarchies, trees
from truepath import Hierarchy
from truepath.errors import CycleError, HierarchyError, UnknownLabelError


@given(hierarchies(max_nodes=10))
def test_parents_come_before_children(h):
    assert (h.edges[:, 0] < h.edges[:, 1]).all()
    assert sorted(map(tuple, h.edges.tolist())) == sorted({(int(u), v) for v in range(h.n_nodes) for u in h.parents(v)})
    assert h.n_edges == len(h.edges)


@given(hierarchies(max_nodes=10))
def test_structure_equals_its_definition(h):
    nodes = range(h.n_nodes)
    assert h.depth.tolist() == [oracles.longest_path(h, v) for v in nodes]
    assert h.costs == pytest.approx([oracles.cost(h, v) for v in nodes])
    for v in nodes:
        assert set(h.ancestors(v)) == oracles.ancestors(h, v)
        assert set(h.descendants(v)) == {w for w in nodes if v in oracles.ancestors(h, w)}
        assert set(h.children(v)) == {w for w in nodes if v in h.parents(w)}
    assert set(h.leaves) == {v for v in nodes if h.children(v).size == 0} == set(np.flatnonzero(h.is_leaf))
    assert set(h.roots) == {v for v in nodes if h.parents(v).size == 0}
    assert h.is_tree == all(h.parents(v).size <= 1 for v in nodes)
    assert np.concatenate(h.levels).tolist() == sorted(nodes, key=lambda v: (h.depth[v], v))
    assert len(h.levels) == h.height == max(h.depth)


@given(trees(max_nodes=10))
def test_a_nodes_cost_is_split_among_its_children(h):
    assert sum(h.costs[h.roots]) == pytest.approx(1)
    for v in range(h.n_nodes):
        if not h.is_leaf[v]:
            assert h.costs[h.children(v)].sum() == pytest.approx(h.costs[v])


@given(dags(max_nodes=8), st.randoms())
def test_order_given_is_kept_when_it_is_topological(h, random):
    again = Hierarchy.from_edges([(h.names[u], h.names[v]) for u, v in h.edges[::-1]], nodes=h.names.tolist())
    assert again.names.tolist() == h.names.tolist()
    assert again == h


@given(hierarchies(max_nodes=8))
def test_round_trips(h):
    back = [
        pickle.loads(pickle.dumps(h)),
        Hierarchy.from_json(h.to_json()),
        Hierarchy.from_networkx(h.to_networkx()),
        Hierarchy.from_parents({str(h.names[v]): list(h.names[h.parents(v)]) for v in range(h.n_nodes)}),
        Hierarchy.from_parents([h.parents(v).tolist() or -1 for v in range(h.n_nodes)], h.names.tolist()),
    ]
    for other in back:
        assert other == h
        assert hash(other) == hash(h)


def test_equality_is_by_content_and_order():
    h = Hierarchy.from_edges([("a", "b"), ("a", "c")])
    assert h == Hierarchy.from_edges([("a", "b"), ("a", "c"), ("a", "b")])
    assert h != Hierarchy.from_edges([("a", "c"), ("a", "b")])
    assert h != Hierarchy.from_edges([("a", "b"), ("b", "c")])
    assert h != "h"


def test_a_hierarchy_is_its_own_clone_and_cannot_be_changed():
    h = Hierarchy.flat(3)
    assert clone(h) is h
    assert copy.copy(h) is h
    assert copy.deepcopy(h) is h
    with pytest.raises(AttributeError, match="immutable"):
        h.names = []
    with pytest.raises(ValueError, match="read-only"):
        h.costs[0] = 2
    with pytest.raises(TypeError):
        h.aliases["x"] = "0"


@given(dags(max_nodes=8), st.data())
def test_edges_given_twice_count_once(h, data):
    edges = [(h.names[u], h.names[v]) for u, v in h.edges] + [(None, h.names[v]) for v in h.roots]
    twice = data.draw(st.permutations(edges + data.draw(st.lists(st.sampled_from(edges), max_size=8))))
    found = Hierarchy.from_edges(twice)
    assert {(found.names[u], found.names[v]) for u, v in found.edges} == {(h.names[u], h.names[v]) for u, v in h.edges}
    assert set(found.names) == set(h.names)


def test_an_edge_given_twice_out_of_order():
    h = Hierarchy.from_edges([("a", "b"), ("a", "b"), ("c", "b")])
    assert h.names[h.parents("b")].tolist() == ["a", "c"]
    with pytest.raises(CycleError):
        Hierarchy.from_edges([("a", "b"), ("a", "b"), ("c", "b"), ("b", "c")])


def test_paths_of_any_shape():
    h = Hierarchy.from_paths(["a/1/x", ("b", "1")])
    assert h.names.tolist() == ["a", "a/1", "a/1/x", "b", "b/1"]
    assert h.to_paths()[2] == ("a", "a/1", "a/1/x")
    assert Hierarchy.from_paths(["Topic :: B :: C"], sep=" :: ").names.tolist()[-1] == "Topic :: B :: C"
    with pytest.raises(HierarchyError, match="choose a sep"):
        Hierarchy.from_paths([("a/1",), ("a", "1")])
    with pytest.raises(HierarchyError, match="empty"):
        Hierarchy.from_paths(["a//b"])
    with pytest.raises(HierarchyError, match="needs a tree"):
        Hierarchy.from_edges([("a", "c"), ("b", "c")]).to_paths()


def test_the_artificial_root_is_not_a_node():
    h = Hierarchy.from_edges([("root", "a"), ("root", "b"), ("a", "c")], root="root")
    assert h.names.tolist() == ["a", "b", "c"]
    assert h.roots.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Hierarchy.from_edges([("a", "b"), ("b", "c"), ("c", "a")]), "a cycle: .* -> "),
        (lambda: Hierarchy.from_edges([("a", "a")]), "self-loop"),
        (lambda: Hierarchy.from_edges([]), "empty"),
        (lambda: Hierarchy.from_edges([("a", None)]), "leads into the root"),
        (lambda: Hierarchy.from_edges([("a", "b", "c")]), "pair"),
        (lambda: Hierarchy.from_edges(["ab"]), "pair"),
        (lambda: Hierarchy.from_edges([("a", "")]), "cannot name"),
        (lambda: Hierarchy.from_edges([("a", "b")], nodes=["a"]), "unknown child 'b'"),
        (lambda: Hierarchy.from_edges([("z", "a")], nodes=["a"]), "unknown parent 'z'"),
        (lambda: Hierarchy.flat(["a", "b", "a"]), "'a' appears twice"),
        (lambda: Hierarchy.from_parents({"a": "b"}), "unknown parent 'b' of 'a'"),
        (lambda: Hierarchy.from_parents([-1, 7]), "unknown parent 7 of node 1"),
        (lambda: Hierarchy.from_parents([-1], ["a", "b"]), "names has 2 entries"),
        (lambda: Hierarchy.from_json("{}"), "not the JSON of a hierarchy"),
        (lambda: Hierarchy.from_json("[1"), "not the JSON of a hierarchy"),
        (lambda: Hierarchy.flat(3).subgraph([]), "no node would be left"),
        (lambda: Hierarchy.flat(2).prune(3, [[1, 0]]), "min_count=3 leaves no label"),
    ],
)
def test_errors_say_what_is_wrong(build, message):
    with pytest.raises(HierarchyError, match=message):
        build()


@pytest.mark.parametrize(
    "change",
    [{"edges": [[0, 9]]}, {"edges": [[0, "a"]]}, {"names": [1]}, {"aliases": {"x": "nobody"}}, {"format": "9"}],
)
def test_damaged_json_is_refused(change):
    content = json.loads(Hierarchy.from_edges([("a", "b")]).to_json())
    with pytest.raises(HierarchyError):
        Hierarchy.from_json(json.dumps(content | change))


def test_a_cycle_is_shown_as_the_cycle():
    with pytest.raises(CycleError) as caught:
        Hierarchy.from_edges([("top", "a"), ("a", "b"), ("b", "c"), ("c", "a"), ("c", "below")])
    cycle = caught.value.cycle
    assert cycle[0] == cycle[-1]
    assert {*itertools.pairwise(cycle)} == {("a", "b"), ("b", "c"), ("c", "a")}
    assert pickle.loads(pickle.dumps(caught.value)).cycle == cycle


def test_an_unknown_label_comes_with_the_nearest_names():
    h = Hierarchy.flat(["biology", "physics"])
    with pytest.raises(UnknownLabelError, match=r"'bioligy'.*Did you mean 'biology'"):
        h.index("bioligy")
    with pytest.raises(IndexError, match="node 7 is out of range"):
        h.parents(7)
    assert "biology" in h
    assert len(h) == 2


def test_names_must_be_strings():
    with pytest.raises(TypeError, match=r"str\(name\)"):
        Hierarchy.from_edges([(0, 1)])


@given(dags(max_nodes=8), st.data())
def test_subgraph_keeps_exactly_the_ancestry_of_what_it_keeps(h, data):
    kept = data.draw(st.lists(st.integers(0, h.n_nodes - 1), min_size=1, unique=True))
    small = h.subgraph(kept)
    assert small.names.tolist() == h.names[sorted(kept)].tolist()
    for name in small.names:
        above = set(h.names[h.ancestors(name)]) & set(small.names)
        assert set(small.names[small.ancestors(name)]) == above


def test_a_large_hierarchy_given_out_of_order():
    rng = np.random.default_rng(0)
    child = np.concatenate([np.arange(1, 20_000), rng.integers(1, 20_000, 20_000)])
    parent = (rng.random(child.size) * child).astype(int)
    names = [f"n{v}" for v in rng.permutation(20_000)]
    h = Hierarchy.from_edges([(names[u], names[v]) for u, v in zip(parent, child)])
    assert h.n_nodes == 20_000
    assert (h.edges[:, 0] < h.edges[:, 1]).all()
    assert len(pickle.dumps(h)) < 1_000_000


def test_what_a_hierarchy_says_of_itself():
    shapes = {"flat": Hierarchy.flat(2), "tree": Hierarchy.from_paths(["a/1"])}
    shapes["DAG"] = Hierarchy.from_edges([("a", "c"), ("b", "c")])
    assert {kind: repr(h) for kind, h in shapes.items()} == {
        "flat": "Hierarchy(2 nodes, 0 edges, flat, 2 leaves, height 1)",
        "tree": "Hierarchy(2 nodes, 1 edges, tree, 1 leaves, height 2)",
        "DAG": "Hierarchy(3 nodes, 2 edges, DAG, 1 leaves, height 2)",
    }
    for h in shapes.values():
        with pytest.raises(AttributeError, match="immutable"):
            h.__setstate__(h.__getstate__())


def test_nodes_are_taken_by_number_or_name_and_no_further():
    h = Hierarchy(["a", "b"], np.array([(0, 1)]), {"B": "b"}, None, {"b": "second", "a": ""})
    assert h.parents("B").tolist() == h.parents(1).tolist() == [0]
    assert (h.label("B"), h.label(0)) == ("b second", "a")
    assert ("B" in h, "c" in h) == (True, False)
    for wrong in (-1, 2):
        with pytest.raises(IndexError, match=f"node {wrong} is out of range: the hierarchy has the nodes 0 to 1"):
            h.parents(wrong)


@pytest.mark.parametrize(("sep", "titles"), [(None, {}), ("::", {"a": "first"})])
def test_json_keeps_everything(sep, titles):
    h = Hierarchy(["a", "b"], np.array([(0, 1)]), {"A": "a"}, sep, titles)
    text = h.to_json()
    again = Hierarchy.from_json(text)
    assert again == h
    assert (again.aliases, again.sep, again.titles) == (h.aliases, h.sep, h.titles)
    assert ("titles" in json.loads(text)) == bool(titles)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"edges": [[0, 2]]}, "an edge names node 2, but there are only the nodes 0 to 1"),
        ({"edges": [[-1, 1]]}, "an edge names node -1"),
        ({"aliases": {"x": "nobody"}}, "an alias stands for 'nobody'"),
        ({"format": "other"}, "the format 'other', not 'truepath-hierarchy-1'"),
        ({"names": ["a", ""]}, "cannot name a node"),
        ({"names": ["a", "a\0"]}, "cannot name a node"),
    ],
)
def test_damaged_json_is_explained(wrong, said):
    content = json.loads(Hierarchy.from_edges([("a", "b")]).to_json())
    with pytest.raises(HierarchyError, match=said):
        Hierarchy.from_json(json.dumps(content | wrong))


def test_parents_out_of_range_are_refused():
    assert Hierarchy.from_parents([-1, 0, [0, 1], []]).edges.tolist() == [[0, 1], [0, 2], [1, 2]]
    for wrong in (-2, 2):
        with pytest.raises(HierarchyError, match=f"unknown parent {wrong} of node 1: parents are numbers from 0 to 1"):
            Hierarchy.from_parents([-1, wrong])
