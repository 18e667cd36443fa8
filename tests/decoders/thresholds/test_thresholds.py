"""What every threshold decoder promises, and its edges."""

from __future__ import annotations

import pickle
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

import truepath.decoders as room
from strategies import hierarchies, label_matrices, score_matrices
from truepath import Hierarchy
from truepath.decoders import MultiThreshold, SingleThreshold, Threshold, plot_threshold_curve
from truepath.decoders.thresholds.curves import SINGLE_OBJECTIVES, STRETCHES, TIES, best_threshold
from truepath.decoders.thresholds.multi import MULTI_OBJECTIVES
from truepath.errors import ConstraintError
from truepath.metrics import macro_f1, micro_f1
from truepath.papers.triguero2016.strategies import compare_strategies

DECODERS = (
    [Threshold(0.4)]
    + [SingleThreshold(name) for name in SINGLE_OBJECTIVES]
    + [SingleThreshold("micro_f1", candidates=100)]
    + [MultiThreshold(name, method) for name in MULTI_OBJECTIVES for method in ("auto", "greedy")]
    + [MultiThreshold("micro_f1", shrink="parent", cv=2), MultiThreshold("hmc_loss", shrink="single", cv=2)]
    + [MultiThreshold("micro_f1", min_positives=2)]
)
TOY = Hierarchy.from_paths(["a/1", "a/2", "b/1"])


def with_hierarchy(decoder, hierarchy):
    return clone(decoder).set_params(hierarchy=hierarchy)


def test_all_names_are_exported():
    assert all(hasattr(room, name) for name in room.__all__)


@pytest.mark.parametrize("decoder", DECODERS, ids=str)
@given(data=st.data())
@settings(max_examples=15)
def test_output_is_closed_and_thresholds_monotone(decoder, data):
    hierarchy = data.draw(hierarchies(max_nodes=7))
    n_rows = data.draw(st.integers(1, 6))
    Y = data.draw(label_matrices(hierarchy, n_rows, n_rows))
    S = data.draw(score_matrices(hierarchy, n_rows, n_rows, dtype=data.draw(st.sampled_from([np.float32, np.float64]))))
    fitted = with_hierarchy(decoder, hierarchy).fit(S, Y)
    t, edges = fitted.thresholds_, hierarchy.edges
    assert (t[edges[:, 0]] <= t[edges[:, 1]]).all()
    labels = fitted.predict(S)
    assert labels.dtype == bool
    assert hierarchy.is_closed(labels)
    assert (labels == (S > t)).all()
    thin = fitted.predict(sparse.csr_array(S))
    assert sparse.issparse(thin)
    assert (thin.toarray() == labels).all()
    again = with_hierarchy(decoder, hierarchy).fit(sparse.csr_array(S), sparse.csr_array(Y))
    assert again.thresholds_.tolist() == t.tolist()


@pytest.mark.parametrize("decoder", DECODERS, ids=str)
def test_scikit_learn_contract(decoder):
    S, Y = np.array([[0.9, 0.6, 0.3, 0.4, 0.2], [0.5, 0.2, 0.4, 0.5, 0.3]]), TOY.encode([["a/1"], ["a/2", "b/1"]])
    fitted = with_hierarchy(decoder, TOY).fit(S, Y)
    copy = pickle.loads(pickle.dumps(fitted))
    assert (copy.predict(S) == fitted.predict(S)).all()
    assert clone(fitted).get_params() == fitted.get_params()
    assert fitted.fit_predict(S, Y).shape == S.shape


@pytest.mark.parametrize("decoder", DECODERS, ids=str)
def test_edges(decoder):
    """One row; constant columns; classes without positives or negatives; scores of any sign; a flat label set."""
    cases = [
        (np.array([[0.5, 0.5, 0.5, 0.5, 0.5]]), np.zeros((1, 5), bool)),
        (np.ones((3, 5)), np.ones((3, 5), bool)),
        (np.zeros((3, 5), np.float32), np.zeros((3, 5), bool)),
        (np.array([[-1.0, -2, -3, 5, 4], [2, -0.0, 0.0, -7, -8]]), TOY.encode([["a"], ["b/1"]])),
    ]
    for S, Y in cases:
        for hierarchy in (TOY, None):
            fitted = with_hierarchy(decoder, hierarchy).fit(S, Y)
            assert (fitted.predict(S) == (S > fitted.thresholds_)).all()
            assert (fitted.predict(sparse.csr_array(S)).toarray() == fitted.predict(S)).all()


