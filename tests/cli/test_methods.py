"""``truepath methods`` lists every registry, from what its members say."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from commands import refusal_of
from truepath.cli.app import app
from truepath.registry import REGISTRIES


def run(*arguments):
    return CliRunner().invoke(app, ["methods", *arguments], env={"COLUMNS": "200"})


@pytest.mark.parametrize("kind", REGISTRIES)
def test_a_kind_lists_its_registry(kind):
    rows = json.loads(run("--kind", kind, "--json").stdout)
    assert [row["name"] for row in rows] == list(REGISTRIES[kind])
    shown = run("--kind", kind).stdout
    for row in rows:
        assert row["summary"], row
        assert row["name"] in shown


def test_all_are_listed_with_their_headings():
    found = json.loads(run("--kind", "all", "--json").stdout)
    assert list(found) == ["presets", *REGISTRIES]
    shown = run("--kind", "all").stdout
    assert all(f"\n{kind}\n" in shown for kind in found)
    assert json.loads(run("--json").stdout) == found["presets"]


def test_an_unknown_kind_is_answered_with_the_nearest():
    assert "Did you mean 'learners'" in refusal_of("methods", "--kind", "learner")
    assert "--kind must be one of 'presets', 'learners'" in refusal_of("methods", "--kind", "xyz")
