"""Ontologies in OBO format."""

import gzip
import io
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from truepath import HierarchicalClassifier, Hierarchy
from truepath.data import read_hierarchy
from truepath.errors import DataFormatError, HierarchyError
from truepath.files import Limits

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


def test_two_relations_to_the_same_parent():
    twice = OBO.replace("is_a: T:1\nrelationship: part_of T:2", "is_a: T:2\nrelationship: part_of T:2")
    terms = twice.split("\n\n")
    backwards = "\n\n".join([terms[0], *reversed(terms[1:])])  # children first: the order is not the file's
    for text in (twice, backwards):
        h = Hierarchy.from_obo(io.StringIO(text), relations=["is_a", "part_of"])
        assert h.names[h.parents("T:3")].tolist() == ["T:2"]


DAMAGED = [
    ("id: T:3\n", "", r"tiny\.obo:17: a \[Term\] without an id"),
    ("is_a: T:3", "is_a: ", r"tiny\.obo:34: is_a: '' does not name one other term"),
    ("is_a: T:3", "is_a: T:5", r"tiny\.obo:34: the term 'T:5' stands in the relation 'is_a' to itself"),
    ("part_of T:2", "part_of", r"tiny\.obo:22: relationship: 'part_of' does not name one"),
    ("name: something", "something", r"tiny\.obo:11: 'something' is neither 'tag: value' nor a stanza"),
    ("namespace: one\n\n[Term]\nid: T:2", "is_a: T:3\n\n[Term]\nid: T:2", r"tiny\.obo: the hierarchy has a cycle"),
    ("[Term]", "[Typedef]", r"tiny\.obo: no \[Term\] with a name"),
]


@pytest.mark.parametrize(("old", "new", "said"), DAMAGED)
def test_damage_is_named_with_file_and_line(tmp_path, old, new, said):
    file = tmp_path / "tiny.obo"
    file.write_text(OBO.replace(old, new))
    for read in (Hierarchy.from_obo, read_hierarchy):
        with pytest.raises((DataFormatError, HierarchyError), match=said):
            read(file)


def test_compressed_files_and_the_default_namespace(tmp_path):
    file = tmp_path / "tiny.obo.gz"
    file.write_bytes(gzip.compress(OBO.replace("ontology: tiny", "default-namespace: one").encode()))
    assert Hierarchy.from_obo(file) == read()
    text = OBO.replace("ontology: tiny", "default-namespace: x").replace("\nnamespace: one\n", "\n")
    file.write_bytes(gzip.compress(text.encode()))
    assert set(Hierarchy.from_obo(file, namespaces=["x"]).names) == {"T:1", "T:2", "T:3"}


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_files_are_fetched_from_the_web(monkeypatch, ending):
    content = gzip.compress(OBO.encode()) if ending else OBO.encode()
    asked = []

    def answer(request):
        asked.append((request.full_url, request.headers["User-agent"]))
        return io.BytesIO(content)

    monkeypatch.setattr("urllib.request.urlopen", answer)
    url = f"https://example.org/tiny.obo{ending}"
    assert Hierarchy.from_obo(url) == read()
    assert asked == [(url, "truepath")]
    assert Hierarchy.from_obo(url, limits=Limits(max_bytes=len(OBO))) == read()
    with pytest.raises(DataFormatError, match=r"tiny\.obo.*takes"):
        Hierarchy.from_obo(url, limits=Limits(max_bytes=len(content) - 1))


def test_streams_with_names_are_named(tmp_path):
    file = tmp_path / "named.obo"
    file.write_text(OBO.replace("id: T:3\n", ""))
    with file.open() as stream, pytest.raises(DataFormatError, match=r"named\.obo:17"):
        Hierarchy.from_obo(stream)


def test_stanzas_of_one_term_are_put_together():
    more = "\n[Term]\nid: T:5\nname: all over\nalt_id: T:50\nis_a: T:2\n\n[Term]\nid: T:3\nnamespace: two\n"
    h = Hierarchy.from_obo(io.StringIO(OBO + more))
    assert set(h.names[h.parents("T:5")]) == {"T:2", "T:3"}
    assert (h.titles["T:5"], h.titles["T:3"], h.index("T:50")) == ("all over", "part", h.index("T:5"))
    assert set(Hierarchy.from_obo(io.StringIO(OBO + more), namespaces=["two"]).names) == {"T:3", "T:5"}


def test_an_id_that_is_a_term_is_no_other_name():
    h = Hierarchy.from_obo(io.StringIO(OBO.replace("alt_id: T:20", "alt_id: T:3")))
    assert dict(h.aliases) == {"T:21": "T:2"}
    assert h.label("T:3") == "T:3 part"


@given(st.randoms(use_true_random=False))
def test_terms_and_relations_are_those_of_obonet(random):
    obonet = pytest.importorskip("obonet")
    terms = []
    for k in range(random.randint(1, 8)):
        lines = ["[Term]", f"id: T:{k}", *[f"name: n{k} {{a}} ! {k}"] * (random.random() < 0.9)]
        for u in random.sample(range(k), random.randint(0, k)):
            note = random.choice(["", " ! why", ' {source="x"}', ' {source="x"} ! why'])
            lines.append(random.choice(["is_a: ", "relationship: part_of ", "relationship: has "]) + f"T:{u}{note}")
        lines += ["is_obsolete: true"] * (random.random() < 0.1) + [f"alt_id: A:{k}"] * (random.random() < 0.3)
        terms.append("\n".join(lines))
    random.shuffle(terms)
    text = "format-version: 1.2\nontology: o\n\n" + "\n\n".join(terms) + "\n"
    graph = obonet.read_obo(io.StringIO(text))
    named = {term for term, data in graph.nodes(data=True) if "name" in data}
    kinds = {"is_a"} | {kind for _, _, kind in graph.edges(keys=True)}
    if not named:
        return
    h = Hierarchy.from_obo(io.StringIO(text), relations=sorted(kinds))
    assert set(h.names) == named
    wanted = {(parent, child) for child, parent, _ in graph.edges(keys=True) if {child, parent} <= named}
    assert {(h.names[u], h.names[v]) for u, v in h.edges} == wanted
    assert dict(h.aliases) == {alias: term for term in named for alias in graph.nodes[term].get("alt_id", [])}


def test_names_of_terms_are_kept_and_shown():
    h = read()
    assert h.label("T:2") == h.label("T:20") == "T:2 something"
    assert h.titles["T:3"] == "part"
    assert Hierarchy.flat(["a"]).label(0) == "a"
    for again in (pickle.loads(pickle.dumps(h)), Hierarchy.from_json(h.to_json()), h.edit().done()):
        assert again.titles == h.titles
    assert dict(h.subgraph(["T:1", "T:3"]).titles) == {"T:1": "everything", "T:3": "part"}
    state = h.__getstate__()
    again = Hierarchy.__new__(Hierarchy)
    again.__setstate__(state)
    assert again.titles == h.titles
    again = Hierarchy.__new__(Hierarchy)
    again.__setstate__({key: value for key, value in state.items() if key != "titles"})  # files written before
    assert again.titles == {}


def test_explanations_show_the_names_of_terms():
    h = read(relations=["is_a", "part_of"])
    X = np.arange(12.0).reshape(-1, 1)
    Y = h.encode([["T:2"] if i < 6 else ["T:3"] for i in range(12)])
    model = HierarchicalClassifier(DecisionTreeClassifier(), hierarchy=h, decoder="threshold").fit(X, Y)
    shown = model.explain(X[0])
    assert "T:2 something" in str(shown)
    assert {one["title"] for one in shown.to_dicts()} <= set(h.titles.values())
