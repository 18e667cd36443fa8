"""``truepath label`` and ``truepath evaluate``: other models' scores to labels, and labels against the truth."""

from __future__ import annotations

import json
import resource
import subprocess
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

from commands import refusal_of
from truepath import Hierarchy, load_dataset
from truepath.cli.app import app
from truepath.combiners import MinDown
from truepath.data import make_hierarchy, read_labels, write_labels, write_scores
from truepath.decoders import MASR, Decoder, ExactLeafMAP, MultiThreshold, TopLeaves
from truepath.errors import DataFormatError
from truepath.hierarchy.matrices import as_dense
from truepath.metrics import auprc, evaluate, list_metrics, precision_at_k
from truepath.registry import COMBINERS, DECODERS

TREE = Hierarchy.from_paths(["a/1", "a/2", "b/1", "b/2"])
N_ROWS = 40


def run(*arguments):
    """Run a command; errors of input come out as exceptions, as ``main`` gets them."""
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture
def files(tmp_path):
    """A hierarchy, scores and true labels, for labelling and for learning."""
    (tmp_path / "h.json").write_text(TREE.to_json())
    made = {"h": tmp_path / "h.json", "out": tmp_path / "out.csv"}
    for seed, part in enumerate(("test", "valid")):
        rng = np.random.default_rng(seed)
        S = MinDown(hierarchy=TREE).fit(np.ones((1, 6))).transform(rng.random((N_ROWS, 6)))
        Y = TREE.close(rng.random(S.shape) < S)
        ids = [f"{part} {i}" for i in range(N_ROWS)]
        write_scores(tmp_path / f"{part}.csv", S, TREE, ids=ids)
        order = rng.permutation(N_ROWS)
        write_labels(tmp_path / f"{part}_y.csv", Y[order], TREE, ids=[ids[i] for i in order])
        made |= {
            part: tmp_path / f"{part}.csv",
            f"{part}_y": tmp_path / f"{part}_y.csv",
            f"S_{part}": S,
            f"Y_{part}": Y,
        }
    return made


OPTIONS = [
    ("multi", ["--objective", "h_loss", "--method", "greedy"], MultiThreshold("h_loss", "greedy")),
    ("multi", ["--objective", "hmc_loss", "--lambda", "3"], MultiThreshold("hmc_loss", lambda_=3)),
    ("exact", ["--weights", "risk", "--alpha", "2"], ExactLeafMAP("risk", alpha=2.0)),
    ("exact", ["--weights", "risk"], ExactLeafMAP("risk")),
    ("masr", ["--alpha", "0.5", "--k", "2"], MASR(0.5, 2)),
    ("top-leaves", ["--k", "metalabeler"], TopLeaves("metalabeler")),
    ("best-path", ["--single-path", "false", "--threshold", "0.3"], None),
]


@pytest.mark.parametrize(
    ("strategy", "options", "decoder"), [*((member.name, [], member()) for member in DECODERS.members()), *OPTIONS]
)
def test_every_strategy_gives_what_its_decoder_gives(files, strategy, options, decoder):
    """The same name, the same decoder, here and in Python."""
    decoder = decoder or DECODERS[strategy](single_path=False, threshold=0.3)
    held_out = ["--valid-scores", files["valid"], "--valid-truth", files["valid_y"]]
    run("label", files["test"], "-H", files["h"], "-s", strategy, *options, *held_out, "-o", files["out"])
    found = read_labels(files["out"], TREE)
    assert found.ids.tolist() == [f"test {i}" for i in range(N_ROWS)]
    expected = decoder.set_params(hierarchy=TREE).fit(files["S_valid"], files["Y_valid"]).predict(files["S_test"])
    np.testing.assert_array_equal(as_dense(found.y), expected)


