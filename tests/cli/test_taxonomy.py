"""Hierarchies that change, from the command line: edited, compared, and a model updated."""

from __future__ import annotations

import json

import numpy as np
import pytest

from commands import run_command
from truepath import HierarchicalClassifier, Hierarchy
from truepath.classifier import FittedOn

ROWS = ["a cat and a dog,animal/cat;animal/dog", "the cat sleeps,animal/cat", "dogs bark,animal/dog"]
ROWS += ["an oak tree,plant/oak", "oak leaves,plant/oak", "leaves of a tree,plant/oak"]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "old.csv").write_text("parent,child\n,animal\nanimal,animal/cat\n,plant\n")
    return tmp_path


def test_a_hierarchy_is_edited_and_compared(folder):
    steps = folder / "steps.txt"
    steps.write_text("# a new one\nadd plant/oak under plant\n\n")
    said, _ = run_command("hierarchy", "edit", folder / "old.csv", "remove animal/cat", "--steps", steps)
    assert said == "added: plant/oak\nremoved: animal/cat\n"
    new = folder / "new.json"
    run_command("hierarchy", "edit", folder / "old.csv", "rename animal to fauna", "-o", new)
    assert Hierarchy.from_json(new.read_text()).names.tolist() == ["fauna", "fauna/cat", "plant"]
    said, _ = run_command("hierarchy", "diff", folder / "old.csv", new)
    assert said.splitlines()[-1] == "to learn: fauna, fauna/cat"
    said, _ = run_command("hierarchy", "diff", folder / "old.csv", new, "--json")
    assert json.loads(said)["removed"] == ["animal", "animal/cat"]


def test_a_model_is_updated(folder):
    table = folder / "t.csv"
    table.write_text("about,labels\n" + "\n".join(ROWS * 2) + "\n")
    texts = [row.split(",")[0] for row in ROWS] * 2
    labels = [row.split(",")[1].split(";") for row in ROWS] * 2
    model = HierarchicalClassifier(decoder="best-path").fit(texts, labels)
    model.set_fitted_on(FittedOn("table", "t", ("about",), "about")).save(folder / "m.tp")
    said, _ = run_command("features", folder / "m.tp", "-n", 1, "--label", "plant/oak", "--label", "animal/cat")
    assert [line.partition(" ")[0] for line in said.splitlines()] == ["animal/cat:", "plant/oak:"]
    assert json.loads(run_command("features", folder / "m.tp", "--by", "level", "--json")[0]).keys() == {
        "level 1",
        "level 2",
    }
    table.write_text(table.read_text() + "an elm tree,plant/elm\nelm leaves,plant/elm\n")
    options = ["-o", folder / "n.tp", "--step", "add plant/elm under plant", "--test-share", "0"]
    said, _ = run_command("update", folder / "m.tp", table, *options)
    assert said == "added: plant/elm\nlearned: all 6 labels anew, since the features did not know elm\n"
    new = HierarchicalClassifier.load(folder / "n.tp")
    assert new.predict_labels(["an elm"]) == [("plant/elm",)]
    (folder / "old_words.csv").write_text(table.read_text().replace("elm tree", "tree").replace("elm leaves", "leaves"))
    said, _ = run_command("update", folder / "m.tp", folder / "old_words.csv", *options)
    assert said == "added: plant/elm\nlearned: animal, animal/cat, animal/dog, plant, plant/oak, plant/elm\n"
    table.write_text("about,labels\n" + "\n".join(ROWS * 2) + "\n")
    options = [
        "-o",
        folder / "k.tp",
        "--step",
        "merge animal/cat; animal/dog into animal/pet",
        "--old-labels",
        "--json",
    ]
    done = json.loads(run_command("update", folder / "m.tp", table, *options)[0])
    assert (done["to_learn"], done["rows"]) == (["animal/pet"], 12)
    merged = HierarchicalClassifier.load(folder / "k.tp")
    kept = ["animal", "plant", "plant/oak"]
    before, after = (one.predict_proba(texts)[:, one.hierarchy_.indices(kept)] for one in (model, merged))
    np.testing.assert_array_equal(after, before)


NAMED = [("cat", "animal/cat"), ("dog", "animal/dog"), ("oak", "plant/oak")]


def test_a_column_whose_values_are_all_different_now_is_still_learned_from(folder):
    table = folder / "t.csv"
    rows = [f"a {name} here,k{i % 20},{label}" for i, (name, label) in enumerate(NAMED * 10)]
    table.write_text("about,key,labels\n" + "\n".join(rows) + "\n")
    run_command("fit", table, "-o", folder / "m.tp", "--test-share", 0)
    table.write_text("about,key,labels\n" + "\n".join(rows[:20]) + "\n")  # each key once, as if it named the row
    _, err = run_command(
        "update",
        folder / "m.tp",
        table,
        "-o",
        folder / "n.tp",
        "--step",
        "rename plant/oak to plant/elm",
        "--old-labels",
    )
    assert "key" not in err
    assert HierarchicalClassifier.load(folder / "n.tp").fitted_on_.columns == ("about", "key")
