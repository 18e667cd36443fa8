"""Ontologies with aspects, names of terms and retired ids, from OBO and from OBO graphs."""

import io
import json

import pytest

from truepath.cafa import Ontology, read_ontology
from truepath.errors import DataFormatError, HierarchyError

OBO = """format-version: 1.2

[Term]
id: GO:1
name: process
namespace: biological_process

[Term]
id: GO:2
name: growth
namespace: biological_process
alt_id: GO:20
is_a: GO:1 ! process

[Term]
id: GO:3
name: cell growth
namespace: biological_process
relationship: part_of GO:2 ! growth
relationship: regulates GO:1

[Term]
id: GO:4
name: function
namespace: molecular_function

[Term]
id: GO:5
name: binding
namespace: molecular_function
is_a: GO:4
relationship: part_of GO:3

[Term]
id: GO:6
name: old growth
namespace: biological_process
is_obsolete: true
replaced_by: GO:7

[Term]
id: GO:7
name: newer growth
is_obsolete: true
replaced_by: GO:20

[Term]
id: GO:8
name: vague
is_obsolete: true
consider: GO:2
consider: GO:3
"""


def graph(obo_id: str) -> str:
    return f"http://purl.obolibrary.org/obo/{obo_id.replace(':', '_')}"


def node(obo_id, label, namespace="biological_process", deprecated=False, **more):
    in_owl = "http://www.geneontology.org/formats/oboInOwl#"
    values = [{"pred": f"{in_owl}hasOBONamespace", "val": namespace}]
    values += [{"pred": f"{in_owl}hasAlternativeId", "val": alt} for alt in more.get("alt", [])]
    values += [{"pred": f"{in_owl}consider", "val": other} for other in more.get("consider", [])]
    values += [{"pred": graph("IAO:0100001"), "val": other} for other in more.get("replaced", [])]
    meta = {"basicPropertyValues": values, **({"deprecated": True} if deprecated else {})}
    return {"id": graph(obo_id), "lbl": label, "type": "CLASS", "meta": meta}


GRAPH = {
    "graphs": [
        {
            "nodes": [
                node("GO:1", "process"),
                node("GO:2", "growth", alt=["GO:20"]),
                node("GO:3", "cell growth"),
                node("GO:4", "function", "molecular_function"),
                node("GO:5", "binding", "molecular_function"),
                node("GO:6", "old growth", deprecated=True, replaced=["GO:7"]),
                node("GO:7", "newer growth", deprecated=True, replaced=[graph("GO:20")]),
                node("GO:8", "vague", deprecated=True, consider=["GO:2", "GO:3"]),
                {"id": graph("RO:0002211"), "lbl": "regulates", "type": "PROPERTY"},
            ],
            "edges": [
                {"sub": graph("GO:2"), "pred": "is_a", "obj": graph("GO:1")},
                {"sub": graph("GO:3"), "pred": graph("BFO:0000050"), "obj": graph("GO:2")},
                {"sub": graph("GO:3"), "pred": graph("RO:0002211"), "obj": graph("GO:1")},
                {"sub": graph("GO:5"), "pred": "is_a", "obj": graph("GO:4")},
                {"sub": graph("GO:5"), "pred": graph("BFO:0000050"), "obj": graph("GO:3")},
            ],
        }
    ]
}


def read(**options):
    return read_ontology(io.StringIO(OBO), **options)


def edges(ontology):
    names = ontology.hierarchy.names
    return sorted((names[u], names[v]) for u, v in ontology.hierarchy.edges)


def test_is_a_and_part_of_within_aspects_are_edges_and_regulates_is_not():
    ontology = read()
    assert edges(ontology) == [("GO:1", "GO:2"), ("GO:2", "GO:3"), ("GO:4", "GO:5")]
    assert ontology.report["edges between aspects left out"] == 1
    assert ontology.report["relations of other kinds left out"] == 1
    assert ("GO:3", "GO:5") in edges(read(across_aspects=True))
    assert edges(read(relations=["is_a"])) == [("GO:1", "GO:2"), ("GO:4", "GO:5")]
    assert ("GO:1", "GO:3") in edges(read(relations=["is_a", "regulates"]))