def test_incoherent_scores_name_the_way_out():
    S, Y = np.array([[0.2, 0.6, 0.1, 0.4, 0.2]]), TOY.encode([["a/1"]])
    with pytest.raises(ConstraintError, match="combiners"):
        SingleThreshold(hierarchy=TOY).fit(S, Y)
    for scores in (S, sparse.csr_array(S)):
        decoder = MultiThreshold(hierarchy=TOY, coherent="max-up").fit(scores, Y)
        assert TOY.is_closed(decoder.predict(scores))
    raised = Threshold(0.5, hierarchy=TOY, coherent="max-up").fit(S).predict(sparse.csr_array(S))
    assert TOY.decode(raised) == [("a/1",)]


@pytest.mark.parametrize(
    ("decoder", "message"),
    [
        (SingleThreshold("f2", hierarchy=TOY), "objective must be"),
        (MultiThreshold("label_cardinality", hierarchy=TOY), "objective must be"),
        (MultiThreshold("class_distribution", "optimal", hierarchy=TOY), "no exact search"),
        (MultiThreshold("hmc_loss", hierarchy=TOY, alpha=1), "both alpha and beta"),
        (MultiThreshold(hierarchy=TOY, order="sideways"), "order must be"),
        (SingleThreshold(hierarchy=TOY, candidates=0), "candidates must be"),
        (SingleThreshold(hierarchy=TOY, coherent="no"), "coherent must be"),
        (Threshold([0.5, 0.1, 0.5, 0.5, 0.5], hierarchy=TOY), "falls from parent to child"),
        (MultiThreshold(hierarchy=TOY, shrink="parent", cv=1), "cv must be"),
    ],
)
def test_errors_name_the_argument(decoder, message):
    S, Y = [[0.9, 0.6, 0.3, 0.4, 0.2], [0.9, 0.6, 0.3, 0.4, 0.2]], TOY.encode([["a/1"], ["b"]])
    with pytest.raises(ValueError, match=message):
        decoder.fit(S, Y)


def test_h_loss_on_a_dag_has_no_exact_search():
    dag = Hierarchy.from_edges([("a", "c"), ("b", "c")])
    with pytest.raises(ValueError, match="on a DAG"):
        MultiThreshold("h_loss", "optimal", hierarchy=dag).fit([[0.5, 0.5, 0.1]], [[1, 1, 1]])
    assert MultiThreshold("h_loss", hierarchy=dag).fit([[0.5, 0.5, 0.1]], [[1, 1, 1]]).method_ == "greedy"


def test_fit_input_is_checked():
    with pytest.raises(ValueError, match="requires y"):
        SingleThreshold(hierarchy=TOY).fit(np.zeros((2, 5)))
    with pytest.raises(ValueError, match="2 rows but y has 1"):
        SingleThreshold(hierarchy=TOY).fit(np.zeros((2, 5)), np.zeros((1, 5)))
    with pytest.raises(ValueError, match="no rows"):
        SingleThreshold(hierarchy=TOY).fit(np.zeros((0, 5)), np.zeros((0, 5)))
    with pytest.raises(ValueError, match="sample_weight"):
        SingleThreshold(hierarchy=TOY).fit(np.zeros((2, 5)), np.zeros((2, 5)), [1, -1])


def test_a_class_that_scores_the_same_everywhere_does_not_take_all_labels_away():
    dag = Hierarchy.from_edges([(None, "top"), ("top", "a"), ("top", "b"), ("a", "c"), ("b", "c")])
    S = np.array([[1.0, 0.9, 0.1, 0.1], [1.0, 0.2, 0.8, 0.2], [1.0, 0.7, 0.6, 0.6]])
    Y = dag.encode([["a"], ["b"], ["c"]])
    printed = MultiThreshold("h_loss", "greedy", hierarchy=dag).fit(S, Y)
    assert printed.n_unlabeled_ == 3  # 1 is the only candidate at the top, and nothing exceeds it
    assert MultiThreshold("h_loss", hierarchy=dag).fit(S, Y).objective_value_ == 0.0


def test_algorithm_3_is_not_optimal_on_a_chain():
    """Against the paper's claim: a lower threshold above saves more below."""
    chain = Hierarchy.from_edges([("a", "b")])
    rng = np.random.default_rng(0)
    found = False
    for _ in range(200):
        S = np.sort(rng.integers(0, 5, (5, 2)) / 4, axis=1)[:, ::-1].copy()
        Y = np.sort(rng.integers(0, 2, (5, 2)).astype(bool), axis=1)[:, ::-1].copy()
        greedy = MultiThreshold("h_loss", "greedy", hierarchy=chain).fit(S, Y).objective_value_
        found |= greedy > MultiThreshold("h_loss", "optimal", hierarchy=chain).fit(S, Y).objective_value_ + 1e-9
    assert found


