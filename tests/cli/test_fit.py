"""``truepath fit``: one evaluation for the table, the folder and the report; errors that say what to do."""

from __future__ import annotations

import json
import shutil
import sys
from collections import Counter

import pytest

from places import ROOT
from truepath import metrics
from truepath.cli import main
from truepath.cli.fit import fit
from truepath.report import load_run

COUNTED = ("h_loss", "hmc_loss", "exact_match", "auprc", "macro_f1", "jaccard_score", "hierarchical_f1")


@pytest.fixture
def books(tmp_path, monkeypatch):
    shutil.copy(ROOT / "docs" / "books.csv", tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_measures_are_computed_once(books, capsys):
    codes = {metrics.get_metric(name).function.__code__: name for name in COUNTED[:-1]}
    calls = Counter()

    def count(frame, event, _):
        if event == "call" and frame.f_code in codes:
            calls[codes[frame.f_code]] += 1

    sys.setprofile(count)
    try:
        fit("books.csv", books / "books.tp", text="about", labels="topics", ids="id", as_json=True)
    finally:
        sys.setprofile(None)
    assert calls == dict.fromkeys(COUNTED[:-1], 1)
    printed = json.loads(capsys.readouterr().out)["measures"]
    assert load_run(books / "books.run").measures["linear"] == printed  # the same numbers, all of them


def test_the_table_and_its_legend_are_made_from_the_metrics(books, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    fit("books.csv", books / "books.tp", text="about", labels="topics", ids="id")
    shown = " ".join(capsys.readouterr().out.split())
    measures = load_run(books / "books.run").measures["linear"]
    for name in ("hierarchical_f1", "auprc", "exact_match", "h_loss", "hmc_loss"):
        metric = metrics.get_metric(name)
        assert metric.heading in shown
        assert f"{metric.label} {metric.arrow} {metric.meaning}" in shown
        assert metric.show(measures[name]) in shown


@pytest.mark.parametrize(
    ("arguments", "problem", "remedy"),
    [
        ("fit books.csv --labels topics -o no/such/x.tp", "there is no folder no/such", "Create it"),
        ("fit books.csv --labels topics -o x.tp --test-share 2", "--test-share must be at least 0", ""),
        ("fit books.csv --labels topics -o x.tp --method mass", "'mass'", "Did you mean 'mas"),
        ("evaluate books.csv", "nothing to evaluate.", "Give predicted labels"),
        ("evaluate books.csv books.csv", "(--hierarchy) is missing", "Give a file of edges"),
        ("evaluate toy books.csv --part nowhere", "no part 'nowhere'", "Choose by part (--part)"),
        ("evaluate nowhere.csv books.csv -H books.csv", "nowhere.csv: no such file", ""),
        ("compare books.csv --alpha 3", "--alpha must be between 0 and 1", ""),
        ("report books.csv", "neither a run", "A run is saved by"),
        ("report nowhere", "no such folder", ""),
        ("predict books.csv books.csv", "books.csv", ""),
    ],
)
def test_errors_are_one_line_with_the_way_out(books, capsys, monkeypatch, arguments, problem, remedy):
    monkeypatch.setattr(sys, "argv", ["truepath", *arguments.split()])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("truepath: ")
    assert err.count("\n") == 1
    assert problem in err
    assert remedy in err
