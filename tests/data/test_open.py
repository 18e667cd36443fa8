"""One way to open data: every format, ending and compression, by every command and by plans."""

from __future__ import annotations

import bz2
import gzip
import importlib.util
import io
import json
import lzma
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

import truepath
from truepath.cli.app import app
from truepath.data import load_dataset, make_hmc, open_dataset, read_hierarchy
from truepath.data.readers.base import find_reader
from truepath.errors import DataFormatError, TruePathError, UnknownDatasetError
from truepath.experiments import survey_experiment
from truepath.hierarchy.matrices import as_dense
from truepath.registry import READERS

PACK = {"": bytes, ".xz": lzma.compress, ".gz": gzip.compress, ".bz2": bz2.compress}
ROWS = [(0.5, 1.0, "a/b"), (1.5, 0.0, "c"), (-1.0, 2.0, "a"), (0.25, 1.0, "a/b;c"), (2.0, 3.0, "c"), (1.0, 1.0, "a/b")]
NODES = ("a", "a/b", "c")


def flags(labels):
    """Which of the nodes a row has, as 0 and 1."""
    given = labels.split(";")
    return [int(any(label == node or label.startswith(f"{node}/") for label in given)) for node in NODES]


def clus():
    lines = "\n".join(f"{x},{y},{labels.replace(';', '@')}" for x, y, labels in ROWS)
    head = "@relation r\n@attribute x numeric\n@attribute y numeric\n@attribute class hierarchical a,a/b,c\n@data\n"
    return {"": f"{head}{lines}\n"}


def meka():
    names = "\n".join(f"@attribute '{node}' {{0,1}}" for node in NODES)
    lines = "\n".join(",".join(map(str, [*flags(labels), x, y])) for x, y, labels in ROWS)
    return {"": f"@relation 'r: -C 3'\n{names}\n@attribute x numeric\n@attribute y numeric\n@data\n{lines}\n"}


def mulan():
    xml = '<labels><label name="a"><label name="a/b"/></label><label name="c"/></labels>'
    return {"": meka()[""].replace("'r: -C 3'", "r"), ".xml": xml}


def table(separator):
    lines = [separator.join(["x", "y", "labels"]), *(separator.join(map(str, row)) for row in ROWS)]
    return {"": "\n".join(lines) + "\n"}


def sparse_rows(first):
    for x, y, labels in ROWS:
        numbers = ",".join(str(v) for v, is_set in enumerate(flags(labels)) if is_set)
        yield f"{numbers} {first}:{x} {first + 1}:{y}"


def xmc():
    return {"": "\n".join([f"{len(ROWS)} 2 3", *sparse_rows(0)]) + "\n"}


def libsvm():
    return {"": "\n".join(sparse_rows(1)) + "\n"}


TEXTS = {"clus": clus, "meka": meka, "mulan": mulan, "xmc": xmc, "libsvm": libsvm}
#: A matrix in .npy has no labels beside it: tests/data/readers/test_arrays.py
FORMS = [(reader.name, ending) for reader in READERS.members() for ending in reader.endings if ending != ".npy"]
CASES = [(name, ending, pack) for name, ending in FORMS for pack in PACK]


def write(folder, name, ending, pack="", stem="data"):
    """Write the rows in a format; return the file."""
    path = folder / f"{stem}{ending}{pack}"
    if name == "paths" and ending in (".parquet", ".pq"):
        pa = pytest.importorskip("pyarrow")
        from pyarrow import parquet

        columns = dict(zip(("x", "y", "labels"), map(list, zip(*ROWS))))
        plain = folder / "plain.bin"
        parquet.write_table(pa.table(columns), plain)
        path.write_bytes(PACK[pack](plain.read_bytes()))
        plain.unlink()
        return path
    if name == "arrays":
        held = io.BytesIO()
        arrays = {"X": [row[:2] for row in ROWS], "labels": [row[2] for row in ROWS]}
        if ending == ".npz":
            np.savez(held, **arrays)
        else:
            with pytest.importorskip("h5py").File(held, "w") as file:
                for key, values in arrays.items():
                    file[key] = values
        path.write_bytes(PACK[pack](held.getvalue()))
        return path
    if ending in (".xlsx", ".xlsm"):
        book, held = pytest.importorskip("openpyxl").Workbook(), io.BytesIO()
        for row in [("x", "y", "labels"), *ROWS]:
            book.active.append(row)
        book.save(held)
        path.write_bytes(PACK[pack](held.getvalue()))
        return path
    if ending in (".jsonl", ".ndjson"):
        lines = (json.dumps(dict(zip(("x", "y", "labels"), row))) for row in ROWS)
        path.write_bytes(PACK[pack]("\n".join(lines).encode()))
        return path
    texts = table("," if ending == ".csv" else "\t") if name == "paths" else TEXTS[name]()
    path.write_bytes(PACK[pack](texts[""].encode()))
    for beside, text in texts.items():
        if beside:
            (folder / f"{stem}{beside}").write_text(text)
    return path


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


