"""The ensemble of networks: one training for all members, epochs chosen on rows left out, and the same bits again."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from learners_room import DAG, TREE, make_data
from truepath.adapters import on_progress
from truepath.adapters.fitting import fit_held_out, scores_own_rows
from truepath.learners import CoherentNetwork
from truepath.learners.network.inputs import PiecewiseLinear
from truepath.learners.network.layers import draw_layers
from truepath.learners.network.training import Training, TrainingRows
from truepath.metrics import auprc

TINY = {"hidden_layer_sizes": (8,), "n_estimators": 2, "batch_size": 16, "learning_rate": 0.03, "dropout": 0.2}
TINY |= {"hierarchy": TREE, "device": "cpu"}


torch = pytest.importorskip("torch", reason="PyTorch is not installed")
torch.set_num_threads(1)  # tiny fits are slow where threads wait for each other


def fit(X, Y, weight=None, **options):
    return CoherentNetwork(**{**TINY, **options}).fit(X, Y, weight)


def test_a_fitted_model_predicts_without_torch(monkeypatch):
    X, Y = make_data(TREE)
    model = fit(X, Y, n_epochs=2)
    S = model.predict_proba(X)
    monkeypatch.setitem(sys.modules, "torch", None)
    assert_array_equal(model.predict_proba(X), S)


@pytest.mark.parametrize("loss", ["bce", "constraint"])
@pytest.mark.parametrize("hierarchy", [TREE, DAG])
def test_scores_equal_those_of_one_network_per_member(hierarchy, loss):
    """Prediction by hand with PyTorch's own layers."""
    X, Y = make_data(hierarchy)
    model = fit(X, Y, hierarchy=hierarchy, n_epochs=3, loss=loss, hidden_layer_sizes=(8, 6))
    x = torch.tensor(model.inputs_.take(X))
    scores = []
    for e in range(2):
        z = x
        for k, (W, b) in enumerate(zip(model.weights_, model.biases_)):
            z = torch.nn.functional.linear(torch.relu(z) if k else z, torch.tensor(W[e].T), torch.tensor(b[e, 0]))
        S = torch.sigmoid(z).numpy()
        scores.append(S if loss == "bce" else raised(S, hierarchy))
    assert_allclose(model.predict_proba(X), raised(np.mean(scores, axis=0), hierarchy), atol=1e-6)


def raised(S, hierarchy):
    return np.column_stack([S[:, [v, *hierarchy.descendants(v)]].max(axis=1) for v in range(hierarchy.n_nodes)])


def test_members_trained_together_are_members_trained_alone():
    """Without dropout and with all rows in one batch, a member does not notice the others."""
    X, Y = make_data(TREE, 12)
    options = {"dropout": 0.0, "batch_size": 12, "n_epochs": 5}
    together = fit(X, Y, n_estimators=2, **options)
    drawn = draw_layers([X.shape[1], 8, TREE.n_nodes], 2, np.random.default_rng(together.seed_))
    rows = TrainingRows(together.inputs_.take(X), Y, None)
    for e in range(2):
        alone = Training(together, [(W[e : e + 1], b[e : e + 1]) for W, b in drawn], rows)
        for epoch in range(1, 6):
            alone.epoch(epoch, [np.arange(12)])
        for found, (W, _) in zip(together.weights_, alone.arrays()):
            assert_allclose(found[e], W[0], atol=1e-4)


def test_the_same_seed_gives_the_same_bits_and_nothing_global_moves():
    X, Y = make_data(TREE)
    before = torch.random.get_rng_state()
    one, two, other = (fit(X, Y, n_epochs=3, random_state=seed).predict_proba(X) for seed in (5, 5, 6))
    assert_array_equal(one, two)
    assert (one != other).any()
    assert torch.equal(torch.random.get_rng_state(), before)
    assert not torch.are_deterministic_algorithms_enabled()


