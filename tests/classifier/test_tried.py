"""What was tried is a list of records, saved with the model."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import LogisticRegression

from truepath import HierarchicalClassifier
from truepath.metrics import Tried


def test_one_learner_leaves_the_list_empty_and_a_file_keeps_records(tmp_path):
    X, Y = np.arange(8.0).reshape(4, 2), np.array([[1, 0], [1, 1], [0, 0], [1, 0]])
    model = HierarchicalClassifier(LogisticRegression(), decoder="threshold").fit(X, Y)
    assert model.tried_ == []
    model.tried_ = [Tried("forest", 0.6, "auprc", weight=0.7, seconds=2.0), Tried("linear", 0.5, "auprc", weight=0.3)]
    model.save(tmp_path / "model.tp")
    assert HierarchicalClassifier.load(tmp_path / "model.tp").tried_ == model.tried_
