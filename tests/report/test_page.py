"""The page as text: whole, self-contained, escaped, and with the numbers of the metrics."""

from __future__ import annotations

import json
import re
import time
from html.parser import HTMLParser

import numpy as np
import pytest
from scipy import sparse

from truepath import Hierarchy, metrics
from truepath.decoders import Promise
from truepath.report import Evaluated, Run, write_report

from .conftest import HOSTILE, make_run


class Parsed(HTMLParser):
    """Collect tags, attributes and scripts; count what is left open."""

    VOID = ("meta", "link", "br", "input", "img")

    def __init__(self, text):
        super().__init__()
        self.tags, self.open, self.scripts, self.texts = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        (self.scripts if self.open and self.open[-1] in ("script", "style") else self.texts).append(data)

    def named(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]


def write(tmp_path, run, **more):
    return page_of(tmp_path / "page.html", run.hierarchy, run.y_true, run.results, **more)


def page_of(path, *arguments, comparison=None, random_state=0, **more):
    run = Run(*arguments, **more)
    return write_report(path, run, comparison=comparison, random_state=random_state).read_text(encoding="utf-8")


def data_of(page):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S).group(1))


def test_the_page_is_well_formed_and_whole(tmp_path, three):
    page = Parsed(write(tmp_path, three, title="A title"))
    assert page.open == []
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {"measures", "labels", "levels", "curves", "examples", "data-profile", "made"} <= set(ids)
    links = {attributes["href"][1:] for attributes in page.named("a")}
    assert links <= set(ids)


def test_the_page_needs_nothing_from_elsewhere(tmp_path, one):
    text = write(tmp_path, one)
    page = Parsed(text)
    for _, attributes in page.tags:
        for name in ("src", "href", "data", "action"):
            assert attributes.get(name, "#").startswith(("#", "data:"))
    outside = re.findall(r"(?:https?:)?//[a-z]", text.replace("http://www.w3.org/2000/svg", ""))
    assert outside == []
    assert "default-src 'none'" in text
    assert "@import" not in text


def test_only_the_pages_own_script_may_run(tmp_path, one):
    import base64
    import hashlib

    text = write(tmp_path, one)
    script = re.search(r"<script>(.*?)</script>\s*</body>", text, re.S).group(1)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in text


def test_hostile_names_stay_text(tmp_path, hostile):
    text = write(tmp_path, hostile, **hostile.more)
    page = Parsed(text)
    assert page.open == []
    assert len(page.named("script")) == 2
    assert page.named("img") == []
    assert not any(name.startswith("on") for _, attributes in page.tags for name in attributes)
    data = data_of(text)
    assert data["full"] == [str(name) for name in hostile.hierarchy.names]
    assert "{{ 7 * 7 }}" in text  # names are never templates
    assert any("window.broken = 1" in piece for piece in page.texts)


def test_the_numbers_are_those_of_the_metrics(tmp_path, one):
    text, result, h = write(tmp_path, one), one.results[0], one.hierarchy
    for name in ("hierarchical_f1", "auprc", "h_loss", "hmc_loss", "exact_match", "macro_f1"):
        metric = metrics.get_metric(name)
        value = metric(one.y_true, result.S if metric.needs == "scores" else result.y_pred, h)
        assert f"<b>{metric.show(value)}</b>" in text
        assert metric.label in text
        assert metric.meaning in text.replace("&#39;", "'")
    data = data_of(text)
    assert data["support"] == one.y_true.sum(axis=0).tolist()
    assert data["methods"][0]["hits"] == (one.y_true & result.y_pred).sum(axis=0).tolist()


def test_sparse_and_dense_give_the_same_page(tmp_path, one):
    result = one.results[0]
    sparse_one = Evaluated(
        result.name, sparse.csr_array(result.y_pred), sparse.csr_matrix(result.S), 0.6, 1.5, result.settings
    )
    dense = write(tmp_path, one)
    one_path = write_report(tmp_path / "s.html", Run(one.hierarchy, sparse.csr_matrix(one.y_true), sparse_one))
    written = re.compile(r"Written on .*? by")
    assert written.sub("", one_path.read_text(encoding="utf-8")) == written.sub("", dense)


