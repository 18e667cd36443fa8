"""Features as states: values as they are, intervals of numeric features, and categories that are too many."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learners_room import make_rows
from truepath.learners import BaggedCutsetNetworks, ChowLiuTree, CutsetNetwork, RestrictedCutsetNetwork
from truepath.learners.cutset.codes import MISSING, StateCoder
from truepath.preprocessing.cut_points import cut_between, find_quantile_cuts


def continuous_rows(n_rows=100, n_features=20, n_labels=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_features))
    return X, X @ rng.normal(size=(n_features, n_labels)) > 0


@pytest.mark.parametrize("cls", [ChowLiuTree, CutsetNetwork, RestrictedCutsetNetwork])
@pytest.mark.parametrize("discretize", ["quantiles", "laim"])
def test_continuous_features_are_cut_and_learned_at_once(cls, discretize):
    X, Y = continuous_rows()
    model = cls(discretize=discretize).fit(X, Y)  # with every value a state this took more than a minute
    assert set(model.cuts_) == set(range(20))
    assert all(1 <= cuts.size < 3 for cuts in model.cuts_.values())
    far = model.predict_proba(np.where(X < 0, -1e9, 1e9))  # every value has an interval
    assert np.isfinite(far).all()


def test_what_is_cut_equals_what_was_cut_before():
    X, Y = continuous_rows()
    model = RestrictedCutsetNetwork().fit(X, Y)
    codes = np.column_stack([np.searchsorted(model.cuts_[j], X[:, j]) for j in range(20)]).astype(float)
    by_hand = RestrictedCutsetNetwork().fit(codes, Y)
    assert by_hand.cuts_ == {}
    assert by_hand.log_likelihood_ == model.log_likelihood_
    np.testing.assert_array_equal(by_hand.predict_marginals(codes), model.predict_marginals(X))


def test_few_values_stay_as_they_are():
    X, Y = continuous_rows(60, 3)
    X[:, 0] = np.arange(60) % 8
    model = RestrictedCutsetNetwork().fit(X, Y)
    assert set(model.cuts_) == {1, 2}
    np.testing.assert_array_equal(model._coder.categories[0], np.arange(8))
    drawn, _ = model.sample(30, random_state=0)
    np.testing.assert_array_equal(model._coder.decode(model._coder.encode(drawn)), drawn)
    assert np.isin(drawn, X).all()


def test_rows_of_equal_weight_are_cut_alike():
    X, Y = continuous_rows(40, 4)
    weight = np.arange(40) % 3
    once = RestrictedCutsetNetwork().fit(X, Y, sample_weight=weight)
    again = RestrictedCutsetNetwork().fit(np.repeat(X, weight, axis=0), np.repeat(Y, weight, axis=0))
    assert once.log_likelihood_ == again.log_likelihood_


def test_too_many_categories_name_the_column_and_the_way_out():
    pandas = pytest.importorskip("pandas")
    X, Y = make_rows(40)
    frame = pandas.DataFrame(X, columns=list("abcde"))
    frame["c"] = np.arange(40) % 12
    with pytest.raises(ValueError, match=r"12 categories in feature 2, 'c', more than max_states=8.*raise max_states"):
        CutsetNetwork(categorical_features=["c"]).fit(frame, Y)
    model = CutsetNetwork(categorical_features=["c"], max_states=12).fit(frame, Y)
    assert model._coder.n_states[2] == 12
    assert set(CutsetNetwork().fit(frame, Y).cuts_) == {2}
    with pytest.raises(ValueError, match=r"12 distinct values in feature 2, 'c'.*LAIM"):
        CutsetNetwork(discretize=None).fit(frame, Y)


@pytest.mark.parametrize(
    ("parameter", "value"), [("discretize", "cubes"), ("n_intervals", 1), ("max_states", 0), ("prior", "none")]
)
def test_parameters_are_checked(parameter, value):
    with pytest.raises(ValueError, match=parameter):
        RestrictedCutsetNetwork(**{parameter: value}).fit(*continuous_rows(20, 2))


def test_members_of_a_bag_cut_for_themselves():
    X, Y = continuous_rows(60, 4)
    bag = BaggedCutsetNetworks(n_estimators=2, random_state=0).fit(X, Y)
    assert all(set(member.cuts_) == {0, 1, 2, 3} for member in bag.estimators_)
    assert bag.predict(X).shape == Y.shape


@settings(max_examples=60)
@given(st.lists(st.integers(-4, 9), min_size=1, max_size=40), st.integers(2, 7))
def test_quantile_cuts_leave_no_interval_empty(values, n_intervals):
    values = np.array(values, float)
    cuts = find_quantile_cuts(values, n_intervals)
    counts = np.bincount(np.searchsorted(cuts, values), minlength=cuts.size + 1)
    assert counts.all()
    assert min(1, np.unique(values).size - 1) <= cuts.size < n_intervals
    np.testing.assert_array_equal(cuts, np.unique(cuts))


def test_quantile_cuts_share_the_rows_evenly():
    values = np.random.default_rng(0).normal(size=900)
    counts = np.bincount(np.searchsorted(find_quantile_cuts(values, 3), values))
    np.testing.assert_array_equal(counts, [300, 300, 300])


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(allow_nan=False, allow_infinity=False))
def test_a_cut_lies_between_its_values(a, b):
    low, high = min(a, b), max(a, b)
    if low < high:
        assert low <= cut_between(low, high) < high
        assert low <= cut_between(low, np.nextafter(low, np.inf)) < np.nextafter(low, np.inf)


def test_missing_values_of_a_cut_feature_are_unobserved():
    X, Y = continuous_rows(50, 2)
    coder = RestrictedCutsetNetwork().fit(X, Y)._coder
    asked = np.array([[np.nan, -99.0], [99.0, np.nan]])
    np.testing.assert_array_equal(coder.encode(asked), [[MISSING, 0], [2, MISSING]])


def test_states_of_a_file_that_lead_outside_are_refused():
    coder = StateCoder([np.array([0.0, 1, 2])], {0: np.array([0.5, 1.5])})
    coder.check_loaded()
    coder.cuts[0] = np.array([0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match="intervals"):
        coder.check_loaded()
    coder.n_states = np.array([2])
    with pytest.raises(ValueError, match="states"):
        coder.check_loaded()
