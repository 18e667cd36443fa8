"""How probable a score is at a node that is on, against one that is off: by densities and by histograms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse, stats

from truepath import Hierarchy
from truepath.combiners import BayesianAggregation
from truepath.combiners.likelihoods import BinnedLikelihood, GaussianLikelihood
from truepath.errors import ModelFileError
from truepath.persistence import load, save

RNG = np.random.default_rng(0)
S = RNG.random((40, 3))
Y = np.column_stack([S[:, 0] + 0.3 * RNG.random(40) > 0.7, RNG.random(40) < 0.5, np.zeros(40, bool)])
WEIGHT = RNG.integers(1, 4, 40).astype(float)
REPEATED = np.repeat(np.arange(40), WEIGHT.astype(int))


@pytest.mark.parametrize("labels", [np.asarray, sparse.csr_array])
def test_histograms_are_shares_of_each_bin_with_one_row_more(labels):
    found = BinnedLikelihood(S, labels(Y.astype(float)), WEIGHT, 4).log_ratio(S)
    for v in range(2):
        edges = np.quantile(S[:, v], [0.25, 0.5, 0.75])
        place = np.searchsorted(edges, S[:, v], side="right")
        on, off = (np.bincount(place[REPEATED][Y[REPEATED, v] == value], minlength=4) + 1.0 for value in (True, False))
        np.testing.assert_allclose(found[:, v], np.log(on / on.sum() / (off / off.sum()))[place])
    assert not found[:, 2].any()  # no row has the label


@pytest.mark.parametrize("labels", [np.asarray, sparse.csr_array])
def test_densities_have_the_means_of_both_and_variances_drawn_to_that_of_all(labels):
    found = GaussianLikelihood(S, labels(Y.astype(float)), WEIGHT, 4).log_ratio(S)
    for v in range(2):
        scores, on = S[REPEATED, v], Y[REPEATED, v]
        density = {}
        for value in (True, False):
            own = scores[on == value]
            spread = np.sqrt((((own - own.mean()) ** 2).sum() + scores.var()) / (own.size + 1))
            density[value] = stats.norm(own.mean(), spread).logpdf(S[:, v])
        np.testing.assert_allclose(found[:, v], density[True] - density[False])
    assert not found[:, 2].any()


@pytest.mark.parametrize("labels", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("likelihood", [GaussianLikelihood, BinnedLikelihood])
def test_a_label_that_every_row_has_says_nothing(likelihood, labels):
    every = labels(np.column_stack([Y[:, :2], np.ones(40)]))
    for weight in (WEIGHT, *np.random.default_rng(13).random((20, 40))):  # whose sums in two orders differ
        found = likelihood(S, every, weight, 4).log_ratio(S)
        assert found[:, :2].any(axis=0).all()
        assert not found[:, 2].any()


def test_constant_scores_say_nothing():
    assert not GaussianLikelihood(np.full((40, 3), 0.25), Y, WEIGHT, 4).log_ratio(S).any()


def no_width(made):
    made.likelihood_.scales[1, 0] = 0.0


def child_first(made):
    made.parent_[0] = 2


@pytest.mark.parametrize(("change", "said"), [(no_width, "no width"), (child_first, "before its parent")])
def test_what_no_fit_gives_is_refused_when_loaded(change, said, tmp_path):
    h = Hierarchy.from_paths(["a/1", "a/2"])
    truth = h.close(Y[:, [1, 0, 1]] > 0)
    made = BayesianAggregation(hierarchy=h, likelihood="gaussian").fit(S, truth)
    save(made, tmp_path / "model")
    np.testing.assert_array_equal(load(tmp_path / "model").transform(S), made.transform(S))
    change(made)
    save(made, tmp_path / "model")
    with pytest.raises(ModelFileError, match=said):
        load(tmp_path / "model")