# ------------------------------------------------------------------------------------ every format, everywhere


@pytest.mark.parametrize(("name", "ending", "pack"), CASES)
def test_every_format_is_opened_and_described(tmp_path, name, ending, pack):
    path = write(tmp_path, name, ending, pack)
    assert find_reader(path).name == name
    ds = open_dataset(path)
    assert isinstance(ds["all"].y, np.ndarray)
    X = as_dense(ds["all"].X)
    np.testing.assert_array_equal(X, [[x, y] for x, y, _ in ROWS])
    assert ds["all"].y.sum() == sum(sum(flags(labels)) for *_, labels in ROWS)
    described = run("describe", path, "--json")
    assert described.exit_code == 0, described.output
    assert json.loads(described.stdout)["sizes"] == {"all": len(ROWS)}


@pytest.mark.parametrize(("name", "ending"), FORMS)
def test_every_format_can_be_used_in_a_plan(tmp_path, name, ending):
    write(tmp_path, name, ending, ".gz")
    plan = tmp_path / "plan.toml"
    plan.write_text(f'folds = 2\ndatasets = ["data{ending}.gz"]\n[methods]\ntree = "truepath.learners.PCTree"\n')
    survey = survey_experiment(plan, tmp_path / "out")
    assert list(survey.sources) == ["data"]
    assert len(survey.sources["data"].rows) == len(ROWS)