def test_prices_are_those_of_the_metric():
    from truepath.metrics import hmc_loss

    rng = np.random.default_rng(1)
    S = np.minimum.accumulate(rng.random((30, 3)), axis=1)
    Y = S + rng.normal(0, 0.2, S.shape) > 0.4
    chain = Hierarchy.from_edges([("a", "b"), ("b", "c")])
    Y = chain.close(Y)
    for prices in (
        {},
        {"lambda_": "balanced"},
        {"lambda_": 3.0},
        {"lambda_": [1, 2, 3]},
        {"alpha": 1, "beta": [1, 2, 3]},
    ):
        for decoder in (
            SingleThreshold("hmc_loss", hierarchy=chain, **prices),
            MultiThreshold("hmc_loss", "auto", hierarchy=chain, **prices),
        ):
            decoder.fit(S, Y)
            assert decoder.objective_value_ == pytest.approx(hmc_loss(Y, decoder.predict(S), chain, **prices), abs=1e-9)


@pytest.mark.parametrize(
    "prices", [{"lambda_": "some"}, {"alpha": 1}, {"lambda_": -1.0}, {"alpha": [1, 2], "beta": 1}, {"lambda_": np.inf}]
)
def test_wrong_prices_are_refused_in_the_words_of_the_metric(prices):
    from truepath.metrics import hmc_loss

    S, Y = np.array([[0.9, 0.6, 0.3, 0.4, 0.2]]), np.array([[1, 1, 0, 0, 0]])
    with pytest.raises(ValueError, match=r".") as caught:
        hmc_loss(Y, Y, TOY, **prices)
    for decoder in (SingleThreshold("hmc_loss", hierarchy=TOY), MultiThreshold("hmc_loss", hierarchy=TOY)):
        with pytest.raises(ValueError, match=r".") as again:
            decoder.set_params(**prices).fit(S, Y)
        assert str(again.value) == str(caught.value)


def test_any_function_and_grid():
    rng = np.random.default_rng(0)
    S = np.minimum.accumulate(rng.random((20, 3)), axis=1)
    chain = Hierarchy.from_edges([("a", "b"), ("b", "c")])
    Y = chain.close(S > 0.35)
    decoder = SingleThreshold(macro_f1, hierarchy=chain, candidates=100).fit(S, Y)
    assert decoder.curve_.threshold.tolist() == pytest.approx((np.arange(1, 101) / 100).tolist())
    assert decoder.objective_value_ == max(macro_f1(Y, S > t) for t in decoder.curve_.threshold)
    full = SingleThreshold(
        lambda truth, labels: (truth != labels).mean(), hierarchy=chain, greater_is_better=False
    ).fit(S, Y)
    assert full.objective_value_ == 0
    grid = SingleThreshold("micro_f1", hierarchy=chain, candidates=100).fit(S, Y)
    assert grid.objective_value_ <= SingleThreshold("micro_f1", hierarchy=chain).fit(S, Y).objective_value_


@pytest.mark.parametrize("objective", ["micro_f1", "hmc_loss"])
def test_of_a_long_curve_a_file_keeps_what_a_picture_shows(objective):
    rng = np.random.default_rng(0)
    S = np.minimum.accumulate(rng.random((4000, 3)), axis=1).astype(np.float32)
    chain = Hierarchy.from_edges([("a", "b"), ("b", "c")])
    Y = chain.close(rng.random((4000, 3)) < S**2)
    fitted = SingleThreshold(objective, hierarchy=chain).fit(S, Y)
    whole, decoder = fitted.curve_, pickle.loads(pickle.dumps(fitted))
    assert pickle.dumps(pickle.loads(pickle.dumps(decoder))) == pickle.dumps(decoder)
    assert decoder.curve_.value.size <= 4 * STRETCHES + 6 < whole.value.size
    for ties in TIES:
        assert best_threshold(decoder.curve_, ties) == best_threshold(whole, ties)
    assert decoder.threshold_ == best_threshold(whole, "midpoint")[0]
    columns = np.linspace(S.min(), S.max(), STRETCHES + 1).astype(np.float32)
    for low, high in pairwise(columns):
        drawn, true = (c.value[(c.threshold >= low) & (c.threshold < high)] for c in (decoder.curve_, whole))
        if true.size:
            assert (drawn[0], drawn.min(), drawn.max(), drawn[-1]) == (true[0], true.min(), true.max(), true[-1])
        else:
            assert not drawn.size


