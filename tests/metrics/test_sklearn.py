"""Where a metric coincides with scikit-learn's, the two agree; and scorers work inside scikit-learn."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn import metrics as sk
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import GridSearchCV, KFold, cross_validate
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from truepath import Hierarchy, metrics

HIERARCHY = Hierarchy.from_paths(["a/1", "a/2", "b/1", "b/2/x"])


def random_case(seed, n_samples=60, n_nodes=9, dtype=np.float64):
    rng = np.random.default_rng(seed)
    Y = rng.random((n_samples, n_nodes)) < rng.uniform(0.1, 0.6, n_nodes)
    Y[0] = True
    S = np.round(0.4 * Y + 0.6 * rng.random(Y.shape), rng.integers(1, 4)).astype(dtype)  # ties wanted
    return Y, S, rng.random(n_samples)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("weighted", [False, True])
def test_average_precision(seed, dtype, weighted):
    Y, S, weight = random_case(seed, dtype=dtype)
    weight = weight if weighted else None
    for ours, theirs in (("pooled", "micro"), ("macro", "macro"), ("weighted", "weighted"), ("per_class", None)):
        expected = sk.average_precision_score(Y, S, average=theirs, sample_weight=weight)
        assert metrics.auprc(Y, S, average=ours, sample_weight=weight) == pytest.approx(expected, abs=1e-13)
    curve = metrics.precision_recall_curve(Y, S, node=3, sample_weight=weight)
    for found, expected in zip(curve, sk.precision_recall_curve(Y[:, 3], S[:, 3], sample_weight=weight)):
        np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("weighted", [False, True])
def test_labels(seed, weighted):
    Y, S, weight = random_case(seed)
    Y[1], P = False, S > 0.55
    P[1] = False
    kwargs = {"sample_weight": weight if weighted else None}
    pairs = [
        (metrics.micro_f1(Y, P, **kwargs), sk.f1_score(Y, P, average="micro", **kwargs)),
        (metrics.macro_f1(Y, P, **kwargs), sk.f1_score(Y, P, average="macro", zero_division=0.0, **kwargs)),
        (metrics.hamming_score(Y, P, **kwargs), 1 - sk.hamming_loss(Y, P, **kwargs)),
        (metrics.exact_match(Y, P, **kwargs), sk.accuracy_score(Y, P, **kwargs)),
    ]
    for zero_division in (0.0, 1.0):
        kwargs["zero_division"] = zero_division
        expected = sk.jaccard_score(Y, P, average="samples", **kwargs)
        pairs.append((metrics.jaccard_score(Y, P, **kwargs), expected))
        for average in ("micro", "macro", "samples"):
            found = metrics.hierarchical_precision_recall_f1(Y, P, average=average, **kwargs)
            expected = sk.precision_recall_fscore_support(Y, P, average=average, **kwargs)[:3]
            pairs.extend(zip(found, expected))
    assert [a for a, _ in pairs] == pytest.approx([b for _, b in pairs], abs=1e-13)


def test_classes_without_positives_are_skipped_or_counted_as_zero():
    Y, S, _ = random_case(0)
    Y[:, 2] = False
    others = [v for v in range(Y.shape[1]) if v != 2]
    without = metrics.auprc(Y[:, others], S[:, others], average="macro")
    assert metrics.auprc(Y, S, average="macro") == pytest.approx(without)
    with pytest.warns(UserWarning, match="No positive class"):
        expected = sk.average_precision_score(Y, S, average="macro")
    assert metrics.auprc(Y, S, average="macro", zero_division=0.0) == pytest.approx(expected)
    assert np.isnan(metrics.auprc(np.zeros_like(Y), S))
    assert metrics.auprc(np.zeros_like(Y), S, zero_division=0.0) == 0.0
    with pytest.raises(ValueError, match="no positive"):
        metrics.precision_recall_curve(Y, S, node=2)


class Shrunk(ClassifierMixin, BaseEstimator):
    """A toy learner: class frequencies of the training rows, with a threshold to search over."""

    def __init__(self, hierarchy=None, threshold=0.5):
        self.hierarchy = hierarchy
        self.threshold = threshold

    def fit(self, X, Y):
        self.share_ = np.asarray(Y).mean(axis=0)
        return self

    def predict_proba(self, X):
        return np.clip(self.share_ + 0.01 * np.asarray(X)[:, :1], 0, 1)

    def predict(self, X):
        return self.predict_proba(X) > self.threshold


def toy_data():
    rng = np.random.default_rng(0)
    Y = HIERARCHY.close(rng.random((30, HIERARCHY.n_nodes)) < 0.25)
    return rng.normal(size=(30, 2)), Y


@pytest.mark.parametrize("name", metrics.list_metrics())
def test_every_metric_is_a_scorer(name):
    X, Y = toy_data()
    scorer = metrics.get_scorer(name)
    folds = KFold(3)
    found = cross_validate(Shrunk(HIERARCHY), X, Y, cv=folds, scoring=scorer, error_score="raise")["test_score"]
    metric = metrics.get_metric(name)
    for value, (train, test) in zip(found, folds.split(X)):
        model = Shrunk(HIERARCHY).fit(X[train], Y[train])
        predicted = model.predict(X[test]) if metric.needs == "labels" else model.predict_proba(X[test])
        expected = metric(Y[test], predicted, HIERARCHY)
        assert value == pytest.approx(expected if metric.greater_is_better else -expected, nan_ok=True)
    copy = pickle.loads(pickle.dumps(scorer))
    fitted = clone(model).fit(X, Y)
    assert copy(fitted, X, Y) == scorer(fitted, X, Y)


def test_grid_search_with_several_scorers_and_a_pipeline():
    X, Y = toy_data()
    scoring = {name: metrics.get_scorer(name) for name in ("h_loss", "hierarchical_f1", "auprc")}
    pipeline = make_pipeline(StandardScaler(), Shrunk(HIERARCHY))
    grid = {"shrunk__threshold": [0.2, 0.4, 0.99]}
    search = GridSearchCV(pipeline, grid, scoring=scoring, refit="hierarchical_f1", cv=3, error_score="raise").fit(X, Y)
    assert search.best_params_["shrunk__threshold"] != 0.99
    assert metrics.get_scorer("h_loss")(search, X, Y) == -metrics.h_loss(Y, search.predict(X), HIERARCHY)


def test_scorer_reads_lists_of_probabilities_and_label_names():
    X, Y = toy_data()
    Y[0], Y[1] = True, False
    forest = MultiOutputClassifier(DecisionTreeClassifier(max_depth=2, random_state=0)).fit(X, Y)
    S = np.column_stack([part[:, 1] for part in forest.predict_proba(X)])
    assert metrics.get_scorer("auprc")(forest, X, Y) == metrics.auprc(Y, S)
    names = HIERARCHY.decode(Y)
    scorer = metrics.get_scorer("h_loss", hierarchy=HIERARCHY)
    assert scorer(forest, X, names) == -metrics.h_loss(Y, forest.predict(X), HIERARCHY)
    assert scorer(forest, X, Y.astype(int).tolist()) == scorer(forest, X, names)
    constant = DummyClassifier().fit(X, np.ones_like(Y, dtype=int))
    assert metrics.get_scorer("auprc")(constant, X, Y) == metrics.auprc(Y, np.ones(Y.shape))


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, np.ndarray.tolist])
def test_one_label_has_the_scores_of_the_second_class(form):
    X, y = np.arange(8.0)[:, None], np.array([0, 1, 0, 1, 1, 1, 0, 0])
    tree = DecisionTreeClassifier(max_depth=1).fit(X, y)
    expected = sk.average_precision_score(y, tree.predict_proba(X)[:, 1])
    assert metrics.get_scorer("auprc")(tree, X, form(y[:, None])) == pytest.approx(expected)


def test_scorer_takes_weights_and_options():
    X, Y = toy_data()
    model = Shrunk(HIERARCHY, 0.3).fit(X, Y)
    weight = np.arange(len(X))
    scorer = metrics.get_scorer("hierarchical_f1", average="samples", nodes=["a", "a/1"])
    expected = metrics.hierarchical_f1(
        Y, model.predict(X), HIERARCHY, average="samples", nodes=["a", "a/1"], sample_weight=weight
    )
    assert scorer(model, X, Y, sample_weight=weight) == expected
    assert repr(scorer) == "get_scorer('hierarchical_f1', average='samples', nodes=['a', 'a/1'])"


def test_measures_of_the_prediction_alone_need_no_truth():
    X, Y = toy_data()
    model = Shrunk(HIERARCHY, 0.3).fit(X, Y)
    scorer = metrics.get_scorer("unlabeled_share")
    assert scorer(model, X) == scorer(model, X, Y) == -metrics.unlabeled_share(model.predict(X))


def test_evaluate_gives_what_the_functions_give():
    X, Y = toy_data()
    model = Shrunk(HIERARCHY, 0.3).fit(X, Y)
    P, S = model.predict(X), model.predict_proba(X)
    values = metrics.evaluate(Y, P, S, HIERARCHY)
    assert values["h_loss"] == metrics.h_loss(Y, P, HIERARCHY)
    assert values["smin"] == metrics.smin(Y, S, HIERARCHY)
    assert set(metrics.evaluate(Y, P, hierarchy=HIERARCHY)) < set(metrics.list_metrics("labels"))
    assert all(type(value) is float for value in values.values())
    assert metrics.evaluate(Y, P, hierarchy=HIERARCHY, metrics="h_loss", nodes=["a"]) == {
        "h_loss": metrics.h_loss(Y, P, HIERARCHY, nodes=["a"])
    }
    with pytest.raises(ValueError, match="pass y_score"):
        metrics.evaluate(Y, P, metrics=["auprc"])


def test_sample_weight_is_routed_to_scorers():
    X, Y = np.arange(8.0)[:, None], np.array([[1, 0], [1, 1]] * 4)
    weight = np.array([1.0, 0.0] * 4)
    with config_context(enable_metadata_routing=True):
        scoring = {
            "weighted": metrics.get_scorer("exact_match").set_score_request(sample_weight=True),
            "plain": metrics.get_scorer("exact_match").set_score_request(sample_weight=False),
        }
        model = DummyClassifier(strategy="constant", constant=[1, 0]).set_fit_request(sample_weight=False)
        found = cross_validate(model, X, Y, cv=2, scoring=scoring, params={"sample_weight": weight})
    assert found["test_weighted"].tolist() == [1.0, 1.0]
    assert found["test_plain"].tolist() == [0.5, 0.5]
