"""Labels that never vary: one rule for all learners and combiners that meet them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from strategies import dags, label_matrices
from truepath.adapters.varying import find_constant_labels, set_constant_scores
from truepath.learners import MultiLabelKernelRidge, TableBlend


@given(st.data())
def test_a_label_is_constant_where_all_rows_agree(data):
    Y = data.draw(label_matrices(data.draw(dags())))
    found = find_constant_labels(Y)
    for column, value in zip(Y.T, found):
        assert (set(column.tolist()) == {bool(value)}) if np.isfinite(value) else len(set(column.tolist())) == 2
    np.testing.assert_array_equal(find_constant_labels(sparse.csr_array(Y)), found)
    S = set_constant_scores(np.full(Y.shape, 0.5), found)
    np.testing.assert_array_equal(S, np.where(np.isfinite(found), found, 0.5) * np.ones(Y.shape))


def test_constant_labels_score_what_they_always_were():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(60, 4)), rng.random((60, 4)) < 0.4
    Y[:, 1], Y[:, 2] = True, False
    for model in (MultiLabelKernelRidge(), TableBlend()):
        S = model.fit(X, Y).predict_proba(rng.normal(size=(5, 4)))
        assert (S[:, 1] == 1).all()
        assert (S[:, 2] == 0).all()
