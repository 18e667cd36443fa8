"""The bundled data set pypi-topics and the tool that makes it."""

from __future__ import annotations

import gzip
import importlib.util
import json
import sys
from collections import Counter
from importlib import resources
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from places import ROOT
from truepath.data.bundled.pypi_topics import PARTS, load_arrays, undo_gaps

TOOL = ROOT / "tools" / "make_pypi_topics.py"


def load_tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_pypi_topics", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


tool = load_tool()


@pytest.fixture(scope="module")
def data() -> SimpleNamespace:
    return SimpleNamespace(**load_arrays())


# The file -------------------------------------------------------------------------------------------------------------


def test_is_large_enough_and_the_file_small_enough(data):
    file = resources.files("truepath.data.bundled").joinpath("pypi-topics.npz")
    assert len(file.read_bytes()) < 1_000_000
    assert len(data.packages) >= 3000


def test_shapes_agree(data):
    assert data.X.shape == (len(data.packages), len(data.vocabulary))
    assert data.y.shape == (len(data.packages), len(data.topics))
    assert data.part.shape == (len(data.packages),)


def test_counts_are_positive_integers_in_canonical_form(data):
    assert data.X.dtype == np.int32
    assert data.X.data.min() >= 1
    assert data.X.indices.max() < len(data.vocabulary)
    assert all(np.all(np.diff(data.X[row].indices) > 0) for row in range(0, data.X.shape[0], 97))


def test_names_are_sorted_and_unique(data):
    assert data.packages == sorted(set(data.packages))
    assert data.vocabulary == sorted(set(data.vocabulary))
    assert len(set(data.topics)) == len(data.topics)


def test_vocabulary_holds_single_words(data):
    assert all(word.isalpha() and 2 <= len(word) <= 25 for word in data.vocabulary)


def test_parents_come_before_children(data):
    place = {topic: index for index, topic in enumerate(data.topics)}
    for topic, index in place.items():
        parent, separator, _ = topic.rpartition(" :: ")
        assert not separator or place[parent] < index


def test_labels_are_closed_and_never_empty(data):
    Y = data.y.toarray()
    for child, topic in enumerate(data.topics):
        parent, separator, _ = topic.rpartition(" :: ")
        assert not separator or np.all(Y[:, child] <= Y[:, data.topics.index(parent)])
    assert Y.any(axis=1).all()


def test_parts_follow_the_hash_rule(data):
    assert data.part.tolist() == [tool.part_of(name) for name in data.packages]
    shares = np.bincount(data.part, minlength=len(PARTS)) / len(data.part)
    np.testing.assert_allclose(shares, [0.6, 0.2, 0.2], atol=0.03)


def test_each_part_has_each_topic(data):
    for part in range(len(PARTS)):
        assert data.y[data.part == part].sum(axis=0).min() >= data.provenance["rules"]["min_in_part"]


def test_topics_have_enough_packages(data):
    assert data.y.sum(axis=0).min() >= data.provenance["rules"]["min_packages"]


def test_no_two_packages_have_the_same_words(data):
    rows = {data.X[row].indices.tobytes() + b"|" + data.X[row].data.tobytes() for row in range(data.X.shape[0])}
    assert len(rows) == data.X.shape[0]


def test_provenance_states_date_and_numbers(data):
    assert data.provenance["collected"] == "2026-11-15"
    assert data.provenance["packages_kept"] == len(data.packages)
    assert data.provenance["names_asked"] > data.provenance["packages_found"] > len(data.packages)


# Names ----------------------------------------------------------------------------------------------------------------


def test_names_are_read_from_a_debian_search():
    lines = ["python3-zope.event - events", "python3-numpy - arrays", "python3-numpy-dbg - x", "pypy3 - no"]
    assert tool.names_from_debian(lines) == ["numpy", "zope-event"]


def test_names_are_read_from_a_debian_contents_index(tmp_path):
    folder = "usr/lib/python3/dist-packages"
    path = tmp_path / "Contents.gz"
    lines = [
        f"{folder}/PyYAML-6.0.egg-info/PKG-INFO python/python3-yaml",
        f"{folder}/zope.event-4.5-nspkg.pth python/python3-zope.event",
        f"{folder}/zope.event-4.5.egg-info/PKG-INFO   python/python3-zope.event",
        f"{folder}/_hidden-1.dist-info/METADATA python/python3-hidden",
        f"{folder}/2ping-4.5.egg-info/PKG-INFO net/2ping",
    ]
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    assert tool.read_contents([path]) == ["pyyaml", "zope-event"]


