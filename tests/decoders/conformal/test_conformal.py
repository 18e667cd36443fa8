"""Conformal decoders: exactly what the definition gives on small hierarchies, and coverage on drawn data."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.stats import binom

from oracles_conformal import best_closed_set, closed_sets, highest_level
from strategies import hierarchies, label_matrices, score_matrices, trees
from truepath import HierarchicalClassifier, Hierarchy
from truepath.combiners import Isotonic
from truepath.decoders import ConformalRisk, ConformalSet, ConformalSubtree, SureLabels
from truepath.decoders.conformal.base import SLACK
from truepath.decoders.conformal.shapes import SHAPES, Shape, end_scores

FEW = settings(max_examples=25)
shares = st.sampled_from([0.1, 0.25, 0.4, 0.5, 0.7])


def ranked(S):
    """Return scores whose ties the mean scores of the labels decide."""
    return S + 1e-6 * S.mean(axis=0)


def draw_case(data, kind=hierarchies, n_rows=6):
    h = data.draw(kind(max_nodes=6))
    S = data.draw(score_matrices(h, n_rows=n_rows, min_rows=n_rows))
    return h, S, data.draw(label_matrices(h, n_rows=n_rows, min_rows=n_rows))


@given(st.data(), shares)
@FEW
def test_sets_are_those_of_the_highest_level_allowed(data, missed):
    h, S, Y = draw_case(data)
    level = highest_level(ranked(S), Y, h, "any", missed)
    found = ConformalSet(1 - missed, hierarchy=h).fit(S, Y).predict(S)
    np.testing.assert_array_equal(found, ranked(S) >= level)


@given(st.data(), shares, st.sampled_from(["miss-rate", "miss-cost", "h-loss"]))
@FEW
def test_risks_are_those_of_the_highest_level_allowed(data, risk, loss):
    h, S, Y = draw_case(data)
    level = highest_level(ranked(S), Y, h, loss, risk)
    found = ConformalRisk(risk, loss, hierarchy=h).fit(S, Y).predict(S)
    np.testing.assert_array_equal(found, ranked(S) >= level)


@given(st.data(), shares)
@FEW
def test_labels_and_levels_have_levels_of_their_own(data, missed):
    h, S, Y = draw_case(data)
    fitted, S = S, ranked(S)
    for per, groups in (("label", np.arange(h.n_nodes)), ("level", h.depth - 1)):
        wanted = np.zeros(S.shape, bool)
        for g in np.unique(groups):
            own = groups == g
            rows = Y[:, own].any(axis=1)
            level = -np.inf
            if rows.any():
                level = highest_level(S[rows][:, own], Y[rows][:, own], Hierarchy.flat(int(own.sum())), "any", missed)
            wanted[:, own] = S[:, own] >= level
        found = ConformalSet(1 - missed, hierarchy=h, per=per).fit(fitted, Y).predict(fitted)
        np.testing.assert_array_equal(found, h.close(wanted))


@given(st.data(), st.floats(0.01, 0.9))
@FEW
def test_subtrees_are_the_best_closed_sets_of_their_price(data, price):
    h = data.draw(trees(max_nodes=6))
    S = data.draw(score_matrices(h, n_rows=1, min_rows=1))
    f = end_scores(S, h)
    g = Isotonic(hierarchy=h).transform(f)[0]
    chosen = g >= price
    assert (f[0] - price)[chosen].sum() == pytest.approx(best_closed_set(f[0], price, h))
    assert any((chosen == y).all() for y in closed_sets(h))


@given(st.data(), shares, st.sampled_from(sorted(SHAPES)))
@FEW
def test_subtrees_have_the_highest_price_allowed(data, missed, name):
    h, S, Y = draw_case(data)
    shape = Shape.of(name, S, h)
    worth = shape.nest(S, h)
    wanted = (end_scores(S, h) if name.endswith("ends") else S) + SHAPES[name][1] * shape.usual
    for g, w in zip(worth, wanted):
        values = np.unique(g)
        for price in (values[:-1] + values[1:]) / 2:  # between two prices at which the set changes
            assert (w - price)[g >= price].sum() == pytest.approx(best_closed_set(w, price, h))
    level = highest_level(worth, Y, h, "any", missed)
    decoder = ConformalSubtree(1 - missed, hierarchy=h, shape=name).fit(S, Y)
    np.testing.assert_array_equal(decoder.predict(S), worth >= level - SLACK)  # equal but for rounding is equal


def test_subtrees_worth_the_same_but_for_rounding_are_all_taken():
    h = Hierarchy.from_edges([("a", "a/1")])
    S = np.array([[0, 0], [0.25, 0.25], [0.375, 0.375], [0.5, 0.125], [0.5, 0.125], [0.875, 0.375]])
    Y = np.zeros((6, 2), bool)
    Y[4] = True  # worth .125, as both labels of the second row together
    found = ConformalSubtree(0.75, hierarchy=h, shape="ends").fit(S, Y).predict(S)
    assert found.tolist() == [[False] * 2, *[[True] * 2] * 5]


@given(st.data(), shares, st.booleans())
@FEW
def test_sure_labels_are_above_the_highest_false_ones(data, missed, single_path):
    h, S, Y = draw_case(data, trees)
    scored = S.copy()
    if single_path:
        for s in scored:
            at, path = h.roots, []
            while at.size:
                path.append(int(at[s[at].argmax()]))
                at = h.children(path[-1])
            s[np.setdiff1d(np.arange(h.n_nodes), path)] = 0
    worst = np.sort([s[~y].max(initial=-np.inf) for s, y in zip(scored, Y)])
    k = int(np.ceil((1 - missed) * 7 - 1e-9))
    level = worst[k - 1] if k <= 6 else np.inf
    decoder = SureLabels(1 - missed, hierarchy=h, single_path=single_path).fit(S, Y)
    np.testing.assert_array_equal(decoder.predict(S), scored > max(level, 0))
    assert decoder.predict(sparse.csr_array(S)).toarray().tolist() == (scored > max(level, 0)).tolist()


TREE = Hierarchy.from_paths([f"{a}/{b}/{c}" for a in "pqr" for b in "123" for c in "xyz"])


def one_path_rows(n_rows, rng):
    """Scores of a tree that are nearly its probabilities, and one true leaf per row."""
    logits = rng.normal(0, 2, (n_rows, TREE.leaves.size))
    p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    leaf = (p.cumsum(axis=1) > rng.random((n_rows, 1))).argmax(axis=1)
    Y = np.zeros((n_rows, TREE.n_nodes), bool)
    Y[np.arange(n_rows), TREE.leaves[leaf]] = True
    S = p @ TREE.ancestor_matrix()[TREE.leaves].toarray()
    return S, TREE.close(Y)


SUBTREES = [ConformalSubtree(shape=shape) for shape in ("auto", "usual-ends", "labels")]
COVERING = [ConformalSet(), *SUBTREES, SureLabels(), SureLabels(single_path=True)]


@pytest.mark.parametrize("decoder", COVERING, ids=str)
@pytest.mark.parametrize("coverage", [0.8, 0.95])
def test_coverage_is_what_is_asked_for(decoder, coverage):
    rng = np.random.default_rng(0)
    n_splits, n_new = 60, 100
    hits = 0
    decoder = type(decoder)(**{**decoder.get_params(), "coverage": coverage, "hierarchy": TREE})
    for _ in range(n_splits):
        S, Y = one_path_rows(300, rng)
        found = decoder.fit(S[:-n_new], Y[:-n_new]).predict(S[-n_new:])
        wrong = found & ~Y[-n_new:] if isinstance(decoder, SureLabels) else Y[-n_new:] & ~found
        hits += int((~wrong.any(axis=1)).sum())
        assert TREE.is_closed(found)
    # held-out sets vary too: the number of hits is beta-binomial, about 1.5 times as spread as binomial here
    low, high = binom.interval(0.99, n_splits * n_new, coverage) / np.array(n_splits * n_new)
    assert coverage + 1.3 * (low - coverage) <= hits / (n_splits * n_new) <= coverage + 1.3 * (high - coverage) + 0.005


def test_the_shape_is_chosen_by_rows_that_do_not_set_the_price():
    S, Y = one_path_rows(500, np.random.default_rng(4))
    decoder = ConformalSubtree(hierarchy=TREE).fit(S, Y)
    assert decoder.shape_ == min(decoder.sizes_, key=decoder.sizes_.get)
    assert decoder.steps_.weight == 300
    assert not hasattr(decoder, "thresholds_")
    others = np.setdiff1d(np.arange(500), np.random.RandomState(0).permutation(500)[:200])
    Y[others] = Y[others][::-1]  # the labels there change nothing
    assert ConformalSubtree(hierarchy=TREE).fit(S, Y).sizes_ == decoder.sizes_
    few = ConformalSubtree(hierarchy=TREE).fit(S[:60], Y[:60])
    assert (few.shape_, few.sizes_, few.steps_.weight) == ("ends", {}, 60)


def test_subtrees_are_smaller_than_closed_leaves():
    rng = np.random.default_rng(1)
    S, Y = one_path_rows(1500, rng)
    flat = ConformalSet(0.9).fit(S[:1000, TREE.leaves], Y[:1000, TREE.leaves]).predict(S[1000:, TREE.leaves])
    of_leaves = np.zeros((500, TREE.n_nodes), bool)
    of_leaves[:, TREE.leaves] = flat
    ours = ConformalSubtree(0.9, hierarchy=TREE, shape="ends").fit(S[:1000], Y[:1000]).predict(S[1000:])
    assert ours.sum() < TREE.close(of_leaves).sum()


def test_the_target_may_change_after_fitting():
    S, Y = one_path_rows(400, np.random.default_rng(2))
    decoder = ConformalSet(0.5, hierarchy=TREE).fit(S, Y)
    small = decoder.predict(S)
    larger = decoder.set_params(coverage=0.95).predict(S)
    assert (larger >= small).all()
    assert larger.sum() > small.sum()
    np.testing.assert_array_equal(larger, ConformalSet(0.95, hierarchy=TREE).fit(S, Y).predict(S))
    assert (S > decoder.thresholds_).tolist() == larger.tolist()


def test_scores_of_nothing_do_not_let_everything_in():
    """A third of the rows have a true label that scores 0: the sets that hold them grow by the likelier labels."""
    h = Hierarchy.flat(50)
    rng = np.random.default_rng(5)
    label = np.minimum(rng.geometric(0.15, 900), 50) - 1
    Y = np.eye(50, dtype=bool)[label]
    S = np.where(Y & (rng.random(900) < 0.67)[:, None], 0.9, 0.0)
    decoder = ConformalSet(0.9, hierarchy=h).fit(S[:600], Y[:600])
    found = decoder.predict(S[600:])
    assert found.sum(axis=1).mean() < 15
    assert (found | ~Y[600:]).all(axis=1).mean() == pytest.approx(0.9, abs=0.05)
    np.testing.assert_array_equal(decoder.predict(sparse.csr_array(S[600:])).toarray(), found)


@pytest.mark.parametrize(
    ("decoder", "said"),
    [
        (ConformalSet(1.0), "coverage must be"),
        (ConformalSet(per="rows"), "per must be"),
        (ConformalRisk(0), "risk must be"),
        (ConformalRisk(loss="f1"), "loss must be"),
        (SureLabels(90), "coverage must be"),
        (ConformalSubtree(shape="leaves"), "shape must be"),
    ],
)
def test_what_is_refused(decoder, said):
    with pytest.raises(ValueError, match=said):
        decoder.fit([[0.5]], [[1]])


def test_a_classifier_takes_them_by_name(tmp_path):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(150, 3))
    labels = [["a/1"] if x[0] > 0 else ["a/2"] if x[1] > 0 else ["b"] for x in X + rng.normal(0, 0.3, X.shape)]
    model = HierarchicalClassifier("pct", decoder="conformal", cv=3).fit(X, labels)
    model.save(tmp_path / "m.tp")
    again = HierarchicalClassifier.load(tmp_path / "m.tp")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert again.decoder_.steps_[0].weight == 150
    assert "ConformalSet" in str(model.explain(X[0]))
