"""Data sets by name, from a folder laid out like the benchmark data."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest

import truepath
from truepath.data import data_home, list_datasets, load_dataset

CLUS = "@relation r\n@attribute x numeric\n@attribute class hierarchical a,a/b\n@data\n1,a/b\n"
FLAT = "@relation r\n@attribute x numeric\n@attribute s {0,1}\n@data\n1,1\n"
MEKA = "@relation 'r: -C 1'\n@attribute s {0,1}\n@attribute x {0,1}\n@data\n1,1\n"
XML = '<labels><label name="s"/></labels>'


@pytest.fixture
def home(tmp_path, monkeypatch):
    files = {
        "hmc/enron/train.arff.xz": CLUS,
        "hmc/enron/test.derived.arff.xz": CLUS,
        "hmc/one/all.arff": CLUS,
        "mulan/enron/train.arff.xz": FLAT,
        "mulan/enron/test.arff.xz": FLAT,
        "mulan/enron/labels.xml": XML,
        "mulan/scene/original.arff.xz": FLAT,
        "mulan/scene/labels.xml": XML,
        "mulan/scene/laim/all.arff.xz": MEKA,
        "mulan/scene/laim/f0.train.arff.xz": MEKA,
        "mulan/scene/laim/f0.test.arff.xz": MEKA,
        "mulan/notes.tsv": "no data set",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        raw = text.encode()
        (tmp_path / name).write_bytes(lzma.compress(raw) if name.endswith(".xz") else raw)
    monkeypatch.setenv("TRUEPATH_DATA", str(tmp_path))
    return tmp_path


def test_names(home):
    assert list_datasets() == ["toy", "pypi-topics", "hmc/enron", "hmc/one", "mulan/enron", "mulan/scene"]
    assert list_datasets(home / "none") == ["toy", "pypi-topics"]


def test_plain_name_prefers_the_hierarchical_set(home):
    assert load_dataset("enron").hierarchy.names.tolist() == ["a", "a/b"]
    assert load_dataset("hmc/enron").name == "enron"
    assert load_dataset("mulan/enron").hierarchy.names.tolist() == ["s"]
    assert load_dataset("scene").name == "mulan/scene"
    assert truepath.load_dataset is load_dataset


def test_splits_and_remarks(home):
    ds = load_dataset("hmc/enron")
    assert list(ds) == ["train", "test"]
    assert ds.provenance["remarks"] == {"test": "derived"}
    assert list(load_dataset("one")) == ["all"]
    assert list(load_dataset("scene", home=home)) == ["all"]


def test_laim(home):
    assert list(load_dataset("mulan/scene", version="laim")) == ["all"]
    assert list(load_dataset("mulan/scene", version="laim", fold=0)) == ["train", "test"]
    with pytest.raises(ValueError, match=r"no LAIM fold 7; there are \[0\]"):
        load_dataset("mulan/scene", version="laim", fold=7)
    with pytest.raises(ValueError, match="has no LAIM version"):
        load_dataset("hmc/enron", version="laim")
    with pytest.raises(ValueError, match="fold needs version='laim'"):
        load_dataset("mulan/scene", fold=0)
    with pytest.raises(ValueError, match="is for the RCV1 subsets"):
        load_dataset("mulan/scene", version="topics")
    with pytest.raises(ValueError, match="version must be"):
        load_dataset("mulan/scene", version="new")


@pytest.mark.parametrize("name", ["Enrom", "hmc/enrn", "mulan/one", "../enron", "hmc/../hmc/enron", "", "hmc/", 3])
def test_unknown_names(home, name):
    with pytest.raises(ValueError, match="no data set") as caught:
        load_dataset(name)
    assert "TRUEPATH_DATA" in str(caught.value)


def test_nearest_names_are_offered(home):
    with pytest.raises(ValueError, match=r"Did you mean 'hmc/enron' or 'mulan/enron'|Did you mean 'mulan/enron'"):
        load_dataset("Enrom")


def test_home(monkeypatch, tmp_path):
    monkeypatch.delenv("TRUEPATH_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert data_home() == tmp_path / "truepath"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert data_home().name == "truepath"
    assert data_home("x") == Path("x")
    monkeypatch.setenv("TRUEPATH_DATA", "~/here")
    assert data_home() == Path.home() / "here"


def test_bundled_topics():
    ds = load_dataset("pypi-topics")
    assert list(ds) == ["train", "valid", "test"]
    assert all(ds.hierarchy.is_closed(split.y) for split in ds.splits.values())
    assert ds.train.ids is not None