def test_aspects_are_sets_of_nodes():
    ontology = read()
    found = {name: ontology.hierarchy.names[nodes].tolist() for name, nodes in ontology.aspects.items()}
    assert found == {"biological_process": ["GO:1", "GO:2", "GO:3"], "molecular_function": ["GO:4", "GO:5"]}
    assert ontology.aspect("BPO") == ontology.aspect("P") == "biological_process"
    assert ontology.aspect_of[ontology.hierarchy.index("GO:5")] == "molecular_function"
    with pytest.raises(HierarchyError, match="no aspect 'CC'"):
        ontology.aspect("CC")
    assert list(read(aspects=["molecular_function"]).hierarchy.names) == ["GO:4", "GO:5"]


def test_retired_ids_lead_to_terms_and_the_report_says_which():
    found = read().resolve(["GO:2", "GO:20", "GO:6", "GO:8", "GO:99"])
    assert found.nodes.tolist() == [1, 1, 1, -1, -1]
    assert found.counts == {"current": 1, "alternative": 1, "replaced": 1, "obsolete": 1, "unknown": 1}
    assert found.changed == {"GO:20": "GO:2", "GO:6": "GO:2"}
    assert found.lost == {"GO:8": ("GO:2", "GO:3"), "GO:99": ()}
    assert read(follow_replaced=False).resolve(["GO:6"]).counts["obsolete"] == 1


def test_counts_of_repeated_ids_add_up():
    assert read().resolve(["GO:2", "GO:99"], [5, 2]).counts == {
        "current": 5, "alternative": 0, "replaced": 0, "obsolete": 0, "unknown": 2,
    }  # fmt: skip


def test_terms_are_shown_with_their_names():
    assert read().labels(["GO:20", 0]) == ["GO:2 growth", "GO:1 process"]


def test_keeping_used_terms_keeps_their_ancestors():
    smaller = read().keep(["GO:6", "GO:5"])
    assert sorted(smaller.hierarchy.names) == ["GO:1", "GO:2", "GO:4", "GO:5"]
    assert {name: nodes.size for name, nodes in smaller.aspects.items()} == {
        "biological_process": 2,
        "molecular_function": 2,
    }
    assert smaller.report["terms not kept"] == 1
    assert smaller.resolve(["GO:20", "GO:3"]).counts["unknown"] == 1


def test_a_graph_in_json_is_the_same_ontology(tmp_path):
    path = tmp_path / "go.json"
    path.write_text(json.dumps(GRAPH), encoding="utf-8")
    ours, theirs = read(), read_ontology(path)
    assert edges(ours) == edges(theirs)
    assert ours.titles == theirs.titles
    assert ours.replaced == theirs.replaced
    assert ours.consider == theirs.consider
    assert ours.report == theirs.report


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not JSON"),
        ("[]", "not an OBO graph"),
        ('{"graphs": [{"nodes": [{}]}]}', "missing"),
        ('{"graphs": []}', "CLASS"),
    ],
)
def test_what_is_no_graph_is_refused_by_name(tmp_path, text, said):
    path = tmp_path / "go.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataFormatError, match=said) as caught:
        read_ontology(path)
    assert "go.json" in str(caught.value)


def test_a_hierarchy_alone_makes_an_ontology():
    hierarchy = read().hierarchy
    assert list(Ontology.of(hierarchy).aspects) == ["all"]
    assert (
        Ontology.of(hierarchy, {"f": ["GO:5", "GO:4"]}).aspects["f"].tolist()
        == hierarchy.indices(["GO:4", "GO:5"]).tolist()
    )


def test_misspelt_relations_are_found_out():
    with pytest.raises(HierarchyError, match="part_off"):
        read(relations=["is_a", "part_off"])
    with pytest.raises(TypeError, match="is_a"):
        read(relations="is_a")


@pytest.mark.parametrize("value", [1, ["x"], {"x": 1}])
@pytest.mark.parametrize("field", ["id", "lbl", "val"])
def test_a_graph_whose_texts_are_none(tmp_path, field, value):
    said = {"pred": "o#hasOBONamespace", "val": "x", **({"val": value} if field == "val" else {})}
    odd = {"id": "o/X_2", "lbl": "two", "meta": {"basicPropertyValues": [said]}}
    nodes = [{"id": "o/X_1", "lbl": "one"}, {**odd, **({} if field == "val" else {field: value})}]
    file = tmp_path / "o.json"
    file.write_text(json.dumps({"graphs": [{"nodes": nodes}]}))
    with pytest.raises(DataFormatError, match=r"o\.json"):
        read_ontology(file)
