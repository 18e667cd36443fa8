"""The whole way: honest fitting, every kind of X and Y, scikit-learn's tools around it."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn import config_context
from sklearn.base import BaseEstimator, clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, PredefinedSplit, cross_validate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from strategies import hierarchies, label_matrices
from truepath import HierarchicalClassifier, Hierarchy, load_dataset
from truepath.classifier import get_preset, make_preset, preset_names
from truepath.combiners import FAEL, MaxUp
from truepath.data import make_hmc
from truepath.decoders import MAS, MultiThreshold, SingleThreshold, Threshold
from truepath.learners import BinaryRelevance, PCTForest, PerNode, SparseLinear
from truepath.metrics import get_scorer, hierarchical_f1, micro_f1
from truepath.persistence import save

H = Hierarchy.from_paths(["a/1", "a/2", "b/1"])


@pytest.fixture(scope="module")
def made():
    return make_hmc(n_samples=200, n_nodes=10, n_features=8, random_state=0)


def quick(**options):
    """A learner that fits in milliseconds."""
    return BinaryRelevance(LogisticRegression(**options))


def fitted(ds, **options):
    return HierarchicalClassifier(options.pop("learner", quick()), hierarchy=ds.hierarchy, **options).fit(
        ds.train.X, ds.train.y
    )


class Remembers(BaseEstimator):
    """Knows every training row by heart and nothing else: any score of a training row would give it away."""

    def __init__(self, hierarchy=None):
        self.hierarchy = hierarchy

    def fit(self, X, Y):
        self.known_ = {tuple(row): labels for row, labels in zip(np.asarray(X).tolist(), np.asarray(Y, float))}
        self.n_nodes_ = Y.shape[1]
        return self

    def predict_proba(self, X):
        nothing = np.zeros(self.n_nodes_)
        return np.array([self.known_.get(tuple(row), nothing) for row in np.asarray(X).tolist()])


# ------------------------------------------------------------------------------------------ honesty


@pytest.mark.parametrize("cv", [4, 0.3, PredefinedSplit([-1] * 12 + [0] * 8)])
def test_thresholds_are_fitted_on_rows_the_learner_did_not_see(cv):
    X = np.arange(40.0).reshape(20, 2)
    Y = H.encode([["a/1"], ["b/1"]] * 10)
    seen = []

    class Spy(SingleThreshold):
        def fit(self, S, y=None, sample_weight=None):
            seen.append(S.copy())
            return super().fit(S, y, sample_weight)

    model = HierarchicalClassifier(Remembers(), decoder=Spy(), hierarchy=H, cv=cv).fit(X, Y)
    assert len(seen) == 1
    assert (seen[0] == 0).all()  # by heart, but never of these rows
    assert model.n_held_out_ == seen[0].shape[0]
    assert (model.predict_proba(X) == Y).all()  # and refitted on everything


def test_the_combiner_before_a_learning_decoder_is_crossfitted():
    fits = []

    class Spy(FAEL):
        def fit(self, S, Y, sample_weight=None):
            fits.append(S.shape[0])
            return super().fit(S, Y, sample_weight)

    ds = make_hmc(n_samples=100, n_nodes=6, random_state=1)
    n = ds.train.X.shape[0]
    fitted(ds, combiner=Spy(), cv=3)
    assert fits[-1] == n
    assert len(fits) == 6
    assert sum(fits[:-1]) == 4 * n
    fits.clear()
    fitted(ds, combiner=Spy(), decoder="threshold", cv=3)
    assert fits == [n]


def test_nothing_is_held_out_when_nothing_learns(made):
    for decoder in ("threshold", "mas", Threshold(0.3), MAS(k=2), None):
        assert fitted(made, decoder=decoder).n_held_out_ == 0
    assert fitted(made, decoder="masr").n_held_out_ == made.train.X.shape[0]


def test_a_forest_is_validated_out_of_bag(made):
    forest = PCTForest(n_estimators=30, random_state=0)
    model = fitted(made, learner=forest)
    whole = clone(forest).set_params(hierarchy=made.hierarchy)
    held_out = whole.fit_held_out(made.train.X, made.train.y)
    by_hand = SingleThreshold(hierarchy=made.hierarchy).fit(held_out, made.train.y)
    assert model.decoder_.threshold_ == by_hand.threshold_
    assert (model.predict_proba(made.test.X) == whole.predict_proba(made.test.X)).all()
    with pytest.raises(ValueError, match=r"cv='own' needs it; give cv a number of folds. .*PCTForest"):
        fitted(made, cv="own")


# ----------------------------------------------------------------------------------- what goes in


def test_by_hand_and_by_classifier_agree(made):
    h, train, test = made.hierarchy, made.train, made.test
    parts = PredefinedSplit(np.where(np.arange(train.X.shape[0]) < 80, -1, 0))
    model = fitted(made, combiner="fael", decoder=Threshold(0.4), cv=parts)
    scores = quick().set_params(hierarchy=h).fit(train.X[:80], train.y[:80]).predict_proba(train.X[80:])
    combiner = FAEL(hierarchy=h).fit(scores, train.y[80:])
    whole = quick().set_params(hierarchy=h).fit(train.X, train.y)
    by_hand = combiner.transform(whole.predict_proba(test.X))
    assert (model.predict_proba(test.X) == by_hand).all()
    assert (model.predict(test.X) == (by_hand > 0.4)).all()


def test_labels_may_come_in_any_shape(made):
    h, X, Y = made.hierarchy, made.train.X, made.train.y
    names = h.decode(Y)
    frame = pd.DataFrame(Y.astype(int), columns=h.names)
    expected = fitted(made, cv=3).predict_proba(made.test.X)
    for given_as in (Y, sparse.csr_matrix(Y), names, frame, pl.from_pandas(frame)):
        model = HierarchicalClassifier(quick(), hierarchy=h, cv=3).fit(X, given_as)
        assert (model.predict_proba(made.test.X) == expected).all()


def test_columns_of_levels_make_the_hierarchy():
    X = np.array([[0.0], [0.1], [1.0], [1.1], [2.0], [2.1]])
    levels = np.array([["a", "1"], ["a", "1"], ["a", "2"], ["a", "2"], ["b", ""], ["b", ""]], dtype=object)
    model = HierarchicalClassifier(KNeighborsClassifier(1), decoder="threshold").fit(X, levels)
    assert model.predict_labels([[0.05], [1.05], [2.2]]) == [("a/1",), ("a/2",), ("b",)]
    assert model.predict_labels([[1.05]], most_specific=False) == [("a", "a/2")]


def mixed_frame(n, seed=0):
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 3, n)
    words = np.array(["soft paws and long whiskers", "barks at the postman loudly", "green leaves and deep roots"])
    colour = np.array(["black", "brown", "green"])[np.where(rng.random(n) < 0.2, rng.integers(0, 3, n), kind)]
    size = kind + rng.normal(size=n) * 0.3
    size[::7] = np.nan
    labels = [[("animal/cat", "animal/dog", "plant/oak")[k]] for k in kind]
    return pd.DataFrame({"about": words[kind], "colour": colour, "size": size}), labels


def test_frames_of_any_library_are_learned_from():
    frame, labels = mixed_frame(60)
    model = HierarchicalClassifier(cv=3, decoder="best-path").fit(frame, labels)
    assert model.score(frame, labels) > 0.95
    polars_model = HierarchicalClassifier(cv=3, decoder="best-path").fit(pl.from_pandas(frame), labels)
    assert (model.predict(frame) == polars_model.predict(pl.from_pandas(frame))).all()
    cells = frame.astype(object).to_numpy()
    assert (HierarchicalClassifier(decoder="best-path").fit(cells, labels).predict(cells) == model.predict(frame)).all()


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_a_grid_search_over_learner_and_decoder_on_frames(library):
    frame, labels = mixed_frame(60)
    h = Hierarchy.from_paths(["animal/cat", "animal/dog", "plant/oak"])
    X = library({"colour": frame["colour"].to_list(), "size": frame["size"].fillna(0).to_list()})
    inside = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["colour"]), (StandardScaler(), ["size"]))
    learner = make_pipeline(inside, BinaryRelevance(LogisticRegression()))
    search = GridSearchCV(
        HierarchicalClassifier(learner, hierarchy=h, cv=3),
        {
            "learner__binaryrelevance__estimator__C": [0.01, 1.0],
            "decoder": ["single", MultiThreshold("hmc_loss"), Threshold(0.9)],
        },
        scoring=get_scorer("micro_f1"),
        cv=2,
    ).fit(X, h.encode(labels))
    assert search.best_score_ > 0.8
    assert search.best_params_["learner__binaryrelevance__estimator__C"] == 1.0
    assert h.is_closed(search.predict(X))


def test_a_grid_search_over_learner_and_decoder_on_sparse_x(made):
    X = sparse.csr_array(np.maximum(made.train.X, 0))
    search = GridSearchCV(
        HierarchicalClassifier(quick(), hierarchy=made.hierarchy, decoder=SingleThreshold(), cv=3),
        {"learner__estimator__C": [1e-4, 1.0], "decoder__objective": ["micro_f1", "hmc_loss"]},
        scoring={"F": get_scorer("micro_f1"), "area": get_scorer("auprc")},
        refit="F",
        cv=2,
    ).fit(X, made.train.y)
    assert search.best_params_["learner__estimator__C"] == 1.0
    assert search.cv_results_["mean_test_area"].max() > 0.3


def test_cross_validate_with_weights_by_metadata_routing(made):
    weight = np.random.default_rng(0).integers(1, 4, made.train.X.shape[0]).astype(float)
    with config_context(enable_metadata_routing=True):
        learner = make_pipeline(StandardScaler(), quick())
        model = HierarchicalClassifier(learner, hierarchy=made.hierarchy, cv=3).set_fit_request(sample_weight=True)
        found = cross_validate(
            model,
            made.train.X,
            made.train.y,
            scoring=get_scorer("micro_f1").set_score_request(sample_weight=True),
            params={"sample_weight": weight},
            cv=2,
        )
    assert (found["test_score"] > 0.3).all()


def test_weights_reach_a_learner_inside_a_pipeline(made):
    weight = np.where(np.arange(made.train.X.shape[0]) < 60, 1.0, 0.0)
    piped = HierarchicalClassifier(make_pipeline(StandardScaler(), quick()), hierarchy=made.hierarchy, decoder="mas")
    piped.fit(made.train.X, made.train.y, sample_weight=weight)
    scaler = StandardScaler().fit(made.train.X)
    plain = quick().set_params(hierarchy=made.hierarchy)
    plain.fit(scaler.transform(made.train.X[:60]), made.train.y[:60])
    np.testing.assert_allclose(
        piped.predict_proba(made.test.X), plain.predict_proba(scaler.transform(made.test.X)), atol=1e-3
    )
    with pytest.warns(UserWarning, match="KNeighborsClassifier takes no sample_weight"):
        HierarchicalClassifier(KNeighborsClassifier(3), hierarchy=made.hierarchy).fit(
            made.train.X, made.train.y, sample_weight=weight
        )


# ----------------------------------------------------------------------------------- what comes out


@given(hierarchies(), st.data())
@settings(max_examples=25, deadline=None)
def test_predictions_are_closed_on_any_hierarchy(hierarchy, data):
    Y = data.draw(label_matrices(hierarchy, 12, min_rows=12))
    X = np.random.default_rng(0).normal(size=(12, 3))
    decoder = data.draw(st.sampled_from(["single", "multi", "threshold", "mas", "masr", "exact", "best-path", None]))
    combiner = data.draw(st.sampled_from([None, "max-up", "fael", "isotonic"]))
    model = HierarchicalClassifier(
        PCTForest(n_estimators=3, random_state=0), combiner, decoder, hierarchy=hierarchy, cv=2
    )
    found = model.fit(X, Y).predict(X)
    assert found.shape == Y.shape
    assert hierarchy.is_closed(found)
    assert hierarchy.is_coherent(model.predict_proba(X), tolerance=1e-6)
    assert (model.predict(X[3:5]) == found[3:5]).all()  # a row does not depend on the batch


def test_scikit_learn_classifiers_are_learners_too(made):
    Y = made.train.y
    model = HierarchicalClassifier(RandomForestClassifier(20, random_state=0), hierarchy=made.hierarchy, cv=2)
    model.fit(made.train.X, Y)
    assert isinstance(model.combiner_, MaxUp)
    assert made.hierarchy.is_coherent(model.predict_proba(made.test.X))
    assert model.score(made.test.X, made.test.y) > 0.4
    one = HierarchicalClassifier(LogisticRegression(), hierarchy=Hierarchy.flat(1), decoder="threshold")
    assert one.fit(made.train.X, Y[:, :1]).predict(made.test.X).shape == (made.test.X.shape[0], 1)


def test_scores_of_the_wrong_shape_are_refused(made):
    class Wrong(Remembers):
        def predict_proba(self, X):
            return np.zeros((len(X), 3))

    with pytest.raises(ValueError, match=r"Wrong\.predict_proba returned the shape"):
        fitted(made, learner=Wrong(), decoder="threshold").predict(made.test.X)


def test_conditional_scores_are_used_where_learner_and_decoder_know_them(made):
    model = fitted(made, learner=make_pipeline(StandardScaler(), PerNode(LogisticRegression())), decoder="mas")
    X = model.learner_[:-1].transform(made.test.X)
    conditional = model.learner_[-1].predict_conditional_proba(X)
    by_hand = MAS(hierarchy=made.hierarchy).predict(None, conditional=conditional)
    assert (model.predict(made.test.X) == by_hand).all()


def test_the_default_is_strong():
    ds = load_dataset("pypi-topics")
    model = HierarchicalClassifier(hierarchy=ds.hierarchy, cv=0.3).fit(ds.train.X, ds.train.y)
    assert model.score(ds.test.X, ds.test.y) > 0.55
    assert model.score(ds.test.X, ds.test.y) == hierarchical_f1(ds.test.y, model.predict(ds.test.X), ds.hierarchy)


def test_same_seed_same_bits_for_any_number_of_jobs(made):
    one = fitted(made, combiner="fael", n_jobs=1)
    two = fitted(made, combiner="fael", n_jobs=2)
    assert (one.predict_proba(made.test.X) == two.predict_proba(made.test.X)).all()
    assert (one.predict(made.test.X) == two.predict(made.test.X)).all()
    other = fitted(made, combiner="fael", random_state=7)
    assert (one.decoder_.threshold_, one.combiner_.weights_.toarray().sum()) != (
        other.decoder_.threshold_,
        other.combiner_.weights_.toarray().sum(),
    )


def test_clone_and_pickle(made):
    model = fitted(made, combiner="fael", decoder="multi")
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict(made.test.X) == model.predict(made.test.X)).all()
    copy = clone(model)
    assert not hasattr(copy, "learner_")
    assert model.learner.hierarchy is None  # parameters are left as they were given


def test_explain_shows_scores_thresholds_and_margins(made):
    model = fitted(made)
    x = made.test.X[3]
    explained = model.explain(x, n_others=3)
    S, Y = model.predict_proba(made.test.X[3:4])[0], model.predict(made.test.X[3:4])[0]
    assert {r.node for r in explained.records if r.predicted} == set(np.flatnonzero(Y))
    for record in explained.records:
        assert record.score == S[record.node]
        assert record.margin == record.score - record.threshold
        assert (record.margin > 0) == record.predicted
        assert 0 <= record.given_parent <= 1 + 1e-12
    nodes = [record.node for record in explained.records]
    assert all(u in nodes for v in nodes for u in made.hierarchy.ancestors(v))
    assert str(explained).count("\n") == len(nodes)
    assert list(explained.to_frame()["name"]) == [record.name for record in explained.records]
    with pytest.raises(ValueError, match="x must be one row; got 2"):
        model.explain(made.test.X[:2])


def test_explain_takes_texts_and_dags_and_decoders_without_thresholds():
    dag = Hierarchy.from_edges([(None, "a"), (None, "b"), ("a", "c"), ("b", "c"), ("c", "d")])
    texts = ["red fox", "red hen", "blue whale", "blue fish"] * 3
    model = HierarchicalClassifier(decoder="mas", hierarchy=dag).fit(texts, [["d"], ["d"], ["a"], ["b"]] * 3)
    text = str(model.explain("red dog"))
    assert text.count("(see above)") == 1  # c hangs from a and from b
    assert "–" in text


# --------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"decoder": "multy"}, "Did you mean 'multi'"),
        ({"combiner": "feal"}, "Did you mean 'fael'"),
        ({"cv": 1}, "cv must be a number of folds >= 2"),
        ({"cv": True}, "cv must be 'auto', 'own', a number or a splitter"),
        ({"cv": "cv"}, "cv must be 'auto', 'own'"),
        ({"cv": 500}, "cv=500 folds need as many rows"),
        ({"learner": BinaryRelevance(LogisticRegression(), hierarchy=Hierarchy.flat(2))}, "has another hierarchy"),
    ],
)
def test_bad_parameters_are_named(made, options, message):
    with pytest.raises(ValueError, match=message):
        fitted(made, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"decoder": 0.5}, r"decoder=truepath.decoders.Threshold\(0.5\)"),
        ({"decoder": [1]}, "decoder must be the name of a decoder or an object with fit and predict; got"),
        ({"decoder": Threshold}, r"Write Threshold\(...\)"),
        ({"combiner": 3}, "combiner must be the name of a combiner or an object with fit and transform; got 3"),
        ({"combiner": LogisticRegression()}, "fit and transform"),
    ],
)
def test_what_is_no_part_is_refused_before_anything_is_fitted(made, options, message):
    with pytest.raises(TypeError, match=message):
        fitted(made, **options)


@pytest.mark.parametrize("n_rows", [1, 2, 3, 4])
@pytest.mark.parametrize("learner", [None, "linear", "forest", BinaryRelevance(LogisticRegression())])
def test_the_fewest_rows_ask_for_nothing_that_was_not_set(n_rows, learner):
    """Folds are as many as there are rows; one row has no threshold of its own."""
    h = Hierarchy.from_paths(["a/1", "a/2", "b"])
    rows = [["a/1", "b"], ["a/2"], ["b"], ["a/1"]][:n_rows]
    model = HierarchicalClassifier(learner, hierarchy=h).fit(np.arange(2.0 * n_rows).reshape(-1, 2), rows)
    assert model.predict(np.zeros((2, 2))).shape == (2, h.n_nodes)


def test_bad_labels_are_named(made):
    open_Y = made.train.y.copy()
    open_Y[0] = False
    open_Y[0, np.argmax(made.hierarchy.depth)] = True
    with pytest.raises(ValueError, match="ancestor"):
        HierarchicalClassifier(quick(), hierarchy=made.hierarchy).fit(made.train.X, open_Y)
    with pytest.raises(ValueError, match=r"X has \d+ rows but y has \d+"):
        HierarchicalClassifier(quick(), hierarchy=made.hierarchy).fit(made.train.X, made.train.y[:-1])


# ----------------------------------------------------------------------------------------- presets


QUICK = {
    "rcnet-bag": {"learner__learner__n_estimators": 2},
    "forest": {"learner__learner__n_estimators": 10},
    **{key: {"learner__learner__alpha": 0.05} for key in ("mas", "masr", "exact-leaves")},
    **{key: {"learner__learner__n_estimators": 10} for key in ("h-ada.mh", "ada.mh")},
}


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_fits_and_predicts(name):
    ds = make_hmc(n_samples=80, n_nodes=10, n_features=6, random_state=3)
    model = make_preset(name, hierarchy=ds.hierarchy, random_state=1, n_jobs=1)
    model.set_params(**QUICK.get(name, {}))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", category=RuntimeWarning)
        model.fit(ds.train.X, ds.train.y)
    Y = model.predict(ds.test.X)
    assert ds.hierarchy.is_closed(Y)
    assert micro_f1(ds.test.y, Y, ds.hierarchy) > 0.1
    assert get_preset(name).summary


def test_an_unknown_preset_is_named():
    with pytest.raises(ValueError, match="Did you mean 'masr' or 'mas'"):
        make_preset("masrr")


# --------------------------------------------------------------------------------------- keeping it


def test_a_saved_classifier_predicts_the_same_bits(made, tmp_path):
    model = make_preset("fael", hierarchy=made.hierarchy, cv=3).fit(made.train.X, made.train.y)
    path = tmp_path / "model.tp"
    model.save(path)
    again = HierarchicalClassifier.load(path)
    assert (again.predict(made.test.X) == model.predict(made.test.X)).all()
    assert (again.predict_proba(made.test.X) == model.predict_proba(made.test.X)).all()
    assert again.hierarchy_ == made.hierarchy
    save(model.decoder_, path)
    with pytest.raises(ValueError, match="holds a SingleThreshold, not a HierarchicalClassifier"):
        HierarchicalClassifier.load(path)


def test_an_explanation_names_who_decided(made):
    model = make_preset("hbr", hierarchy=made.hierarchy).fit(made.train.X, made.train.y)
    assert "decided by HBR" in str(model.explain(made.test.X[0]))


def test_beyond_some_rows_one_part_is_held_out(made, monkeypatch):
    """Then fit costs about two fits of the learner instead of six."""
    monkeypatch.setattr("truepath.classifier.held_out.ROWS_FOR_ONE_PART", made.train.X.shape[0] - 1)
    learner = SparseLinear(hierarchy=made.hierarchy)
    model = HierarchicalClassifier(learner, hierarchy=made.hierarchy).fit(made.train.X, made.train.y)
    assert 0.1 < model.n_held_out_ / made.train.X.shape[0] < 0.3


def test_words_are_learned_by_one_linear_classifier_per_label():
    texts = ["a cat and a dog", "the cat sleeps", "dogs bark", "an oak tree", "oak leaves", "leaves of a tree"]
    labels = [["animal/cat"], ["animal/cat"], ["animal/dog"], *[["plant/oak"]] * 3]
    model = HierarchicalClassifier(decoder="best-path").fit(texts, labels)
    assert isinstance(model.learner_[-1], SparseLinear)
