"""Every error of the command line: one line, no traceback, with the option, column or file that it is about.

The table below has a call for every ``raise`` in ``truepath.cli``, which the last test checks, for wrong arguments of
every kind, and for the files that people give by mistake.
"""

from __future__ import annotations

import ast
import errno
import io
import os
import shlex
import traceback
from pathlib import Path

import numpy as np
import pytest
from typer.main import get_command

import truepath.cli
from commands import run_command
from truepath.cli import main
from truepath.cli.app import app, format_error
from truepath.cli.shared.streams import printing_what_is_possible

CLI = Path(truepath.cli.__file__).parent

#: What the commands find in their folder
FILES = {
    "t.csv": "gene,size,labels\n" + "".join(f"g{i:02},{i % 3},{['a/1', 'a/2', 'b'][i % 3]}\n" for i in range(12)),
    "g.csv": "gene,colour,labels\ng1,2,a/1\ng2,3,b\n",
    "h.csv": "parent,child\n,a\na,a/1\na,a/2\n,b\n",
    "s.csv": "id,a,a/1,a/2,b\nx,0.9,0.8,0.1,0.2\ny,0.6,0.1,0.5,0.7\n",
    "wild.csv": "id,a,a/1,a/2,b\nx,0.1,0.8,0.1,0.2\n",
    "y.csv": "id,labels\nx,a/1\ny,b\n",
    "z.csv": "id,labels\nx,a/2\ny,b\n",
    "other.csv": "id,labels\nu,a/1\nv,b\n",
    "unknown.csv": "id,labels\nx,a/3\ny,b\n",
    "twice.csv": "id,labels\nx,a\nx,b\n",
    "ragged.csv": "id,labels\nx,a,b\n",
    "empty.csv": "",
    "toy_labels.csv": "labels\n" + "a\n" * 4,
    "header.csv": "id,labels\n",
    "same.csv": "x,x,labels\n1,2,a\n",
    "hole.csv": "id,a,a/1,a/2,b\nx,0.9,,0.1,0.2\n",
    "words.csv": "id,a,a/1,a/2,b\nx,0.9,high,0.1,0.2\n",
    "nan.csv": "id,a,a/1,a/2,b\nx,0.9,nan,0.1,0.2\n",
    "short.csv": "id,a,a/1\nx,0.9,0.8\n",
    "gap.csv": "size,labels\n1,a//1\n",
    "none.csv": "size,labels\n1,\n2,\n",
    "cycle.csv": "parent,child\na,b\nb,a\n",
    "edge.csv": "above,below,more\na,b,c\n",
    "maybe.csv": "Thing,Entity\na,b\na,c\n",
    "r.csv": "dataset,method,value\nd,m,0.5\nd,n,0.6\n",
    "two.csv": "dataset,method,measure,value\nd,m,u,0.5\nd,n,u,0.6\nd,m,v,0.5\nd,n,v,0.6\n",
    "bad.json": "[1, 2",
    "list.json": "[1, 2]",
    "bad.obo": "[Term]\nname: nothing\n",
    "bad.arff": "@relation x\n@attribute f numeric\n@data\n1\n",
    "plan.toml": "datasets = 3\n",
    "notes.xyz": "hello\n",
}

