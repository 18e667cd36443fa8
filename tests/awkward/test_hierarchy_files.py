"""Hierarchies as people keep them: JSON of every shape, and tables of edges with a header of any words."""

from __future__ import annotations

import json
import re

import pytest
from typer.testing import CliRunner

from truepath import Hierarchy
from truepath.cli.app import app
from truepath.data import read_hierarchy
from truepath.errors import DataFormatError, HierarchyError

EDGES = {("Animal", "Mammal"), ("Mammal", "Sheep"), ("Mammal", "Cow"), ("Animal", "Bird")}

SHAPES = {
    "nested objects": {"Animal": {"Mammal": {"Sheep": {}, "Cow": {}}, "Bird": {}}},
    "nested, null at the bottom": {"Animal": {"Mammal": {"Sheep": None, "Cow": ""}, "Bird": None}},
    "nested, lists at the bottom": {"Animal": {"Mammal": ["Sheep", "Cow"], "Bird": []}},
    "name and children": {
        "name": "Animal",
        "children": [{"name": "Mammal", "children": [{"name": "Sheep"}, {"name": "Cow"}]}, {"name": "Bird"}],
    },
    "several tops": [{"id": "Animal", "children": [{"id": "Mammal", "children": ["Sheep", "Cow"]}, {"id": "Bird"}]}],
    "child to parent": {"Animal": None, "Mammal": "Animal", "Sheep": "Mammal", "Cow": "Mammal", "Bird": "Animal"},
    "no entry for the top": {"Mammal": "Animal", "Sheep": "Mammal", "Cow": "Mammal", "Bird": "Animal"},
    "child to parents": {
        "Animal": [],
        "Mammal": ["Animal"],
        "Sheep": ["Mammal"],
        "Cow": ["Mammal"],
        "Bird": ["Animal"],
    },
    "parent to children": {"Animal": ["Mammal", "Bird"], "Mammal": ["Sheep", "Cow"]},
    "node-link": {
        "directed": True,
        "multigraph": False,
        "graph": {},
        "nodes": [{"id": name} for name in ("Animal", "Mammal", "Sheep", "Cow", "Bird")],
        "links": [{"source": parent, "target": child} for parent, child in sorted(EDGES)],
    },
    "records": [{"id": "Animal", "parent": None}, *({"id": c, "parent": p} for p, c in sorted(EDGES))],
}


def edges_of(hierarchy):
    return {(hierarchy.names[u], hierarchy.names[v]) for u, v in hierarchy.edges}


@pytest.mark.parametrize("shape", SHAPES)
def test_json_of_every_shape(tmp_path, shape):
    file = tmp_path / "labels.json"
    file.write_text(json.dumps(SHAPES[shape]))
    assert edges_of(read_hierarchy(file)) == edges_of(Hierarchy.from_dict(SHAPES[shape])) == EDGES
    assert read_hierarchy(file).n_nodes == 5


@pytest.mark.filterwarnings("ignore::FutureWarning")  # networkx 3.4 and 3.5 say that "links" will be called "edges"
def test_what_networkx_writes():
    nx = pytest.importorskip("networkx")
    graph = nx.DiGraph(sorted(EDGES))
    assert edges_of(Hierarchy.from_dict(nx.node_link_data(graph))) == EDGES


def test_a_name_in_several_places_is_named_by_its_path(tmp_path):
    h = Hierarchy.from_dict({"Food": {"Other": {}}, "Tools": {"Other": {}}}, sep=" > ")
    assert sorted(h.names) == ["Food", "Food > Other", "Tools", "Tools > Other"]
    assert h.sep == " > "


def test_a_root_can_be_left_out():
    assert Hierarchy.from_dict({"name": "all", "children": [{"name": "a"}]}, root="all").names.tolist() == ["a"]
    assert Hierarchy.from_dict({"a": "all", "b": "all"}, root="all").n_edges == 0


@pytest.mark.parametrize("content", [{}, [], 3, [1, 2], {"a": [1.5]}, {"a": {"b": 3}}, [{"children": []}]])
def test_json_that_is_no_hierarchy_names_the_shapes(tmp_path, content):
    file = tmp_path / "labels.json"
    file.write_text(json.dumps(content))
    with pytest.raises(DataFormatError, match=r"nested objects.*children.*child to parent.*node-link"):
        read_hierarchy(file)


def test_lists_that_read_both_ways_are_not_guessed():
    with pytest.raises(HierarchyError, match="could be parents or children"):
        Hierarchy.from_dict({"a": ["b"], "b": []})


@pytest.mark.parametrize(
    "header",
    ["parent,child", "parent_id,child_id", "ParentTerm,ChildTerm", "source,target", "Broader term,Narrower term"],
)
def test_a_header_is_recognised(tmp_path, header):
    file = tmp_path / "edges.csv"
    file.write_text(header + "\n" + "".join(f"{p},{c}\n" for p, c in sorted(EDGES)))
    assert edges_of(read_hierarchy(file)) == EDGES
    plain = tmp_path / "plain.edges"
    plain.write_text("parent_id\tchild_id\n" + "".join(f"{p}\t{c}\n" for p, c in sorted(EDGES)))
    assert edges_of(read_hierarchy(plain)) == EDGES


def test_other_words_are_asked_for(tmp_path):
    file = tmp_path / "edges.csv"
    file.write_text("Oberbegriff,Unterbegriff\n" + "".join(f"{p},{c}\n" for p, c in sorted(EDGES)))
    with pytest.raises(DataFormatError, match=r"'Oberbegriff'.*--header or --no-header"):
        read_hierarchy(file)
    assert edges_of(read_hierarchy(file, header=True)) == EDGES
    assert read_hierarchy(file, header=False).n_nodes == 7


@pytest.mark.parametrize(
    "text", ["Science,Physics\nArt,Music\n", "a,b\na,c\nx,y\n", "Science,Physics\n", ",Science\nScience,Physics\n"]
)
def test_first_edges_stay_edges(tmp_path, text):
    file = tmp_path / "edges.csv"
    file.write_text(text)
    assert read_hierarchy(file).n_edges == sum(not line.startswith(",") for line in text.split())


def test_the_command_line_asks_and_is_answered(tmp_path):
    (tmp_path / "edges.csv").write_text("oben,unten\na,a1\na,a2\n")
    (tmp_path / "scores.csv").write_text("id,a,a1,a2\nx,.9,.8,.1\ny,.9,.2,.7\n")
    call = ["label", str(tmp_path / "scores.csv"), "-H", str(tmp_path / "edges.csv")]
    asked = CliRunner().invoke(app, call)
    assert asked.exit_code != 0
    answered = CliRunner().invoke(app, [*call, "--header"])
    assert answered.exit_code == 0, answered.output
    assert re.findall(r"^[xy],.*$", answered.output, re.M) == ["x,a1", "y,a2"]
