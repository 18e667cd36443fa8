"""Small cases by hand: the rules that a formula leaves open."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import hierarchies, label_matrices
from truepath import Hierarchy, metrics
from truepath.errors import ConstraintError
from truepath.hierarchy import check_scores

HIERARCHY = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
DIAMOND = Hierarchy.from_edges([("a", "c"), ("b", "c"), ("c", "d")])


def test_h_loss_on_a_dag_asks_every_ancestor():
    truth = DIAMOND.encode([["d"]])
    wrong = truth.copy()
    wrong[0, [DIAMOND.index("b"), DIAMOND.index("d")]] = False  # c is right, but b above it is not
    assert metrics.h_loss(truth, wrong, DIAMOND) == 0.5
    assert metrics.h_loss(truth, wrong, DIAMOND, costs="uniform") == 1.0


def test_h_loss_takes_classes_left_out_as_right():
    truth, predicted = HIERARCHY.encode([["a/1"]]), HIERARCHY.encode([[]])
    assert metrics.h_loss(truth, predicted, HIERARCHY) == 0.5
    below = ["a/1", "a/2", "b/1"]
    assert metrics.h_loss(truth, predicted, HIERARCHY, nodes=below) == 0.25  # a excuses nothing now
    assert metrics.hierarchical_hamming_loss(truth, predicted, HIERARCHY, nodes=below) == pytest.approx(1 / 3)


def test_h_loss_with_given_costs():
    truth, predicted = HIERARCHY.encode([["a"]]), HIERARCHY.encode([["b"]])
    assert metrics.h_loss(truth, predicted, HIERARCHY, costs=[3, 0, 0, 4, 0]) == 7.0
    with pytest.raises(ValueError, match="costs"):
        metrics.h_loss(truth, predicted, HIERARCHY, costs=[1, 2])
    with pytest.raises(ValueError, match="costs"):
        metrics.h_loss(truth, predicted, HIERARCHY, costs="flat")


def test_hierarchical_hamming_loss_sums_as_in_the_paper():
    truth, predicted = HIERARCHY.encode([["a"], ["b"]]), HIERARCHY.encode([["b"], ["b"]])
    assert metrics.hierarchical_hamming_loss(truth, predicted, HIERARCHY, normalize=False) == 5.0


def test_hmc_loss_prices():
    truth, predicted = np.array([[1, 0], [0, 0]]), np.array([[0, 1], [0, 1]])
    # lambda: class 0 has one positive of two (alpha = beta = 1), class 1 none: false alarms are free
    assert metrics.hmc_loss(truth, predicted, costs="uniform") == 0.5
    assert metrics.hmc_loss(1 - truth, 1 - predicted, costs="uniform") == 0.5  # without negatives misses are free
    # balanced: one positive cell of four, beta = 2 / (1 + 3), alpha = 3 / 2
    assert metrics.hmc_loss(truth, predicted, costs="uniform", lambda_="balanced") == pytest.approx((1.5 + 2 * 0.5) / 2)
    assert metrics.hmc_loss(truth, predicted, costs="uniform", alpha=[3, 0], beta=[0, 2]) == pytest.approx(3.5)
    with pytest.raises(ValueError, match="both alpha and beta"):
        metrics.hmc_loss(truth, predicted, alpha=1)
    with pytest.raises(ValueError, match="lambda_"):
        metrics.hmc_loss(truth, predicted, lambda_="even")
    with pytest.raises(ValueError, match="alpha"):
        metrics.symmetric_loss(truth, predicted, alpha="even")


@given(hierarchies(), st.data())
def test_on_closed_labels_the_hierarchy_changes_no_f1(hierarchy, data):
    truth = data.draw(label_matrices(hierarchy))
    predicted = data.draw(label_matrices(hierarchy, len(truth), len(truth)))
    for ours, average in ((metrics.micro_f1, "micro"), (metrics.macro_f1, "macro")):
        assert ours(truth, predicted) == metrics.hierarchical_f1(truth, predicted, hierarchy, average=average)


def test_hierarchical_f1_adds_ancestors_and_micro_f1_does_not():
    truth, predicted = HIERARCHY.encode([["a/1"]]), np.array([[0, 1, 0, 0, 0]])
    assert metrics.hierarchical_f1(truth, predicted, HIERARCHY) == 1.0
    assert metrics.micro_f1(truth, predicted, HIERARCHY) == pytest.approx(2 / 3)


def test_per_class_and_per_level_arrays():
    truth, predicted = HIERARCHY.encode([["a/1"], ["b"]]), HIERARCHY.encode([["a/1"], ["a"]])
    result = metrics.hierarchical_precision_recall_f1(truth, predicted, HIERARCHY, average="per_class")
    assert result.recall.tolist() == [1.0, 1.0, 0.0, 0.0, 0.0]
    top = metrics.hierarchical_f1(truth, predicted, HIERARCHY, average="per_level", nodes=["a", "b"])
    assert top[0] == 0.5
    assert np.isnan(top[1])
    with pytest.raises(ValueError, match="average"):
        metrics.hierarchical_f1(truth, predicted, HIERARCHY, average="weighted")


def test_level_accuracy_counts_rows_that_stop_early_or_not():
    truth, predicted = HIERARCHY.encode([["a"], ["a/1"]]), HIERARCHY.encode([["a"], ["a/2"]])
    assert metrics.level_accuracy(truth, predicted, HIERARCHY).tolist() == [1.0, 0.5]
    assert metrics.level_accuracy(truth, predicted, HIERARCHY, rows="labeled").tolist() == [1.0, 0.0]
    with pytest.raises(ValueError, match="rows"):
        metrics.level_accuracy(truth, predicted, HIERARCHY, rows="none")


def test_ties_among_the_best_go_to_the_smaller_number():
    truth, S = [[1, 0, 1, 0, 0]], [[0.5] * 5]
    assert metrics.precision_at_k(truth, S, HIERARCHY, k=HIERARCHY.height) == 0.5  # a and a/1
    assert metrics.precision_at_k(truth, S, HIERARCHY, k=3) == pytest.approx(2 / 3)
    assert metrics.precision_at_k(truth, S, HIERARCHY, k=3, out_of="attainable") == 1.0
    with pytest.raises(ValueError, match="k must be"):
        metrics.precision_at_k(truth, S, HIERARCHY, k=0)
    with pytest.raises(ValueError, match="out_of"):
        metrics.precision_at_k(truth, S, HIERARCHY, out_of="n")


def test_cafa_grid_is_compared_in_the_scores_own_type():
    truth = [[1, 0]]
    assert metrics.fmax(truth, np.array([[0.01, 0.0]], np.float32), thresholds="grid") == 1.0
    assert metrics.fmax(truth, [[0.005, 0.0]], thresholds="grid") == 0.0
    assert metrics.fmax(truth, [[0.005, 0.0]], thresholds=[0.001]) == 1.0
    for thresholds in ("all", [0.0, 0.5], []):
        with pytest.raises(ValueError, match="thresholds"):
            metrics.fmax(truth, [[0.5, 0.1]], thresholds=thresholds)


def test_cafa_precision_is_over_rows_with_predictions_and_rows_with_labels():
    truth = np.array([[1, 0], [0, 0], [1, 1]], bool)
    scores = np.array([[0.4, 0.4], [0.9, 0.0], [0.0, 0.2]])
    curve = metrics.cafa_curve(truth, scores, thresholds=[0.1, 0.3, 0.8, 0.95])
    assert curve.thresholds.tolist() == [0.95, 0.8, 0.3, 0.1]
    assert curve.precision.tolist() == [0.0, 0.0, 0.5, 0.75]  # the second row has no labels to be right about
    assert curve.recall.tolist() == [0.0, 0.0, 0.5, 0.75]
    assert curve.remaining_uncertainty.tolist() == pytest.approx([1.0, 1.0, 2 / 3, 1 / 3])
    assert curve.misinformation.tolist() == pytest.approx([0.0, 1 / 3, 2 / 3, 2 / 3])
    nothing = metrics.cafa_curve(np.zeros((2, 1)), np.ones((2, 1)))
    assert (nothing.precision.tolist(), nothing.recall.tolist(), nothing.misinformation.tolist()) == (
        [0.0],
        [0.0],
        [1.0],
    )


def test_smin_may_predict_nothing():
    truth, scores = HIERARCHY.encode([["a"], ["b/1"]]), np.array([[0.1, 0.9, 0.9, 0.9, 0.9], [0.1, 0.9, 0.9, 0.1, 0.1]])
    ic = np.array([0.1, 5, 5, 0.1, 0.1])
    assert metrics.smin(truth, scores, HIERARCHY, ic=ic) == pytest.approx(0.15)


def test_information_content_needs_closed_labels():
    with pytest.raises(ConstraintError, match="'a/1' without 'a'"):
        metrics.information_content([[0, 1, 0, 0, 0]], HIERARCHY)
    unseen = metrics.information_content([[1, 0, 0, 0, 0]], HIERARCHY, unseen=7.0)
    assert unseen.tolist() == [0.0, 7.0, 7.0, 7.0, 7.0]


def test_nodes_by_name_need_a_hierarchy():
    with pytest.raises(ValueError, match="need a hierarchy"):
        metrics.micro_f1([[1]], [[1]], nodes=["a"])


@pytest.mark.parametrize("shape", [(0, 2), (2, 0)])
def test_matrices_without_cells_are_refused(shape):
    with pytest.raises(ValueError, match="at least one row and one column"):
        metrics.micro_f1(np.ones(shape), np.ones(shape))
    with pytest.raises(ValueError, match="at least one row and one column"):
        metrics.unlabeled_share(np.ones(shape))


def test_labels_by_name_are_refused_with_a_way_out():
    with pytest.raises(TypeError, match=r"hierarchy\.encode"):
        metrics.micro_f1([["a", "b"]], [["a", "b"]])


def test_explicit_zeros_and_repeated_entries_in_sparse_matrices():
    from scipy import sparse

    thin = sparse.csr_array((np.array([1, 0, 1]), np.array([0, 1, 2]), np.array([0, 2, 3])), shape=(2, 3))
    dense = thin.toarray()
    assert metrics.micro_f1(thin, dense) == 1.0
    assert metrics.h_loss(thin, dense) == 0.0
    twice = sparse.coo_array((np.array([0.25, 0.5, 0.1]), (np.array([0, 0, 1]), np.array([0, 0, 1]))), shape=(2, 3))
    assert metrics.auprc(dense, twice) == metrics.auprc(dense, twice.toarray())


def test_scores_are_checked_as_everywhere_else():
    with pytest.raises(ValueError, match="S holds NaN or infinity in row 1"):
        metrics.auprc([[1, 0], [0, 1]], [[0.1, 0.2], [0.3, np.nan]])
    with pytest.raises(ValueError, match="S has 2 columns but the hierarchy has 5 nodes"):
        check_scores(np.zeros((1, 2)), HIERARCHY)
    with pytest.raises(ValueError, match="y_true has 2 columns but the hierarchy has 5 nodes"):
        metrics.micro_f1(np.zeros((1, 2)), np.zeros((1, 2)), HIERARCHY)