ON = "-H h.csv"  # the hierarchy of most calls
CALLS = {
    # gene function
    "cafa baseline y.csv -O bad.obo -o out.tsv": ["nothing to predict", "--targets"],
    "cafa blend a b -O bad.obo -t y.csv -o out.tsv --apply a": ["--apply", "2"],
    "cafa evaluate -O bad.obo -t y.csv -p s.csv --grid fine": ["--grid", "fine"],
    "cafa evaluate -O bad.obo -t y.csv -p bare": ["bare", "no files of predictions"],
    "cafa evaluate -O bad.obo -t y.csv": ["--predictions"],
    "cafa evaluate -O bad.obo -t y.csv -p s.csv --aspects ,": ["--aspects must be a name"],
    "cafa pairs y.csv -o out.tsv --after 2024-02-30": ["--after must be a day such as"],
    "cafa pairs y.csv -o out.tsv --until 20240131": ["--until must be a day such as", "'20240131'"],
    # what matters to labels
    "features nowhere.tp": ["nowhere.tp"],
    "features m.tp": ["cannot list the features that matter", "PCTForest"],
    # hierarchies that change
    "hierarchy edit h.csv": ["nothing changes", "--steps"],
    "hierarchy edit h.csv 'ad c'": ["'ad c'", "add X under Y"],
    "hierarchy edit h.csv 'rename a b'": ["lacks the word 'to'"],
    "hierarchy edit h.csv 'add c under d'": ["'d'"],
    "hierarchy edit h.csv --steps y.csv": ["y.csv", "not a change of a hierarchy"],
    "hierarchy edit h.csv 'remove b' -o h.csv": ["--output", "SOURCE"],
    "hierarchy diff h.csv nowhere.csv": ["nowhere.csv"],
    "update m.tp t.csv -o n.tp": ["--hierarchy", "--step"],
    "update m.tp t.csv -o n.tp --hierarchy h.csv --step 'remove b'": ["--hierarchy", "one of the two"],
    "update m.tp g.csv -o n.tp --step 'rename b to c' --old-labels": ["'size'"],
    "update m.tp t.csv -o m.tp --step 'remove b'": ["--output", "MODEL"],
    # arguments and options
    "nonsense": ["No such command", "nonsense"],
    "fit t.csv -o x.tp --allowed-set h.csv": ["--allowed-set must be NAME=FILE", "'h.csv'"],
    "fit t.csv -o m.tp --budget 0": ["--budget", "minutes"],
    "fit t.csv -o m.tp --decoder mas --coverage 0.9": ["--coverage", "--decoder mas"],
    "fit": ["missing argument", "data"],  # as one version of click writes it, or in capitals
    "fit t.csv": ["--output"],
    "fit t.csv -o m.tp --lables x": ["--lables", "--labels"],
    "fit t.csv -o m.tp --seed x": ["--seed must be an integer from 0 to 4294967295; got 'x'"],
    "fit t.csv -o m.tp --seed -1": ["--seed must be an integer from 0 to 4294967295; got '-1'"],
    "fit t.csv -o m.tp --n-jobs 0": ["--n-jobs must be an integer other than 0, from -1000 to 1000000; got '0'"],
    "fit t.csv -o m.tp --labels ''": ["--labels must be a text that is not empty"],
    "fit t.csv -o m.tp --test-share 2": ["--test-share"],
    "fit t.csv -o /dev/null": ["--output: /dev/null is not a file"],
    f"fit t.csv -o {'x' * 252}.tp": ["File name too long"],
    "fit t.csv -o no/m.tp": ["--output", "no"],
    "fit t.csv -o .": ["--output", "folder"],
    "fit t.csv -o t.csv": ["--output", "DATA"],
    "fit t.csv -o m.tp --method mass": ["'mass'", "mas"],
    "fit t.csv -o m.tp --learner pcx": ["--learner", "pct"],
    "fit t.csv -o m.tp --learner ../..": ["--learner '../..'", "not the full name"],
    "fit t.csv -o m.tp --learner no.Such": ["--learner", "pip install no"],
    "fit t.csv -o m.tp --learner sklearn.tree.Oak": ["--learner", "sklearn.tree has no Oak"],
    "fit t.csv -o m.tp --learner sklearn.tree.plot_tree": ["--learner", "not an estimator"],
    "fit t.csv -o m.tp --learner sklearn.multioutput.MultiOutputClassifier": ["--learner", "--set"],
    "fit t.csv -o m.tp --learner GaussianNB --set prior=1": ["--set prior", "priors"],
    "fit t.csv -o m.tp --learner GaussianNB --set prior": ["--set", "key=value"],
    "fit t.csv -o m.tp --set a=1": ["--set", "--learner"],
    "fit t.csv -o m.tp --learner GaussianNB --method mas": ["--method", "--learner"],
    "fit t.csv -o m.tp --decoder bestpath": ["--decoder", "best-path"],
    "fit t.csv -o m.tp --combiner up": ["--combiner", "max-up"],
    "fit t.csv -o m.tp --learner LogisticRegression --set C=-1": ["'C' parameter of LogisticRegression"],
    # columns
    "fit t.csv -o m.tp --labels lables": ["'lables'", "'labels'"],
    "fit t.csv -o m.tp --text sise": ["'sise'", "'size'"],
    "fit t.csv -o m.tp --ids gen": ["'gen'", "'gene'"],
    "fit t.csv -o m.tp --split part": ["'part'", "'gene'"],
    "fit t.csv -o m.tp --delimiter two": ["--delimiter"],
    "fit t.csv -o m.tp --encoding utf9": ["--encoding", "'utf9'"],
    "fit t.csv -o m.tp --reader spam": ["'spam'"],
    "fit toy -o m.tp --labels x": ["'toy'", "labels"],
    # data
    "describe nowhere.csv": ["nowhere.csv"],
    "describe nowhere": ["'nowhere'"],
    "describe empty.csv": ["empty.csv", "empty"],
    "describe header.csv": ["header.csv", "no rows"],
    "describe ragged.csv": ["ragged.csv:2", "3 cells"],
    "describe same.csv": ["same.csv:1", "'x'"],
    "describe gap.csv": ["gap.csv:2", "'a//1'"],
    "describe none.csv": ["none.csv", "no row has a label"],
    "describe bad.arff": ["bad.arff"],
    "describe notes.xyz": ["notes.xyz"],
    "describe .": ["train"],
    "describe t.csv --sep ''": ["sep"],
    # models
    "predict t.csv t.csv": ["t.csv"],
    "predict nowhere.tp t.csv": ["nowhere.tp"],
    "predict m.tp t.csv --explain 1 --allowed-by size h.csv": ["--explain is about one row", "--allowed"],
    "predict m.tp t.csv --allowed a --allowed-by size h.csv": ["--allowed-by", "one of the two"],
    "predict m.tp t.csv --mask-only": ["--mask-only", "--allowed"],
    "predict m.tp nowhere.csv": ["nowhere.csv"],
    "predict m.tp y.csv": ["y.csv", "'size'"],
    "predict m.tp toy": ["'size'"],
    "predict m.tp t.csv --explain 99": ["row to explain", "0 to 11"],
    "predict m.tp t.csv -o m.tp": ["--output", "MODEL"],
    "predict m.tp t.csv -o o.xyz": ["o.xyz"],
    "predict m.tp t.csv -o o.json --matrix": ["matrix", ".csv"],
    "predict m.tp t.csv --format pdf": ["--format must be one of", "'pdf'"],
    "predict m.tp t.csv --top 1e20": ["--top must be an integer from 1 to"],
    "predict m.tp t.csv --coverage 0.9": ["coverage", "--decoder conformal"],
    "serve": ["missing argument", "model"],
    "serve nowhere.tp": ["nowhere.tp"],
    "serve t.csv": ["t.csv"],
    "serve m.tp m.tp": ["two models are called 'm'"],
    "serve old=": ["'old=' names no file"],
    f"evaluate y.csv - -S - {ON}": ["PREDICTED", "--scores"],
    "serve m.tp --port 99999": ["--port"],
    "serve m.tp --workers 0": ["--workers"],
    "serve m.tp --max-body 0": ["--max-body"],
    "serve m.tp --max-rows 0": ["--max-rows"],
    "serve m.tp --answer-seconds 0": ["--answer-seconds"],
    "export m.tp": ["missing option", "output"],
    "export nowhere.tp -o m.onnx": ["nowhere.tp"],
    "export m.tp -o m.tp": ["--output", "MODEL"],
    "export m.tp -o m.onnx": ["cannot be exported to ONNX", "PCTForest"],
    # scores
    "label s.csv": ["--hierarchy"],
    "label s.csv -H nowhere.csv": ["nowhere.csv"],
    "label s.csv -H nowhere": ["'nowhere'"],
    "label s.csv -H cycle.csv": ["cycle.csv", "cycle"],
    "label s.csv -H edge.csv": ["edge.csv"],
    "label s.csv -H maybe.csv": ["maybe.csv", "--header"],
    "label s.csv -H bad.json": ["bad.json"],
    "label s.csv -H list.json": ["list.json"],
    "label s.csv -H bad.obo": ["bad.obo"],
    "label s.csv -H notes.xyz": ["notes.xyz", ".csv"],
    f"label nowhere.csv {ON}": ["nowhere.csv"],
    f"label hole.csv {ON}": ["hole.csv:2", "'a/1'"],
    f"label words.csv {ON}": ["words.csv:2", "'high'", "'a/1'"],
    f"label nan.csv {ON}": ["nan.csv:2", "'a/1'"],
    f"label short.csv {ON}": ["short.csv", "'a/2'"],
    f"label wild.csv {ON} -s mas": ["wild.csv", "--coherent"],
    f"label s.csv {ON} --ids idd": ["'idd'", "'id'"],
    f"label s.csv {ON} -s best": ["--strategy", "best-path"],
    f"label s.csv {ON} -s mas --threshold 1": ["--threshold", "--strategy mas"],
    f"label s.csv {ON} -s threshold --threshold high": ["threshold"],
    f"label s.csv {ON} -s mas --thresholds bad.json": ["--thresholds", "mas"],
    f"label s.csv {ON} --threshold 0.5 --thresholds bad.json": ["--threshold", "--thresholds"],
    f"label s.csv {ON} --thresholds bad.json": ["bad.json", "not JSON"],
    f"label s.csv {ON} -s single": ["--strategy single", "--valid-scores"],
    f"label s.csv {ON} --coherent maximum": ["--coherent", "max-up"],
    f"label s.csv {ON} --truth y.csv --valid-truth y.csv": ["--truth", "--valid-truth"],
    f"label s.csv {ON} --valid-truth y.csv": ["--valid-scores"],
    f"label s.csv {ON} -s single --truth other.csv": ["other.csv", "--ids"],
    f"label s.csv {ON} -o s.csv": ["--output", "SCORES"],
    f"label s.csv {ON} --format pdf": ["format", "'pdf'"],
    # truth
    f"evaluate y.csv {ON}": ["nothing to evaluate", "--scores"],
    "evaluate y.csv z.csv": ["--hierarchy"],
    f"evaluate nowhere.csv z.csv {ON}": ["nowhere.csv"],
    "evaluate toy z.csv --part nowhere": ["'nowhere'", "--part"],
    f"evaluate toy z.csv {ON}": ["--hierarchy", "toy"],
    f"evaluate y.csv other.csv {ON}": ["other.csv", "--by-order"],
    f"evaluate y.csv unknown.csv {ON}": ["unknown.csv:2", "'a/3'"],
    f"evaluate y.csv twice.csv {ON}": ["twice.csv", "'x'"],
    f"evaluate y.csv bad.json {ON}": ["bad.json"],
    f"evaluate y.csv list.json {ON}": ["list.json"],
    f"evaluate y.csv z.csv {ON} -m f2": ["'f2'"],
    f"evaluate y.csv z.csv {ON} -m auprc": ["auprc", "--scores"],
    f"evaluate y.csv z.csv {ON} --nodes c": ["'c'"],
    f"evaluate y.csv z.csv {ON} --nodes a --leave-out a": ["--nodes", "--leave-out"],
    f"evaluate y.csv z.csv {ON} --resamples -1": ["--resamples"],
    f"evaluate y.csv z.csv {ON} --labels topics": ["'topics'", "--labels"],
    # studies
    "compare r.csv --alpha 3": ["--alpha"],
    "compare nowhere.csv": ["nowhere.csv"],
    "compare two.csv --diagram d.svg": ["--diagram", "--metrics"],
    "compare r.csv --greater-is-better --diagram d.xyz": ["--diagram", ".svg"],
    "compare r.csv --truth y.csv": ["--truth"],
    "compare y.csv z.csv": ["--truth"],
    "compare . z.csv": ["is a folder", "--truth"],
    f"compare r.csv {ON}": ["--hierarchy"],
    f"compare y.csv z.csv --truth y.csv {ON} --format latex": ["--format latex"],
    f"compare y.csv z.csv --truth y.csv {ON} -m auprc,exact_match": ["--metrics"],
    f"compare y.csv z.csv --truth y.csv {ON} -m auprc": ["auprc", "y.csv"],
    "compare n.npy n.npy --truth n.npy": ["--hierarchy"],
    "compare l.json l.json --truth l.json": ["--hierarchy", "l.json"],
    "experiment nowhere.toml": ["nowhere.toml"],
    "experiment plan.toml": ["plan.toml"],
    "reproduce": ["name a paper"],
    "reproduce bi2012 --data nowhere": ["--data", "nowhere is not a folder"],
    "reproduce nobody1999": ["'nobody1999'"],
    "methods --kind learner": ["--kind", "learners"],
    "report nowhere": ["nowhere"],
    "report t.csv": ["t.csv", "run.json"],
    "report": ["nothing to report on", "--truth"],
    "report --predictions z.csv": ["--truth"],
    "report --truth y.csv": ["--predictions"],
    "report t.csv --truth y.csv": ["--truth", "t.csv"],
    "report t.csv --by-order": ["--by-order", "t.csv"],
    f"report --truth y.csv -p z.csv -p y.csv -S s.csv {ON}": ["--scores", "1 times for 2 models"],
    f"report --truth y.csv -p z.csv --name a --name b {ON}": ["--name", "2 times for 1 models"],
    f"report --truth y.csv -p z.csv -p - {ON}": ["model 2", "neither"],
    f"report --truth y.csv -p nowhere.csv {ON}": ["nowhere.csv"],
    f"report --truth nowhere.csv -p z.csv {ON}": ["nowhere.csv"],
    f"report --truth y.csv -p other.csv {ON}": ["other.csv", "--by-order"],
    f"report --truth y.csv -p z.csv -o y.csv {ON}": ["--output", "--truth"],
    f"report --truth y.csv -p z.csv --text story {ON}": ["'story'"],
    "report --truth toy -p toy_labels.csv --text story": ["--text", "toy"],
    "predict m.tp t.csv -o loop": ["--output", "loop", "leads back to itself"],
    "demo -o t.csv": ["--output", "t.csv", "not a folder"],
    "fit t.csv -o m2.tp --run t.csv/run": ["--run", "t.csv", "not a folder"],
    "fetch": ["--list"],
    "fetch toy --from .": ["--from"],
    "fetch wordnet-nouns": ["--from"],
    "fetch nowhere": ["nowhere"],
}


