"""Ontologies in OBO format."""

import io

import pytest

from truepath import Hierarchy
from truepath.errors import HierarchyError

OBO = """format-version: 1.2
ontology: tiny

[Term]
id: T:1
name: everything
namespace: one

[Term]
id: T:2
name: something
namespace: one
alt_id: T:20
alt_id: T:21
is_a: T:1 ! everything

[Term]
id: T:3
name: part
namespace: one
is_a: T:1
relationship: part_of T:2 ! something

[Term]
id: T:4
name: gone
namespace: one
is_obsolete: true

[Term]
id: T:5
name: elsewhere
namespace: two
is_a: T:3

[Typedef]
id: part_of
name: part of
"""


def read(**options):
    return Hierarchy.from_obo(io.StringIO(OBO), **options)


def test_is_a_only_by_default():
    h = read()
    assert set(h.names) == {"T:1", "T:2", "T:3", "T:5"}
    assert h.names[h.parents("T:3")].tolist() == ["T:1"]


def test_other_relations_on_request():
    h = read(relations=["is_a", "part_of"])
    assert set(h.names[h.parents("T:3")]) == {"T:1", "T:2"}
    with pytest.raises(HierarchyError, match=r"'part_off' does not occur.*part_of"):
        read(relations=["is_a", "part_off"])
    with pytest.raises(TypeError, match="sequence"):
        read(relations="is_a")


def test_namespaces():
    assert set(read(namespaces=["one"]).names) == {"T:1", "T:2", "T:3"}
    assert read(namespaces=["two"]).names.tolist() == ["T:5"]
    with pytest.raises(HierarchyError, match=r"\['one', 'two'\]"):
        read(namespaces=["three"])


def test_alternative_ids_stand_for_the_term():
    h = read()
    assert h.index("T:20") == h.index("T:2")
    assert h.decode(h.encode([["T:21"]])) == [("T:2",)]
    assert Hierarchy.from_json(h.to_json()).index("T:20") == h.index("T:2")
    assert h.subgraph(["T:1"]).aliases == {}
