"""Draws with replacement, as rows and as weights, and intervals of values over draws."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from truepath.resampling import as_generator, centre_draws, count_draws, draw_bootstraps, interval_of


def test_draws_are_of_as_many_rows_and_count_as_weights():
    draws = list(draw_bootstraps(50, 20, 0))
    assert len(draws) == 20
    values = np.random.default_rng(1).random(50)
    for rows in draws:
        weight = count_draws(rows, 50)
        assert weight.sum() == 50
        assert np.isclose(values[rows].sum(), weight @ values)
    distinct = np.mean([np.unique(rows).size for rows in draws])
    assert 28 < distinct < 36  # 1 - 1/e of them


def test_the_same_seed_draws_the_same_rows_and_a_generator_goes_on():
    one, two = (np.array(list(draw_bootstraps(9, 3, 5))) for _ in range(2))
    assert np.array_equal(one, two)
    generator = as_generator(5)
    first, second = (np.array(list(draw_bootstraps(9, 3, generator))) for _ in range(2))
    assert np.array_equal(first, one)
    assert not np.array_equal(second, one)
    of_old_kind = np.array(list(draw_bootstraps(9, 3, np.random.RandomState(5))))
    assert np.array_equal(of_old_kind, np.array(list(draw_bootstraps(9, 3, np.random.RandomState(5)))))


def test_intervals_are_quantiles_of_what_is_known():
    draws = np.append(np.arange(101.0), [np.nan, np.nan])
    assert np.allclose(interval_of(draws, 0.9), (5.0, 95.0))
    assert interval_of(draws, (0.25, 0.5)) == (25.0, 50.0)
    assert np.isnan(interval_of([np.nan], 0.9)).all()


@given(arrays(float, st.integers(1, 30), elements=st.floats(0, 1)), st.floats(0, 1), st.floats(0.05, 0.99))
def test_an_interval_around_a_value_holds_it_and_keeps_to_its_bounds(draws, value, confidence):
    low, high = interval_of(draws, confidence, around=value, bounds=(0.0, 1.0))
    assert 0 <= low <= value <= high <= 1
    moved = centre_draws(draws, value)
    assert abs(moved.mean() - value) <= 3 * draws.std() / draws.size**0.5 + 1e-12
    assert np.isclose(np.ptp(moved), np.ptp(draws))  # what is kept is the spread


def test_draws_beside_the_value_by_chance_are_left_where_they_are():
    draws = np.random.default_rng(0).normal(size=400)
    assert interval_of(draws, 0.9, around=0.01) == interval_of(draws, 0.9)
