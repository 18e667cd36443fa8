"""Metrics of hierarchical multi-label classification: ``(y_true, y_pred or y_score, hierarchy) -> number``.

Every metric is in a registry: :func:`list_metrics` names them, :func:`get_metric` says what one needs, its name in
tables, its meaning and which values are better, :func:`get_scorer` makes it a scikit-learn scorer, :func:`evaluate`
computes several.
"""

from __future__ import annotations

from truepath.metrics.areas import auprc
from truepath.metrics.base import Metric, MetricFunction, evaluate, get_metric, list_metrics, register
from truepath.metrics.bootstrap import Interval, bootstrap_interval
from truepath.metrics.cafa import CafaCurve, cafa_curve, fmax, smin, wfmax
from truepath.metrics.calibration import (
    brier_score,
    expected_calibration_error,
    level_calibration_error,
    score_log_loss,
)
from truepath.metrics.curves import PrecisionRecallCurve, precision_recall_curve
from truepath.metrics.fmeasure import (
    PrecisionRecallF1,
    hierarchical_f1,
    hierarchical_precision,
    hierarchical_precision_recall_f1,
    hierarchical_recall,
    macro_f1,
    micro_f1,
)
from truepath.metrics.information import information_content
from truepath.metrics.levels import by_level, level_accuracy
from truepath.metrics.overlap import exact_match, hamming_score, jaccard_score
from truepath.metrics.priced_mistakes import hmc_loss, symmetric_loss
from truepath.metrics.ranking.at_k import ndcg_at_k, precision_at_k, r_precision
from truepath.metrics.ranking.propensity import label_propensities, psp_at_k
from truepath.metrics.scorers import HierarchicalScorer, get_scorer
from truepath.metrics.shares import incoherent_share, unlabeled_share
from truepath.metrics.tried import Tried
from truepath.metrics.uppermost_mistakes import h_loss, hierarchical_hamming_loss
from truepath.public import publish

__all__ = [
    "CafaCurve",
    "HierarchicalScorer",
    "Interval",
    "Metric",
    "MetricFunction",
    "PrecisionRecallCurve",
    "PrecisionRecallF1",
    "Tried",
    "auprc",
    "bootstrap_interval",
    "brier_score",
    "by_level",
    "cafa_curve",
    "evaluate",
    "exact_match",
    "expected_calibration_error",
    "fmax",
    "get_metric",
    "get_scorer",
    "h_loss",
    "hamming_score",
    "hierarchical_f1",
    "hierarchical_hamming_loss",
    "hierarchical_precision",
    "hierarchical_precision_recall_f1",
    "hierarchical_recall",
    "hmc_loss",
    "incoherent_share",
    "information_content",
    "jaccard_score",
    "label_propensities",
    "level_accuracy",
    "level_calibration_error",
    "list_metrics",
    "macro_f1",
    "micro_f1",
    "ndcg_at_k",
    "precision_at_k",
    "precision_recall_curve",
    "psp_at_k",
    "r_precision",
    "register",
    "score_log_loss",
    "smin",
    "symmetric_loss",
    "unlabeled_share",
    "wfmax",
]

publish(__name__, __all__, globals())