def test_the_same_seed_gives_the_same_page(tmp_path, three):
    written = re.compile(r"Written on .*? by")
    first, second = (written.sub("", write(tmp_path, three, random_state=3)) for _ in range(2))
    assert first == second


def test_a_dag_says_where_its_labels_also_are(tmp_path, dag):
    text = write(tmp_path, make_run(dag))
    data = data_of(text)
    both = data["full"].index("both")
    assert "This hierarchy is a DAG" in text
    assert [data["full"][v] for v in data["others"][str(both)]] == ["q"]


@pytest.mark.parametrize(
    "hierarchy",
    [Hierarchy.flat(["only"]), Hierarchy.flat(3), Hierarchy.from_parents([-1, *range(40)])],
    ids=["one label", "flat", "a chain of 41"],
)
def test_odd_hierarchies(tmp_path, hierarchy):
    assert Parsed(write(tmp_path, make_run(hierarchy, n_samples=7))).open == []


@pytest.mark.parametrize("predict", [np.zeros_like, np.ones_like], ids=["nothing", "everything"])
@pytest.mark.parametrize("true", [np.zeros_like, np.ones_like, np.copy], ids=["no labels", "all labels", "some"])
@pytest.mark.parametrize("n_samples", [1, 12])
def test_odd_labels(tmp_path, one, true, predict, n_samples):
    truth = true(one.y_true[:n_samples])
    labels = predict(truth)
    result = Evaluated("odd", labels, labels.astype(float))
    path = write_report(tmp_path / "odd.html", Run(one.hierarchy, truth, result))
    text = path.read_text(encoding="utf-8")
    assert Parsed(text).open == []
    assert "nan" not in re.sub(r"<script.*?</script>|<style>.*?</style>", "", text, flags=re.S).lower()


def test_scores_beyond_one_and_without_scores(tmp_path, one):
    result = one.results[0]
    beyond = Evaluated("margins", result.y_pred, 4 * result.S - 2, 0.4)
    bare = Evaluated("labels only", result.y_pred)
    path = write_report(tmp_path / "x.html", Run(one.hierarchy, one.y_true, [beyond, bare]))
    text = path.read_text(encoding="utf-8")
    assert "Needs scores between 0 and 1" in text
    assert "labels without scores" in text
    alone = page_of(tmp_path / "y.html", one.hierarchy, one.y_true, bare)
    assert 'id="curves"' not in alone


def test_labels_that_break_the_hierarchy_are_corrected_and_reported(tmp_path, one):
    labels = np.zeros_like(one.y_true)
    labels[3, one.hierarchy.index("a/x")] = True
    text = page_of(tmp_path / "x.html", one.hierarchy, one.y_true, Evaluated("odd", labels))
    assert "1 predicted row lacked an ancestor" in text


def test_thresholds_are_written_to_the_last_digit_and_infinity_as_text(tmp_path, one):
    thresholds = np.full(one.hierarchy.n_nodes, 1 / 3)
    thresholds[:2] = np.inf, -np.inf
    result = Evaluated("x", one.y_true, one.results[0].S, thresholds)
    text = page_of(tmp_path / "x.html", one.hierarchy, one.y_true, result)
    assert data_of(text)["methods"][0]["thresholds"][:3] == ["inf", "-inf", 1 / 3]
    single = Evaluated("x", one.y_true, one.results[0].S, np.inf)
    assert Parsed(page_of(tmp_path / "y.html", one.hierarchy, one.y_true, single)).open == []


