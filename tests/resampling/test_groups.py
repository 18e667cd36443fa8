"""Groups of rows: never divided, no part empty, labels shared out as far as whole groups allow."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from truepath.data import stratified_folds
from truepath.resampling import count_groups, deal_folds, deal_rows, draw_some, share_rows


def is_divided(groups, parts):
    """Say whether some group has rows in two parts."""
    return len(set(zip(groups.tolist(), parts.tolist()))) > len(set(groups.tolist()))


@given(st.lists(st.integers(0, 12), min_size=2, max_size=60), st.integers(2, 6), st.integers(0, 3))
def test_no_group_is_divided_and_no_part_empty(groups, n_folds, seed):
    groups = np.array(groups)
    if len(set(groups.tolist())) < 2:
        return
    Y = np.random.default_rng(seed).random((groups.size, 5)) < 0.3
    wanted = min(n_folds, count_groups(groups))
    for folds in (deal_folds(Y, n_folds, seed, groups), deal_rows(groups.size, n_folds, seed, groups)):
        assert not is_divided(groups, folds)
        assert set(folds.tolist()) == set(range(wanted))
    parts = share_rows(Y, [0.8, 0.2], seed, groups)
    assert not is_divided(groups, parts)
    assert set(parts.tolist()) == {0, 1}
    drawn = draw_some(groups.size, groups.size // 2, seed, groups)
    assert drawn.size <= groups.size // 2
    assert not is_divided(groups, np.isin(np.arange(groups.size), drawn))


def test_groups_of_one_row_are_shared_out_like_rows():
    rng = np.random.default_rng(0)
    Y = rng.random((600, 10)) < 0.1
    folds = deal_folds(Y, 5, 0, np.arange(600))
    assert np.bincount(folds).tolist() == [120] * 5
    rarest = np.argmin(Y.sum(axis=0))
    assert np.ptp(np.bincount(folds[Y[:, rarest]], minlength=5)) <= 1


def test_large_and_small_groups_give_parts_of_about_their_share():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(60), rng.integers(1, 30, 60))
    Y = np.eye(4, dtype=bool)[groups % 4]
    folds = deal_folds(Y, 5, 0, groups)
    assert np.bincount(folds).max() < 1.2 * groups.size / 5
    for label in range(4):
        assert np.bincount(folds[Y[:, label]], minlength=5).min() > 0


def test_one_group_cannot_be_divided():
    with pytest.raises(ValueError, match="all 4 rows to divide belong to one group"):
        deal_folds(np.eye(4, dtype=bool), 2, 0, np.zeros(4, int))


def test_stratified_folds_keep_groups_together_and_ask_for_enough_of_them():
    Y, groups = np.tile(np.eye(2, dtype=bool), (4, 1)), ["a", "a", "b", "b", "c", "c", "d", "d"]
    for train, test in stratified_folds(Y, 2, 0, groups=groups):
        assert not {groups[i] for i in train} & {groups[i] for i in test}
    with pytest.raises(ValueError, match="n_splits=5 folds need as many groups; groups holds 4"):
        stratified_folds(Y, 5, 0, groups=groups)
