"""Plans, runs, statistics and figures: from methods and data sets to tables that can be trusted."""

from truepath.experiments.measures import MetricWithOptions
from truepath.experiments.plan import Plan, make_plan
from truepath.experiments.records import RunKey, RunRecord
from truepath.experiments.run import ExperimentResult, run_experiment
from truepath.experiments.statistics.compare import MethodComparison, compare
from truepath.experiments.statistics.critical_difference.figure import critical_difference_diagram
from truepath.experiments.statistics.critical_difference.svg import critical_difference_svg
from truepath.experiments.statistics.format_table import format_table
from truepath.experiments.statistics.models import ModelComparison, compare_models
from truepath.experiments.statistics.significance import Friedman
from truepath.experiments.survey import Survey, survey_experiment
from truepath.public import publish

__all__ = [
    "ExperimentResult",
    "Friedman",
    "MethodComparison",
    "MetricWithOptions",
    "ModelComparison",
    "Plan",
    "RunKey",
    "RunRecord",
    "Survey",
    "compare",
    "compare_models",
    "critical_difference_diagram",
    "critical_difference_svg",
    "format_table",
    "make_plan",
    "run_experiment",
    "survey_experiment",
]

publish(__name__, __all__, globals())