class FullDisk(io.StringIO):
    """A stream that cannot hand over what was written to it."""

    def flush(self):
        raise OSError(errno.ENOSPC, "No space left on device")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the files, and a model."""
    at = tmp_path_factory.mktemp("errors")
    for name, text in FILES.items():
        (at / name).write_text(text)
    (at / "bare").mkdir()
    (at / "loop").symlink_to("loop")
    np.save(at / "n.npy", np.eye(3))
    (at / "l.json").write_text('[{"id": "x", "labels": ["a/1"]}]')
    run_command("fit", at / "t.csv", "-o", at / "m.tp", "--learner", "GaussianNB", "--ids", "gene", "--test-share", "0")
    return at


@pytest.fixture(scope="module")
def errors(folder):
    """What every call ends with."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.delenv("TRUEPATH_DATA", raising=False)
        return {call: refusal(call) for call in CALLS}


#: What may stand in truepath.toml that no command takes
PROJECTS = {
    "[fti]": ["no command 'fti'", "'fit'"],
    "fit = 3": ["'fit' must be a table of options, [fit]"],
    "[fit]\nlables = 'x'": ["no option 'lables'", "'labels'"],
    "[fit]\nmerge-spellings = 3": ["[fit] merge-spellings must be true or false; got 3"],
    "[fit]\nseed = 'x'": ["[fit] seed", "an integer from 0"],
    "[fit]\nseed = {a = 1}": ["[fit] seed must be one value, or a list of values"],
}

