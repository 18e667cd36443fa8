"""Draws with replacement, as rows and as weights, and intervals of values over draws."""

import numpy as np

from truepath.resampling import as_generator, count_draws, draw_bootstraps, interval_of


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
