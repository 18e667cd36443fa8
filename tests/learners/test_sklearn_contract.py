"""scikit-learn's own checks, grid search and pipelines; every expected failure has its reason beside it."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from learners_room import LEARNERS, TREE, make, make_data, members

NOT_ZERO_ONE = "the check's target is not a 0/1 label matrix (values 1 and 2, strings, or several classes)"
ONE_CLASS = "labels with one value are constants here, not errors, and Y has one column per label"
EXPECTED = {
    "check_n_features_in_after_fitting": NOT_ZERO_ONE,
    "check_estimators_dtypes": NOT_ZERO_ONE,
    "check_sample_weights_pandas_series": NOT_ZERO_ONE,
    "check_sample_weights_not_an_array": NOT_ZERO_ONE,
    "check_sample_weights_shape": NOT_ZERO_ONE,
    "check_sample_weights_not_overwritten": NOT_ZERO_ONE,
    "check_sample_weight_equivalence_on_dense_data": NOT_ZERO_ONE,
    "check_sample_weight_equivalence_on_sparse_data": NOT_ZERO_ONE,
    "check_estimator_sparse_array": NOT_ZERO_ONE,
    "check_estimator_sparse_matrix": NOT_ZERO_ONE,
    "check_classifier_data_not_an_array": NOT_ZERO_ONE,
    "check_classifiers_one_label": ONE_CLASS,
    "check_classifiers_one_label_sample_weights": ONE_CLASS,
    "check_classifiers_classes": NOT_ZERO_ONE,
    "check_classifier_multioutput": "the check wants integers back; label matrices are boolean",
    "check_classifiers_train": NOT_ZERO_ONE,
    "check_classifiers_regression_target": "refused, but by naming the value that is neither 0 nor 1",
    "check_classifiers_multilabel_output_format_predict": "the check wants integers back; label matrices are boolean",
    "check_classifier_not_supporting_multiclass": "refused, but by naming the value that is neither 0 nor 1",
    "check_fit2d_1feature": NOT_ZERO_ONE,
    "check_decision_proba_consistency": "the check passes one column of labels; Y has one column per label",
}
WHOLE_ROWS = {
    "check_estimators_pickle": "the check trains on NaN; networks answer for missing values but need whole rows"
}
PURE_LEAVES = {
    "check_classifiers_multilabel_output_format_predict_proba": "the check wants scores above 0; a pure leaf scores 0"
}
PARTIAL_FIT = {"check_estimators_partial_fit_n_features": NOT_ZERO_ONE}
CLIPPED = {
    "check_classifiers_multilabel_output_format_predict_proba": "the check wants scores above 0; clipped ones are 0"
}
CLASS_WEIGHT = {"check_class_weight_classifiers": NOT_ZERO_ONE}
NETWORKS = [name for name, member in members().items() if "discrete features" in member.learns_from]
BESIDES = {
    **dict.fromkeys(NETWORKS, WHOLE_ROWS),
    "pct": PURE_LEAVES,
    "kernel-ridge": CLIPPED,
    "table-blend": CLIPPED,
    "network": PARTIAL_FIT,
    "sparse-linear": CLASS_WEIGHT,
}


# Beside the learners as they come: options that make another model of them
VARIANTS = [("naive-bayes-ml", {"labels": "chain"}), ("tree-augmented-ml", {"labels": "chain"})]


@pytest.mark.parametrize(
    ("name", "options"),
    [(name, {}) for name in LEARNERS] + [pytest.param(*variant, marks=pytest.mark.slow) for variant in VARIANTS],
)
def test_scikit_learn_checks(name, options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks provoke warnings on purpose
        expected = EXPECTED | BESIDES.get(name, {})
        results = check_estimator(make(name, **options), expected_failed_checks=expected, on_skip=None, on_fail=None)
    failed = {result["check_name"]: result["exception"] for result in results if result["status"] == "failed"}
    assert not failed
    assert sum(result["status"] == "passed" for result in results) >= 40


@pytest.mark.parametrize("name", LEARNERS)
def test_inside_a_pipeline_and_grid_search(name):
    X, Y = make_data(TREE)
    learner = make(name, TREE)
    pipeline = make_pipeline(StandardScaler(), learner).fit(X, Y)
    assert pipeline.predict_proba(X).shape == Y.shape
    search = GridSearchCV(
        make_pipeline(StandardScaler(with_std=False), learner), {"standardscaler__with_std": [True]}, cv=2
    )
    assert 0 <= search.fit(X, Y).best_score_ <= 1


@pytest.mark.parametrize("name", LEARNERS)
def test_out_of_fold_predictions(name):
    X, Y = make_data(TREE)
    S = cross_val_predict(make(name, TREE), X, Y, cv=2, method="predict_proba")
    first = make(name, TREE).fit(X[30:], Y[30:]).predict_proba(X[:30])
    np.testing.assert_allclose(S[:30], first)
    assert S.shape == Y.shape
