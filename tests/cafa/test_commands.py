"""The commands of gene function, from files to files."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from cafa_files import make_case
from commands import refusal_of, run_command
from truepath.cafa import evaluate_predictions, read_accretion, read_long_table, read_ontology
from truepath.cli.app import app

GAF_LINE = "UniProtKB\tP1\tG\tenables\tGO:3\tPMID:1\tIDA\t\tF\t\t\tprotein\ttaxon:9606\t20240131\tX\n"


@pytest.fixture
def made(tmp_path):
    return make_case(tmp_path / "case", 3)


def test_evaluating_a_folder(made, tmp_path):
    options = ["--ontology", made.ontology, "--truth", made.truth, "--ia", made.ia]
    out, err = run_command("cafa", "evaluate", *options, "--predictions", made.predictions.parent, "--json")
    wanted = evaluate_predictions(made.truth, made.predictions, read_ontology(made.ontology), ia=made.ia).summary()
    for record, one in zip(json.loads(out), wanted, strict=True):
        assert record.pop("file") == "made.tsv"
        assert record == pytest.approx(one)
    assert "lines left out: other targets" in err
    out, _ = run_command(
        "cafa", "evaluate", *options, "-p", made.predictions, "-o", tmp_path / "all.tsv", "--grid", "0.1"
    )
    assert out.splitlines()[0].split()[:4] == ["file", "aspect", "n_targets", "coverage"]
    assert (tmp_path / "all.tsv").read_text().startswith("filename\tns\ttau\t")


def test_the_report_has_a_tab_per_aspect(made, tmp_path):
    pytest.importorskip("jinja2")
    page = tmp_path / "report.html"
    files = ["-p", made.predictions, "--ia", made.ia, "--report", page]
    run_command("cafa", "evaluate", "-O", made.ontology, "-t", made.truth, *files)
    text = page.read_text(encoding="utf-8")
    assert text.count('name="aspect"') == text.count('class="panel"') == 2
    assert "aspect 0" in text
    assert text.count('class="chart"') == 4  # two on each tab
    assert "predictions: of targets without truth" in text


def test_a_submission_is_written_and_checked(made, tmp_path):
    output = tmp_path / "s.tsv"
    run_command("cafa", "submit", made.predictions, "-O", made.ontology, "-o", output, "--max-terms", 4)
    _, err = run_command("cafa", "check", output, "-O", made.ontology, "--max-terms", 4, "--propagated")
    assert "valid" in err
    with open(output, "a", encoding="utf-8") as file:
        file.write("T1\tX:000\t2.0\n")
    done = CliRunner().invoke(app, ["cafa", "check", str(output), "-O", str(made.ontology)])
    assert done.exit_code == 1
    assert "the score 2 is not above 0" in done.stdout


def test_accretion_pairs_and_baselines(made, tmp_path):
    run_command("cafa", "ia", made.truth, "-O", made.ontology, "-o", tmp_path / "ia.tsv")
    assert len(read_accretion(tmp_path / "ia.tsv")) == 12
    _, err = run_command("cafa", "pairs", made.truth, "-o", tmp_path / "pairs.tsv")
    assert "of 8 targets written" in err
    assert len(read_long_table(tmp_path / "pairs.tsv")) == len(read_long_table(made.truth))
    (tmp_path / "one.gaf").write_text("!gaf-version: 2.2\n" + GAF_LINE)
    _, err = run_command("cafa", "pairs", tmp_path / "one.gaf", "-o", tmp_path / "one.tsv", "--evidence", "TAS, IDA")
    assert "1 pair of 1 target written" in err
    (tmp_path / "targets.txt").write_text("Q1\nQ2\n")
    options = ["-O", made.ontology, "-o", tmp_path / "b.tsv", "--targets", tmp_path / "targets.txt"]
    run_command("cafa", "baseline", made.truth, *options)
    assert read_long_table(tmp_path / "b.tsv", scored=True).targets == ["Q1", "Q2"]
    (tmp_path / "hits.tsv").write_text("Q1\tT1\t80\t9\t0\t0\t1\t9\t1\t9\t1e-20\t90\n")
    run_command("cafa", "baseline", made.truth, *options, "--hits", tmp_path / "hits.tsv")
    assert read_long_table(tmp_path / "b.tsv", scored=True).targets == ["Q1"]
    assert "nothing to predict" in refusal_of(
        "cafa", "baseline", made.truth, "-O", made.ontology, "-o", tmp_path / "c.tsv"
    )


def test_blends_and_cutoffs(made, tmp_path):
    out, _ = run_command(
        "cafa", "blend", made.predictions, made.predictions, "-O", made.ontology, "-t", made.truth, "-o",
        tmp_path / "blend.tsv", "--json",
    )  # fmt: skip
    assert [record["aspect"] for record in json.loads(out)] == ["aspect_0", "aspect_1"]
    assert read_long_table(tmp_path / "blend.tsv", scored=True).n_pairs > 0
    out, _ = run_command(
        "cafa", "cutoffs", made.predictions, "-O", made.ontology, "-t", made.truth, "--resamples", 9, "--json"
    )
    assert json.loads(out)[0]["low"] <= json.loads(out)[0]["threshold"] <= json.loads(out)[0]["high"]


def test_training_and_predicting(made, tmp_path):
    rng = np.random.default_rng(0)
    targets = [f"T{i}" for i in range(8)]
    np.savez(tmp_path / "e.npz", ids=np.array(targets), X=rng.random((8, 5)).astype(np.float32))
    options = ["-O", made.ontology, "-o"]
    out, _ = run_command("cafa", "train", tmp_path / "e.npz", made.truth, *options, tmp_path / "m", "--min-count", 2)
    assert "terms" in out
    run_command("cafa", "predict", tmp_path / "m", tmp_path / "e.npz", *options, tmp_path / "p.tsv")
    found = evaluate_predictions(made.truth, tmp_path / "p.tsv", read_ontology(made.ontology))
    assert all(record["coverage"] == 1 for record in found.summary())


def test_bad_lines_stop_the_command_or_are_said(made, tmp_path):
    bad = tmp_path / "bad.tsv"
    bad.write_text(made.predictions.read_text() + "T1\tX:000\n")
    options = ["-O", made.ontology, "-t", made.truth, "-p", bad]
    assert "bad.tsv" in refusal_of("cafa", "evaluate", *options)
    _, err = run_command("cafa", "evaluate", *options, "--skip-bad-lines")
    assert "2 columns where 3 are needed" in err
    common = ["-O", made.ontology, "-t", made.truth, "--skip-bad-lines"]
    for command in (["cutoffs", bad, "--resamples", 2], ["blend", bad, "-o", tmp_path / "blend.tsv"]):
        _, err = run_command("cafa", *command, *common)
        assert "2 columns where 3 are needed" in err
    assert "--grid must be one of 'cafa', 'exact' or a step" in refusal_of(
        "cafa", "evaluate", "-O", made.ontology, "-t", made.truth, "-p", made.predictions, "--grid", "fine"
    )
