"""Groups in the classifier: rows given twice with random labels score like chance once their groups are known."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, cross_validate

from truepath import HierarchicalClassifier, Hierarchy
from truepath.adapters.groups import check_groups
from truepath.combiners import Blend, Calibrator, FAELBlend, GreedyBlend, HierarchicalFAEL
from truepath.combiners.calibration import calibrator
from truepath.combiners.fael import linear
from truepath.decoders import ConformalSubtree, MultiThreshold, base
from truepath.learners import MultiLabelKernelRidge, PCTForest, SparseLinear, Stack, TableBlend
from truepath.metrics import auprc

H = Hierarchy.from_paths(["a/1", "a/2", "b/1", "b/2"])
RNG = np.random.default_rng(0)
N = 80
X = np.repeat(RNG.normal(size=(N, 5)), 2, axis=0)
Y = np.repeat(H.encode([[["a/1", "a/2", "b/1", "b/2"][k]] for k in RNG.integers(0, 4, N)]), 2, axis=0)
GROUPS = np.repeat(np.arange(N), 2)
#: Chance is about .4: two labels in six
CHANCE = 0.6


class Recorder(SparseLinear):
    """A learner that says which rows it was fitted on, by their first value, and which it scores."""

    log: list = []  # noqa: RUF012

    def fit(self, X, y, sample_weight=None):
        self.seen_ = set(X[:, 0].tolist())
        return super().fit(X, y, sample_weight)

    def predict_proba(self, X):
        self.log.append(not self.seen_ & set(X[:, 0].tolist()))
        return super().predict_proba(X)


LEARNERS = [
    MultiLabelKernelRidge(),
    MultiLabelKernelRidge(n_folds=3),
    PCTForest(n_estimators=40),
    TableBlend(members=["forest", "kernel ridge, rbf"]),
    Stack([SparseLinear(), MultiLabelKernelRidge()], combiner=Blend()),
    Stack([PCTForest(n_estimators=20), MultiLabelKernelRidge()], combiner=HierarchicalFAEL("loo")),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: f"{type(one).__name__} {one.get_params(deep=False)}"[:60])
def test_held_out_scores_of_repeated_rows_are_those_of_chance(learner):
    given = {"X": X, "y": Y}
    blind = learner.set_params(hierarchy=H).fit_held_out(**given)
    known = learner.fit_held_out(**given, groups=GROUPS)
    rows = np.isfinite(known).all(axis=1) & np.isfinite(blind).all(axis=1)
    assert rows.sum() > N
    assert auprc(Y[rows], blind[rows]) > CHANCE + 0.1
    assert auprc(Y[rows], known[rows]) < CHANCE


@pytest.mark.parametrize("cv", ["auto", 4, 0.3, GroupKFold(4)])
def test_folds_of_any_kind_hold_out_whole_groups(cv):
    Recorder.log.clear()
    model = HierarchicalClassifier(Recorder(), decoder="single", hierarchy=H, cv=cv).fit(X, Y, groups=GROUPS)
    assert all(Recorder.log)
    assert Recorder.log
    assert model.n_held_out_ > 0


def test_kernel_ridge_leaves_out_a_group_as_a_fit_without_it_does():
    groups = np.repeat(np.arange(N // 2), 4)
    model = MultiLabelKernelRidge("cosine", alpha=0.3, normalize=None, hierarchy=H)
    found = model.fit_held_out(X, Y, groups=groups)
    for g in (0, 7):
        rest = groups != g
        np.testing.assert_allclose(found[~rest], model.fit(X[rest], Y[rest]).predict_proba(X[~rest]), atol=1e-9)


def test_trees_draw_whole_groups():
    forest = PCTForest(n_estimators=5, hierarchy=H).fit(X, Y, groups=GROUPS)
    for k in range(5):
        left_out = forest._drawing(*X.shape, GROUPS).leaves_out(k)
        assert (left_out[::2] == left_out[1::2]).all()
        assert left_out.any()


@pytest.mark.parametrize(
    "parts",
    [
        {"combiner": "fael", "calibrate": "auto", "decoder": MultiThreshold(shrink="parent")},
        {"calibrate": "isotonic", "decoder": ConformalSubtree(0.8)},
    ],
    ids=["FAEL, calibrated, thresholds", "conformal"],
)
def test_every_part_that_divides_rows_is_given_the_groups(parts, monkeypatch):
    asked = []
    for owner in (calibrator, linear, base):
        monkeypatch.setattr(owner, "check_groups", lambda g, n: asked.append(g is not None) or check_groups(g, n))
    HierarchicalClassifier(SparseLinear(), hierarchy=H, cv=3, **parts).fit(X, Y, groups=GROUPS)
    assert asked
    assert all(asked)


@pytest.mark.parametrize("combiner", [FAELBlend("auto"), GreedyBlend("auto")])
def test_blends_take_groups_of_rows_beside_groups_of_nodes(combiner):
    S = [np.clip(Y + RNG.normal(0, 0.4, Y.shape), 0, 1) for _ in range(2)]
    combiner.set_params(hierarchy=H).fit(S, Y, groups=GROUPS)
    assert H.is_coherent(combiner.transform(S))


def test_calibration_maps_each_row_by_maps_of_other_groups():
    S = np.repeat(RNG.random((N, H.n_nodes)), 2, axis=0)
    found = Calibrator("isotonic", hierarchy=H, pooling=1.0).fit_held_out(S, Y, groups=GROUPS)
    assert (found[::2] == found[1::2]).all()  # both rows of a group are in one fold


def test_a_splitter_that_divides_groups_is_refused():
    model = HierarchicalClassifier(
        SparseLinear(), decoder="single", hierarchy=H, cv=KFold(3, shuffle=True, random_state=0)
    )
    with pytest.raises(ValueError, match="KFold puts rows of one group on both sides"):
        model.fit(X, Y, groups=GROUPS)


def test_more_folds_than_groups_are_refused_unless_they_are_the_default():
    groups = np.arange(2 * N) % 3
    with pytest.raises(ValueError, match="cv=5 folds need as many groups; groups holds 3"):
        HierarchicalClassifier(SparseLinear(), decoder="single", hierarchy=H, cv=5).fit(X, Y, groups=groups)
    HierarchicalClassifier(SparseLinear(), decoder="single", hierarchy=H).fit(X, Y, groups=groups)


@pytest.mark.filterwarnings("ignore:groups. one group holds")
def test_a_single_group_is_refused():
    with pytest.raises(ValueError, match="belong to one group"):
        HierarchicalClassifier(SparseLinear(), decoder="single", hierarchy=H).fit(X, Y, groups=np.ones(2 * N))


def test_scikit_learn_routes_groups_to_the_model_and_the_splits():
    model = HierarchicalClassifier(PCTForest(n_estimators=5), decoder="single", hierarchy=H, cv=2)
    with config_context(enable_metadata_routing=True):
        model.set_fit_request(groups=True)
        found = cross_validate(model, X, Y, cv=GroupKFold(3), params={"groups": GROUPS}, error_score="raise")
        assert found["test_score"].shape == (3,)
        grid = {"decoder": ["single", "multi"]}
        search = GridSearchCV(model, grid, cv=GroupKFold(2), error_score="raise").fit(X, Y, groups=GROUPS)
        assert search.best_estimator_.n_held_out_ > 0


def test_a_search_as_the_learner_deals_groups():
    search = GridSearchCV(SparseLinear(), {"C": [0.1, 1.0]}, scoring="accuracy", cv=3)
    model = HierarchicalClassifier(search, decoder="threshold", hierarchy=H).fit(X, Y, groups=GROUPS)
    assert isinstance(model.learner_.cv, GroupKFold)


def test_zero_weights_of_some_rows_of_a_group():
    weight = np.where(np.arange(2 * N) % 2 == 0, 1.0, 0.0)
    S = MultiLabelKernelRidge(hierarchy=H).fit_held_out(X, Y, weight, groups=GROUPS)
    assert np.isfinite(S[::2]).all()
    assert np.isnan(S[1::2]).all()  # others of their group were learned from
