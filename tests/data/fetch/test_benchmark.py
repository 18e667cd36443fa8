"""Downloads from a local server: whole, interrupted, damaged, missing, odd, hostile, and on a full disk."""

from __future__ import annotations

import builtins
import hashlib
import logging
from dataclasses import replace

import pytest

from places import SHARED_DATA
from truepath.data import fetch_benchmark, list_datasets, load_dataset
from truepath.data.fetch import download
from truepath.data.fetch.download import RemoteFile, fetch_file
from truepath.data.fetch.sources import read_manifest
from truepath.errors import DataFormatError, TruePathError
from web_server import serving

CLUS = b"@relation r\n@attribute x numeric\n@attribute class hierarchical a,a/b\n@data\n" + b"1,a/b\n" * 30_000
FILES = {"/hmc/tiny/train.arff": CLUS, "/hmc/tiny/test.arff": CLUS, "/mulan/tiny/train.arff": b"x"}
MANIFEST = "".join(f"{hashlib.sha256(body).hexdigest()}  {path[1:]}\n" for path, body in FILES.items())


def get(mirror, folder, name="hmc/tiny", **options):
    """Fetch a data set from the local server, with checksums that are known beforehand."""
    sums = folder / "sums"
    sums.write_text(MANIFEST)
    return fetch_benchmark(name, mirror.url, home=folder, manifest=sums, allow_http=True, **options)