def test_the_deterministic_mode_of_the_caller_is_restored():
    X, Y = make_data(TREE)
    torch.use_deterministic_algorithms(True)
    try:
        fit(X, Y, n_epochs=1)
        assert torch.are_deterministic_algorithms_enabled()
        assert not torch.is_deterministic_algorithms_warn_only_enabled()
    finally:
        torch.use_deterministic_algorithms(False)


def test_epochs_are_chosen_where_rows_left_out_score_best():
    X, Y = make_data(TREE, 80)
    options = {"n_estimators": 4, "validation_fraction": 0.25, "max_epochs": 12, "n_iter_no_change": 3}
    model = CoherentNetwork(**TINY | options)
    held_out = model.fit_held_out(X, Y)
    assert model.n_epochs_ == 1 + int(np.argmax(model.areas_))
    assert len(model.areas_) <= min(12, model.n_epochs_ + 3)
    assert auprc(Y, held_out) == pytest.approx(max(model.areas_), abs=1e-6)
    again = fit(X, Y, n_estimators=4, n_epochs=model.n_epochs_)
    assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_rows_left_out_are_scored_by_members_that_did_not_see_them():
    """Labels of random noise can be remembered, not known."""
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(60, 10)), TREE.close(rng.random((60, TREE.n_nodes)) < 0.2)
    options = {"n_epochs": 60, "dropout": 0.0, "hidden_layer_sizes": (32,), "n_estimators": 4}
    model = CoherentNetwork(**TINY | {"validation_fraction": 0.25, "refit": False} | options)
    scores = model.fit_held_out(X, Y)
    assert auprc(Y, model.predict_proba(X)) > 0.9
    assert auprc(Y, scores) < 0.6
    assert scores_own_rows(CoherentNetwork())
    held_out, _ = fit_held_out(CoherentNetwork(**TINY | {"n_epochs": 1, "n_estimators": 5}), X, Y, None)
    assert held_out.rows.size == 60


def test_rows_that_no_member_left_out_have_no_scores():
    X, Y = make_data(TREE, 50)
    weight = np.ones(50)
    weight[:3] = 0
    model = CoherentNetwork(**TINY | {"n_epochs": 1, "validation_fraction": 0.2})
    is_known = np.isfinite(model.fit_held_out(X, Y, weight)).all(axis=1)
    assert is_known[:3].all()  # not learned from at all
    assert is_known.sum() == 3 + 20  # two members, five parts of the others


def test_epochs_one_by_one_are_one_fit():
    X, Y = make_data(TREE)
    step_by_step = CoherentNetwork(**TINY)
    for _ in range(3):
        step_by_step.partial_fit(X, Y)
    assert step_by_step.n_epochs_ == 3
    whole = fit(X, Y, n_epochs=3)
    assert_array_equal(step_by_step.predict_proba(X), whole.predict_proba(X))
    S = whole.predict_proba(X)
    assert (whole.partial_fit(X[:20], Y[:20], n_epochs=2).predict_proba(X) != S).any()
    assert whole.n_epochs_ == 5


def test_a_label_that_comes_later_is_learned():
    X, Y = make_data(TREE)
    c = TREE.index("c")
    model = CoherentNetwork(**TINY).partial_fit(X, np.where(np.arange(TREE.n_nodes) == c, False, Y))
    assert (model.predict_proba(X)[:, c] == 0).all()
    assert (model.partial_fit(X, Y).predict_proba(X)[:, c] > 0).all()
    with pytest.raises(ValueError, match="n_epochs must be an integer >= 1; got 0"):
        model.partial_fit(X, Y, n_epochs=0)
    with pytest.raises(ValueError, match="X has 60 rows but y has 5"):
        model.partial_fit(X, Y[:5])


def test_a_row_is_scored_alike_in_any_company():
    X, Y = make_data(TREE, 500)
    model = fit(X, Y, n_epochs=1, hidden_layer_sizes=(33, 17))
    together = model.predict_proba(X)
    assert_array_equal(np.vstack([model.predict_proba(X[:7]), model.predict_proba(X[7:])]), together)
    assert_array_equal(model.predict_proba(X[[450]]), together[[450]])


