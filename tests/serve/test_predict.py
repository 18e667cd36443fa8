"""``/predict`` and ``/explain``: the model's own answers, whatever is asked at the same time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy import sparse
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from truepath import HierarchicalClassifier, Hierarchy
from truepath.classifier import FittedOn
from truepath.decoders import Threshold
from truepath.learners import PCTForest
from truepath.preprocessing import AutoFeatures

from .conftest import LABELS, TEXTS, client_of, refused


def predict(client, **request):
    answer = client.post("/predict", json=request)
    assert answer.status_code == 200, answer.text
    return answer.json()["predictions"]


def test_labels_and_probabilities_are_the_model_s(client, model):
    found = predict(client, texts=TEXTS)
    assert [tuple(row["labels"]) for row in found] == model.predict_labels(TEXTS)
    S = model.predict_proba(TEXTS)
    for row, s, y in zip(found, S, model.predict(TEXTS)):
        names = model.hierarchy_.names[np.flatnonzero(y)]
        assert row["probabilities"] == {name: s[model.hierarchy_.index(name)] for name in names}


@pytest.mark.parametrize("how", [{"per": "row"}, {"per": "level"}, {"among": "leaves"}, {"among": "most-specific"}])
def test_the_best_labels_are_the_model_s(client, model, how):
    found = predict(client, texts=TEXTS, top=2, **how)
    best = model.predict_top(TEXTS, 2, **how)
    assert [[(one["label"], one["probability"]) for one in row["top"]] for row in found] == [
        [(name, pytest.approx(value, rel=1e-6)) for name, value in row] for row in best
    ]


def test_all_scores_come_when_asked_for(client, model):
    (row,) = predict(client, texts=TEXTS[:1], scores=True)
    assert row["scores"] == dict(zip(model.hierarchy_.names, model.predict_proba(TEXTS[:1])[0]))
    (row,) = predict(client, texts=TEXTS[:1], scores=True, min_score=0.5)
    assert min(row["scores"].values()) >= 0.5


def test_a_threshold_decides_as_the_decoder_of_thresholds_does(client, model):
    S, h = model.predict_proba(TEXTS), model.hierarchy_
    found = predict(client, texts=TEXTS, threshold=0.6)
    assert [tuple(row["labels"]) for row in found] == h.decode(Threshold(0.6, hierarchy=h).predict(S))
    each = np.full(h.n_nodes, 0.2)
    each[h.index("plant/oak")] = 0.99
    found = predict(client, texts=TEXTS, threshold=0.2, thresholds={"plant/oak": 0.99})
    assert [tuple(row["labels"]) for row in found] == h.decode(Threshold(each, hierarchy=h).predict(S))


def test_allowed_labels_are_the_only_ones(client, model):
    names = ["animal/dog", "plant"]
    found = predict(client, texts=TEXTS, allowed=names, scores=True, top=9)
    assert [tuple(row["labels"]) for row in found] == model.predict_labels(TEXTS, allowed=names)
    S = model.predict_proba(TEXTS, allowed=names)
    for row, s in zip(found, S):
        assert set(row["scores"]) == {"animal", "animal/dog", "plant", "plant/oak"}
        assert all(value == s[model.hierarchy_.index(name)] for name, value in row["scores"].items())
        assert "animal/cat" not in {one["label"] for one in row["top"]}
    low = predict(client, texts=TEXTS, allowed=names, threshold=0.01)
    assert not any("animal/cat" in row["probabilities"] for row in low)
    why = client.post("/explain", json={"text": TEXTS[1], "allowed": names}).json()
    assert "animal/cat" not in {node["name"] for node in why["nodes"]}
    assert client.get("/model").json()["allowed_sets"] == []


def test_saved_sets_are_allowed_by_name():
    model = HierarchicalClassifier("linear", decoder="best-path").fit(TEXTS, [row[-1:] for row in [["a/1"], ["b"]] * 3])
    with client_of(model.set_allowed("summer", ["a"])) as client:
        assert client.get("/model").json()["allowed_sets"] == ["summer"]
        assert {tuple(row["labels"]) for row in predict(client, texts=TEXTS, allowed=["summer"])} == {("a/1",)}
        assert "Did you mean 'summer'" in str(
            refused(client.post("/predict", json={"texts": ["a"], "allowed": ["sumer"]}), 422)
        )


def test_shares_of_labels_reweigh_scores(client):
    model = HierarchicalClassifier("linear", calibrate="sigmoid", decoder="threshold", cv=2).fit(TEXTS * 2, LABELS * 2)
    priors = {"animal": 0.9, "plant": 0.1}
    with client_of(model) as other:
        found = predict(other, texts=TEXTS, priors=priors, scores=True)
        S = model.predict_proba(TEXTS, priors=priors)
        assert [list(row["scores"].values()) for row in found] == S.tolist()
        assert [tuple(row["labels"]) for row in found] == model.predict_labels(TEXTS, priors=priors)
        why = other.post("/explain", json={"text": TEXTS[0], "priors": priors}).json()["nodes"]
        assert all(node["score"] == S[0, node["node"]] for node in why)
        for wrong, said in (
            ([0.5], "not an object"),
            ({"anmal": 0.5}, "Did you mean"),
            ({"animal": 2}, "the share of"),
        ):
            assert said in str(refused(other.post("/predict", json={"texts": ["a"], "priors": wrong}), 422))
    assert "not calibrated" in str(refused(client.post("/predict", json={"texts": ["a"], "priors": priors}), 422))


@pytest.mark.parametrize(
    ("allowed", "said"),
    [
        ("plant", "allowed is a text, not a list"),
        (["plant", 3], "allowed has 3, not only names"),
        (["plnat"], "'plnat', which is not in the hierarchy"),
        (["x" * 9999], "is not in the hierarchy"),
        ([], "allowed has no label"),
    ],
)
def test_allowed_labels_that_cannot_be_meant_are_refused(client, allowed, said):
    for path, body in (("/predict", {"texts": ["a"]}), ("/explain", {"text": "a"})):
        assert said in str(refused(client.post(path, json={**body, "allowed": allowed}), 422))


def test_coverage_is_that_of_the_decoder(model):
    conformal = HierarchicalClassifier(decoder="conformal", cv=2).fit(TEXTS * 4, [["a"], ["b"], ["b"]] * 8)
    with client_of(conformal) as client:
        sizes = [sum(len(row["labels"]) for row in predict(client, texts=TEXTS, coverage=c)) for c in (0.2, 0.99)]
        usual = predict(client, texts=TEXTS)
        assert "exclude" in refused(
            client.post("/predict", json={"texts": ["a"], "coverage": 0.9, "threshold": 1}), 422
        )
    assert sizes[0] < sizes[1]
    assert [tuple(row["labels"]) for row in usual] == conformal.predict_labels(TEXTS)  # nothing was changed for good


def test_concurrent_requests_get_their_own_answers(client, model):
    wanted = {text: predict(client, texts=[text], scores=True) for text in TEXTS}
    with ThreadPoolExecutor(16) as pool:
        jobs = [pool.submit(predict, client, texts=[TEXTS[i % 6]], scores=True) for i in range(96)]
        assert [job.result() for job in jobs] == [wanted[TEXTS[i % 6]] for i in range(96)]


def test_a_long_request_is_cut_into_pieces_and_joined(client, model):
    texts = [f"{TEXTS[i % 6]} {i}" for i in range(700)]
    assert [tuple(row["labels"]) for row in predict(client, texts=texts)] == model.predict_labels(texts)


def test_explanations_are_the_model_s(client, model):
    answer = client.post("/explain", json={"text": "a cat", "n_others": 2, "n_causes": 2}).json()
    wanted = model.explain("a cat", n_others=2, n_causes=2)
    assert [node["name"] for node in answer["nodes"]] == [record.name for record in wanted.records]
    assert [node["score"] for node in answer["nodes"]] == [record.score for record in wanted.records]
    assert answer["labels"] == list(model.predict_labels(["a cat"])[0])
    assert answer["nodes"][-1]["causes"] == dict(wanted.records[-1].causes)
    everything = client.post("/explain", json={"text": "a cat", "threshold": 0.0}).json()
    assert all(node["predicted"] for node in everything["nodes"])


def test_rows_of_a_table_come_as_objects_or_lists():
    h = Hierarchy.from_paths(["a/1", "b"])
    X = np.array([[str(i % 5), "red" if i % 2 else "blue"] for i in range(40)], object)
    model = HierarchicalClassifier(make_pipeline(AutoFeatures(dense=True), GaussianNB()), cv=2, hierarchy=h)
    model.fit(X, [["a/1"] if i % 2 else ["b"] for i in range(40)])
    model.set_fitted_on(FittedOn("table", "t", ("size", "colour")))
    with client_of(model) as client:
        as_objects = predict(client, rows=[{"colour": "red", "size": 1}, {"size": None, "colour": "blue"}])
        as_lists = predict(client, rows=[["1", "red"], [None, "blue"]])
        assert as_objects == as_lists
        assert [tuple(row["labels"]) for row in as_lists] == model.predict_labels([["1", "red"], ["", "blue"]])
        assert "'size'" in refused(client.post("/predict", json={"rows": [{"colour": "red"}]}), 422)
        assert "2 columns" in refused(client.post("/predict", json={"rows": [[1]]}), 422)
        assert "not texts" in refused(client.post("/predict", json={"texts": ["a"]}), 422)


def test_rows_of_numbers_are_counted():
    X, y = np.array([[0.0, 1.0], [1.0, 0.0]] * 6), [["a"], ["b"]] * 6
    with client_of(HierarchicalClassifier(GaussianNB(), cv=2).fit(X, y)) as client:
        assert [row["labels"] for row in predict(client, rows=[[0, 1.0], [1, 0]])] == [["a"], ["b"]]
        assert "takes 2" in refused(client.post("/predict", json={"rows": [[1]]}), 422)
        assert "numbers" in refused(client.post("/predict", json={"rows": [["a", 1]]}), 422)
        assert client.get("/model").json()["input"]["n_features"] == 2
        assert predict(client, rows=[{"1": 1.0}]) == predict(client, rows=[[0, 1]])
        assert "'2'" in refused(client.post("/predict", json={"rows": [{"2": 1.0}]}), 422)


def test_a_model_of_word_counts_gets_sparse_rows():
    X = sparse.csr_array(np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 0.0]] * 6))
    model = HierarchicalClassifier(cv=2).fit(X, [["a"], ["b"]] * 6)
    with client_of(model) as client:
        found = predict(client, rows=[[0, 1, 2], {"0": 1}])
    assert [tuple(row["labels"]) for row in found] == model.predict_labels(X[:2])


def test_workers_that_the_model_was_fitted_with_are_not_started():
    forest = PCTForest(n_estimators=4, n_jobs=2, random_state=0)
    model = HierarchicalClassifier(forest, cv=2).fit(np.eye(4).repeat(3, axis=0), [["a"], ["b"], ["c"], ["a"]] * 3)
    with client_of(model) as client:
        found = predict(client, rows=np.eye(4).tolist())
    assert [tuple(row["labels"]) for row in found] == model.predict_labels(np.eye(4))


def test_the_hierarchy_comes_whole_or_in_part(client, model):
    names = [label["name"] for label in client.get("/hierarchy").json()["labels"]]
    assert names == model.hierarchy_.names.tolist()
    part = client.get("/hierarchy", params={"labels": ["plant/oak"]}).json()["labels"]
    assert part == [{"name": "plant", "parents": []}, {"name": "plant/oak", "parents": ["plant"]}]
    svg = client.get("/hierarchy", params={"labels": ["plant/oak"], "format": "svg"})
    assert svg.headers["content-type"].startswith("image/svg+xml")
    assert svg.text == model.hierarchy_.plot(["plant/oak"]).to_svg()
    assert client.get("/hierarchy", params={"format": "dot"}).text == model.hierarchy_.plot().to_dot()
    assert "'oat'" in refused(client.get("/hierarchy", params={"labels": ["oat"]}), 422)