def test_what_is_known_of_the_data_is_shown(tmp_path, one):
    from truepath.data import load_dataset

    description = load_dataset("toy").describe()
    texts = [f"the text of row {i}" for i in range(60)]
    ids = [f"gene-{i}" for i in range(60)]
    text = write(tmp_path, one, description=description, texts=texts, ids=ids, y_train=one.y_true[:30], title="Mine")
    assert "<title>Mine</title>" in text
    assert "12 (train 8, test 4)" in text
    assert re.search(r"<h4>gene-\d+</h4>", text)
    assert "the text of row" in text
    assert "training rows" in text
    assert data_of(text)["train"] == one.y_true[:30].sum(axis=0).tolist()
    assert Parsed(write(tmp_path, one, description=description.to_dict())).open == []


def test_mistakes_in_the_arguments_are_named(tmp_path, one):
    path, h, truth, result = tmp_path / "x.html", one.hierarchy, one.y_true, one.results[0]
    cases = [
        ((h, truth, []), {}, "results is empty"),
        ((h, truth, [result, result]), {}, "two methods called 'method 1'"),
        ((h, truth[:5], result), {}, "has 60 rows, y_true 5"),
        ((h, truth[:0], result), {}, "no rows"),
        ((h, truth, Evaluated("x", truth, thresholds=[1, 2])), {}, "thresholds of 'x'"),
        ((h, truth, result), {"ids": ["a"]}, "ids has 1 entries for 60 rows"),
    ]
    for arguments, options, message in cases:
        with pytest.raises(ValueError, match=message):
            write_report(path, Run(*arguments, **options))
    with pytest.raises(TypeError, match="Evaluated"):
        Run(h, truth, [truth])
    with pytest.raises(TypeError, match="hierarchy"):
        Run(None, truth, result)
    assert list(tmp_path.iterdir()) == []


def test_a_failed_write_leaves_the_old_page(tmp_path, one, monkeypatch):
    import os

    write(tmp_path, one)
    before = (tmp_path / "page.html").read_bytes()
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        write(tmp_path, one, title="new")
    assert (tmp_path / "page.html").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_without_jinja_the_way_out_is_named(tmp_path, one, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=r"truepath\[report\]"):
        write(tmp_path, one)


def test_short_names_drop_what_the_parent_says():
    from truepath.report.nodes import short_names

    edges = [(None, "A"), ("A", "A :: B"), ("A", "Another"), ("A :: B", "A :: B :: c"), ("A", "GO:1"), ("A", "A.1")]
    h = Hierarchy.from_edges(edges, sep=" :: ")
    assert dict(zip(h.names, short_names(h))) == {
        "A": "A", "A :: B": "B", "Another": "Another", "A :: B :: c": "c", "GO:1": "GO:1", "A.1": "A.1"
    }  # fmt: skip


def test_a_word_that_begins_like_its_parent_stays_whole_everywhere():
    h = Hierarchy.from_edges([(None, "cat"), ("cat", "category"), ("cat", "cat/tabby")], sep="/")
    drawn = h.plot().to_svg()
    for page in (drawn, h._repr_html_()):
        assert "category" in page
        assert "tabby" in page
        assert "cat/tabby" not in page


def test_examples_count_every_label_even_when_folded(one):
    from truepath.report.examples import MOST_LINES, choose_examples

    wide = Hierarchy.from_edges(
        [(None, "r"), *(("r", f"c{k}") for k in range(30)), *((f"c{k}", f"g{k}") for k in range(30))]
    )
    run = make_run(wide, n_samples=9, seed=1)
    full = np.ones_like(run.y_true)
    partly = full.copy()
    partly[:, [wide.index(f"g{k}") for k in range(0, 30, 2)]] = False
    run = Run(wide, full, Evaluated("x", partly))

    def lines(branches):
        return sum(1 + lines(b.branches) for b in branches)

    def labels(branches):
        return sum(
            (int(b.name.split()[0]) if b.mark == "more" else 1) + b.folded + labels(b.branches) for b in branches
        )

    for _, examples in choose_examples(run, run.results[0]):
        for example in examples:
            assert labels(example.branches) == wide.n_nodes
            assert lines(example.branches) <= 2 * MOST_LINES
            assert (example.n_right, example.n_missed, example.n_wrong) == (46, 15, 0)


