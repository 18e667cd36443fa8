"""``truepath update`` reads its table as the model's was read, and measures what it made."""

from __future__ import annotations

import json

import pytest

from commands import refusal_of, run_command
from truepath import HierarchicalClassifier
from truepath.classifier import FittedOn, predict_file
from truepath.serve.rows import RowForm
from truepath.workflow import measure_update, open_training, read_again

WORDS = {
    "Plant > Oak/Elm": "acorn bark",
    "Plant > Fern": "leaf frond",
    "Pet > Cat": "purr claw",
    "Pet > Dog": "bone walk",
}


def write(path, labels=tuple(WORDS), n=48, header="name,title,about,kind,part", test=False):
    """Write a table with two columns of texts and labels that are paths, two of them in a row now and then."""
    rows = []
    for i in range(n):
        own, other = labels[i % len(labels)], labels[(i + 1) % len(labels)]
        kinds = f"{own.lower() if i % 11 == 0 else own} | {other}" if i % 6 == 0 else own
        words = WORDS.get(own, "quill spine").split()
        rows.append(f"r{i},a {words[0]} nr{i},the {words[1]},{kinds},{'TEST' if test and i % 4 == 0 else 'train'}")
    path.write_text("\n".join([header, *rows, ""]))
    return path


OPTIONS = ("--labels", "kind", "--between", "|", "--text", "title,about", "--ids", "name", "--merge-spellings")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("update")
    write(folder / "old.csv")
    run_command("fit", folder / "old.csv", "-o", folder / "m.tp", *OPTIONS, "--method", "linear", "--split", "part",
                "--test-share", "0")  # fmt: skip
    write(folder / "new.csv", (*WORDS, "Pet > Hedgehog"), n=60)
    write(folder / "tested.csv", (*WORDS, "Pet > Hedgehog"), n=60, test=True)
    return folder


def test_a_model_remembers_how_labels_and_texts_were_read(folder):
    found = HierarchicalClassifier.load(folder / "m.tp").fitted_on_
    assert (found.labels, found.sep, found.between, found.merge_spellings) == (("kind",), " > ", "|", True)
    assert (found.text, found.more_texts, found.texts) == ("title", ("about",), ("title", "about"))
    assert found.columns == ("title", "about")
    how = read_again(found, {"labels": None, "split": "part"})
    assert open_training(folder / "old.csv", **how).feature_names == ("title + about",)
    assert read_again(found, {"labels": "other"})["labels"] == "other"


def test_update_needs_no_options_again_and_measures(folder):
    call = (
        "update",
        folder / "m.tp",
        folder / "new.csv",
        "-o",
        folder / "n.tp",
        "--step",
        "add Pet > Hedgehog under Pet",
    )
    said, _ = run_command(*call)
    assert "added: Pet > Hedgehog" in said
    assert "that the update did not learn from" in said
    model = HierarchicalClassifier.load(folder / "n.tp")
    assert model.fitted_on_.n_rows == 60
    assert model.predict_labels(["quill 3\nthe spine"]) == [("Pet > Hedgehog",)]
    found = json.loads(run_command(*call, "--json")[0])
    assert found["test_rows"] == pytest.approx(12, abs=2)
    assert 0.5 < found["measures"]["hierarchical_f1"] <= 1
    assert "measures" not in json.loads(run_command(*call, "--json", "--test-share", "0")[0])


def test_rows_of_a_test_part_are_measured_on_and_learned_at_the_end(folder):
    call = ("update", folder / "m.tp", folder / "tested.csv", "-o", folder / "t.tp", "--split", "part", "--json")
    found = json.loads(run_command(*call, "--step", "add Pet > Hedgehog under Pet")[0])
    assert (found["test_rows"], found["all_unseen"], found["rows"]) == (15, True, 60)


def test_measuring_leaves_the_model_as_it_is(folder):
    model = HierarchicalClassifier.load(folder / "m.tp")
    change = model.hierarchy_.edit().add("Pet > Hedgehog", "Pet").diff()
    ds = open_training(folder / "new.csv", hierarchy=change.new, **read_again(model.fitted_on_, {}))
    before = model.predict_proba(["purr claw"]).tolist()
    assert measure_update(model, change, ds).n_rows > 5
    assert model.hierarchy_ == change.old
    assert model.predict_proba(["purr claw"]).tolist() == before


def test_several_columns_of_texts_everywhere(folder, tmp_path):
    model = HierarchicalClassifier.load(folder / "m.tp")
    predict_file(model, folder / "new.csv", tmp_path / "p.csv")
    assert "r2,Pet > Cat" in (tmp_path / "p.csv").read_text()
    form = RowForm(model)
    assert form.columns == ("title", "about")
    assert form.check(None, [{"title": "purr", "about": None}, {"title": "a", "about": "b"}]) == [
        "purr",
        "a\nb",
    ]
    with pytest.raises(ValueError, match="no column 'about'"):
        form.check(None, [{"title": "purr"}])
    lines = (folder / "new.csv").read_text().replace(",about,", ",story,", 1)
    (tmp_path / "lacks.csv").write_text(lines)
    assert "no column 'about'" in refusal_of(
        "predict", folder / "m.tp", tmp_path / "lacks.csv", "-o", tmp_path / "q.csv"
    )


def test_models_of_before_remember_less():
    assert read_again(FittedOn("table", "t", ("about",), "about"), {"sep": "/"}) == {
        "ids": None, "sep": "/", "between": None, "prefixes": False, "merge_spellings": False, "text": ["about"],
        "labels": None,
    }  # fmt: skip
