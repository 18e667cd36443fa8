"""scikit-learn's own checks; every expected failure has its reason beside it."""

from __future__ import annotations

import warnings

import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import check_estimator

from truepath import HierarchicalClassifier
from truepath.learners import BinaryRelevance, PCTForest

NOT_ZERO_ONE = "the check's target is not a 0/1 label matrix (values 1 and 2, strings, or several classes)"
ONE_CLASS = "labels with one value are constants here, not errors, and Y has one column per label"
BOOLEAN = "the check wants integers back; label matrices are boolean"
NAMES_VALUE = "refused, but by naming the value that is neither 0 nor 1"
EXPECTED = {
    "check_n_features_in_after_fitting": NOT_ZERO_ONE,
    "check_sample_weight_equivalence_on_dense_data": NOT_ZERO_ONE,
    "check_sample_weight_equivalence_on_sparse_data": NOT_ZERO_ONE,
    "check_estimators_dtypes": NOT_ZERO_ONE,
    "check_sample_weights_pandas_series": NOT_ZERO_ONE,
    "check_sample_weights_not_an_array": NOT_ZERO_ONE,
    "check_sample_weights_shape": NOT_ZERO_ONE,
    "check_sample_weights_not_overwritten": NOT_ZERO_ONE,
    "check_estimator_sparse_array": NOT_ZERO_ONE,
    "check_estimator_sparse_matrix": NOT_ZERO_ONE,
    "check_classifier_data_not_an_array": NOT_ZERO_ONE,
    "check_classifiers_classes": NOT_ZERO_ONE,
    "check_classifiers_train": NOT_ZERO_ONE,
    "check_fit2d_1feature": NOT_ZERO_ONE,
    "check_classifiers_one_label": ONE_CLASS,
    "check_classifiers_one_label_sample_weights": ONE_CLASS,
    "check_classifier_multioutput": BOOLEAN,
    "check_classifiers_multilabel_output_format_predict": BOOLEAN,
    "check_classifiers_regression_target": NAMES_VALUE,
    "check_classifier_not_supporting_multiclass": NAMES_VALUE,
    "check_classifiers_multilabel_output_format_predict_proba": "the check wants scores strictly between 0 and 1",
    "check_fit_score_takes_y": "also calls partial_fit, which learners that need all rows refuse",
    "check_complex_data": "X is the learner's to judge; the labels, complex as well, are refused first",
}
MODELS = [
    pytest.param(HierarchicalClassifier(cv=2), id="default", marks=pytest.mark.slow),
    pytest.param(HierarchicalClassifier(PCTForest(n_estimators=5, random_state=0)), id="forest"),
    pytest.param(HierarchicalClassifier(BinaryRelevance(LogisticRegression()), "fael", "multi", cv=2), id="fael"),
]


@pytest.mark.parametrize("model", MODELS)
def test_scikit_learn_checks(model):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks provoke warnings on purpose
        results = check_estimator(model, expected_failed_checks=EXPECTED, on_skip=None, on_fail=None)
    assert not {result["check_name"]: result["exception"] for result in results if result["status"] == "failed"}
    assert sum(result["status"] == "passed" for result in results) >= 40
