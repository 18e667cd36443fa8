"""Downloads from a local server: whole, interrupted, damaged, missing, and on a full disk."""

from __future__ import annotations

import builtins
import hashlib
import logging
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from truepath.data import fetch, fetch_benchmark, load_dataset
from truepath.data.fetch import read_manifest
from truepath.errors import DataFormatError

CLUS = b"@relation r\n@attribute x numeric\n@attribute class hierarchical a,a/b\n@data\n" + b"1,a/b\n" * 30_000
FILES = {"/hmc/tiny/train.arff": CLUS, "/hmc/tiny/test.arff": CLUS, "/mulan/tiny/train.arff": b"x"}
MANIFEST = "".join(f"{hashlib.sha256(body).hexdigest()}  {path[1:]}\n" for path, body in FILES.items())


class Mirror(ThreadingHTTPServer):
    """Serves FILES; ``breaks`` says after how many bytes the next answers end early."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files = {**FILES, "/MANIFEST": MANIFEST.encode()}
        self.breaks, self.asked, self.status = [], [], []
        self.ranges = True
        self.url = f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def do_GET(self):
        mirror, asked = self.server, self.headers.get("Range")
        mirror.asked.append((self.path, asked))
        if mirror.status:
            return self.send_error(mirror.status.pop(0))
        body = mirror.files.get(self.path)
        if body is None:
            return self.send_error(404)
        start = int(asked[6:-1]) if asked and mirror.ranges else 0
        if start and start >= len(body):
            return self.send_error(416)
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(body) - start))
        self.end_headers()
        end = mirror.breaks.pop(0) if mirror.breaks and self.path != "/MANIFEST" else len(body)
        self.wfile.write(body[start : start + end])


@pytest.fixture
def mirror(monkeypatch):
    monkeypatch.setattr(fetch, "_PAUSE", 0.001)
    for name in ("http_proxy", "HTTP_PROXY", "TRUEPATH_MIRROR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    server = Mirror()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def test_fetch_and_load(mirror, tmp_path, monkeypatch, caplog):
    seen = []
    monkeypatch.setenv("TRUEPATH_MIRROR", mirror.url + "/")
    with caplog.at_level(logging.INFO, "truepath"):
        folder = fetch_benchmark("tiny", home=tmp_path, progress=lambda *what: seen.append(what))
    assert folder == tmp_path / "hmc" / "tiny"
    assert len(load_dataset("tiny", home=tmp_path).train) == 30_000
    assert seen[-1] == ("test.arff", len(CLUS), len(CLUS))
    assert not list(tmp_path.rglob("*.part"))
    before = len(mirror.asked)
    fetch_benchmark("hmc/tiny", mirror.url, home=tmp_path)
    assert len(mirror.asked) == before + 1  # only the manifest: the files are there


def test_interrupted_download_resumes(mirror, tmp_path):
    mirror.breaks = [1000, 70_000]
    fetch_benchmark("hmc/tiny", mirror.url, home=tmp_path)
    ranges = [asked for path, asked in mirror.asked if path.endswith("train.arff")]
    assert ranges == [None, "bytes=1000-", "bytes=71000-"]
    assert (tmp_path / "hmc/tiny/train.arff").read_bytes() == CLUS


def test_resumes_in_a_later_call(mirror, tmp_path):
    mirror.breaks = [1000]
    with pytest.raises(OSError, match="cannot be fetched: the connection ended after 1000"):
        fetch_benchmark("hmc/tiny", mirror.url, home=tmp_path, retries=0)
    assert (tmp_path / "hmc/tiny/train.arff.part").stat().st_size == 1000
    assert not (tmp_path / "hmc/tiny/train.arff").exists()
    fetch_benchmark("hmc/tiny", mirror.url, home=tmp_path)
    assert ("/hmc/tiny/train.arff", "bytes=1000-") in mirror.asked


@pytest.mark.parametrize("ranges", [True, False])
def test_stale_or_whole_parts(mirror, tmp_path, ranges):
    mirror.ranges = ranges
    part = tmp_path / "hmc/tiny/train.arff.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(b"something else" * 10)
    (tmp_path / "hmc/tiny/test.arff.part").write_bytes(CLUS)  # whole already: the server answers 416
    fetch_benchmark("hmc/tiny", mirror.url, home=tmp_path)
    assert (tmp_path / "hmc/tiny/train.arff").read_bytes() == CLUS
    assert (tmp_path / "hmc/tiny/test.arff").read_bytes() == CLUS


def test_wrong_checksum(mirror, tmp_path):
    mirror.files["/hmc/tiny/train.arff"] = CLUS[:-1]
    with pytest.raises(DataFormatError, match="does not have the checksum"):
        fetch_benchmark("hmc/tiny", mirror.url, home=tmp_path)
    assert not list(tmp_path.rglob("train*"))


def test_missing_file_is_not_tried_again(mirror, tmp_path):
    del mirror.files["/hmc/tiny/train.arff"]
    with pytest.raises(OSError, match=r"train\.arff cannot be fetched: HTTP Error 404"):
        fetch_benchmark("hmc/tiny", mirror.url, home=tmp_path)
    assert sum(path.endswith("train.arff") for path, _ in mirror.asked) == 1


def test_passing_faults_are_tried_again(mirror, tmp_path):
    mirror.status = [503, 503]
    assert fetch_benchmark("hmc/tiny", mirror.url, home=tmp_path).is_dir()


def test_full_disk(mirror, tmp_path, monkeypatch):
    real_open = builtins.open

    def full(path, mode="r", *args, **kwargs):
        file = real_open(path, mode, *args, **kwargs)
        if "w" not in mode or not str(path).endswith(".part"):
            return file
        file.close()
        return FullDisk()

    monkeypatch.setattr(fetch, "open", full, raising=False)
    with pytest.raises(OSError, match="No space left") as caught:
        fetch_benchmark("hmc/tiny", mirror.url, home=tmp_path)
    assert caught.value.errno == 28
    assert not list(tmp_path.rglob("*.arff"))
    monkeypatch.undo()
    assert fetch_benchmark("hmc/tiny", mirror.url, home=tmp_path).is_dir()


class FullDisk:
    def __enter__(self):
        return self

    def __exit__(self, *args):
        return None

    def write(self, chunk):
        raise OSError(28, "No space left on device")


def test_no_mirror(tmp_path, monkeypatch):
    monkeypatch.delenv("TRUEPATH_MIRROR", raising=False)
    with pytest.raises(ValueError, match="There is no official mirror"):
        fetch_benchmark("tiny", home=tmp_path)
    with pytest.raises(ValueError, match="must start with http"):
        fetch_benchmark("tiny", "ftp://x", home=tmp_path)


def test_without_a_listener(tmp_path, monkeypatch):
    monkeypatch.setattr(fetch, "_PAUSE", 0.001)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with pytest.raises(OSError, match="cannot be fetched"):
        fetch_benchmark("tiny", "http://127.0.0.1:9", home=tmp_path, retries=1)


def test_local_manifest_and_unknown_name(mirror, tmp_path):
    (tmp_path / "sums").write_text(MANIFEST)
    assert fetch_benchmark("mulan/tiny", mirror.url, manifest=tmp_path / "sums", home=tmp_path).name == "tiny"
    with pytest.raises(ValueError, match=r"no data set 'tinny'\. It has: hmc/tiny, mulan/tiny"):
        fetch_benchmark("tinny", mirror.url, home=tmp_path)


@pytest.mark.parametrize("line", ["0" * 64 + "  ../x", "0" * 64 + "  /x", "0" * 64 + "  c:\\x", "abc  x", "<html>"])
def test_manifest_lines_that_are_refused(line):
    with pytest.raises(DataFormatError, match=r"line 2|:2:"):
        read_manifest("\n" + line)


def test_manifest_lines():
    assert read_manifest("A" * 64 + " *./hmc/x y/t.arff\n") == {"hmc/x y/t.arff": "a" * 64}