def test_help_lists_the_decoders_and_their_parameters(monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    shown = " ".join(run("label", "--help").replace("│", " ").split())
    for member in DECODERS.members():
        assert f"{member.name}: {member.summary}" in shown
    for flag in ("--threshold", "--objective", "--method", "--k", "--alpha", "--lambda", "--weights", "--time-limit"):
        assert flag in shown
    assert "--greater-is-better" not in shown  # says which way a function is better, and functions cannot be typed
    assert all(member.name in shown for member in COMBINERS.members() if not member.learns_from)


def test_the_list_of_commands_imports_no_decoder():
    code = (
        "import sys; from typer.testing import CliRunner; from truepath.cli.app import app\n"
        "done = CliRunner().invoke(app, ['--help']); assert 'label' in done.stdout\n"
        "print([name for name in ('numba', 'sklearn', 'scipy', 'truepath.decoders') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.fixture
def own_decoder(monkeypatch):
    """A decoder that someone wrote elsewhere."""
    for kept in ("_members", "_origins"):
        monkeypatch.setattr(DECODERS, kept, dict(getattr(DECODERS, kept)))

    class Everything(Decoder):
        """Predict all labels of rows that score at least so much.

        Parameters
        ----------
        least_total : float
            The sum of a row's scores from which on it has labels.
        hierarchy : Hierarchy, optional
        """

        name = "everything"
        summary = "all labels or none"

        def __init__(self, least_total, *, hierarchy=None):
            self.least_total = least_total
            self.hierarchy = hierarchy

        def _label(self, S, hierarchy):
            return np.repeat(S.sum(axis=1) >= self.least_total, S.shape[1]).reshape(S.shape)

    return Everything


def test_a_decoder_of_ones_own_is_a_strategy(files, own_decoder, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    shown = " ".join(run("label", "--help").replace("│", " ").split())
    assert "everything: all labels or none" in shown
    assert "--least-total" in shown
    assert "everything: The sum of a row's scores from which on it has labels (float)" in shown
    common = ["label", files["test"], "-H", files["h"], "-s", "everything", "-o", files["out"]]
    run(*common, "--least-total", "2")
    expected = np.repeat(files["S_test"].sum(axis=1) >= 2, 6).reshape(-1, 6)
    np.testing.assert_array_equal(as_dense(read_labels(files["out"], TREE).y), expected)
    with pytest.raises(ValueError, match=r"--strategy everything needs --least-total\."):
        run(*common)
    with pytest.raises(ValueError, match="It belongs to everything"):
        run("label", files["test"], "-H", files["h"], "--least-total", "2")


@pytest.mark.parametrize("ending", ["csv", "tsv", "json", "parquet"])
def test_outputs(files, tmp_path, ending):
    out = tmp_path / f"labels.{ending}"
    run("label", files["test"], "-H", files["h"], "--threshold", "0.4", "-o", out)
    np.testing.assert_array_equal(read_labels(out, TREE).y, files["S_test"] > 0.4)
    shown = run("label", files["test"], "-H", files["h"], "--threshold", "0.4", "--matrix")
    assert shown.splitlines()[0] == "id," + ",".join(TREE.names)
    assert len(shown.splitlines()) == N_ROWS + 1


def test_incoherent_scores_are_refused_or_corrected(files, tmp_path):
    S = np.array([[0.2, 0.9, 0.1, 0.5, 0.5, 0.5]])
    write_scores(tmp_path / "s.csv", S, TREE)
    with pytest.raises(ValueError, match=r"1 row with a score above its parent's \(first: row 0, 'a/1' above 'a'\)"):
        run("label", tmp_path / "s.csv", "-H", files["h"])
    with pytest.raises(ValueError, match="Add --coherent max-up"):
        run("label", tmp_path / "s.csv", "-H", files["h"])
    assert "0,a/1" in run("label", tmp_path / "s.csv", "-H", files["h"], "--coherent", "max-up")
    assert "0,\n" in run("label", tmp_path / "s.csv", "-H", files["h"], "--coherent", "min-down")
    assert "0,a/1" in run("label", tmp_path / "s.csv", "-H", files["h"], "-s", "top-leaves")


BAD = [
    (["-s", "sinlge"], "--strategy 'sinlge' is unknown. Did you mean 'single'"),
    (["-s", "multi-optimal"], r"Available: best-path \(the one leaf that scores best"),
    (["-s", "exact-risk"], "--strategy 'exact-risk' is unknown"),
    (
        ["-s", "single"],
        "learns from true labels: give --valid-scores .* use best-path, exact, expected-cost, mas, stopping-path, "
        "threshold",
    ),
    (
        ["-s", "mas", "--threshold", "0.5"],
        "--threshold is not an option of --strategy mas. It belongs to best-path, thr",
    ),
    (["--method", "greedy"], "--method is not an option of --strategy threshold. It belongs to multi"),
    (["-s", "mas", "--k", "two"], "k must be None, an int, .*'metalabeler'.*; got 'two'"),
    (["-s", "mas", "--k", "1.5"], "k must be None, an int, .*; got 1.5"),
    (["-s", "masr", "--alpha", "much"], "alpha must be a number from 0 to 1e.100 or 'balanced'; got 'much'"),
    (["--threshold", "half"], "threshold must be a number .*; got 'half'"),
    (["--coherent", "magic"], "--coherent must be error or one of isotonic, max-up"),
    (["-o", "out.doc"], "no format known"),
    (["--valid-scores", "x.csv"], "belong together"),
    (["--truth", "t.csv", "--valid-truth", "x.csv", "--valid-scores", "x.csv"], "exclude each other"),
]


@pytest.mark.parametrize(("arguments", "match"), BAD)
def test_bad_arguments_of_label(files, arguments, match):
    with pytest.raises(ValueError, match=match):
        run("label", files["test"], "-H", files["h"], *arguments)


def test_an_unknown_format(files):
    assert "--format must be one of 'csv'" in refusal_of("label", files["test"], "-H", files["h"], "--format", "doc")


def test_rows_that_do_not_match(files):
    with pytest.raises(ValueError, match="lacks 40 of 40 rows"):
        run("label", files["test"], "-H", files["h"], "-s", "single", "--truth", files["valid_y"])


def test_evaluate_agrees_with_the_library(files):
    run("label", files["test"], "-H", files["h"], "-o", files["out"])
    shown = json.loads(
        run("evaluate", files["test_y"], files["out"], "-H", files["h"], "--scores", files["test"], "--json")
    )
    expected = evaluate(files["Y_test"], files["S_test"] > 0.5, files["S_test"], TREE)
    assert {name: entry["value"] for name, entry in shown.items()} == pytest.approx(expected)
    assert set(shown) <= set(list_metrics())
    assert shown["h_loss"] == {"value": expected["h_loss"], "needs": "labels", "greater_is_better": False}


def test_a_saved_model_is_a_hierarchy_too(files, tmp_path):
    from truepath import HierarchicalClassifier
    from truepath.learners import PCTree

    X = np.arange(N_ROWS, dtype=float)[:, None]
    model = HierarchicalClassifier(PCTree(), hierarchy=TREE, cv=2).fit(X, files["Y_test"])
    model.save(tmp_path / "model.tp")
    for command in (["label", files["test"]], ["evaluate", files["test_y"], "--scores", files["test"]]):
        assert run(*command, "-H", tmp_path / "model.tp") == run(*command, "-H", files["h"])


def test_evaluate_prints_a_table_with_intervals(files):
    run("label", files["test"], "-H", files["h"], "-o", files["out"])
    arguments = ["-H", files["h"], "-m", "h_loss,micro_f1", "--resamples", "20"]
    shown = run("evaluate", files["test_y"], files["out"], *arguments)
    assert "40 rows, 6 labels" in shown
    assert "↓" in shown
    assert "↑" in shown
    assert "95% interval" in shown
    assert "auprc" not in shown
    again = json.loads(run("evaluate", files["test_y"], files["out"], *arguments, "--json"))
    assert again["h_loss"]["low"] <= again["h_loss"]["value"] <= again["h_loss"]["high"]


def test_evaluate_counts_the_labels_asked_for(files, tmp_path):
    run("label", files["test"], "-H", files["h"], "-o", files["out"])
    (tmp_path / "names.txt").write_text("a\nb\n")
    common = ["evaluate", files["test_y"], files["out"], "-H", files["h"], "-m", "micro_f1", "--json"]
    expected = evaluate(files["Y_test"], files["S_test"] > 0.5, None, TREE, metrics=["micro_f1"], nodes=TREE.roots)
    for arguments in (["--nodes", "a,b"], ["--nodes", tmp_path / "names.txt"], ["--leave-out", "a/1,a/2,b/1,b/2"]):
        assert json.loads(run(*common, *arguments))["micro_f1"]["value"] == pytest.approx(expected["micro_f1"])
    with pytest.raises(ValueError, match="leave no label"):
        run(*common, "--nodes", "a", "--leave-out", "a")
    with pytest.raises(ValueError, match="'a/9'"):
        run(*common, "--nodes", "a/9")


def test_evaluate_takes_a_data_set_for_the_truth(tmp_path):
    ds = load_dataset("toy")
    write_labels(tmp_path / "p.csv", ds.test.y, ds.hierarchy, ids=ds.test.ids)
    shown = json.loads(run("evaluate", "toy", tmp_path / "p.csv", "-m", "exact_match", "--json"))
    assert shown["exact_match"]["value"] == 1
    with pytest.raises(ValueError, match="no part 'best'"):
        run("evaluate", "toy", tmp_path / "p.csv", "--part", "best")


def test_measures_with_options(files):
    truth, h, wanted = files["test_y"], files["h"], "auprc[average=macro], precision_at_k[k=2,out_of=attainable],auprc"
    printed = run("evaluate", truth, "-H", h, "-S", files["test"], "-m", wanted)
    found = json.loads(run("evaluate", truth, "-H", h, "-S", files["test"], "-m", wanted, "--json"))
    labels = ["auprc[average=macro]", "precision_at_k[k=2, out_of=attainable]", "auprc"]
    assert list(found) == labels
    assert all(label in printed for label in labels)
    y, S = files["Y_test"], files["S_test"]
    assert found[labels[0]]["value"] == pytest.approx(auprc(y, S, average="macro"))
    assert found[labels[1]]["value"] == pytest.approx(precision_at_k(y, S, k=2, out_of="attainable"))
    with pytest.raises(ValueError, match=r"auprc has no option 'averag'\. Did you mean 'average'"):
        run("evaluate", truth, "-H", h, "-S", files["test"], "-m", "auprc[averag=macro]")


def test_bad_arguments_of_evaluate(files, tmp_path):
    truth, h = files["test_y"], files["h"]
    with pytest.raises(ValueError, match="nothing to evaluate"):
        run("evaluate", truth, "-H", h)
    with pytest.raises(ValueError, match=r"\(--hierarchy\) is missing"):
        run("evaluate", truth, truth)
    with pytest.raises(ValueError, match=r"lacks 40 of 40 rows.*--by-order"):
        run("evaluate", truth, files["valid_y"], "-H", h)
    assert "h_loss" in run("evaluate", truth, files["valid_y"], "-H", h, "--by-order", "-m", "h_loss")
    with pytest.raises(ValueError, match=r"auprc needs scores\. Give --scores"):
        run("evaluate", truth, truth, "-H", h, "-m", "auprc")
    with pytest.raises(ValueError, match="Did you mean 'h_loss'"):
        run("evaluate", truth, truth, "-H", h, "-m", "h_lost")
    with pytest.raises(FileNotFoundError):
        run("evaluate", tmp_path / "none.csv", truth, "-H", h)


@pytest.mark.slow
def test_an_error_is_one_line_and_a_code(tmp_path):
    (tmp_path / "s.csv").write_text("id,a\nx,one,2\n")
    code = "from truepath.cli import main; main()"
    command = [sys.executable, "-c", code, "label", str(tmp_path / "s.csv"), "-H", "toy", "-s", "mas"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("truepath: ")
    assert done.stderr.count("\n") == 1
    assert "s.csv:2" in done.stderr


@pytest.mark.slow
def test_a_large_file_takes_seconds(tmp_path):
    """1,278 rows of 4,125 scores, as of a gene function set: read, threshold, write."""
    h = make_hierarchy(4125, random_state=0)
    S = MinDown(hierarchy=h).fit(np.ones((1, h.n_nodes))).transform(np.random.default_rng(0).random((1278, h.n_nodes)))
    write_scores(tmp_path / "s.csv", S.round(6), h)
    (tmp_path / "h.json").write_text(h.to_json())
    code = "from truepath.cli import main; main()"
    options = ["-H", str(tmp_path / "h.json"), "--threshold", "0.3", "-o", str(tmp_path / "out.csv")]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code, "label", str(tmp_path / "s.csv"), *options], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 20  # some 3 s of work
    assert read_labels(tmp_path / "out.csv", h).y.shape == (1278, 4125)


def test_the_truth_may_be_a_table_of_the_users_own(tmp_path):
    (tmp_path / "own.csv").write_text("text,tags\nfirst,a/1\nsecond,b\n")
    (tmp_path / "found.csv").write_text("id,labels\n0,a/1\n1,a\n")
    (tmp_path / "paths.txt").write_text("a/1\nb\n")
    command = ("evaluate", tmp_path / "own.csv", tmp_path / "found.csv", "-H", tmp_path / "paths.txt")
    found = json.loads(run(*command, "--labels", "tags", "--metrics", "exact_match", "--json"))
    assert found["exact_match"]["value"] == 0.5
    with pytest.raises(DataFormatError, match=r"Name the column of labels by labels= \(--labels\)"):
        run(*command)


@pytest.mark.parametrize(
    ("saved", "thresholds"),
    [
        ({"method": "any", "threshold": 0.4}, 0.4),
        ({"threshold": 0.2, "thresholds": {"a/1": 0.5, "b/2": "inf"}}, {"a/1": 0.5, "b/2": np.inf}),
    ],
)
def test_thresholds_of_a_file(files, tmp_path, saved, thresholds):
    (tmp_path / "t.json").write_text(json.dumps(saved))
    run("label", files["test"], "-H", files["h"], "--thresholds", tmp_path / "t.json", "-o", files["out"])
    t = np.full(TREE.n_nodes, saved["threshold"])
    for name, value in thresholds.items() if isinstance(thresholds, dict) else ():
        t[TREE.index(name)] = value
    np.testing.assert_array_equal(as_dense(read_labels(files["out"], TREE).y), files["S_test"] > t)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON"),
        ("[0.3]", "no thresholds"),
        ('{"thresholds": {"a": 0.3}}', r"5 labels have no threshold \(first: 'a/1'\)"),
        ('{"thresholds": {"z": 0.3}}', "no label 'z'"),
        ('{"threshold": "high"}', "not a number"),
        ('{"threshold": NaN}', "not a number"),
        ('{"thresholds": [1]}', "mapping"),
        ('{"threshold": 0.5, "thresholds": {"a/1": 0.2}}', "falls from parent to child"),
    ],
)
def test_mistakes_in_a_file_of_thresholds_are_named(files, tmp_path, text, message):
    (tmp_path / "t.json").write_text(text)
    with pytest.raises(ValueError, match=message):
        run("label", files["test"], "-H", files["h"], "--thresholds", tmp_path / "t.json")


def test_thresholds_of_a_file_belong_to_one_strategy(files, tmp_path):
    (tmp_path / "t.json").write_text('{"threshold": 0.5}')
    for more in (["-s", "mas"], ["--threshold", "0.3"]):
        with pytest.raises(ValueError, match="--thresholds"):
            run("label", files["test"], "-H", files["h"], "--thresholds", tmp_path / "t.json", *more)