@pytest.fixture
def mirror(monkeypatch):
    monkeypatch.setattr(download, "_PAUSE", 0.001)
    for name in ("http_proxy", "HTTP_PROXY", "TRUEPATH_MIRROR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with serving(FILES) as server:
        yield server


def test_fetch_and_load(mirror, tmp_path, monkeypatch, caplog):
    seen = []
    mirror.url += "/"
    with caplog.at_level(logging.INFO, "truepath"):
        folder = get(mirror, tmp_path, "tiny", progress=lambda *what: seen.append(what))
    assert folder == tmp_path / "hmc" / "tiny"
    assert len(load_dataset("tiny", home=tmp_path).train) == 30_000
    assert seen[-1] == ("hmc/tiny/test.arff", len(CLUS), len(CLUS))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["hmc", "sums"]
    before = len(mirror.asked)
    get(mirror, tmp_path)
    assert len(mirror.asked) == before  # the files are there


def test_interrupted_download_resumes(mirror, tmp_path):
    mirror.breaks = [1000, 70_000]
    get(mirror, tmp_path)
    ranges = [asked for path, asked in mirror.asked if path.endswith("train.arff")]
    assert ranges == [None, "bytes=1000-", "bytes=71000-"]
    assert (tmp_path / "hmc/tiny/train.arff").read_bytes() == CLUS


def test_resumes_in_a_later_call(mirror, tmp_path):
    mirror.breaks = [1000]
    with pytest.raises(OSError, match="cannot be fetched: the connection ended after 1000"):
        get(mirror, tmp_path, retries=0)
    assert (tmp_path / ".fetching/hmc/tiny/train.arff.part").stat().st_size == 1000
    assert not (tmp_path / "hmc").exists()
    get(mirror, tmp_path)
    assert ("/hmc/tiny/train.arff", "bytes=1000-") in mirror.asked


@pytest.mark.parametrize("ranges", [True, False])
def test_stale_or_whole_parts(mirror, tmp_path, ranges):
    mirror.ranges = ranges
    part = tmp_path / ".fetching/hmc/tiny/train.arff.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(b"something else" * 10)
    part.with_name("test.arff.part").write_bytes(CLUS)  # whole already: the server answers 416
    get(mirror, tmp_path)
    assert (tmp_path / "hmc/tiny/train.arff").read_bytes() == CLUS
    assert (tmp_path / "hmc/tiny/test.arff").read_bytes() == CLUS


def test_wrong_checksum(mirror, tmp_path):
    mirror.files["/hmc/tiny/train.arff"] = CLUS[:-1]
    with pytest.raises(DataFormatError, match="does not have the expected checksum"):
        get(mirror, tmp_path)
    assert not list(tmp_path.rglob("train*"))


def test_missing_file_is_not_tried_again(mirror, tmp_path):
    del mirror.files["/hmc/tiny/train.arff"]
    with pytest.raises(OSError, match=r"train\.arff cannot be fetched: HTTP Error 404"):
        get(mirror, tmp_path)
    assert sum(path.endswith("train.arff") for path, _ in mirror.asked) == 1


def test_passing_faults_are_tried_again(mirror, tmp_path):
    mirror.status = [503, 503]
    assert get(mirror, tmp_path).is_dir()


def test_full_disk(mirror, tmp_path, monkeypatch):
    real_open = builtins.open

    def full(path, mode="r", *args, **kwargs):
        file = real_open(path, mode, *args, **kwargs)
        if "w" not in mode or not str(path).endswith(".part"):
            return file
        file.close()
        return FullDisk()

    monkeypatch.setattr(download, "open", full, raising=False)
    with pytest.raises(OSError, match="No space left") as caught:
        get(mirror, tmp_path)
    assert caught.value.errno == 28
    assert not list(tmp_path.rglob("*.arff"))
    monkeypatch.undo()
    assert get(mirror, tmp_path).is_dir()


class FullDisk:
    def __enter__(self):
        return self

    def __exit__(self, *args):
        return None

    def write(self, chunk):
        raise OSError(28, "No space left on device")


def test_sets_without_a_public_home_need_a_mirror(tmp_path, monkeypatch):
    monkeypatch.delenv("TRUEPATH_MIRROR", raising=False)
    with pytest.raises(TruePathError, match="'mulan/scene' is not in the public repository") as caught:
        fetch_benchmark("mulan/scene", home=tmp_path)
    assert "TRUEPATH_MIRROR" in caught.value.remedy


@pytest.mark.parametrize(
    "url", ["ftp://x", "http://x", "x", "https://", "HTTP://x", "https://[x", "https://x:y", "javascript:x", "//x/y"]
)
def test_the_address_must_be_https(url, tmp_path, monkeypatch):
    with pytest.raises(TruePathError, match="address") as caught:
        fetch_benchmark("cellcycle_FUN", url, home=tmp_path)
    assert "allow_http=True is for a server of your own" in caught.value.remedy
    monkeypatch.setenv("TRUEPATH_MIRROR", url)
    with pytest.raises(TruePathError, match="address"):
        fetch_benchmark("cellcycle_FUN", home=tmp_path)


@pytest.mark.parametrize("place", ["https://x/MANIFEST", "http://x/MANIFEST"])
def test_checksums_never_come_from_a_mirror(place, mirror, tmp_path):
    with pytest.raises(TruePathError, match="cannot vouch for itself"):
        fetch_benchmark("hmc/tiny", mirror.url, manifest=place, home=tmp_path, allow_http=True)
    assert mirror.asked == []


def test_the_package_has_checksums(mirror, tmp_path):
    """The server has a list of its own, which nobody asks for; its files are not the benchmark's."""
    mirror.files = {f"/hmc/cellcycle_FUN/{part}.arff.xz": CLUS for part in ("train", "valid", "test")}
    mirror.files["/MANIFEST"] = f"{hashlib.sha256(CLUS).hexdigest()}  hmc/cellcycle_FUN/train.arff.xz\n".encode()
    with pytest.raises(DataFormatError, match="does not have the expected checksum"):
        fetch_benchmark("cellcycle_FUN", mirror.url, home=tmp_path, allow_http=True)
    assert {path for path, _ in mirror.asked if path in mirror.files} == {"/hmc/cellcycle_FUN/test.arff.xz"}


def test_the_checksums_of_the_package_are_those_of_the_data(tmp_path):
    here = [name for name in list_datasets(SHARED_DATA) if name.startswith("hmc/")][:1]
    if not here:
        pytest.skip("the benchmark data are not here")
    mirror = SHARED_DATA.resolve().as_uri()
    assert fetch_benchmark(here[0], mirror, home=tmp_path) == tmp_path / here[0]


@pytest.mark.parametrize("where", ["http://127.0.0.1:9/x", "file:///etc/passwd", "ftp://x/y", "x"])
def test_redirections_lead_to_https_only(where, mirror, tmp_path, monkeypatch):
    monkeypatch.setattr(download, "check_address", lambda *_: None)  # as if the mirror itself were https
    mirror.redirect = where
    with pytest.raises((TruePathError, ConnectionError), match=r"redirects to .* not https|Redirection .* not allowed"):
        fetch_file(mirror.url, RemoteFile("x/train.arff", "train.arff", "0" * 64), tmp_path)
    assert not list(tmp_path.rglob("*.arff*"))


ODD = [
    ({"Content-Type": "text/html; charset=utf-8"}, "sent a web page, not the file"),
    ({"Content-Encoding": "gzip"}, "another form of the file"),
    ({"Content-Length": str(len(CLUS) - 7)}, "expected checksum"),
    ({"Content-Length": str(len(CLUS) + 7)}, None),  # the server is asked for the rest, and has none
    ({"Content-Length": "9" * 400}, None),
    ({"Content-Length": "-5"}, None),
    ({"Content-Length": "\u00b2"}, None),
    ({"Content-Length": "ten"}, None),
    ({"Content-Length": None}, None),
    ({"Content-Type": "; ;=/"}, None),
    ({"Content-Range": "bytes x"}, None),
    ({f"X-{i}": "x" for i in range(200)}, "cannot be fetched"),
    ({"X": "x" * 70_000}, "cannot be fetched"),
]


@pytest.mark.parametrize(("headers", "problem"), ODD)
def test_odd_headers(headers, problem, mirror, tmp_path):
    mirror.odd = headers
    if problem is None:
        assert (get(mirror, tmp_path) / "train.arff").read_bytes() == CLUS
        return
    with pytest.raises((DataFormatError, ConnectionError), match=problem):
        get(mirror, tmp_path, retries=1)
    assert not list(tmp_path.rglob("*.arff"))


@pytest.mark.parametrize("answered", ["bytes 7-9/10", "bytes */10", "x", None])
def test_a_server_that_continues_elsewhere_is_asked_again(answered, mirror, tmp_path):
    mirror.breaks, mirror.odd = [1000], {"Content-Range": answered}
    assert (get(mirror, tmp_path) / "train.arff").read_bytes() == CLUS


def test_the_size_is_checked_before_the_download(mirror, tmp_path):
    right = RemoteFile("hmc/tiny/train.arff", "here.arff", hashlib.sha256(CLUS).hexdigest(), size=len(CLUS))
    with pytest.raises(DataFormatError, match="but 5 are expected"):
        fetch_file(mirror.url, replace(right, size=5), tmp_path)
    assert not list(tmp_path.rglob("*.part"))
    mirror.odd = {"Content-Length": None}
    with pytest.raises(DataFormatError, match="more than 5 bytes"):
        fetch_file(mirror.url, replace(right, size=5), tmp_path)
    assert fetch_file(mirror.url, right, tmp_path).read_bytes() == CLUS
    assert (tmp_path / "here.arff").is_file()


def test_a_file_may_be_known_by_the_id_that_git_has_for_it(mirror, tmp_path):
    blob = hashlib.sha1(b"blob %d\0" % len(CLUS) + CLUS).hexdigest()
    known = RemoteFile("hmc/tiny/train.arff", "train.arff", git_blob=blob)
    assert fetch_file(mirror.url, known, tmp_path).read_bytes() == CLUS
    for wrong in ({"git_blob": "0" * 40}, {"sha256": "0" * 64}, {"git_blob": ""}):  # the last: nothing is known
        with pytest.raises(DataFormatError, match="does not have the expected checksum"):
            fetch_file(mirror.url, replace(known, **wrong), tmp_path)


@pytest.mark.parametrize("path", ["../x", "/x", "a/../x", "c:/x", "a\\x", "", "a/", "a/x.part", "a\n/x"])
def test_paths_stay_inside_the_folder(path, mirror, tmp_path):
    for file in (RemoteFile(path, "x", "0" * 64), RemoteFile("x", path, "0" * 64)):
        with pytest.raises(DataFormatError, match="leads outside"):
            fetch_file(mirror.url, file, tmp_path)
    assert mirror.asked == []


def test_without_a_listener(tmp_path, monkeypatch):
    monkeypatch.setattr(download, "_PAUSE", 0.001)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with pytest.raises(OSError, match="cannot be fetched"):
        fetch_benchmark("cellcycle_FUN", "http://127.0.0.1:9", home=tmp_path, retries=1, allow_http=True)


def test_unknown_names(mirror, tmp_path):
    assert get(mirror, tmp_path, "mulan/tiny").name == "tiny"
    with pytest.raises(TruePathError, match=r"for a data set 'tinny'\. .* Available: hmc/tiny, mulan/tiny"):
        get(mirror, tmp_path, "tinny")


@pytest.mark.parametrize("line", ["0" * 64 + "  ../x", "0" * 64 + "  /x", "0" * 64 + "  c:\\x", "abc  x", "<html>"])
def test_manifest_lines_that_are_refused(line):
    with pytest.raises(DataFormatError, match=r"line 2|:2:"):
        read_manifest("\n" + line)


def test_manifests_that_are_refused(mirror, tmp_path):
    with pytest.raises(DataFormatError, match="two checksums"):
        read_manifest("0" * 64 + "  x\n" + "1" * 64 + "  x\n")
    (tmp_path / "sums").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataFormatError, match="sums: the manifest is not text"):
        fetch_benchmark("x", mirror.url, home=tmp_path, manifest=tmp_path / "sums", allow_http=True)
    (tmp_path / "sums").write_text("")
    with pytest.raises(TruePathError, match=r"Available: none\."):
        fetch_benchmark("x", mirror.url, home=tmp_path, manifest=tmp_path / "sums", allow_http=True)


def test_manifest_lines():
    assert read_manifest("A" * 64 + " *./hmc/x y/t.arff\n") == {"hmc/x y/t.arff": "a" * 64}
