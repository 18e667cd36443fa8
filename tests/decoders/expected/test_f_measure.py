"""The set of greatest expected F: against all closed sets of small hierarchies, each with its probability."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import oracles_expected as oracles
from strategies import dags, hierarchies, score_matrices, trees
from truepath import Hierarchy
from truepath.data import make_hmc
from truepath.decoders import ExpectedF
from truepath.decoders.expected.label_sets import LEAST, LabelSets

TREE = Hierarchy.from_paths(["a/1", "a/2", "b/1"])


def plain(paths, h, beta=1.0):
    return ExpectedF(beta, hierarchy=h, paths=paths, calibrate=None, weigh_sizes=False)


def gains(beta):
    return lambda k, s: (1 + beta**2) / (k + beta**2 * s)


def compare(h, s, found, sets, p, beta):
    assert h.is_closed(found[None])
    value = oracles.expected_f(found, sets, p, beta)
    assert value == pytest.approx(oracles.best_expected_f(h, sets, p, beta), rel=1e-6, abs=1e-9)


@given(st.data(), st.sampled_from([0.5, 1.0, 2.0]))
@settings(max_examples=60, deadline=None)
def test_no_closed_set_is_better_on_trees(data, beta):
    h = data.draw(trees(max_nodes=8))
    S = data.draw(score_matrices(h, n_rows=3))
    for s, y in zip(S, plain("many", h, beta).predict(S)):
        compare(h, s, y, *oracles.many_paths(h, s), beta)


@given(st.data(), st.sampled_from([0.5, 1.0, 2.0]))
@settings(max_examples=60, deadline=None)
def test_no_closed_set_is_better_for_one_path(data, beta):
    h = data.draw(hierarchies(max_nodes=8))
    S = data.draw(score_matrices(h, n_rows=3))
    for s, y in zip(S, plain("one", h, beta).predict(S)):
        compare(h, s, y, *oracles.one_path(h, s, np.ones(h.n_nodes, bool)), beta)


@given(st.data(), st.booleans(), st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_sizes_are_weighed(data, many, seed):
    h = data.draw(trees(max_nodes=7))
    S = data.draw(score_matrices(h, n_rows=2))
    rng = np.random.default_rng(seed)
    weight, may_end = rng.integers(1, 5, rng.integers(1, 6)) / 2, (rng.random(h.n_nodes) < 0.5) | h.is_leaf
    model = LabelSets(h, many, may_end, weight)
    (_, Y, value, limit), *_ = model.best_sets(S, gains(1.0))
    for s, y, found, most in zip(S, Y, value, limit):
        sets, p = oracles.many_paths(h, s) if many else oracles.one_path(h, s, may_end)
        p = oracles.weigh(sets, p, weight)
        compare(h, s, y, sets, p, 1.0)
        assert found == pytest.approx(oracles.expected_f(y, sets, p, 1.0), rel=1e-6, abs=1e-9)
        assert most >= found


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_gaps_hold_on_dags(data):
    h = data.draw(dags(max_nodes=8))
    S = data.draw(score_matrices(h, n_rows=3))
    Y, gaps = plain("many", h).predict_with_gaps(S)
    assert h.is_closed(Y)
    assert (gaps >= 0).all()
    for s, y, gap in zip(S, Y, gaps):
        sets, p = oracles.many_paths(h, s)
        value, best = oracles.expected_f(y, sets, p, 1.0), oracles.best_expected_f(h, sets, p, 1.0)
        assert value >= best - gap - 1e-6
    if h.is_tree:
        assert (gaps == 0).all()


@given(st.data(), st.booleans())
@settings(max_examples=60, deadline=None)
def test_no_single_path_is_better(data, many):
    h = data.draw(hierarchies(max_nodes=8))
    S = data.draw(score_matrices(h, n_rows=3))
    decoder = plain("many" if many else "one", h).set_params(single_path=True)
    for s, y in zip(S, decoder.predict(S)):
        sets, p = oracles.many_paths(h, s) if many else oracles.one_path(h, s, np.ones(h.n_nodes, bool))
        paths = h.close(np.eye(h.n_nodes, dtype=bool))
        likely = paths[(paths <= (s > LEAST)).all(axis=1)]  # a label without any probability is never predicted
        best = max((oracles.expected_f(path, sets, p, 1.0) for path in likely), default=0.0)
        assert oracles.expected_f(y, sets, p, 1.0) == pytest.approx(best, rel=1e-6, abs=1e-9)
        assert not y.any() or (y == paths).all(axis=1).any()


@pytest.mark.parametrize("seed", range(4))
def test_fifteen_nodes(seed):
    rng = np.random.default_rng(seed)
    h = Hierarchy.from_parents([-1, *(int(rng.integers(-1, v)) for v in range(1, 15))])
    S = h_scores(h, rng, 2)
    for paths in ("many", "one"):
        for s, y in zip(S, plain(paths, h).predict(S)):
            model = oracles.many_paths(h, s) if paths == "many" else oracles.one_path(h, s, np.ones(15, bool))
            compare(h, s, y, *model, 1.0)


def h_scores(h, rng, n_rows):
    """Draw coherent scores."""
    S = rng.random((n_rows, h.n_nodes)) ** 0.5
    for v in range(h.n_nodes):
        for u in h.parents(v):
            S[:, v] *= S[:, u]
    return S


@given(st.integers(0, 99), st.sampled_from([0.5, 1.0, 2.0]))
@settings(max_examples=30, deadline=None)
def test_one_leaf_is_decided_as_published(seed, beta):
    rng = np.random.default_rng(seed)
    h = Hierarchy.from_paths(["a/1", "a/2/x", "a/2/y", "b/1", "b/2", "c"])
    p = rng.dirichlet(np.full(h.leaves.size, 0.5))
    S = np.zeros((1, h.n_nodes))
    S[0, h.leaves] = p
    S = S @ h.ancestor_matrix().toarray()  # a label is as likely as the leaves below it
    _, best = oracles.rule_for_one_leaf(h, p, beta)
    sets, q = oracles.one_path(h, S[0], h.is_leaf)
    found = plain("one", h, beta).predict(S)[0]
    assert oracles.expected_f(found, sets, q, beta) == pytest.approx(best)


def test_many_labels_of_a_flat_set():
    """Sets may be larger than the number of true labels: ten equal ones, of which one is true."""
    S = np.full((1, 10), 0.1)
    assert plain("one", Hierarchy.flat(10)).predict(S).all()
    assert not plain("many", Hierarchy.flat(3)).predict(np.zeros((2, 3))).any()


def test_rows_do_not_depend_on_each_other():
    ds = make_hmc(200, 5, 60, depth=3, branching=4, random_state=0)
    S = h_scores(ds.hierarchy, np.random.default_rng(0), 200) ** np.linspace(0.2, 4, 200)[:, None]
    decoder = plain("many", ds.hierarchy)
    alone = np.vstack([decoder.predict(S[i : i + 1]) for i in range(200)])
    np.testing.assert_array_equal(decoder.predict(S), alone)
    np.testing.assert_array_equal(decoder.predict(sparse.csr_array(S)).toarray(), alone)


def test_the_sizes_of_rows_are_learned():
    """Rows have exactly one of four labels; the marginals alone would leave room for two."""
    rng = np.random.default_rng(0)
    h = Hierarchy.flat(4)
    S = np.full((400, 4), 0.2)
    label = rng.integers(4, size=400)
    S[np.arange(400), (label + (rng.random(400) < 0.4)) % 4] = 0.45
    Y = np.eye(4, dtype=bool)[label]
    decoder = ExpectedF(hierarchy=h, paths="many", calibrate=None).fit(S, Y)
    spread = decoder.size_weight_
    assert spread[1] > 1 > max(spread[0], spread[2])
    assert decoder.held_out_f_ >= ExpectedF(hierarchy=h, paths="many", calibrate=None, weigh_sizes=False).fit(
        S, Y
    )._mean_f(LabelSets.plain(h, True), S, Y, np.ones(400))


def test_it_goes_over_to_a_changed_hierarchy():
    rng = np.random.default_rng(0)
    S = h_scores(TREE, rng, 40)
    decoder = ExpectedF(hierarchy=TREE).fit(S, S > 0.4)
    diff = TREE.edit().add("b/2", "b").diff()
    new = decoder.update(diff)
    wider = np.zeros((40, diff.new.n_nodes))
    wider[:, [diff.new.index(name) for name in TREE.names]] = S
    assert diff.new.is_closed(new.predict(wider))
    same = TREE.edit().rename("b", "c").diff()
    np.testing.assert_array_equal(decoder.update(same).predict(S), decoder.predict(S))


@pytest.mark.parametrize(
    "options", [{"beta": 0}, {"beta": "1"}, {"paths": "two"}, {"calibrate": "map"}, {"weigh_sizes": "yes"}]
)
def test_what_is_refused(options):
    with pytest.raises((ValueError, TypeError), match=next(iter(options))):
        ExpectedF(hierarchy=TREE, **options).fit([[0.5] * 5], [[1, 1, 0, 0, 0]])


def test_real_rows_are_decided_better_than_by_one_threshold(imclef07a):
    from truepath.decoders import SingleThreshold
    from truepath.metrics import hierarchical_f1

    S, Y, h = imclef07a("val")
    S_test, Y_test, _ = imclef07a("test")
    ours = ExpectedF(hierarchy=h).fit(S, Y).predict(S_test)
    single = SingleThreshold(lambda y, p: hierarchical_f1(y, p, h, average="samples"), hierarchy=h, candidates=200)
    theirs = single.fit(S, Y).predict(S_test)
    f_ours, f_theirs = (hierarchical_f1(Y_test, P, h, average="samples") for P in (ours, theirs))
    assert f_ours > f_theirs + 0.005