def test_names_are_read_from_a_file(tmp_path):
    path = tmp_path / "names.txt"
    path.write_text("Flask\n\n# no name\nzope.event\nflask\n")
    assert tool.names_from_file(path) == ["flask", "zope-event"]


@pytest.mark.parametrize(
    ("requirement", "name"),
    [("PySocks!=1.5.7; extra == 'socks'", "pysocks"), ("ruamel.yaml[jinja2] (>0.1)", "ruamel-yaml"), (";", None)],
)
def test_requirement_name(requirement, name):
    assert tool.requirement_name(requirement) == name


def test_frontier_skips_what_is_known_and_mixes_the_start_in(tmp_path):
    cache = tool.Cache(tmp_path)
    cache.add([record("known", requires=["a", "known", "types-x", "b", "a", "c", "d"])], {"c": "gone"})
    assert tool.Frontier(["s", "known"], cache).take(9) == ["s", "a", "b", "d"]


# Collection -----------------------------------------------------------------------------------------------------------


def record(name: str, requires: list[str] | None = None, **fields: object) -> dict[str, object]:
    empty = {"summary": "", "keywords": "", "topics": ["Topic :: Utilities"], "description": ""}
    return {"name": name, "version": "1", "requires": requires or [], **empty, **fields}


class FakePip:
    """Knows some packages, stops at the first name it does not know, breaks on batches with a poisoned name."""

    def __init__(self, known: dict[str, list[str]], poison: str = "") -> None:
        self.known, self.poison = known, poison
        self.calls: list[list[str]] = []

    def __call__(self, names):
        self.calls.append(list(names))
        if self.poison in names:
            return tool.BatchResult([], error="broken")
        unknown = [name for name in names if name not in self.known]
        if unknown:
            return tool.BatchResult([], offender=unknown[0], error="no such name")
        return tool.BatchResult([record(name, self.known[name]) for name in names])


def test_resolve_drops_the_names_that_do_not_exist():
    pip = FakePip({"a": [], "b": [], "c": []})
    records, failures = tool.resolve(["a", "x", "b", "y", "c"], pip)
    assert sorted(one["name"] for one in records) == ["a", "b", "c"]
    assert set(failures) == {"x", "y"}
    assert len(pip.calls) == 4


def test_resolve_halves_a_batch_that_breaks_without_a_culprit():
    records, failures = tool.resolve(list("abcd"), FakePip({name: [] for name in "abcd"}, poison="c"))
    assert sorted(one["name"] for one in records) == ["a", "b", "d"]
    assert failures == {"c": "broken"}


def test_collect_follows_dependencies_up_to_the_limit(tmp_path):
    chain = {f"p{i}": [f"p{i + 1}"] for i in range(20)}
    cache = tool.Cache(tmp_path)
    tool.collect(["p0"], cache, FakePip(chain), limit=7, batch=2, pause=0)
    assert sorted(cache.records) == [f"p{i}" for i in range(7)]


def test_collect_resumes_after_a_kill(tmp_path):
    chain = {f"p{i}": [f"p{i + 1}"] for i in range(9)} | {"p9": ["gone"]}
    tool.collect(["p0"], tool.Cache(tmp_path), FakePip(chain), limit=5, batch=1, pause=0)
    with (tmp_path / "records.jsonl").open("a") as file:
        file.write('{"name": "p5", "summ')
    pip = FakePip(chain)
    cache = tool.Cache(tmp_path)
    assert cache.n_asked == 5
    tool.collect(["p0"], cache, pip, limit=100, batch=1, pause=0)
    assert [name for call in pip.calls for name in call] == ["p5", "p6", "p7", "p8", "p9", "gone"]
    again = tool.Cache(tmp_path)
    assert len(again.records) == 10
    assert set(again.failures) == {"gone"}


def test_extract_keeps_the_needed_fields_only():
    metadata = {
        "name": "Some.Thing",
        "version": "1.0",
        "keywords": ["one", "two"],
        "classifier": ["Topic :: Utilities", "Typing :: Typed"],
        "description": "x" * 5000,
        "requires_dist": ["B>1", "a; extra == 'e'"],
        "author": "nobody",
    }
    kept = tool.extract(metadata)
    assert kept["name"] == "some-thing"
    assert kept["keywords"] == "one two"
    assert kept["topics"] == ["Topic :: Utilities"]
    assert len(kept["description"]) == tool.HEAD
    assert kept["requires"] == ["a", "b"]
    assert "author" not in kept


