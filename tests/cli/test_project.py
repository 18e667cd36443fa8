"""Options of a project in truepath.toml, and completion in a shell."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from commands import refusal_of, run_command

ROWS = "x,y,labels\n" + "".join(f"{i % 7},{i % 3},{('a/1', 'a/2', 'b')[i % 3]}\n" for i in range(30))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "t.csv").write_text(ROWS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_options_of_the_file_are_taken_and_what_is_typed_wins(folder):
    (folder / "truepath.toml").write_text(
        '[fit]\nlabels = ["labels"]\nmethod = "pct"\ntest-share = 0\nn_jobs = 1\n[predict]\nmatrix = true\n'
    )
    out, err = run_command("fit", "t.csv", "-o", "m.tp")
    assert "truepath.toml sets --labels, --method, --test-share, --n-jobs; what is typed wins" in err
    assert "Method: pct" in out
    assert "held out" not in out
    out, _ = run_command("fit", "t.csv", "-o", "m.tp", "--test-share", 0.3, "--json")
    assert '"test_rows"' in out
    assert "truepath.toml" not in run_command("methods")[1]


def test_tables_of_commands_within_commands(folder):
    (folder / "truepath.toml").write_text('[cafa.train]\nontology = "o.obo"\noutput = "models"\nmin-count = 3\n')
    assert "a.tsv" in refusal_of("cafa", "train", "e.npz", "a.tsv")  # all options are there; the file is not


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[ft]\nlabels = "x"\n', ["there is no command 'ft'", "'fit'"]),
        ('[fit]\nlables = "x"\n', ["truepath fit has no option 'lables'", "'labels'"]),
        ("[fit]\ntest-share = 3\n", ["[fit] test-share must be a number >= 0 and below 1; got '3'"]),
        ("[fit]\ntest-share = true\n", ["[fit] test-share must be a number"]),
        ("[fit]\njson = 3\n", ["[fit] json must be true or false; got 3"]),
        ("[fit]\nlabels = {a = 1}\n", ["[fit] labels must be one value, or a list of values"]),
        ("fit = 3\n", ["'fit' must be a table of options, [fit]"]),
        ("[fit\n", ["not a TOML file"]),
    ],
)
def test_what_no_command_takes_is_named(folder, text, said):
    (folder / "truepath.toml").write_text(text)
    found = refusal_of("fit", "t.csv", "-o", "m.tp", "--labels", "labels")
    assert "truepath.toml" in found
    assert [part for part in said if part not in found] == []


@pytest.mark.parametrize("text", ["", "# to come\n", "[fit]\n"])
def test_a_file_without_options_sets_none(folder, text):
    (folder / "truepath.toml").write_text(text)
    assert "sets" not in run_command("describe", "t.csv", "--labels", "labels")[1]


def test_a_table_of_a_group_is_named_as_it_is_written(folder):
    (folder / "truepath.toml").write_text("[hierarchy]\nedit = 3\n")
    assert "must be a table of options, [hierarchy.edit]" in refusal_of("hierarchy", "edit", "t.csv", "add x")


def test_a_date_that_is_none_is_refused_by_name(folder, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "abc")
    assert "SOURCE_DATE_EPOCH must be a whole number of seconds" in refusal_of("methods")


def test_an_option_may_be_given_more_than_once(folder):
    (folder / "truepath.toml").write_text('[fit]\nlearner = "pct"\nset = ["max_depth=2", "min_leaf_weight=3"]\n')
    out, _ = run_command("fit", "t.csv", "-o", "m.tp", "--labels", "labels", "--test-share", 0)
    assert "Method: PCTree" in out


@pytest.mark.parametrize(
    ("typed", "found"),
    [("fi", "fit"), ("fit --cov", "--coverage"), ("compare --format ma", "markdown"), ("cafa tr", "train")],
)
def test_a_shell_completes_commands_options_and_values(typed, found):
    words = f"truepath {typed}"
    asked = {"_TRUEPATH_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    code = "import sys; sys.argv = ['truepath']; from truepath.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, **asked}, capture_output=True, text=True)
    assert done.stdout.split() == [found], done.stderr
