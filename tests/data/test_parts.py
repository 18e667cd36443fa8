"""Parts by the names people give them: no test row is learned from, whatever the part is called."""

from __future__ import annotations

import json

import pytest

from commands import refusal_of, run_command
from truepath import open_dataset
from truepath.workflow import fit_dataset, open_training


def table(tmp_path, parts, name="rows.csv"):
    """Write a table whose rows are dealt in turn to parts."""
    rows = [f"{i % 7},{i % 3},{parts[i % len(parts)]},{'ab'[i % 3 == 0]}" for i in range(60)]
    (tmp_path / name).write_text("\n".join(["x,y,part,labels", *rows, ""]))
    return tmp_path / name


@pytest.mark.parametrize(
    "names",
    [("Train", "Validation", "TEST"), ("training", "dev", "testing"), ("TRAIN ", "val", "Held-out"), ("learn", "", "")],
)
def test_usual_names_are_the_usual_parts(names, tmp_path):
    train, valid, test = (name or usual for name, usual in zip(names, ("train", "valid", "test")))
    ds = open_dataset(table(tmp_path, [train, train, valid, test]), split="part")
    assert {name: len(split) for name, split in ds.splits.items()} == {"train": 30, "valid": 15, "test": 15}


def test_the_test_part_is_measured_on_and_not_learned_from(tmp_path):
    file = table(tmp_path, ["Training", "Training", "Training", "Testing"])
    said, _ = run_command("fit", file, "-o", tmp_path / "m.tp", "--split", "part", "--method", "linear", "--json")
    found = json.loads(said)
    assert (found["test_rows"], found["rows"], found["rows_fitted"]) == (15, 45, 45)


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        (["A", "B", "B"], "'B' (40 rows), 'A' (20 rows); a part is train, valid or test"),
        (["train", "test", "unused"], "'unused' (20 rows)"),
        (["train", "valid"], "there is no test part to measure on"),
        (["test"], "'test' (60 rows): there is nothing to learn from"),
        (["train", ""], "rows.csv:3: column 'part' does not say which part this row belongs to"),
    ],
)
def test_parts_that_leave_something_open_are_refused_with_their_values(parts, problem, tmp_path):
    said = refusal_of("fit", table(tmp_path, parts), "-o", tmp_path / "m.tp", "--split", "part", "--method", "linear")
    assert problem in said
    assert not (tmp_path / "m.tp").exists()


def test_a_mapping_with_other_names_is_not_dealt_anew(tmp_path):
    ds = open_dataset({"early": table(tmp_path, ["x"], "a.csv"), "late": table(tmp_path, ["x"], "b.csv")})
    with pytest.raises(ValueError, match=r"'early' \(60 rows\), 'late' \(60 rows\); a part is train"):
        fit_dataset(ds, "linear")


def test_without_measuring_no_test_part_is_needed(tmp_path):
    ds = open_training(table(tmp_path, ["train", "valid"]), split="part")
    assert fit_dataset(ds, "linear", test_share=0).n_rows == 60


def test_files_of_a_folder_by_their_usual_names(tmp_path):
    for name in ("training.csv", "val.csv", "Test.csv"):
        table(tmp_path, ["x"], name)
    assert list(open_dataset(tmp_path)) == ["train", "valid", "test"]
