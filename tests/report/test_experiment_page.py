"""The page about an experiment, from its table alone."""

from __future__ import annotations

import pytest

import truepath.experiments
from truepath.errors import DataFormatError
from truepath.report import write_experiment_report

needs_compare = pytest.mark.skipif(
    not hasattr(truepath.experiments, "compare"), reason="truepath.experiments has no compare yet"
)


@pytest.fixture
def results(tmp_path):
    rows = ["dataset,method,seed,fold,measure,value"]
    for d in range(5):
        for m, method in enumerate(["forest", "<b>boost</b>", "chain"]):
            for seed in range(2):
                rows.append(f"set {d},{method},{seed},0,hierarchical_f1,{0.5 + d / 20 - m / 10 + seed / 100}")
                rows.append(f"set {d},{method},{seed},0,h_loss,{0.1 + m / 10}")
    (tmp_path / "results.csv").write_text("\n".join(rows) + "\n")
    return tmp_path


@needs_compare
def test_tables_plots_and_diagrams(results):
    page = write_experiment_report(results / "page.html", results, title="My plan").read_text(encoding="utf-8")
    assert "<title>My plan</title>" in page
    assert "3 methods on 5 data sets, 2 measures, 30 runs" in page
    assert "the best mean rank is that of <b>forest</b> (1.00" in page
    assert page.count("Mean ranks</b>") == 2
    assert "★</span> 0.505</b><small>± 0.007</small>" in page
    assert "&lt;b&gt;boost&lt;/b&gt;" in page
    assert "<b>boost</b>" not in page
    assert "a mistake near the top costs more: lower is better" in page


@needs_compare
def test_one_method_is_shown_without_ranks(tmp_path):
    (tmp_path / "results.csv").write_text("dataset,method,measure,value\na,m,h_loss,0.5\n")
    page = write_experiment_report(tmp_path / "page.html", tmp_path / "results.csv").read_text(encoding="utf-8")
    assert "Mean ranks</b>" not in page
    assert "0.500" in page


@needs_compare
@pytest.mark.parametrize("value", ["1e30", "-1e99", "1e-300", "0"])
def test_values_of_any_size_are_drawn(tmp_path, value):
    (tmp_path / "results.csv").write_text(f"dataset,method,measure,value\na,m,h_loss,{value}\nb,m,h_loss,{value}\n")
    page = write_experiment_report(tmp_path / "page.html", tmp_path / "results.csv").read_text(encoding="utf-8")
    assert "nan" not in page.partition("</head>")[2].partition("<script")[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("dataset,method,value\na,b,1\n", "column 'measure' is missing"),
        ("dataset,method,measure,value\n", "at least one row"),
        ("dataset,method,measure,value\na,b,c,x\n", "'x', not a number"),
        ("dataset,method,measure,value\na,b,h_loss,inf\n", "inf"),
        ("dataset,method,measure,value\na,b,h_loss,1e101\n", "1e101"),
        (f"dataset,method,measure,value\na,b,h_loss,{'9' * 200_000}\n", "99999"),
    ],
)
def test_a_bad_table_is_refused_by_name(tmp_path, text, message):
    with pytest.raises(FileNotFoundError):
        write_experiment_report(tmp_path / "page.html", tmp_path)
    (tmp_path / "results.csv").write_text(text)
    with pytest.raises(DataFormatError, match=message) as caught:
        write_experiment_report(tmp_path / "page.html", tmp_path)
    assert "results.csv" in str(caught.value)