def test_typical_examples_are_typical_mistakes():
    from truepath.report.examples import choose_examples

    truth = np.ones((40, 10), bool)
    labels = truth.copy()
    for k in range(1, 9):
        labels[k, :k] = False  # row k misses k labels, the 32 others none
    run = Run(Hierarchy.flat(10), truth, Evaluated("x", labels))
    shown = {
        title: sorted(example.n_missed for example in found) for title, found in choose_examples(run, run.results[0])
    }
    assert shown == {
        "Every label right: 80 % of the rows": [0, 0, 0],
        "Typical mistakes: near the median F1 of the rows that have any": [3, 4, 5],
        "Worst: lowest F1": [6, 7, 8],
    }


def test_thresholds_are_saved_under_names_without_titles(tmp_path):
    saved = json.loads(Hierarchy.from_edges([(None, "GO:1"), ("GO:1", "GO:2")]).to_json())
    h = Hierarchy.from_json(json.dumps({**saved, "titles": {"GO:2": "apoptosis"}}))
    run = make_run(h)
    data = data_of(page_of(tmp_path / "x.html", h, run.y_true, run.results))
    assert data["full"] == ["GO:1", "GO:2 apoptosis"]
    assert data["names"] == ["GO:1", "GO:2"]


def test_what_was_promised_is_measured(tmp_path, one):
    result = one.results[0]
    covered = ~(one.y_true & ~result.y_pred).any(axis=1)
    share = min(max(covered.mean() - 0.01, 0.01), 0.99)
    asked = Evaluated("sets", result.y_pred, result.S, promise=Promise("row", float(share)))
    text = page_of(tmp_path / "x.html", one.hierarchy, one.y_true, asked)
    assert "Promised: label sets hold all true labels of their row with a probability of" in text
    assert f"On these rows: {100 * covered.mean():.1f}&nbsp;%" in text
    assert "<b>kept</b>" in text
    assert "Promised" not in write(tmp_path, one)


def test_sure_labels_that_are_all_true_keep_their_promise_whatever_they_miss(tmp_path):
    run = make_run(Hierarchy.from_paths(["a/1", "b"]))
    none = Evaluated("sure", 0 * np.asarray(run.y_true), promise=Promise("sure", 0.9))
    text = page_of(tmp_path / "x.html", run.hierarchy, run.y_true, none)
    assert "all labels of a set are true (others may be missing) with a probability of 90.0&nbsp;%" in text
    assert "On these rows: 100.0&nbsp;% (standard error 0.0), <b>kept</b>" in text
    assert "100.0&nbsp;% are empty" in text


def test_a_page_without_a_run_carries_no_script(tmp_path):
    from truepath.report.render import render

    context = {"title": "x", "created": "", "versions": {"truepath": "1"}}
    page = render("base.html", context)
    assert "<script" not in page


@pytest.mark.slow
def test_a_go_sized_page_is_small_and_soon_there(tmp_path):
    generator = np.random.default_rng(0)
    parents = [-1, -1, -1, *(int(generator.integers(max(0, v - 900), v)) for v in range(3, 4125))]
    run = make_run(Hierarchy.from_parents(parents), n_samples=1278)
    run.results[0] = Evaluated("noise", run.results[0].S > 0.9, run.results[0].S.astype(np.float32))
    start = time.process_time()  # of work, however busy the machine is
    path = write_report(tmp_path / "go.html", Run(run.hierarchy, run.y_true, run.results))
    assert time.process_time() - start < 60  # some 5 s
    assert path.stat().st_size < 5_000_000


def test_the_hostile_list_is_hostile():
    assert any("</script>" in name for name in HOSTILE)
