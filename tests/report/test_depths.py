"""Measures at one depth are the metrics on the labels of that depth."""

from __future__ import annotations

import pytest

from truepath import metrics
from truepath.report import Run
from truepath.report.depths import ALL, draw_depths


def test_depths_count_their_own_labels(three):
    found = draw_depths(Run(three.hierarchy, three.y_true, three.results))
    assert list(found) == [ALL, 1, 2, 3]
    for depth in (1, 2, 3):
        nodes = three.hierarchy.levels[depth - 1]
        for result in three.results:
            drawn = found[depth][result.name]
            assert "h_loss" not in drawn
            for name in ("hierarchical_f1", "macro_f1", "exact_match", "auprc", "precision_at_k"):
                metric = metrics.get_metric(name)
                if metric.needs == "scores" and result.S is None:
                    assert name not in drawn
                    continue
                predicted = result.S if metric.needs == "scores" else result.y_pred
                wanted = metric(three.y_true[:, nodes], predicted[:, nodes])
                assert drawn[name].value == pytest.approx(wanted)
                assert drawn[name].low <= drawn[name].high


def test_a_flat_set_has_no_depths_to_choose():
    from truepath import Hierarchy

    from .conftest import make_run

    run = make_run(Hierarchy.flat(3))
    assert list(draw_depths(Run(run.hierarchy, run.y_true, run.results))) == [ALL]