def test_guards():
    rng = np.random.default_rng(0)
    S = np.minimum.accumulate(rng.random((40, 3)), axis=1)
    chain = Hierarchy.from_edges([("a", "b"), ("b", "c")])
    Y = chain.close(rng.random((40, 3)) < S)
    Y[:, 2] &= np.arange(40) < 3
    plain = MultiThreshold("micro_f1", hierarchy=chain).fit(S, Y)
    guarded = MultiThreshold("micro_f1", hierarchy=chain, min_positives=5).fit(S, Y)
    assert guarded.thresholds_[2] == guarded.thresholds_[1] == plain.thresholds_[1]
    for towards in ("parent", "single"):
        shrunk = MultiThreshold("micro_f1", hierarchy=chain, shrink=towards).fit(S, Y)
        assert 0 <= shrunk.strength_ <= 1
        assert shrunk.objective_value_ <= plain.objective_value_


def test_weights_of_rows_go_to_functions_that_take_them():
    S, Y = np.array([[0.2], [0.4], [0.6], [0.8]]), np.array([[1], [0], [0], [1]], bool)
    flat = Hierarchy.flat(1)
    for weight in ([1, 1, 1, 9], [9, 1, 1, 1], [1, 9, 9, 1]):
        repeated = SingleThreshold(micro_f1, hierarchy=flat)
        repeated.fit(np.repeat(S, weight, axis=0), np.repeat(Y, weight, axis=0))
        weighted = SingleThreshold(micro_f1, hierarchy=flat).fit(S, Y, weight)
        assert weighted.threshold_ == repeated.threshold_
        assert weighted.objective_value_ == pytest.approx(repeated.objective_value_)
    with pytest.raises(ValueError, match="no such argument"):
        SingleThreshold(lambda y_true, y_pred: 1.0, hierarchy=flat).fit(S, Y, weight)


def test_comparison_and_curve_plot():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    S, Y = np.array([[0.9, 0.6, 0.3, 0.4, 0.2], [0.5, 0.2, 0.4, 0.5, 0.3]]), TOY.encode([["a/1"], ["a/2", "b/1"]])
    table = compare_strategies(S, Y, S, Y, TOY)
    assert len(table) == 18
    by_f1 = [row for row in table if row.measure == "micro_f1"]
    assert max(by_f1, key=lambda row: row.valid).strategy == "EM(MTS, optimal)"
    assert str(table).count("\n") == 18
    assert list(pytest.importorskip("pandas").DataFrame(table).columns)[:2] == ["measure", "strategy"]
    ax = plot_threshold_curve(SingleThreshold(hierarchy=TOY).fit(S, Y))
    assert ax.get_xlabel() == "threshold"
    matplotlib.pyplot.close(ax.figure)


def test_ties_of_the_h_loss_do_not_depend_on_the_order_of_adding_up():
    """Weights and repeated rows give losses that differ in the last bit; the thresholds must not."""
    h = Hierarchy.from_parents([[], [], [1], [2], [1, 2], [1, 2]])
    S = np.array([[0.125, 0.125, 0, 0, 0, 0]] * 3 + [[0, 0.125, 0, 0, 0, 0]])
    Y = np.array([[1, 1, 1, 0, 0, 1], [0] * 6, [0, 1, 1, 1, 1, 0], [0, 1, 1, 0, 0, 1]], bool)
    weight = np.array([2, 0, 3, 1])
    weighted = MultiThreshold("h_loss", hierarchy=h).fit(S, Y, weight).thresholds_
    repeated = MultiThreshold("h_loss", hierarchy=h).fit(np.repeat(S, weight, axis=0), np.repeat(Y, weight, axis=0))
    np.testing.assert_array_equal(weighted, repeated.thresholds_)


@pytest.mark.parametrize("objective", ["micro_f1", "hmc_loss"])
def test_thresholds_that_differ_for_good_reason_are_left_apart(objective):
    """Labels on scales of their own: one threshold for both would be wrong on every held-out row."""
    rng = np.random.default_rng(0)
    Y = rng.random((200, 2)) < 0.5
    S = np.array([0.0, 0.7]) + 0.1 * Y + 0.05 * rng.random(Y.shape)
    assert MultiThreshold(objective, hierarchy=Hierarchy.flat(2), shrink="single").fit(S, Y).strength_ == 0
