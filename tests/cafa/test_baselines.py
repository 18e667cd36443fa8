"""Baselines, blends and cutoffs: small enough to check with a pencil."""

from __future__ import annotations

import numpy as np
import pytest

from truepath import Hierarchy
from truepath.cafa import (
    Ontology,
    Predictions,
    evaluate_predictions,
    find_cutoffs,
    find_similar,
    learn_blend,
    predict_by_transfer,
    predict_naively,
    read_hits,
)
from truepath.errors import DataFormatError

HIERARCHY = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("s", "d")])
ONTOLOGY = Ontology.of(HIERARCHY, {"R": ["r", "a", "b"], "S": ["s", "d"]})
ANNOTATIONS = {"P1": ["a"], "P2": ["a", "b"], "P3": ["d"], "P4": ["r"]}


def scores(predicted, target):
    return dict(predicted.top(target))


def test_naive_predictions_are_shares_of_each_aspect():
    found = predict_naively(ANNOTATIONS, ONTOLOGY, ["Q1", "Q2"])
    wanted = {"r": 1.0, "a": 2 / 3, "b": 1 / 3, "s": 1.0, "d": 1.0}
    assert scores(found, "Q1") == scores(found, "Q2") == pytest.approx(wanted)
    assert len(predict_naively(ANNOTATIONS, ONTOLOGY, ["Q"], max_terms=2).top("Q")) == 2


def hit(query, subject, identity, evalue, bits):
    return f"{query}\t{subject}\t{identity}\t100\t0\t0\t1\t100\t1\t100\t{evalue}\t{bits}\n"


HITS = [hit("Q1", "P1", 80, 1e-30, 150), hit("Q1", "P2", 40, 1e-9, 50), hit("Q1", "P1", 60, 1e-5, 20)]
HITS += [hit("Q1", "P4", 30, 0.5, 10), hit("Q2", "Q2", 100, 0, 500), hit("Q2", "P9", 50, 1e-9, 60)]


def test_terms_are_transferred_from_hits(tmp_path):
    path = tmp_path / "hits.tsv"
    path.write_text("# DIAMOND\n" + "".join(HITS), encoding="utf-8")
    hits = read_hits(path)
    assert repr(hits) == "Similarities(2 queries, 5 subjects, 3 hits)"  # one too weak, one itself, one repeated
    found = predict_by_transfer(hits, ANNOTATIONS, ONTOLOGY)
    assert scores(found, "Q1") == pytest.approx({"r": 1.0, "a": 1.0, "b": 0.25})
    assert scores(found, "Q2") == {}
    by_identity = predict_by_transfer(
        read_hits(path, by="identity"), ANNOTATIONS, ONTOLOGY, how="max", targets=["Q3", "Q1"]
    )
    assert scores(by_identity, "Q1") == pytest.approx({"r": 0.8, "a": 0.8, "b": 0.4})
    assert scores(by_identity, "Q3") == {}


def test_bad_hits_are_named(tmp_path):
    path = tmp_path / "hits.tsv"
    path.write_text(HITS[0] + "Q1\tP1\n", encoding="utf-8")
    with pytest.raises(DataFormatError, match=r"hits\.tsv:2"):
        read_hits(path)
    path.write_text(HITS[0] + HITS[1].replace("\t50\n", "\tmany\n"), encoding="utf-8")
    with pytest.raises(DataFormatError, match=r"hits\.tsv:2"):
        read_hits(path)


def test_neighbours_by_embedding_leave_out_the_protein_itself():
    X = np.array([[1.0, 0], [0.9, 0.1], [0, 1.0]])
    near = find_similar(X, ["P1", "P2", "P3"], X, ["P1", "P2", "P3"], n_neighbors=1)
    found = [(near.queries[i], near.subjects[j]) for i, j in zip(*near.weights.nonzero())]
    assert found == [("P1", "P2"), ("P2", "P1"), ("P3", "P2")]


def test_a_blend_learns_what_is_worth_most_in_each_aspect():
    rng = np.random.default_rng(0)
    truth = {f"P{i}": [("a", "b")[i % 2], *(["d"] if i % 3 else [])] for i in range(30)}
    good, bad = [], []
    for name, terms in truth.items():
        for term in ("a", "b", "d"):
            right = 0.8 if term in terms else 0.1
            noise = rng.random()
            good.append((name, term, right if term != "d" else noise))
            bad.append((name, term, noise if term != "d" else right))
    blend = learn_blend([good, bad], truth, ONTOLOGY)
    assert blend.weights["R"][0] > 0.9 > 0.3 > blend.weights["R"][1]
    assert blend.weights["S"][1] > 0.6
    mixed = blend.apply([good, bad])
    assert HIERARCHY.is_coherent(mixed.scores, tolerance=1e-12)
    best = [evaluate_predictions(truth, given, ONTOLOGY).curves["R"].best("f")["f"] for given in (mixed, good, bad)]
    assert best[0] >= max(best[1:]) - 1e-12
    with pytest.raises(ValueError, match="1 sources where the weights are for 2"):
        blend.apply([good])


def test_cutoffs_are_best_and_have_intervals():
    rng = np.random.default_rng(1)
    truth = {f"P{i}": ["a"] if i % 2 else ["b"] for i in range(40)}
    predicted = [
        (name, term, float(np.clip((0.7 if term in terms else 0.4) + 0.1 * rng.standard_normal(), 0.01, 1)))
        for name, terms in truth.items()
        for term in ("a", "b")
    ]
    found = find_cutoffs(truth, predicted, ONTOLOGY, n_resamples=50)
    assert list(found) == ["R"]
    cutoff = found["R"]
    assert cutoff.low <= cutoff.threshold <= cutoff.high
    assert cutoff.f_low <= cutoff.f <= cutoff.f_high + 1e-12
    best = evaluate_predictions(truth, predicted, ONTOLOGY, thresholds=0.01).summary()[0]
    assert (cutoff.threshold, cutoff.f) == pytest.approx((best["fmax_threshold"], best["fmax"]))
    assert 0.4 < cutoff.threshold < 0.7
    assert cutoff == find_cutoffs(truth, predicted, ONTOLOGY, n_resamples=50)["R"]


def test_predictions_are_made_of_anything():
    triples = [("P1", "a", 0.5), ("P2", "d", 0.25)]
    found = Predictions.of(triples, ONTOLOGY)
    assert repr(found) == "Predictions(2 targets, 2 scores)"
    assert scores(Predictions.of(found, ONTOLOGY, ["P2"]), "P2") == {"d": 0.25}
