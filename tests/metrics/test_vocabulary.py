"""One vocabulary: the name, meaning and digits of a metric are on the metric and nowhere else."""

from __future__ import annotations

import subprocess
import sys

import pytest

from places import ROOT
from truepath.metrics import Metric, MetricFunction, get_metric, list_metrics
from truepath.registry import METRICS

NAMES = list_metrics()


@pytest.mark.parametrize("name", NAMES)
def test_a_metric_says_everything(name):
    metric = get_metric(name)
    assert metric.label.strip()
    assert "\n" not in metric.label
    assert 10 < len(metric.meaning) <= 100
    assert not metric.meaning.endswith(".")
    assert metric.digits in (2, 3, 4)
    assert metric.arrow == ("↑" if metric.greater_is_better else "↓")
    assert metric.direction == ("higher is better" if metric.greater_is_better else "lower is better")
    assert metric.heading == f"{metric.label} {metric.arrow}"
    assert metric.show(1 / 3) == f"{1 / 3:.{metric.digits}f}"
    assert metric.show(None) == metric.show(float("nan")) == "–"
    function: MetricFunction = metric.function
    assert callable(function)


def test_labels_and_meanings_differ():
    for field in ("label", "meaning"):
        said = [getattr(get_metric(name), field) for name in NAMES]
        assert len(set(said)) == len(NAMES)


def test_the_registry_is_the_list():
    assert list(METRICS) == NAMES
    assert all(isinstance(metric, Metric) for metric in METRICS.members())


@pytest.mark.parametrize("room", ["report", "cli", "experiments"])
def test_no_other_module_keeps_labels_of_measures(room):
    labels = [get_metric(name).label for name in NAMES]
    kept = [label for label in labels if not label.islower()]  # "exact" is a word of its own, too
    assert {"AU(PRC)", "hF1", "H-loss", "HMC-loss"} <= set(kept)
    for path in (ROOT / "src" / "truepath" / room).rglob("*.py"):
        code = path.read_text(encoding="utf-8").split('"""')[::2]  # without docstrings
        found = [label for label in kept for part in code if f'"{label}"' in part or f'"{label} ' in part]
        assert found == [], f"{path}: {found}"


THROW_AWAY = '''
import numpy as np
from truepath.metrics import register

@register(needs="labels", label="first", meaning="share of rows whose first label is right", digits=2)
def first_label_accuracy(y_true, y_pred, hierarchy=None, *, nodes=None, sample_weight=None):
    """Return the share of rows whose first label is right."""
    return np.average(np.asarray(y_true)[:, 0] == np.asarray(y_pred)[:, 0], weights=sample_weight)
'''
SEEN = """
import sys
import throw_away
from truepath.metrics import evaluate, get_metric, get_scorer, list_metrics
from truepath.experiments import make_plan
assert "first_label_accuracy" in list_metrics("labels")
assert get_metric("first_label_accuracy").heading == "first ↑"
assert get_scorer("first_label_accuracy").metric.digits == 2
assert evaluate([[1, 0], [0, 1]], [[1, 0], [1, 0]])["first_label_accuracy"] == 0.5
make_plan({"datasets": ["toy"], "methods": ["forest"], "measures": ["first_label_accuracy"]})
sys.argv = ["truepath", "evaluate", "--help"]
from truepath.cli import main
main()
"""


@pytest.mark.slow
def test_a_metric_in_a_file_of_its_own_is_known_everywhere(tmp_path):
    (tmp_path / "throw_away.py").write_text(THROW_AWAY)
    (tmp_path / "seen.py").write_text(SEEN)
    done = subprocess.run([sys.executable, "seen.py"], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    assert "first_label_accuracy" in done.stdout
    assert "share of rows whose first label is right" in " ".join(done.stdout.split())


def test_the_command_line_starts_without_the_metrics():
    code = "import sys, truepath.cli; sys.exit(any(m in sys.modules for m in ('numpy', 'truepath.metrics')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
