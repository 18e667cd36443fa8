"""Two models on the same rows, against enumeration and against their mirror image."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pytest
from scipy import sparse

from truepath import Hierarchy
from truepath.data import read_labels, read_scores
from truepath.errors import TruePathError
from truepath.experiments import compare_models
from truepath.experiments.statistics.resampling import pair_models
from truepath.metrics import get_metric, list_metrics

TREE = Hierarchy.from_paths(["a/1", "a/2", "b/1", "c"])
ADDED = [name for name in list_metrics() if get_metric(name).row_terms is not None]


def made(seed, n=6):
    """Return truth, two predictions of labels, and two of scores."""
    generator = np.random.default_rng(seed)
    truth, a, b = (TREE.close(generator.random((n, TREE.n_nodes)) < share) for share in (0.3, 0.4, 0.2))
    truth[0] = True  # no label is without a positive row
    scores = [np.round(0.5 * generator.random(truth.shape) + 0.2 * truth, 1) for _ in range(2)]
    return truth, (a, b), tuple(scores)


def predictions(metric, labels, scores):
    return labels if get_metric(metric).needs == "labels" else scores


@pytest.mark.parametrize("metric", ["exact_match", "h_loss", "hierarchical_f1", "macro_f1", "hmc_loss", "auprc"])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_permutation_test_is_that_of_all_swaps(metric, seed):
    truth, labels, scores = made(seed)
    a, b = predictions(metric, labels, scores)
    record = get_metric(metric)
    swapped = []
    for swap in product([False, True], repeat=len(truth)):
        mask = np.array(swap)[:, None]
        swapped.append(record(truth, np.where(mask, b, a), TREE) - record(truth, np.where(mask, a, b), TREE))
    observed = record(truth, a, TREE) - record(truth, b, TREE)
    found = compare_models(truth, a, b, TREE, metric=metric, n_resamples=64, random_state=0)
    assert found.is_exact
    assert found.difference == pytest.approx(observed)
    assert found.p_value == pytest.approx(np.mean(np.abs(swapped) >= abs(observed) - 1e-12))


@pytest.mark.parametrize("metric", list_metrics())
def test_swapping_the_models_mirrors_the_result(metric):
    truth, labels, scores = made(2, n=9)
    a, b = predictions(metric, labels, scores)
    way = {"metric": metric, "n_resamples": 12, "random_state": 3}
    found, mirrored = (compare_models(truth, *two, TREE, **way) for two in ((a, b), (b, a)))
    assert found.values == mirrored.values[::-1]
    assert (found.difference, found.low, found.high) == pytest.approx(
        (-mirrored.difference, -mirrored.high, -mirrored.low), nan_ok=True
    )
    assert found.p_value == pytest.approx(mirrored.p_value, nan_ok=True)
    assert found == compare_models(truth, a, b, TREE, **way)
    assert found.metric in found._repr_html_()


@pytest.mark.parametrize("metric", ADDED)
def test_adding_up_is_measuring(metric):
    truth, labels, scores = made(4, n=12)
    record, two = get_metric(metric), predictions(metric, labels, scores)
    options = {"nodes": ["a/1", "a", "c"]} if record.takes("nodes") else {}
    pairs = pair_models(record, truth, *two, TREE, options)
    assert pairs.takes_many
    generator, both = np.random.default_rng(0), np.concatenate(two)
    first, second = (generator.integers(24, size=(5, 12)) for _ in range(2))
    rows = first % 12
    second = rows + 12 * (second >= 12)
    measured = [
        record(truth[r], both[one], TREE, **options) - record(truth[r], both[other], TREE, **options)
        for r, one, other in zip(rows, first, second)
    ]
    assert pairs.difference(first, second) == pytest.approx(np.array(measured), nan_ok=True)


@pytest.mark.parametrize(
    ("metric", "options"),
    [
        ("hierarchical_f1", {"average": "macro"}),
        ("hierarchical_f1", {"average": "samples"}),
        ("hierarchical_hamming_loss", {"normalize": False}),
        ("jaccard_score", {"zero_division": float("nan")}),
    ],
)
def test_options_of_the_metric_hold(metric, options):
    truth, labels, _ = made(5, n=8)
    found = compare_models(truth, *labels, TREE, metric=metric, n_resamples=10, random_state=0, **options)
    assert found.values == pytest.approx([get_metric(metric)(truth, each, TREE, **options) for each in labels])
    assert found.low <= found.high


def test_the_interval_is_about_the_normal_one():
    generator = np.random.default_rng(0)
    truth = generator.random((400, 1)) < 0.5
    a, b = (truth ^ (generator.random(truth.shape) < share) for share in (0.1, 0.2))
    found = compare_models(truth, a, b, metric="exact_match", random_state=0, n_resamples=600)
    each = (a == truth).astype(float) - (b == truth)
    error = 1.96 * each.std() / 20
    assert (found.low, found.high) == pytest.approx((each.mean() - error, each.mean() + error), abs=0.01)
    assert found.p_value < 0.05
    assert found.better == "a"
    assert str(found).splitlines()[-1] == "a is better."
    same = compare_models(truth, a, a, metric="exact_match", random_state=0, n_resamples=50)
    assert (same.low, same.high, same.p_value, same.better) == (0.0, 0.0, 1.0, None)
    assert str(same).endswith("No difference is shown at the level 0.05.")


def test_losses_are_better_when_smaller():
    truth, _, _ = made(6, n=30)
    found = compare_models(truth, truth, ~truth, TREE, metric="hamming_score", names=("good", "bad"), random_state=0)
    assert found.better == "good"
    wrong = TREE.close(~truth)
    found = compare_models(truth, wrong, truth, TREE, metric="h_loss", names=("bad", "good"), random_state=0)
    assert (found.better, found.greater_is_better) == ("good", False)
    assert json.loads(json.dumps(found.to_dict()))["names"] == ["bad", "good"]


def test_tables_are_joined_by_their_ids(tmp_path):
    (tmp_path / "truth.csv").write_text("gene,labels\nx,a/1\ny,b\nz,c;a/2\n")
    (tmp_path / "a.csv").write_text("gene,labels\nz,c;a/2\nx,a/1\ny,b/1\n")
    (tmp_path / "b.csv").write_text("gene,labels\ny,b\nz,a\nx,c\n")
    truth, a, b = (read_labels(tmp_path / f"{name}.csv", TREE) for name in ("truth", "a", "b"))
    found = compare_models(truth, a, b, TREE, metric="exact_match", random_state=0)
    assert found.values == pytest.approx((2 / 3, 1 / 3))
    by_order = compare_models(truth, a, b, TREE, metric="exact_match", random_state=0, by_order=True)
    assert by_order.values == (0.0, 0.0)
    (tmp_path / "b.csv").write_text("gene,labels\ny,b\nw,a\nx,c\n")
    with pytest.raises(TruePathError, match="lacks 1 of 3 rows"):
        compare_models(truth, a, read_labels(tmp_path / "b.csv", TREE), TREE)


def test_tables_of_scores_and_sparse_matrices(tmp_path):
    truth, _, scores = made(7)
    for name, S in zip("ab", scores):
        lines = [",".join(["id", *TREE.names]), *(f"{i}," + ",".join(map(str, row)) for i, row in enumerate(S))]
        (tmp_path / f"{name}.csv").write_text("\n".join(lines) + "\n")
    tables = [read_scores(tmp_path / f"{name}.csv", TREE) for name in "ab"]
    way = {"metric": "auprc", "n_resamples": 10, "random_state": 0}
    found = compare_models(truth, *scores, TREE, **way)
    assert compare_models(truth, *tables, TREE, **way) == found
    sparse_ones = [sparse.csr_array(S) for S in scores]
    assert compare_models(sparse.csr_array(truth), *sparse_ones, TREE, **way).values == pytest.approx(found.values)


def test_refusals():
    truth, (a, b), _ = made(8)
    with pytest.raises(TruePathError, match="at least two rows"):
        compare_models(truth[:1], a[:1], b[:1])
    with pytest.raises(TruePathError, match=r"b must have the shape of y_true, \(6, 6\); got \(5, 6\)"):
        compare_models(truth, a, b[1:])
    with pytest.raises(ValueError, match="confidence must be"):
        compare_models(truth, a, b, confidence=95)
    with pytest.raises(ValueError, match="sample_weight is not supported"):
        compare_models(truth, a, b, sample_weight=np.ones(6))
    with pytest.raises(ValueError, match="f2"):
        compare_models(truth, a, b, metric="f2")


def test_progress_of_measures_that_are_computed_again():
    truth, (a, b), _ = made(9, n=8)
    seen = []
    compare_models(truth, a, b, metric="macro_f1", n_resamples=5, on_progress=lambda *what: seen.append(what))
    assert seen[-1] == (10, 10, "resamples")
