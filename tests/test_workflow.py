"""The same data give the same labels by the command line, by the functions of truepath.workflow, and by the class."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from commands import run_command
from truepath import Dataset, HierarchicalClassifier, Hierarchy, load_dataset, open_dataset
from truepath.classifier import FittedOn, default_decoder, default_learner, default_method, predict_file, with_features
from truepath.data import Split
from truepath.errors import LeftOutWarning, TruePathError
from truepath.export import to_onnx
from truepath.learners import PCTree, top_features
from truepath.serve.rows import RowForm
from truepath.workflow import (
    ModelFiles,
    Reading,
    advise,
    compare_files,
    describe_training,
    drop_ids,
    fit_dataset,
    open_training,
    read_outputs,
    read_run,
    update_model,
)

LABELS = ("plant/oak", "plant/elm", "animal/cat", "animal/dog")
WORDS = {
    "plant/oak": "acorn bark trunk",
    "plant/elm": "leaf bark seed",
    "animal/cat": "purr claw milk",
    "animal/dog": "bark bone walk",
}
N_ROWS = 48
#: Enough for one member of a blend
BUDGET = 0.01


def label(i: int) -> str:
    return LABELS[i % len(LABELS)]


def several(i: int) -> str:
    return f"{label(i)};{label(i + 1)}" if i % 5 == 0 else label(i)


def text(i: int) -> str:
    words = WORDS[label(i)].split()
    return " ".join(["the", words[i % 3], "and", words[(i + 1) % 3], f"near{i % 7}"])


def number(i: int, j: int = 0) -> float:
    rng = np.random.default_rng(100 * i + j)
    return round(float(LABELS.index(label(i)) * (j + 1) + rng.normal(scale=0.7)), 3)


def table(**columns: Callable[[int], Any]) -> pd.DataFrame:
    return pd.DataFrame({name: [make(i) for i in range(N_ROWS)] for name, make in columns.items()})


@dataclass
class Kind:
    """A table, how it is read (options of the command, as of Python), and what of it the class is given."""

    frame: pd.DataFrame
    options: dict[str, Any] = field(default_factory=dict)
    model: dict[str, Any] = field(default_factory=dict)
    ending: str = "csv"
    edges: str = ""

    def write(self, folder: Path) -> Path:
        file = folder / f"data.{self.ending}"
        if self.ending == "parquet":
            self.frame.to_parquet(file, index=False)
        else:
            self.frame.to_csv(file, index=False)
        if self.edges:
            (folder / "edges.csv").write_text(self.edges)
        return file

    def typed(self) -> list[str]:
        given = {name: ",".join(value) if isinstance(value, list) else value for name, value in self.options.items()}
        return [part for name, value in given.items() for part in (f"--{name}", value)]

    def rows(self, file: Path) -> tuple[Any, Any]:
        """Return X and y as a user of pandas has them."""
        frame = pd.read_parquet(file) if self.ending == "parquet" else pd.read_csv(file)
        labels = self.options.get("labels", "labels")
        y = frame[labels] if isinstance(labels, list) else frame[labels].fillna("")
        if "text" in self.options:
            return frame[self.options["text"]], y
        used = [*(labels if isinstance(labels, list) else [labels]), self.options.get("ids")]
        return frame[[name for name in frame.columns if name not in used]], y


KINDS = {
    "texts": Kind(table(text=text, labels=several), {"text": "text"}),
    "texts in several columns": Kind(
        table(title=lambda i: f"about {text(i + 4)}", text=text, labels=several), model={"between": ";"}
    ),
    "numbers": Kind(table(x=number, y=lambda i: number(i, 1), labels=several)),
    "numbers with missing values": Kind(
        table(x=lambda i: None if i % 6 == 0 else number(i), y=lambda i: number(i, 1), labels=several)
    ),
    "categories": Kind(
        table(colour=lambda i: "rgby"[(i + i // 9) % 4], size=lambda i: ["small", "large"][i % 2], labels=several)
    ),
    "mixed": Kind(table(x=number, colour=lambda i: "rgby"[(i + i // 9) % 4], text=text, labels=several)),
    "true and false": Kind(table(wild=lambda i: i % 4 < 2, big=lambda i: i % 2 == 0, x=number, labels=several)),
    "dates": Kind(table(day=lambda i: f"2024-{1 + i % 4:02}-{1 + i % 28:02}", x=number, labels=several)),
    "id columns": Kind(table(gene=lambda i: f"g{i:03}x", id=lambda i: 1000 + 3 * i, x=number, labels=several)),
    "ids that are named": Kind(table(gene=lambda i: f"g{i:03}x", x=number, labels=several), {"ids": "gene"}),
    "one label per row": Kind(table(x=number, y=lambda i: number(i, 1), labels=label)),
    "rows without labels": Kind(table(x=number, labels=lambda i: "" if i % 8 == 0 else label(i))),
    "a DAG of a file": Kind(
        table(x=number, labels=lambda i: label(i).split("/")[1]),
        {"hierarchy": "edges.csv"},
        edges="plant,oak\nplant,elm\nanimal,cat\nanimal,dog\npet,cat\npet,dog\n",
    ),
    "other separators": Kind(
        table(x=number, topic=lambda i: several(i).replace("/", " > ").replace(";", " | ")),
        {"labels": "topic", "sep": " > ", "between": "|"},
        {"sep": " > ", "between": "|"},
    ),
    "columns of levels": Kind(
        table(x=number, first=lambda i: label(i).split("/")[0], second=lambda i: label(i).split("/")[1]),
        {"labels": ["first", "second"]},
        {"between": None},
    ),
    "Parquet": Kind(table(x=number, text=text, labels=several), ending="parquet"),
}


def read_labels(file: Path) -> list[set[str]]:
    found = pd.read_csv(file, dtype=str).fillna("")
    return [set(filter(None, cell.split(";"))) for cell in found["labels"]]


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.filterwarnings("ignore::truepath.errors.LeftOutWarning")
def test_command_functions_and_class_give_the_same_labels(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    kind = KINDS[name]
    file = kind.write(tmp_path)
    out, _ = run_command("fit", file, "-o", "m.tp", "--test-share", "0", "--json", "--budget", BUDGET, *kind.typed())
    run_command("predict", "m.tp", file, "-o", "command.csv", "--keep", "all")

    result = fit_dataset(open_training(file, **kind.options), test_share=0, budget=BUDGET)
    predict_file(result.model, file, "functions.csv", keep="all")
    assert Path("command.csv").read_text() == Path("functions.csv").read_text()
    summary = json.loads(out)
    assert (summary["method"], summary["decoder"]) == (result.method, result.decoder._asdict())

    X, y = kind.rows(file)
    hierarchy = open_training(file, **kind.options).hierarchy if "hierarchy" in kind.options else None
    model = HierarchicalClassifier(hierarchy=hierarchy, budget=BUDGET, **{"between": ";", **kind.model}).fit(X, y)
    predicted = read_labels(Path("command.csv"))
    assert [set(names) for names in model.predict_labels(X)] == predicted
    assert sum(map(bool, predicted)) > N_ROWS / 2  # there is something to compare


def test_sparse_rows_of_many_labels(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [f"{i % 4},{4 + i % 3} {i % 4}:1.5 {4 + i % 7}:0.5" for i in range(40)]
    Path("data.txt").write_text("\n".join(["40 12 7", *lines]) + "\n")
    run_command("fit", "data.txt", "-o", "m.tp", "--reader", "xmc", "--test-share", "0")
    result = fit_dataset(open_training("data.txt", format="xmc"), test_share=0)
    X = open_dataset("data.txt", format="xmc")["all"].X
    assert sparse.issparse(X)
    loaded = HierarchicalClassifier.load("m.tp")
    assert (loaded.predict(X) != result.model.predict(X)).sum() == 0
    ds = open_dataset("data.txt", format="xmc")["all"]
    by_class = HierarchicalClassifier(hierarchy=result.model.hierarchy_).fit(ds.X, ds.y)
    assert (loaded.predict(X) != by_class.predict(X)).sum() == 0


def test_measures_and_results_are_those_of_the_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = KINDS["one label per row"].write(tmp_path)
    out, _ = run_command("fit", file, "-o", "m.tp", "--method", "forest", "--json")
    result = fit_dataset(open_training(file), "forest")
    summary = json.loads(out)
    assert summary["measures"] == result.measures
    assert summary["labels_per_row"] == dict(zip(("true", "scores"), result.labels_per_row))
    assert (summary["rows"], summary["rows_fitted"]) == (result.n_train, result.n_rows)
    assert result.n_train < result.n_rows == N_ROWS
    assert result.run.n_samples == N_ROWS - result.n_train
    assert repr(result) == f"FitResult(forest, best-path: fitted on 48 rows, measured on {result.run.n_samples} rows)"


def test_rows_held_out_do_not_reach_the_measured_model(monkeypatch):
    seen = []
    fit = HierarchicalClassifier.fit
    monkeypatch.setattr(HierarchicalClassifier, "fit", lambda self, X, y: seen.append(X.copy()) or fit(self, X, y))
    ds = load_dataset("toy")
    given = fit_dataset(ds, "pct")
    assert [len(X) for X in seen] == [len(ds.train)]  # its own test part stays out of the last fit, too
    assert given.n_rows == len(ds.train)
    seen.clear()
    whole = ds.merge()
    result = fit_dataset(whole, "pct", test_share=0.25)
    assert [len(X) for X in seen] == [result.n_train, 12]
    assert result.run.n_samples + result.n_train == 12


def test_a_data_set_without_test_rows_is_not_measured():
    result = fit_dataset(load_dataset("toy").merge(), "pct", test_share=0)
    assert result.run is None
    assert result.measures == {}
    assert result.labels_per_row is None
    assert "not measured" in repr(result)
    with pytest.raises(ValueError, match="test_share must be a number >= 0 and below 1; got 1"):
        fit_dataset(load_dataset("toy"), test_share=1)


def test_the_measured_model_has_the_learner_and_decoder_of_the_last(monkeypatch):
    """100 texts are blended, but the 80 to learn from at first would be learned by linear models alone."""
    X = np.array([text(i) for i in range(100)], object)
    h = Hierarchy.from_paths(LABELS)
    y = h.encode([[label(i)] for i in range(99)] + [[label(0), label(1)]])
    ds = Dataset("texts", h, {"all": Split(X, y)}, ["text"])
    made = []
    fit = HierarchicalClassifier.fit

    def record(self, X, y):
        made.append(self.get_params())
        return fit(self, X, y)

    monkeypatch.setattr(HierarchicalClassifier, "fit", record)
    result = fit_dataset(ds, budget=BUDGET)
    assert (result.method, result.decoder.name) == ("text-blend", "single")
    assert [one["decoder"] for one in made] == ["single"] * 2
    assert len({str(one["learner"]) for one in made}) == 1


@pytest.mark.parametrize(
    ("rows", "name", "why"),
    [
        ([["a/1"], ["a/2"], ["b"]], "best-path", "every row has one label"),
        ([["a/1"], ["a/1", "b"]], "single", "rows may have several labels"),
        ([["a/1"], []], "single", "rows may have no label"),
        ([["a/1"]] * 8 + [["a"]], "single", "every row has one label, but in 11 % of the rows it is not a leaf"),
        ([["a/1"]] * 9 + [["a"]], "best-path", "every row has one label"),
    ],
)
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_the_default_decoder_follows_from_the_labels(rows, name, why, store):
    h = Hierarchy.from_paths(["a/1", "a/2", "b"])
    Y = store(h.encode(rows, sparse_output=False))
    assert default_decoder(Y, h) == (name, why)
    X = np.arange(len(rows) * 2.0).reshape(-1, 2)
    model = HierarchicalClassifier(PCTree(), hierarchy=h, cv=2).fit(X, Y)
    assert model.decoder_.name == name
    assert HierarchicalClassifier("linear", hierarchy=h, cv=2).fit(X, Y).decoder_.name == name
    assert HierarchicalClassifier("pct", hierarchy=h, cv=2).fit(X, Y).decoder_.name == "single"  # as the preset says


def test_the_default_has_one_home():
    X = np.array([[0.5, 1.0]] * 4)
    assert default_method(X) == "blend"
    model = fit_dataset(load_dataset("toy"), random_state=3, budget=BUDGET).model
    assert str(default_learner(X, 3)) == str(model.learner)


def test_columns_of_ids_are_left_out_and_named():
    kind = KINDS["id columns"]
    X = kind.frame[["gene", "id", "x"]].astype(str).to_numpy(object)
    h = Hierarchy.from_paths(LABELS)
    y = h.encode([several(i).split(";") for i in range(N_ROWS)])
    ds = Dataset("t", h, {"all": Split(X, y)}, ["gene", "id", "x"])
    with pytest.warns(LeftOutWarning, match=r"columns 'gene', 'id' have a different value.*--ids 'gene'"):
        assert drop_ids(ds).feature_names == ("x",)
    alone = Dataset("t", h, {"all": Split(X[:, :1], y)}, ["gene"])
    assert drop_ids(alone) is alone  # there is nothing else to learn from
    assert drop_ids(load_dataset("toy")).n_features == 2


def test_a_model_remembers_how_its_rows_were_read(tmp_path):
    file = KINDS["ids that are named"].write(tmp_path)
    result = fit_dataset(open_training(file, ids="gene"), "pct")
    how = {"labels": ("labels",), "sep": "/", "between": ";"}
    assert result.model.fitted_on_ == FittedOn("table", "data", ("x",), None, "gene", N_ROWS, ("gene", "labels"), **how)
    numbers = fit_dataset(open_dataset(file, ids="gene"), "pct")
    assert numbers.model.fitted_on_ == FittedOn("dataset", "data", ("x",), n_rows=N_ROWS)


@pytest.mark.parametrize("learner", ["linear", PCTree(random_state=0)])
def test_features_of_a_data_set_are_called_by_their_names(learner, tmp_path):
    model = fit_dataset(load_dataset("toy"), learner, test_share=0).model
    assert {name for found in top_features(model).values() for name, _ in found} <= {"x", "y"}
    assert {name for name, _ in model.contributions([[0.5, 0.5]], [0]).of(0)} <= {"x", "y"}
    about = {entry.key: entry.value for entry in to_onnx(model).metadata_props}
    assert json.loads(about["columns"]) == ["x", "y"]
    assert RowForm(model).kind == "numbers"  # a server takes them as before


def test_declared_categories_reach_the_features():
    h = Hierarchy.from_paths(LABELS)
    X = np.array([[i % 3, i] for i in range(20)], float)
    y = h.encode([[label(i)] for i in range(20)])
    ds = Dataset("t", h, {"all": Split(X, y)}, ["colour", "x"], {0: ("r", "g", "b")})
    kinds = fit_dataset(ds, "pct").model.learner_[0].blocks_
    assert [(kind, columns) for kind, columns, _ in kinds] == [("number", [1]), ("category", [0])]
    assert fit_dataset(ds, PCTree()).method == "PCTree"  # without features of ours there is nothing to tell


def test_a_learner_of_others_behind_features():
    from sklearn.tree import DecisionTreeClassifier

    made = with_features(DecisionTreeClassifier(), 5)
    assert made[-1].random_state == 5
    assert (made[0].impute, made[0].scale, made[0].dense) == (False, False, False)  # this one takes NaN and sparse
    assert fit_dataset(load_dataset("toy"), made).method == "DecisionTreeClassifier"


def test_advice_names_what_it_changes():
    result = fit_dataset(load_dataset("toy"), "half")
    few, tested = advise(result)
    assert str(tested) == "more test rows: measures of 4 rows may be far from those of others"
    assert str(few).startswith("more rows: 5 labels have fewer than 10: ")
    assert few.options == {}
    result.run.results[0].S[:] = 1.0
    *_, calibrate = advise(result)
    assert calibrate.options == {"calibrate": "auto"}
    assert str(calibrate).endswith("calibrate='auto' does it")


def test_a_perfect_result_on_one_label_for_all_is_no_result():
    h = Hierarchy.from_paths(["a/1"])
    X = np.arange(60.0).reshape(30, 2)
    ds = Dataset("one", h, {"all": Split(X, h.encode([["a/1"]] * 30))}, ["x", "y"])
    said = [str(advice) for advice in advise(fit_dataset(ds, "linear"))]
    assert "rows with other labels: all have the same, so there is nothing to tell apart or to measure" in said


def test_texts_are_counted_as_texts():
    kind = KINDS["mixed"]
    X = kind.frame[["x", "colour", "text"]].astype(str).to_numpy(object)
    h = Hierarchy.from_paths(LABELS)
    ds = Dataset("t", h, {"all": Split(X, h.encode([[label(i)] for i in range(N_ROWS)]))}, ["x", "colour", "text"])
    found = describe_training(ds)
    assert (found.n_numeric, found.n_categorical, found.n_text) == (1, 1, 1)


def test_update_takes_the_columns_of_the_model(tmp_path):
    file = KINDS["numbers"].write(tmp_path)
    ds = open_training(file)
    model = fit_dataset(ds, PCTree(), test_share=0).model
    change = model.hierarchy_.edit().add("plant/ash", "plant").diff()
    turned = pd.read_csv(file)[["y", "labels", "x"]]
    turned.to_csv(tmp_path / "turned.csv", index=False)
    new = open_training(tmp_path / "turned.csv", hierarchy=change.old)
    turned[["y", "labels"]].to_csv(tmp_path / "less.csv", index=False)
    less = open_training(tmp_path / "less.csv", hierarchy=change.old)
    with pytest.raises(TruePathError, match="the data lack columns that the model was fitted on: 'x'"):
        update_model(model, change, less, old_labels=True)
    updated = update_model(model, change, new, old_labels=True)
    assert updated.hierarchy_ == change.new
    assert updated.fitted_on_.n_rows == N_ROWS
    by_hand = fit_dataset(ds, PCTree(), test_share=0).model.update(change, ds["all"].X, change.transfer(ds["all"].y))
    np.testing.assert_array_equal(updated.predict_proba(ds["all"].X), by_hand.predict_proba(ds["all"].X))


def test_files_of_any_model_are_read_as_the_commands_read_them(tmp_path, monkeypatch):
    """The rows of each file are in another order; their ids match them."""
    monkeypatch.chdir(tmp_path)
    h = Hierarchy.from_paths(LABELS)
    (tmp_path / "h.json").write_text(h.to_json())
    rng = np.random.default_rng(0)
    S = h.encode([[label(i)] for i in range(12)]) * 0.9
    for name, shift in (("t", 0), ("a", 0), ("b", 3)):
        order = rng.permutation(12)
        rows = "".join(f"x{i},{label(i + (shift if i < 4 else 0))}\n" for i in order)
        (tmp_path / f"{name}.csv").write_text("gene,labels\n" + rows)
    order = rng.permutation(12)
    frame = pd.DataFrame(S[order], columns=h.names)
    frame.insert(0, "gene", [f"x{i}" for i in order])
    frame.to_csv("s.csv", index=False)

    said = []
    found, Y, given = read_outputs("t.csv", Path("b.csv"), Path("s.csv"), "h.json", Reading(say=said.append))
    assert found == h
    assert said == ["b.csv and t.csv: 12 rows matched by 'gene'", "s.csv and t.csv: 12 rows matched by 'gene'"]
    np.testing.assert_array_equal(given["scores"] > 0.5, Y)
    assert (given["labels"] != Y).any(axis=1).sum() == 4

    (comparison,) = compare_files(Path("a.csv"), Path("b.csv"), "t.csv", "h.json", random_state=0)
    out, _ = run_command("compare", "a.csv", "b.csv", "--truth", "t.csv", "-H", "h.json")
    assert out.strip() == str(comparison)
    run = read_run(
        [ModelFiles("mine", Path("b.csv"), Path("s.csv")), ModelFiles("other", None, Path("s.csv"))], "t.csv"
    )
    assert list(run.measures) == ["mine", "other"]
    assert run.measures["other"]["exact_match"] == 1.0
    assert run.measures["mine"]["exact_match"] == pytest.approx(8 / 12)