COMMAND = get_command(app)  # made once


def refusal(call):
    """Return the error that a call ends with."""
    with pytest.raises(Exception) as caught:
        COMMAND.main(shlex.split(call), standalone_mode=False)
    return caught.value


@pytest.mark.parametrize("call", CALLS)
def test_an_error_is_one_line_that_names_what_is_wrong(errors, call):
    said = format_error(errors[call])
    assert said.startswith("truepath: ")
    assert "\n" not in said
    assert "Traceback" not in said
    assert "bug in truepath" not in said
    assert [word for word in CALLS[call] if word.lower() not in said.lower()] == [], said


def sites():
    """Return where the command line raises errors: file and lines, without those that only end a command."""
    found = {}
    for path in sorted(CLI.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Raise) and node.exc is not None and "Exit" not in ast.unparse(node.exc):
                found[f"{path.relative_to(CLI)}:{node.lineno}"] = (str(path), range(node.lineno, node.end_lineno + 1))
    return found


def reached(error):
    """Return the places of the tracebacks of an error, and of the one that it was raised for."""
    found = {(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)}
    return found | (reached(error.__context__) if error.__context__ is not None else set())


def test_every_raise_of_the_command_line_is_in_the_table(errors, folder, monkeypatch):
    """A new error needs a call above that leads to it."""
    monkeypatch.chdir(folder)
    seen = set().union(*map(reached, errors.values()))
    with monkeypatch.context() as without:  # a package that is there
        without.setattr("truepath.cli.strategies._required", lambda member: ["k"])  # as a decoder of others may have it
        seen |= reached(error := refusal(f"label s.csv {ON} -s mas"))
        assert "--strategy mas needs --k" in format_error(error)
    with monkeypatch.context() as closed:
        closed.setattr("sys.stdout", None)
        seen |= reached(error := refusal("predict m.tp t.csv"))
        assert "standard output is closed" in format_error(error)
    with monkeypatch.context() as closed:
        closed.setattr("sys.stdin", None)
        seen |= reached(error := refusal("describe -"))
        assert "nothing is piped into standard input" in format_error(error)
    with monkeypatch.context() as soon:
        soon.setenv("TRUEPATH_PROGRESS", "soon")
        seen |= reached(error := refusal("predict m.tp t.csv"))
        assert "TRUEPATH_PROGRESS must be a number of seconds" in format_error(error)
    with monkeypatch.context() as maybe:
        maybe.setenv("TRUEPATH_SERVE_QUIET", "maybe")
        seen |= reached(error := refusal("serve m.tp"))
        assert "TRUEPATH_SERVE_QUIET must be 1 or 0; got 'maybe'" in format_error(error)
    for text, words in PROJECTS.items():
        (project := folder / "project.toml").write_text(text, encoding="utf-8")
        with monkeypatch.context() as own:
            own.setattr("truepath.cli.shared.project.FILE", project)
            seen |= reached(error := refusal("fit t.csv -o m.tp"))
        assert [word for word in ["project.toml", *words] if word not in format_error(error)] == []
    with monkeypatch.context() as full:
        full.setattr("sys.stdout", FullDisk())
        with pytest.raises(OSError, match="standard output") as caught, printing_what_is_possible():
            print("what is written at the end")
    seen |= reached(caught.value)
    assert format_error(caught.value) == "truepath: standard output: No space left on device"
    places = sites()
    assert len(places) > 40
    assert [site for site, (file, lines) in places.items() if not any((file, line) in seen for line in lines)] == []


