"""Label sets with a coverage, from the fit to the predictions."""

from __future__ import annotations

import json
import re

import pytest

from commands import refusal_of, run_command


def test_coverage_from_fit_to_predict(tmp_path):
    rows = "".join(f"{i % 7},{i % 3},{'a/1' if i % 7 > 3 else 'a/2' if i % 3 else 'b'}\n" for i in range(90))
    (tmp_path / "t.csv").write_text("x,y,labels\n" + rows)
    common = [tmp_path / "t.csv", "-o", tmp_path / "m.tp", "--method", "pct", "--test-share", 0]
    run_command("fit", *common, "--coverage", 0.8)
    sizes = []
    for coverage in (0.5, 0.99):
        printed, _ = run_command("predict", tmp_path / "m.tp", tmp_path / "t.csv", "--coverage", coverage, "--matrix")
        sizes.append(sum(line.count(",1") for line in printed.splitlines()[1:]))
    assert sizes[0] <= sizes[1] == 90 * 4
    assert "no meaning for --decoder single" in refusal_of("fit", *common, "--coverage", 0.8, "--decoder", "single")
    assert "--coverage must be a number between 0 and 1" in refusal_of("fit", *common, "--coverage", 90)
    run_command("fit", *common)
    said = refusal_of("predict", tmp_path / "m.tp", tmp_path / "t.csv", "--coverage", 0.9)
    assert "have no coverage" in said


@pytest.mark.parametrize(
    ("decoder", "says"),
    [("conformal", "hold all true labels of their row"), ("conformal-sure", "all labels of a set are true")],
)
def test_fit_says_what_was_promised_and_what_came_of_it(tmp_path, decoder, says):
    rows = "".join(f"{i % 7},{i % 3},{'a/1' if i % 7 > 3 else 'a/2' if i % 3 else 'b'}\n" for i in range(90))
    (tmp_path / "t.csv").write_text("x,y,labels\n" + rows)
    call = ["fit", tmp_path / "t.csv", "-o", tmp_path / "m.tp", "--method", "pct", "--coverage", 0.8]
    printed = " ".join(run_command(*call, "--decoder", decoder)[0].split())
    assert f"{says}" in printed
    assert "with a probability of 80.0%; " in printed
    assert re.search(r"% on \d+ rows, ", printed)
    assert "Labels in a set: " in printed
    promise = json.loads(run_command(*call, "--decoder", decoder, "--json")[0])["promise"]
    assert says in promise["promise"]
    assert 0 <= promise["reached"] <= 1
    assert len(promise["sizes"]) == 3
    assert "not measured" in run_command(*call, "--decoder", decoder, "--test-share", 0)[0]
