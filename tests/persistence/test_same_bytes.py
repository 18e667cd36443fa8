"""The same fit writes the same bytes: the model, its run folder and the report."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import zipfile

import pytest

from truepath import HierarchicalClassifier, load_dataset
from truepath.errors import TruePathError
from truepath.learners import PCTForest
from truepath.persistence import describe_model, load, save
from truepath.persistence.container import read_model


def fit_and_save(path):
    data = load_dataset("toy").train
    model = HierarchicalClassifier(PCTForest(n_estimators=3, random_state=0), decoder="single").fit(data.X, data.y)
    save(model, path)
    return path


def test_a_fit_repeated_gives_the_same_bytes(tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    first, again = (fit_and_save(tmp_path / name).read_bytes() for name in ("a.tp", "b.tp"))
    assert first == again
    assert describe_model(tmp_path / "a.tp")["created"] == "2023-11-14T22:13:20+00:00"
    assert load(tmp_path / "a.tp").decoder_.threshold_ == load(tmp_path / "b.tp").decoder_.threshold_


def test_without_a_date_only_the_date_differs(tmp_path, monkeypatch):
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    first, again = (read_model(fit_and_save(tmp_path / name)) for name in ("a.tp", "b.tp"))
    assert first.payload == again.payload
    assert {**first.metadata, "created": ""} == {**again.metadata, "created": ""}


def test_entries_of_the_payload_are_numbered_and_have_no_date(tmp_path):
    payload = read_model(fit_and_save(tmp_path / "a.tp")).payload
    with zipfile.ZipFile(io.BytesIO(payload)) as archive:
        entries, schema = archive.infolist(), archive.read("schema.json").decode()
    numbers = list(dict.fromkeys(map(int, re.findall(r'"__id__": (\d+)', schema))))
    assert sorted(numbers) == list(range(1, len(numbers) + 1))
    names = [entry.filename.partition(".")[0] for entry in entries]
    assert names == [*map(str, range(1, len(entries))), "schema"]
    for entry in entries:
        assert entry.date_time == (1980, 1, 1, 0, 0, 0)
        assert entry.external_attr >> 16 == 0o600  # whoever unpacks it can read it
        assert entry.compress_type == zipfile.ZIP_DEFLATED


def test_a_model_that_was_loaded_is_saved_as_it_was(tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    first = fit_and_save(tmp_path / "a.tp")
    save(load(first), tmp_path / "b.tp")
    save(load(tmp_path / "b.tp"), tmp_path / "c.tp")
    assert (tmp_path / "b.tp").read_bytes() == (tmp_path / "c.tp").read_bytes()


def test_a_date_that_is_none_is_refused(tmp_path, monkeypatch):
    for wrong in ("yesterday", "1e9", "9" * 30):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", wrong)
        with pytest.raises(TruePathError, match="SOURCE_DATE_EPOCH must be a whole number"):
            fit_and_save(tmp_path / "a.tp")
        assert not (tmp_path / "a.tp").exists()


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--method", "linear", "--coverage", "0.8"), ("--method", "pct")])
def test_two_processes_write_the_same_files(tmp_path, options):
    """Model, run folder and report, whatever the seed of Python's hashes."""
    pytest.importorskip("jinja2")
    rows = "".join(f"{i % 7},word{i % 5} x{i % 3},{('a/1', 'a/2', 'b')[i % 7 % 3]}\n" for i in range(120))
    (tmp_path / "t.csv").write_text("size,story,labels\n" + rows)
    found = []
    for seed in ("1", "2"):
        folder = tmp_path / seed
        folder.mkdir()
        set_to = {**os.environ, "PYTHONHASHSEED": seed, "SOURCE_DATE_EPOCH": "1700000000"}
        call = [sys.executable, "-m", "truepath"]
        fit = [*call, "fit", "../t.csv", "--labels", "labels", "-o", "m.tp", *options]
        for command in (fit, [*call, "report", "m.run", "-o", "page.html"]):
            subprocess.run(command, cwd=folder, env=set_to, check=True, capture_output=True)
        files = (path for path in sorted(folder.rglob("*")) if path.is_file())
        found.append({path.relative_to(folder).as_posix(): path.read_bytes() for path in files})
    assert {"m.tp", "page.html", "m.run/run.json"} <= found[0].keys()
    assert found[0].keys() == found[1].keys()
    assert [name for name in found[0] if found[0][name] != found[1][name]] == []