def test_main_prints_the_line_and_nothing_else(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    for call, code in (("fit t.csv -o m.tp --lables x", 2), ("describe nowhere.csv", 1)):
        monkeypatch.setattr("sys.argv", ["truepath", *call.split()])
        with pytest.raises(SystemExit) as stopped:
            main()
        out, err = capsys.readouterr()
        assert (stopped.value.code, out, err.count("\n")) == (code, "", 1)


def test_a_mistake_of_ours_is_one_line_too(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    monkeypatch.setattr("sys.argv", ["truepath", "describe", "t.csv"])
    monkeypatch.setattr("truepath.workflow.open_training", lambda *_, **__: 1 / 0)
    with pytest.raises(SystemExit) as stopped:
        main()
    err = capsys.readouterr().err
    assert stopped.value.code == 1
    assert err.startswith("truepath: ZeroDivisionError: division by zero")
    assert "TRUEPATH_TRACEBACK=1" in err


def messages():
    """Yield every text that an error of the package starts with, and where."""
    for path in sorted(CLI.parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                texts = [one.value for one in ast.walk(node.exc) if isinstance(one, ast.Constant)]
                said = "".join(text for text in texts if isinstance(text, str))
                yield f"{path.relative_to(CLI.parent)}:{node.lineno}", said


def test_no_text_of_an_error_has_a_line_end():
    found = list(messages())
    assert len(found) > 400
    assert [where for where, text in found if "\n" in text.strip("\n")] == []


def test_files_that_cannot_be_opened_any_more_are_named_though_another_error_hides_them():
    error = UnboundLocalError("child_r")  # what joblib makes of it
    error.__context__ = OSError(errno.EMFILE, os.strerror(errno.EMFILE))
    assert "too many files are open" in format_error(error)
    assert "failed to map" in (said := format_error(ImportError("a.so: failed to map segment from shared object")))
    assert "not enough memory" in said


def test_a_folder_that_is_gone_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gone").mkdir()
    os.chdir("gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(FileNotFoundError) as caught:
        os.getcwd()
    assert "started in is gone" in format_error(caught.value)


def test_memory_that_ran_out_is_named_though_another_error_hides_it():
    error = IndexError("invalid index")  # what SciPy makes of it
    error.__cause__ = MemoryError()
    assert "not enough memory" in format_error(error)
