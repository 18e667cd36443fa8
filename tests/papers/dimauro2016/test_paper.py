"""The cutset paper, rerun: what it is made of, one quick cell, and the C4.5 trees that its BCC column comes from."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from truepath.papers import Settings
from truepath.papers.dimauro2016.c45 import C45, Node, extra_errors, grow, pack, prune, recount
from truepath.papers.dimauro2016.paper import (
    METHODS,
    PAPER,
    PRINTED_NAMES,
    cut_at_cardinality,
    load_published,
)


def test_cells_are_unique_and_name_their_data():
    keys = [cell.key for cell in PAPER.cells]
    assert len(set(keys)) == len(keys)
    families = {method.family for method in METHODS.values()}
    sets = {need.removeprefix("mulan/") for cell in PAPER.cells for need in cell.needs}
    assert set(keys) == {f"{name}, {family}" for name in sets for family in families}
    assert sets == set(load_published("dimauro2016")["Table 2"]["accuracy"])


def test_every_published_column_has_a_method():
    published = load_published("dimauro2016")
    for table, measure in PRINTED_NAMES.values():
        for row in published[table][measure].values():
            assert set(row) == {method.column for method in METHODS.values()}


def test_a_set_that_was_not_to_be_had_runs_once_its_folds_are_there(shared_data, tmp_path):
    (tmp_path / "mulan").mkdir()
    (tmp_path / "mulan" / "plant").symlink_to(Path(shared_data) / "mulan" / "flags")
    plant, flags = (next(cell for cell in PAPER.cells if cell.key == f"{name}, RCNET") for name in ("plant", "flags"))
    found = plant.run(Settings(tmp_path))
    assert [row.ours for row in found] == [row.ours for row in flags.run(Settings(shared_data))]
    assert [row.published for row in found] == [0.397, 0.892, 0.344]


@pytest.mark.parametrize("family", ["RCNET", "CNET", "naive Bayes"])
def test_flags_is_met(family, shared_data):
    (cell,) = (cell for cell in PAPER.cells if cell.key == f"flags, {family}")
    found = cell.run(Settings(shared_data))
    assert len(found) == 3 * sum(method.family == family for method in METHODS.values())
    assert {row.verdict for row in found} == {"same"}
    assert {row.table for row in found} == {"Table 2", "Table 3", "Table 4"}
    again = cell.run(Settings(shared_data))
    assert [row.ours for row in again] == [row.ours for row in found]


def test_a_value_that_is_not_met_says_why(shared_data):
    (cell,) = (cell for cell in PAPER.cells if cell.key == "flags, BCC")
    missed = [row for row in cell.run(Settings(shared_data)) if row.verdict != "same"]
    assert missed
    assert all("C4.5" in row.reason for row in missed)


def test_cut_takes_as_many_cells_as_the_cardinality_asks_for():
    S = np.random.default_rng(0).permutation(40).reshape(10, 4) / 40
    for n_on in (0, 1, 7):
        Y = np.zeros((5, 4), int)
        Y.flat[:n_on] = 1
        assert cut_at_cardinality(S, Y).sum() == 2 * n_on


def labelled_rows(seed):
    rng = np.random.default_rng(seed)
    X = (rng.random((int(rng.integers(1, 60)), 5)) < 0.4).astype(np.uint8)
    return X, (X[:, 0] ^ (rng.random(X.shape[0]) < 0.2)).astype(bool)


def list_nodes(node):
    yield node
    for child in node.below or ():
        yield from list_nodes(child)


@given(st.integers(0, 10**6))
def test_c45_counts_are_those_of_the_rows(seed):
    X, y = labelled_rows(seed)
    tree = grow(X, y)
    packed = pack(X), pack(y[:, None])[0], pack(np.ones((y.size, 1)))[0]
    assert recount(tree, *packed) == tree
    pruned = prune(tree, *packed)
    assert recount(pruned, *packed) == pruned
    assert pruned.expected_errors <= tree.expected_errors + 0.1 * sum(1 for _ in list_nodes(tree))
    assert sum(1 for _ in list_nodes(pruned)) <= sum(1 for _ in list_nodes(tree))


@given(st.integers(0, 10**6))
def test_c45_answers_with_the_shares_of_the_leaf(seed):
    X, y = labelled_rows(seed)
    model = C45().fit(X, y)
    P = model.predict_proba(X)
    np.testing.assert_allclose(P.sum(axis=1), 1.0)
    if model.classes_.size == 2:
        assert P[:, 1].sum() == pytest.approx(y.sum())  # shares times rows, leaf by leaf


def test_c45_prunes_a_split_that_does_not_pay():
    X = np.array([[0], [0], [0], [1], [1], [1]] * 2)
    y = np.array([0, 0, 1, 0, 0, 1] * 2) == 1
    root = C45().fit(X, y).root_
    assert root == Node(12, 4)


def test_pessimistic_errors():
    assert extra_errors(0, 0) == 0.0
    assert extra_errors(6, 0) == pytest.approx(6 * (1 - 0.25 ** (1 / 6)))
    assert extra_errors(3, 2.9) == pytest.approx(0.1)
    assert extra_errors(100, 10) < extra_errors(100, 40)
