"""scikit-learn's own tools over the classifier and two learners, on the library's data as they come.

What cannot work, and why, is in ``REFUSED``: tools for targets of one column. ``HalvingGridSearchCV`` works with a
number as ``min_resources``; its default counts the classes of one column. ``permutation_importance`` wants dense X.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.experimental import enable_halving_search_cv  # noqa: F401 - makes HalvingGridSearchCV importable
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    KFold,
    LeaveOneOut,
    RandomizedSearchCV,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_val_predict,
    cross_val_score,
    cross_validate,
    learning_curve,
    permutation_test_score,
    train_test_split,
    validation_curve,
)
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler

from truepath import HierarchicalClassifier
from truepath.data import Dataset, load_dataset, make_hmc, stratified_folds
from truepath.learners import BinaryRelevance, PCTree
from truepath.metrics import get_scorer


def topics():
    """A slice of the bundled data: 120 packages, the 40 most used words, topics with 12 packages or more."""
    train = load_dataset("pypi-topics").train
    rows = train.take(np.arange(120))
    words = np.sort(np.argsort(-np.asarray(rows.X.sum(axis=0)).ravel(), kind="stable")[:40])
    whole = load_dataset("pypi-topics")
    part = Dataset("slice", whole.hierarchy, {"all": rows}, whole.feature_names).prune(12)["all"]
    return part.X[:, words], part.y, whole.hierarchy.prune(12, rows.y)


def made(sparse_X):
    ds = make_hmc(120, n_features=6, n_nodes=6, depth=2, sparse=0.5 if sparse_X else False, random_state=0)
    whole = ds.merge()["all"]
    return whole.X, whole.y, ds.hierarchy


DATA = {"made": lambda: made(False), "made, sparse": lambda: made(True), "topics": topics}
MODELS = {
    "classifier": lambda h: HierarchicalClassifier(PCTree(max_depth=3), hierarchy=h, cv=2, random_state=0),
    "tree": lambda h: PCTree(hierarchy=h, max_depth=3, random_state=0),
    "local": lambda h: BinaryRelevance(LogisticRegression(), hierarchy=h),
}
DEPTH = {"classifier": "learner__max_depth", "tree": "max_depth", "local": "estimator__C"}
CV = KFold(2, shuffle=True, random_state=0)


@pytest.fixture(scope="module", params=DATA)
def data(request):
    X, y, h = DATA[request.param]()
    assert type(y) is np.ndarray
    assert sparse.issparse(X) == (request.param != "made")
    return X, y, h


@pytest.fixture(params=MODELS)
def model(request, data):
    return MODELS[request.param](data[2])


@pytest.fixture
def grid(request, model):
    kind = next(name for name, make in MODELS.items() if type(make(None)) is type(model))
    return DEPTH[kind], ([1, 3] if kind != "local" else [0.1, 1.0])


# ------------------------------------------------------------------------------------------- cross-validation


def test_cross_validate(data, model):
    X, y, _ = data
    scoring = {"own": get_scorer("micro_f1"), "area": get_scorer("auprc")}
    found = cross_validate(model, X, y, cv=CV, scoring=scoring, return_estimator=True, return_train_score=True)
    assert np.isfinite(found["test_own"]).all()
    assert (found["train_area"] > 0).all()
    assert len(found["estimator"]) == 2


@pytest.mark.parametrize("scoring", [None, "f1_micro", "accuracy", "jaccard_samples"])
@pytest.mark.filterwarnings("ignore:Jaccard is ill-defined")
def test_cross_val_score_by_scikit_learns_own_scorers(data, model, scoring):
    X, y, _ = data
    scores = cross_val_score(model, X, y, cv=CV, scoring=scoring)
    assert scores.shape == (2,)
    assert np.isfinite(scores).all()


def test_cross_val_predict(data, model):
    X, y, h = data
    labels = cross_val_predict(model, X, y, cv=CV)
    scores = cross_val_predict(model, X, y, cv=CV, method="predict_proba")
    assert labels.shape == scores.shape == y.shape
    assert h.is_closed(labels.astype(bool))
    assert ((scores >= 0) & (scores <= 1)).all()
    train, test = next(iter(CV.split(X, y)))
    alone = clone(model).fit(X[train], y[train])
    np.testing.assert_array_equal(scores[test], alone.predict_proba(X[test]))


@pytest.mark.parametrize(
    "splitter", [KFold(2), ShuffleSplit(2, test_size=0.3, random_state=0), RepeatedKFold(n_splits=2)]
)
def test_splitters(data, splitter):
    X, y, h = data
    assert np.isfinite(cross_val_score(MODELS["tree"](h), X, y, cv=splitter)).all()


def test_leave_one_out_and_folds_of_our_own(data):
    X, y, h = data
    tree = MODELS["tree"](h)
    assert cross_val_predict(tree, X[:12], y[:12], cv=LeaveOneOut()).shape == (12, h.n_nodes)
    folds = list(stratified_folds(y, 3, random_state=0))
    assert np.isfinite(cross_val_score(tree, X, y, cv=folds)).all()


def test_train_test_split(data, model):
    X, y, _ = data
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.25, random_state=0)
    assert y_train.dtype == bool
    assert 0 <= model.fit(X_train, y_train).score(X_test, y_test) <= 1


# --------------------------------------------------------------------------------------- looking at a model


def test_permutation_importance(data, model):
    X, y, _ = data
    X = X.toarray() if sparse.issparse(X) else X  # scikit-learn's function takes dense features only
    X = X[:, :5]
    model.fit(X, y)
    found = permutation_importance(model, X, y, scoring=get_scorer("micro_f1"), n_repeats=2, random_state=0)
    assert found.importances.shape == (5, 2)
    assert np.isfinite(found.importances_mean).all()


def test_learning_curve(data, model):
    X, y, _ = data
    sizes, train, test = learning_curve(model, X, y, train_sizes=[0.5, 1.0], cv=CV)
    assert sizes.tolist() == [30, 60]
    assert np.isfinite(train).all()
    assert np.isfinite(test).all()


def test_validation_curve(data, model, grid):
    X, y, _ = data
    name, values = grid
    train, test = validation_curve(model, X, y, param_name=name, param_range=values, cv=CV)
    assert train.shape == test.shape == (2, 2)
    assert np.isfinite(test).all()


def test_permutation_test_score():
    X, y, h = made(False)
    score, others, p = permutation_test_score(MODELS["tree"](h), X, y, cv=CV, n_permutations=3, random_state=0)
    assert len(others) == 3
    assert 0 < p <= 1
    assert np.isfinite(score)


# ----------------------------------------------------------------------------------------------- searching


@pytest.mark.parametrize("search", [GridSearchCV, RandomizedSearchCV, HalvingGridSearchCV])
def test_searches(data, model, grid, search):
    X, y, h = data
    name, values = grid
    more = {"n_iter": 2, "random_state": 0} if search is RandomizedSearchCV else {}
    more |= {"min_resources": 60, "random_state": 0} if search is HalvingGridSearchCV else {}
    found = search(model, {name: values}, scoring=get_scorer("micro_f1"), cv=CV, **more).fit(X, y)
    assert found.best_params_[name] in values
    assert found.predict_proba(X).shape == y.shape
    assert h.is_closed(found.predict(X))


def test_a_search_by_several_measures(data, model, grid):
    X, y, _ = data
    name, values = grid
    scoring = {"f1": get_scorer("micro_f1"), "loss": get_scorer("h_loss")}
    found = GridSearchCV(model, {name: values}, scoring=scoring, refit="loss", cv=CV).fit(X, y)
    assert (found.cv_results_["mean_test_loss"] <= 0).all()  # losses are negated, as scikit-learn does


# ------------------------------------------------------------------------------------------------- pipelines


def test_pipelines_and_unions(data, model):
    X, y, h = data
    reduce = TruncatedSVD(2, random_state=0) if sparse.issparse(X) else PCA(2, random_state=0)
    union = FeatureUnion([("all", FunctionTransformer(accept_sparse=True)), ("reduced", reduce)])
    whole = Pipeline([("scale", MaxAbsScaler()), ("features", union), ("model", model)])
    assert np.isfinite(cross_val_score(whole, X, y, cv=CV)).all()
    scores = cross_val_predict(whole, X, y, cv=CV, method="predict_proba")
    assert scores.shape == y.shape
    search = GridSearchCV(whole, {"features__reduced__n_components": [1, 2]}, cv=CV).fit(X, y)
    assert h.is_closed(search.predict(X))


def test_the_toy_as_it_comes(model):
    toy = load_dataset("toy").merge()["all"]
    model = clone(model).set_params(hierarchy=load_dataset("toy").hierarchy)
    assert np.isfinite(cross_val_score(model, toy.X, toy.y, cv=CV)).all()


# ------------------------------------------------------------------------------------------ what cannot work


REFUSED = {
    "a threshold for one binary target; thresholds of labels are decoders": (
        lambda tree, X, y: TunedThresholdClassifierCV(tree, cv=2).fit(X, y),
        "Only binary classification is supported",
    ),
    "calibration of one target; local learners calibrate each label": (
        lambda tree, X, y: CalibratedClassifierCV(tree, cv=2).fit(X, y),
        "1d array|multilabel",
    ),
    "strata of one target; stratified_folds deals out all labels": (
        lambda tree, X, y: cross_val_score(tree, X, y, cv=StratifiedKFold(2), error_score="raise"),
        "Supported target types are",
    ),
    "train_test_split(stratify=y) takes rows of equal labels as strata": (
        lambda tree, X, y: train_test_split(X, y, stratify=y),
        "least populated class",
    ),
    "HalvingGridSearchCV's default counts the classes of one column": (
        lambda tree, X, y: HalvingGridSearchCV(tree, {"max_depth": [1, 2]}, cv=CV).fit(X, y),
        "1d array",
    ),
}


@pytest.mark.parametrize("why", REFUSED)
def test_tools_for_one_column_refuse_labels(why):
    call, message = REFUSED[why]
    X, y, h = made(False)
    with pytest.raises(ValueError, match=message):
        call(MODELS["tree"](h), X, y)
