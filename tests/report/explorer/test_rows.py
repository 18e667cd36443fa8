"""The rows a page stores: all of them, or a sample that stays the same for a seed."""

from __future__ import annotations

import base64

import numpy as np
import pytest

from truepath.report import Evaluated, Run
from truepath.report.explorer import rows as module
from truepath.report.explorer.paired import count_one_sided, pair_table
from truepath.report.explorer.rows import choose_rows, row_table

from .test_packing import unpack


def lists(packed):
    steps = iter(unpack(packed["steps"]))
    return [np.cumsum([next(steps) for _ in range(size)]).tolist() for size in unpack(packed["sizes"])]


def test_labels_and_scores_come_back(one):
    run = Run(one.hierarchy, one.y_true, one.results, texts=["word " * 200] * 60)
    table, S = row_table(run), one.results[0].S
    assert (table["n"], table["at"], table["ids"]) == (60, None, None)
    assert all(len(text) <= module.TEXT_LENGTH + 2 for text in table["texts"])
    method = table["methods"][0]
    shares = np.frombuffer(base64.b64decode(method["scores"]["shares"]), "<u2") / 65535
    start = 0
    parts = zip(lists(table["true"]), lists(method["predicted"]), lists(method["others"]))
    for i, (true, predicted, others) in enumerate(parts):
        assert true == np.flatnonzero(one.y_true[i]).tolist()
        assert predicted == np.flatnonzero(one.results[0].y_pred[i]).tolist()
        shown = sorted({*true, *predicted, *others})
        assert len(shown) == len(set(true) | set(predicted)) + len(others)
        left = [s for v, s in enumerate(S[i]) if v not in shown]
        assert len(others) == 5 or not left
        assert not left or min(S[i, others]) >= max(left)
        assert shares[start : start + len(shown)] == pytest.approx(S[i, shown], abs=1e-5)
        start += len(shown)
    assert start == shares.size


def test_a_sample_is_seeded_and_within_its_limit(one, monkeypatch):
    monkeypatch.setattr(module, "MOST_CELLS", 300)
    run = Run(one.hierarchy, one.y_true, one.results)
    first, again, other = (choose_rows(run, seed).tolist() for seed in (1, 1, 2))
    assert first == again != other
    assert 1 < len(first) < 60
    table = row_table(run, 1)
    assert np.cumsum(unpack(table["at"])).tolist() == first
    assert lists(table["true"])[0] == np.flatnonzero(one.y_true[first[0]]).tolist()


def test_reasons_are_stored_with_their_rows(one):
    result = one.results[0]
    reasons = [None] * 60
    reasons[2] = {"b/x": [("word", 0.25)], 0: {"other": -1.0}}
    given = Evaluated("x", result.y_pred, result.S, reasons=reasons)
    run = Run(one.hierarchy, one.y_true, given)
    found = row_table(run)["methods"][0]["reasons"]
    assert found[:2] == [None, None]
    assert found[2] == [[0, [["other", -1.0]]], [one.hierarchy.index("b/x"), [["word", 0.25]]]]
    for wrong, message in (([], "0 entries for 60 rows"), ([{99: []}] * 60, "99")):
        with pytest.raises(ValueError, match=message):
            Run(one.hierarchy, one.y_true, Evaluated("x", result.y_pred, reasons=wrong))
    with pytest.raises(TypeError, match="mappings"):
        Run(one.hierarchy, one.y_true, Evaluated("x", result.y_pred, reasons=["because"] * 60))


def test_reasons_of_a_model(one):
    from truepath.learners import PCTree
    from truepath.report import find_reasons

    X = np.where(one.y_true, 1.0, 0.0)
    tree = PCTree(hierarchy=one.hierarchy, random_state=0).fit(X, one.y_true)
    labels = tree.predict(X)
    found = find_reasons(tree, X, labels, n_causes=2, most_rows=5)
    assert [of_row is None for of_row in found[5:]] == [True] * 55
    for i, of_row in enumerate(found[:5]):
        assert list(of_row or {}) == np.flatnonzero(labels[i]).tolist()
        assert all(len(causes) <= 2 for causes in (of_row or {}).values())
    Run(one.hierarchy, one.y_true, Evaluated("x", labels, reasons=found))


def test_features_are_written_as_texts(one):
    import pandas as pd
    from scipy import sparse

    frame = pd.DataFrame({"colour": ["red", None] * 30, "weight": [1.25, np.nan] * 30})
    run = Run(one.hierarchy, one.y_true, one.results, texts=frame)
    assert run.texts[:2] == ("colour red, weight 1.25", "")
    X = np.zeros((60, 40))
    X[0, :20], X[1, 5] = np.arange(20), -2
    dense, stored = (Run(one.hierarchy, one.y_true, one.results, texts=M).texts for M in (X, sparse.csr_matrix(X)))
    assert dense == stored
    assert dense[0].startswith("x19 19, x18 18, ")
    assert dense[0].count("x") == 12
    assert dense[1:3] == ("x5 -2", "")


def test_pairs_of_methods(three):
    from truepath.report.depths import draw_depths

    run = Run(three.hierarchy, three.y_true, three.results)
    measured = draw_depths(run)
    pairs = pair_table(run, measured)
    assert [(pair["first"], pair["second"]) for pair in pairs] == [(0, 1), (0, 2), (1, 2)]
    wrong = [three.y_true != np.asarray(result.y_pred) for result in three.results]
    assert unpack(pairs[1]["repaired"]) == (wrong[0] & ~wrong[2]).sum(axis=0).tolist()
    assert unpack(pairs[1]["broken"]) == (wrong[2] & ~wrong[0]).sum(axis=0).tolist()
    value, low, high = pairs[0]["measures"]["0"]["hierarchical_f1"]
    by = run.measures
    assert value == pytest.approx(by["method 2"]["hierarchical_f1"] - by["method 1"]["hierarchical_f1"], abs=1e-6)
    assert low <= value <= high
    assert "auprc" not in pairs[1]["measures"]["0"]  # the third method has no scores
    assert set(pairs[0]["measures"]) == {"0", "1", "2", "3"}


def test_one_sided_mistakes():
    from scipy import sparse

    first, second = (sparse.csr_array(np.array(M, bool)) for M in ([[1, 1], [1, 0]], [[1, 0], [0, 1]]))
    assert [found.tolist() for found in count_one_sided(first, second)] == [[1, 1], [0, 1]]