@pytest.mark.parametrize("n_pieces", [None, 8])
def test_missing_values_are_marked(n_pieces):
    X, Y = make_data(TREE)
    X[::3, 1] = np.nan
    model = fit(X, Y, n_epochs=1, n_pieces=n_pieces)
    if n_pieces is None:
        assert model.weights_[0].shape == (2, X.shape[1] + 1, 8)
    else:
        assert (model.inputs_.pieces.column == X.shape[1]).sum() == 1  # the mark is one interval
    X[0, 2] = np.nan  # never missing in training
    X[1, 3] = 1e300
    assert np.isfinite(model.predict_proba(X)).all()


def test_weights_count():
    """Of two rows that are alike with different labels, the heavier one is believed."""
    X, Y = np.zeros((40, 1)), np.zeros((40, 8), bool)
    Y[::2, TREE.indices(["c"])] = True
    X[:, 0] = np.tile([0.0, 0.0, 1.0, 1.0], 10)
    heavy = np.where(Y[:, TREE.index("c")], 9.0, 1.0)
    options = {"n_epochs": 60, "normalize": None, "dropout": 0.0}
    for weight, share in ((heavy, 0.9), (heavy[::-1], 0.1)):
        assert_allclose(fit(X, Y, weight, **options).predict_proba(X)[:, TREE.index("c")], share, atol=0.05)


def test_sparse_rows_may_be_predicted_dense_and_the_other_way_round():
    X, Y = make_data(TREE)
    X[np.abs(X) < 0.7] = 0
    for rows in (X, sparse.csr_array(X)):
        model = fit(rows, sparse.csr_array(Y), n_epochs=1)
        assert_array_equal(model.predict_proba(X), model.predict_proba(sparse.csr_array(X)))


def test_epochs_are_reported():
    X, Y = make_data(TREE)
    said = []
    with on_progress(lambda *step: said.append(step)):
        CoherentNetwork(**TINY | {"n_epochs": 2}).fit_held_out(X, Y)
    assert [step[:2] for step in said] == [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]
    assert "AU(PRC) of rows left out" in said[2][2]
    assert said[-1][2] == "epoch 2 of 2, all rows"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"loss": "hinge"}, "loss must be one of 'bce', 'constraint'"),
        ({"n_pieces": 0}, "n_pieces must be None or an integer"),
        ({"dropout": 1.0}, "dropout must be a number from 0 to 0.99"),
        ({"hidden_layer_sizes": (0,)}, "hidden_layer_sizes must be integers >= 1"),
        ({"hidden_layer_sizes": "wide"}, "hidden_layer_sizes must be"),
        ({"validation_fraction": 0.7}, "validation_fraction must be a number from 0.001 to 0.5"),
        ({"n_epochs": 0}, "n_epochs must be an integer >= 1"),
        ({"device": "abacus"}, "device must be 'auto' or one that PyTorch can use here; got 'abacus'"),
    ],
)
def test_wrong_parameters_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        fit(*make_data(TREE), **options)


def test_a_model_file_holds_arrays_only(tmp_path):
    from truepath.persistence import describe_model, load, save

    X, Y = make_data(TREE)
    model = fit(X, Y, n_epochs=1).partial_fit(X, Y)
    save(model, tmp_path / "model")
    assert describe_model(tmp_path / "model")["untrusted_types"] == []
    again = load(tmp_path / "model")
    assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert_array_equal(again.partial_fit(X, Y).predict_proba(X), model.partial_fit(X, Y).predict_proba(X))


def test_piecewise_inputs_bend_at_quantiles():
    X = np.array([[0.0], [1.0], [2.0], [10.0], [20.0]])
    pieces = PiecewiseLinear.of(X, 4)
    assert_array_equal(pieces.encode(X), np.tri(5, 4, -1))
    assert_allclose(pieces.encode(np.array([[6.0], [-5.0], [99.0]])), [[1, 1, 0.5, 0], [0] * 4, [1] * 4])
