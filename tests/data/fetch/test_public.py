"""The public repository, and mirrors of it, played by a local server with the same layout."""

from __future__ import annotations

import hashlib
import lzma

import pytest

from places import SHARED_DATA
from truepath.data import fetch_benchmark, list_benchmarks, list_datasets, load_dataset
from truepath.data.fetch import sources
from truepath.data.fetch.download import stays_inside
from truepath.data.fetch.sources import HOST, PUBLIC, TREE, layouts_of
from truepath.errors import TruePathError, UnknownDatasetError
from web_server import serving

SPLITS = ["train", "valid", "test"]
TRAIN = "/HMC_data/tiny/tiny.train.arff"


def test_the_list_in_the_package():
    files = [file for name in list_benchmarks() for file in layouts_of(f"hmc/{name.name}")["tree"]]
    assert len(files) == 71
    assert len({file.place for file in files}) == len({file.path for file in files}) == 71
    assert all(stays_inside(file.place) and stays_inside(file.path) for file in files)
    assert all(len(file.git_blob) == 40 for file in files)
    assert sorted({len(file.sha256) for file in files}) == [0, 64]
    assert all((file.size is None) == (file.sha256 == "") for file in files)
    assert {benchmark.name for benchmark in list_benchmarks() if benchmark.size is None} == {
        *("D0_yeast_GO", "expr_FUN", "expr_GO", "reuters", "wipo")
    }
    assert PUBLIC.startswith("https://")
    assert len(PUBLIC.rpartition("/")[2]) == 40  # one commit, not a branch


@pytest.mark.parametrize("name", ["pheno_FUN", "all"])
def test_the_list_is_that_of_the_data(name):
    if not SHARED_DATA.is_dir():
        pytest.skip("the benchmark data are not here")
    names = [benchmark.name for benchmark in list_benchmarks()] if name == "all" else [name]
    checked = 0
    for file in (file for each in names for file in layouts_of(each)["tree"]):
        packed = SHARED_DATA / f"{file.place}.xz"
        if packed.is_file():
            raw = lzma.decompress(packed.read_bytes())
            blob = hashlib.sha1(b"blob %d\0" % len(raw) + raw).hexdigest()
            assert (len(raw), hashlib.sha256(raw).hexdigest(), blob) == (file.size, file.sha256, file.git_blob)
            checked += 1
    assert checked == (57 if name == "all" else 3)


def test_fetch_and_load(public, tmp_path):
    assert fetch_benchmark("tiny", home=tmp_path) == tmp_path / "hmc/tiny"
    assert {path.name for path in (tmp_path / "hmc/tiny").iterdir()} == {"train.arff", "valid.arff", "test.arff"}
    assert [path.name for path in tmp_path.iterdir()] == ["hmc"]
    asked = len(public.asked)
    fetch_benchmark("hmc/tiny", home=tmp_path)
    assert len(public.asked) == asked
    assert len(load_dataset("tiny", home=tmp_path).train) == 5000


def test_load_with_download(public, tmp_path):
    with pytest.raises(UnknownDatasetError, match=r"truepath fetch tiny, or load_dataset\('tiny', download=True\)"):
        load_dataset("tiny", home=tmp_path)
    ds = load_dataset("tiny", home=tmp_path, download=True)
    assert {name: len(split) for name, split in ds.splits.items()} == {"train": 5000, "valid": 200, "test": 300}
    public.files.clear()
    assert list(load_dataset("tiny", home=tmp_path, download=True)) == SPLITS
    with pytest.raises(FileNotFoundError, match="absent"):
        load_dataset("absent", home=tmp_path, download=True)
    with pytest.raises(UnknownDatasetError, match="no checksums for a data set 'tinny'"):
        load_dataset("tinny", home=tmp_path, download=True)


@pytest.mark.parametrize("below", ["", f"/{TREE}"])
def test_mirrors_of_the_tree_and_of_the_host(below, public, tmp_path, monkeypatch):
    with serving({f"{below}{path}": body for path, body in public.files.items()}) as mirror:
        fetch_benchmark("tiny", mirror.url, home=tmp_path)
        monkeypatch.setenv("TRUEPATH_MIRROR", mirror.url)
        assert list(load_dataset("tiny", home=tmp_path / "other", download=True)) == SPLITS
    assert list_datasets(tmp_path)[-1] == "hmc/tiny"
    assert public.asked == []
    assert PUBLIC == f"{HOST}/{TREE}"


def test_a_mirror_of_a_data_folder(public, tmp_path, monkeypatch):
    packed = {f"hmc/tiny/{split}.arff.xz": lzma.compress(public.files[TRAIN]) for split in ("train", "test")}
    sums = {path: hashlib.sha256(body).hexdigest() for path, body in packed.items()}
    monkeypatch.setattr(sources, "_sums", lambda manifest: sums)
    with serving({f"/{path}": body for path, body in packed.items()}) as mirror:
        fetch_benchmark("tiny", mirror.url, home=tmp_path)
    assert list(load_dataset("tiny", home=tmp_path)) == ["train", "test"]
    fetch_benchmark("tiny", home=tmp_path)  # there already, if packed
    assert public.asked == []


def test_a_set_appears_whole(public, tmp_path):
    public.breaks = [10**9, 50]  # the second file breaks off
    with pytest.raises(OSError, match="the connection ended after 50 of"):
        fetch_benchmark("tiny", home=tmp_path, retries=0)
    assert "hmc/tiny" not in list_datasets(tmp_path)
    fetch_benchmark("tiny", home=tmp_path)
    assert [asked for asked in public.asked if asked[0] == TRAIN] == [(TRAIN, None)]
    assert ("/HMC_data/tiny/tiny.valid.arff", "bytes=50-") in public.asked
    assert list(load_dataset("tiny", home=tmp_path)) == SPLITS


def test_a_damaged_file_is_replaced(public, tmp_path):
    folder = fetch_benchmark("tiny", home=tmp_path)
    (folder / "valid.arff").write_bytes(b"damaged")
    fetch_benchmark("tiny", home=tmp_path)
    assert (folder / "valid.arff").read_bytes() == public.files["/HMC_data/tiny/tiny.valid.arff"]


def test_other_files_for_a_split_are_not_mixed_with(public, tmp_path):
    (tmp_path / "hmc/tiny").mkdir(parents=True)
    (tmp_path / "hmc/tiny/train.mine.arff").write_bytes(public.files[TRAIN])
    with pytest.raises(TruePathError, match=r"another file for the split 'train' already: train\.mine\.arff"):
        fetch_benchmark("tiny", home=tmp_path)
    assert public.asked == []


def test_servers_without_the_set(public, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"absent\.train\.arff cannot be fetched: HTTP Error 404"):
        fetch_benchmark("absent", home=tmp_path)
    with pytest.raises(FileNotFoundError, match=r"has neither HMC_data/absent.* nor .*Is it the address of the folder"):
        fetch_benchmark("absent", public.url, home=tmp_path)
    empty = tmp_path.resolve().as_uri()
    with pytest.raises(FileNotFoundError, match="has neither"):
        fetch_benchmark("tiny", empty, home=tmp_path / "home")


def test_another_file_than_the_listed_one(public, tmp_path):
    for path, body in public.files.items():
        public.files[path] = body.replace(b"1,a/b", b"2,a/b")
    with pytest.raises(TruePathError, match="does not have the expected checksum"):
        fetch_benchmark("tiny", home=tmp_path)
    assert not list(tmp_path.rglob("*.arff*"))