def test_pip_is_asked_not_to_install(tmp_path):
    command = tool.Pip("python").command(["a", "b"], tmp_path / "report.json")
    assert command[:4] == ["python", "-m", "pip", "install"]
    assert {"--dry-run", "--no-deps", "--use-feature=fast-deps"} <= set(command)
    assert command[-2:] == ["a", "b"]
    assert "--use-feature=fast-deps" not in tool.Pip(whole_wheels=True).command(["a"], tmp_path)


def test_the_culprit_is_read_from_what_pip_wrote():
    result = tool.failed_batch("WARNING: x\nERROR: No matching distribution found for Zope.Gone\n")
    assert result.offender == "zope-gone"
    assert tool.failed_batch("ERROR: disk full").offender is None


# Building -------------------------------------------------------------------------------------------------------------


def test_tokens_keep_words_only():
    links = "see https://host.invalid/words <b>or</b> me@host.invalid"
    text = f"The Fast Fourier transform, py3k in x_ray: {links}\nTopic :: Games"
    assert tool.tokens(text) == ["fast", "fourier", "transform", "ray"]


def test_tokens_limit_the_length():
    assert tool.tokens("a go " + "b" * 25 + " " + "c" * 26) == ["b" * 25]


def test_vocabulary_drops_rare_and_common_words():
    rules = tool.Rules(min_documents=2, max_share=0.5, max_words=2)
    counts = [Counter(text.split()) for text in ["all m z", "all m z b", "all b", "all b rare"]]
    assert tool.choose_vocabulary(counts, tool.Rules(min_documents=2, max_share=0.75)) == ["b", "m", "z"]
    assert tool.choose_vocabulary(counts, rules) == ["m", "z"]


def test_close_adds_the_ancestors():
    closed = tool.close(["Topic :: A :: B :: C", "Topic :: D"])
    assert closed == {("A",), ("A", "B"), ("A", "B", "C"), ("D",)}


def test_rare_topics_are_pruned_and_their_ancestors_stay():
    labels = [{("A",), ("A", "B")}, {("A",)}, {("A",)}, {("D",)}]
    rules = tool.Rules(min_packages=2, min_in_part=1)
    assert tool.choose_topics(labels, [0, 1, 2, 0], rules) == [("A",)]


def test_a_topic_missing_from_a_part_is_pruned():
    rules = tool.Rules(min_packages=2, min_in_part=1)
    assert tool.choose_topics([{("A",)}] * 3, [0, 0, 1], rules) == []


def test_near_copies_are_dropped():
    X = csr_matrix(np.array([[1, 2, 0], [0, 0, 1], [2, 4, 0], [1, 0, 1]], dtype=np.uint8))
    assert tool.first_of_kind(X, 0.99).tolist() == [0, 1, 3]


def test_part_does_not_depend_on_the_spelling():
    assert tool.part_of("Zope.Event") == tool.part_of("zope-event")
    assert {tool.part_of(f"p{i}") for i in range(50)} == {0, 1, 2}


def test_gaps_are_undone_over_empty_rows():
    X = csr_matrix(np.array([[0, 0, 0, 0], [1, 0, 1, 1], [0, 0, 0, 0], [0, 1, 0, 1], [0, 0, 0, 0]]))
    steps = tool.gaps(X.indices, X.indptr)
    assert steps.tolist() == [0, 2, 1, 1, 2]
    assert undo_gaps(steps, X.indptr).tolist() == X.indices.tolist()


def test_the_same_cache_gives_the_same_bytes(tmp_path):
    cache = tool.Cache(tmp_path)
    themes = [("Games", "dice board player"), ("Security", "cipher secret token")]
    records = []
    for i in range(60):
        topic, words = themes[i % 2]
        summary = f"{words} x{'abcdefghij'[i % 10]} y{'abcdefghij'[i // 6]}"
        records.append(record(f"p{i}", topics=[f"Topic :: {topic} :: Sub"], summary=summary))
    cache.add(records, {"gone": "no such name"})
    rules = tool.Rules(min_documents=2, max_share=0.6, min_words=1, copy_cosine=0.999, min_packages=1, min_in_part=1)
    built = tool.make(cache, tmp_path / "one.npz", "2026-11-15", rules)
    tool.make(tool.Cache(tmp_path), tmp_path / "two.npz", "2026-11-15", rules)
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()
    assert built.topics == [("Games",), ("Games", "Sub"), ("Security",), ("Security", "Sub")]
    with np.load(tmp_path / "one.npz", allow_pickle=False) as stored:
        assert json.loads(stored["provenance"].tobytes())["names_asked"] == 61
