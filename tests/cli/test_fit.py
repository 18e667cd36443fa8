"""``truepath fit``: one evaluation for the table, the folder and the report; errors that say what to do."""

from __future__ import annotations

import json
import shutil
import sys
from collections import Counter

import numpy as np
import pytest

from commands import refusal_of, run_command
from places import ROOT
from truepath import HierarchicalClassifier, metrics
from truepath.cli import main
from truepath.cli.fit import fit
from truepath.errors import RelatedRowsWarning
from truepath.report import load_run
from truepath.workflow import fit_dataset, open_training

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
        ("fit books.csv --labels topics -o x.tp --method mass", "'mass'", "Did you mean 'mas"),
        ("evaluate books.csv", "nothing to evaluate.", "Give predicted labels"),
        ("evaluate books.csv books.csv", "(--hierarchy) is missing", "Give a file of edges"),
        ("evaluate toy books.csv --part nowhere", "no part 'nowhere'", "Choose by part (--part)"),
        ("evaluate nowhere.csv books.csv -H books.csv", "nowhere.csv: no such file", ""),
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


def test_groups_of_rows_are_held_out_together(tmp_path):
    rng = np.random.default_rng(0)
    lines = [",".join(map(str, [*rng.normal(size=4), f"p{i}", "ab"[rng.integers(2)]])) for i in range(60)]
    (tmp_path / "twice.csv").write_text("\n".join(["v,w,x,y,who,labels", *np.repeat(lines, 2), ""]))
    fit = ("fit", tmp_path / "twice.csv", "-o", tmp_path / "model.tp", "--method", "clus-ens+sts", "--json")
    blind, said = run_command(*fit)
    assert "120 of 120 rows are equal to others, or nearly (first: rows 0 and 1)" in said
    assert "--group COLUMN" in said
    known, said = run_command(*fit, "--group", "who")
    assert "rows are equal" not in said
    assert json.loads(blind)["measures"]["auprc"] > 0.85
    assert json.loads(known)["measures"]["auprc"] < 0.75
    assert HierarchicalClassifier.load(tmp_path / "model.tp").fitted_on_.columns == ("v", "w", "x", "y")


def test_a_row_without_a_group_and_an_unknown_column_are_refused(tmp_path):
    (tmp_path / "rows.csv").write_text("x,who,labels\n1,p1,a\n2,,b\n")
    fit = ("fit", tmp_path / "rows.csv", "-o", tmp_path / "model.tp")
    assert "rows.csv:3: column 'who' does not say what this row belongs to" in refusal_of(*fit, "--group", "who")
    assert "no column 'whom'; did you mean 'who'" in refusal_of(*fit, "--group", "whom")


def test_groups_that_a_test_part_of_its_own_divides_are_told_of(tmp_path):
    rows = [f"{i},{i // 2},{'train' if i % 2 else 'test'},{'ab'[i % 3 == 0]}" for i in range(40)]
    (tmp_path / "rows.csv").write_text("\n".join(["x,who,part,labels", *rows, ""]))
    ds = open_training(tmp_path / "rows.csv", groups="who", split="part")
    with pytest.warns(RelatedRowsWarning, match="20 of 20 test rows belong to groups that are learned from too"):
        fit_dataset(ds, "linear")


def test_the_report_counts_columns_as_describe_does(tmp_path):
    words = [f"word{k}" for k in range(20)]
    rows = "".join(
        f"{' '.join(words[i % 7 :])} {i},story {i} of {' '.join(words[: i % 9])},{'xy'[i % 2]},{i % 9},{'ab'[i % 2]}\n"
        for i in range(60)
    )
    (tmp_path / "t.csv").write_text("title,about,shop,price,labels\n" + rows)
    call = [tmp_path / "t.csv", "--labels", "labels"]
    assert "1 numeric + 1 categorical + 2 text" in run_command("describe", *call)[0]
    run_command("fit", *call, "-o", tmp_path / "m.tp", "--method", "linear")
    assert dict(load_run(tmp_path / "m.run").description.rows())["features"] == "1 numeric + 1 categorical + 2 text"