@pytest.mark.parametrize(("name", "ending"), [*{name: (name, ending) for name, ending in FORMS}.values()])
def test_every_format_is_fitted_and_predicted(tmp_path, name, ending):
    path = write(tmp_path, name, ending)
    model = tmp_path / "model.tp"
    done = run("fit", path, "-o", model, "--method", "forest", "--test-share", "0", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["rows_fitted"] == len(ROWS)
    done = run("predict", model, path)
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[0] == "id,labels"
    assert len(done.stdout.splitlines()) == len(ROWS) + 1


def test_a_folder_of_tables_is_fitted_and_predicted(tmp_path):
    for split in ("train", "test"):
        write(tmp_path, "paths", ".csv", stem=split)
    model = tmp_path / "model.tp"
    done = run("fit", tmp_path, "-o", model, "--method", "forest", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["test_rows"] == len(ROWS)
    done = run("predict", model, tmp_path)
    assert done.exit_code == 0, done.output
    assert len(done.stdout.splitlines()) == len(ROWS) + 1


@pytest.mark.parametrize("name", ["clus", "meka", "mulan"])
def test_a_data_set_in_a_file_is_the_truth_of_evaluate(tmp_path, name):
    path = write(tmp_path, name, ".arff")
    predicted = tmp_path / "predicted.csv"
    lines = [",".join(["id", *NODES]), *(",".join(map(str, [i, *flags(row[2])])) for i, row in enumerate(ROWS))]
    predicted.write_text("\n".join(lines) + "\n")
    done = run("evaluate", path, predicted, "--metrics", "exact_match", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["exact_match"]["value"] == 1.0


# ------------------------------------------------------------------------------------------ folders and names


@pytest.mark.parametrize(("name", "ending"), FORMS)
@pytest.mark.parametrize("stem", ["", "books-"])
def test_a_folder_of_splits(tmp_path, name, ending, stem):
    for split in ("test", "train"):
        write(tmp_path, name, ending, stem=f"{stem}{split}")
    ds = open_dataset(tmp_path)
    assert [(split, len(ds[split])) for split in ds] == [("train", len(ROWS)), ("test", len(ROWS))]
    assert open_dataset(str(tmp_path)).hierarchy == ds.hierarchy == read_hierarchy(tmp_path)


def test_the_splits_of_tables_share_their_labels_and_columns(tmp_path):
    (tmp_path / "train.csv").write_text("x,colour,labels\n1,red,a/b\n2,blue,c\n")
    (tmp_path / "test.csv").write_text("x,colour,labels\n1,green,a/d\n")
    ds = open_dataset(tmp_path)
    assert ds.hierarchy.names.tolist() == ["a", "a/b", "c", "a/d"]
    assert ds.categories == {1: ("blue", "green", "red")}
    assert ds.test.X.tolist() == [[1.0, 1.0]]
    (tmp_path / "test.csv").write_text("x,colour,labels\n1,green,a//d\n")
    with pytest.raises(DataFormatError, match=r"test\.csv:2: the label path 'a//d' has an empty part"):
        open_dataset(tmp_path)
    (tmp_path / "test.csv").write_text("x,colour,size,labels\n1,green,3,a/d\n")
    with pytest.raises(DataFormatError, match=r"test\.csv: column 'size' is not in .*train\.csv"):
        open_dataset(tmp_path)


def test_a_folder_that_cannot_be_understood(tmp_path):
    with pytest.raises(TruePathError, match="no file called train, valid, test or all"):
        open_dataset(tmp_path)
    for name in ("a-train.csv", "b-train.csv"):
        (tmp_path / name).write_text("x,labels\n1,a\n")
    with pytest.raises(TruePathError, match=r"a-train\.csv and b-train\.csv could be the split 'train'"):
        open_dataset(tmp_path)


def test_a_name_is_a_data_set(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert truepath.open_dataset is open_dataset
    assert open_dataset("toy").name == "toy"
    (tmp_path / "toy").mkdir()  # a folder without data of that name is no hindrance
    assert open_dataset("toy").name == "toy"
    with pytest.raises(UnknownDatasetError, match=r"'toi' is neither a file .*\.csv.*Did you mean 'toy'"):
        open_dataset("toi")
    with pytest.raises(TruePathError, match=r"labels is an option of files; 'toy' is the name of a data set\."):
        open_dataset("toy", labels="x")
    with pytest.raises(UnknownDatasetError, match=r"'toi' is neither a file"):  # that it is not there comes first
        open_dataset("toi", labels="x")
    with pytest.raises(FileNotFoundError):
        open_dataset("none.csv")
    with pytest.raises(TypeError, match="For data frames use read_paths_csv"):
        open_dataset(np.zeros((2, 2)))


# ------------------------------------------------------------------------------------------- what goes wrong


def test_what_no_reader_reads(tmp_path):
    path = tmp_path / "data.doc"
    path.write_text("hello")
    with pytest.raises(DataFormatError, match=r"data\.doc: no reader for files ending in '\.doc'.*clus: \.arff"):
        open_dataset(path)
    path = tmp_path / "plain.arff"
    path.write_text("@relation r\n@attribute x numeric\n@data\n1\n")
    with pytest.raises(DataFormatError, match=r"this \.arff file is none of these: clus, .*; meka, .*; mulan, "):
        open_dataset(path)
    with pytest.raises(DataFormatError, match="no hierarchical attribute"):
        open_dataset(path, format="clus")
    with pytest.raises(DataFormatError, match=r"no list of labels is beside this file \(such as plain\.xml"):
        open_dataset(path, format="mulan")
    with pytest.raises(TruePathError, match=r"no reader is called 'clux'\. Did you mean 'clus'"):
        open_dataset(path, format="clux")


def test_options_of_another_format_are_refused(tmp_path):
    path = write(tmp_path, "clus", ".arff")
    with pytest.raises(TruePathError, match=r"the reader 'clus' has no option 'labels'\. It has name"):
        open_dataset(path, labels="topics")
    done = run("describe", path, "--labels", "topics")
    assert isinstance(done.exception, TruePathError)


def test_a_list_of_labels_counts_for_more_than_an_old_option(tmp_path):
    """MULAN's files that were once MEKA's keep '-C n' in their relation, though their columns were moved."""
    path = write(tmp_path, "meka", ".arff")
    assert find_reader(path).name == "meka"
    (tmp_path / "labels.xml").write_text(mulan()[".xml"])
    assert find_reader(path).name == "mulan"
    assert open_dataset(path).hierarchy.n_edges == 1


def test_a_damaged_file_is_named(tmp_path):
    path = tmp_path / "data.arff.xz"
    path.write_bytes(lzma.compress(clus()[""].encode())[:-20])
    with pytest.raises(DataFormatError, match=r"data\.arff\.xz: the compressed file is damaged or cut short"):
        open_dataset(path)


# --------------------------------------------------------------------------------------- the form of labels


def test_labels_are_arrays_while_they_are_small(monkeypatch):
    for ds in (load_dataset("toy"), load_dataset("pypi-topics"), make_hmc(50, random_state=0), open_dataset("toy")):
        assert all(type(split.y) is np.ndarray and split.y.dtype == bool for split in ds.splits.values())
        assert type(ds.merge()["all"].y) is np.ndarray
    assert all(split.y.format == "csr" for split in load_dataset("toy", sparse_output=True).splits.values())
    from truepath.data.readers import base

    monkeypatch.setattr(base, "DENSE_LIMIT", 12 * 5)  # all the cells of the toy: no split is dense then
    assert all(split.y.format == "csr" for split in load_dataset("toy").splits.values())
    assert type(load_dataset("toy", sparse_output=False).train.y) is np.ndarray
    monkeypatch.setattr(base, "DENSE_LIMIT", 12 * 5 + 1)
    assert type(load_dataset("toy").train.y) is np.ndarray


def test_the_form_of_labels_changes_nothing_else():
    dense, thin = (make_hmc(80, random_state=0) for _ in range(2))
    thin = assemble_sparse(thin)
    assert dense.describe() == thin.describe()
    assert str(dense.prune(3)) == str(thin.prune(3))
    one, two = (ds.split((0.5, 0.5), random_state=0).keep_full_paths().merge()["all"] for ds in (dense, thin))
    np.testing.assert_array_equal(one.y, two.y.toarray())
    np.testing.assert_array_equal(one.X, two.X)


def assemble_sparse(ds):
    from truepath.data.readers.base import store_labels

    return store_labels(ds, sparse_output=True)


# ------------------------------------------------------------------------------------------ adding a reader


NEW = """
from truepath.data.readers.base import Reader
from truepath.data.readers.label_paths import read_paths_csv


class Struck(Reader):
    name = "struck"
    summary = "tables with bars between their cells"
    endings = (".struck",)

    @staticmethod
    def read(path, *, name=None):
        return read_paths_csv(path, delimiter="|", name=name)
"""


def test_a_new_reader_is_found_by_existing(tmp_path):
    source = tmp_path / "struck.py"
    source.write_text(NEW)
    spec = importlib.util.spec_from_file_location("bars_of_a_test", source)
    module = importlib.util.module_from_spec(spec)
    sys.modules["bars_of_a_test"] = module
    try:
        spec.loader.exec_module(module)
        path = write_bars(tmp_path)
        assert open_dataset(path).n_samples == len(ROWS)
        described = run("describe", path)
        assert described.exit_code == 0
        assert f"{len(ROWS)} (all {len(ROWS)})" in described.stdout
        for command in ("describe", "fit", "predict"):
            assert "struck: tables with bars" in " ".join(run(command, "--help").stdout.split())
        plan = {"datasets": [str(path)], "methods": {"tree": "truepath.learners.PCTree"}, "folds": 2}
        assert list(survey_experiment(plan, tmp_path / "out").sources) == ["data"]
    finally:
        del READERS._members["struck"]
        del sys.modules["bars_of_a_test"]


def write_bars(folder):
    path = folder / "data.struck"
    path.write_text(table("|")[""])
    return path
