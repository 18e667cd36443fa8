"""A small data set in the place of the public ones, on a server laid out like their repository."""

from __future__ import annotations

import hashlib

import pytest

from truepath.data.fetch import benchmark, download, sources
from truepath.data.fetch.download import RemoteFile
from web_server import serving

HEAD = b"@relation r\n@attribute x numeric\n@attribute class hierarchical a,a/b\n@data\n"
CONTENTS = {split: HEAD + b"1,a/b\n" * n for split, n in {"train": 5000, "valid": 200, "test": 300}.items()}


def remote(name, split, body):
    """Describe a file as the list of public files does; the test split is known by git's id only."""
    sums = {"sha256": hashlib.sha256(body).hexdigest(), "size": len(body)}
    blob = hashlib.sha1(b"blob %d\0" % len(body) + body).hexdigest()
    known = {"git_blob": blob} if split == "test" else {"git_blob": blob, **sums}
    return RemoteFile(f"HMC_data/{name}/{name}.{split}.arff", f"hmc/{name}/{split}.arff", **known)


@pytest.fixture
def public(monkeypatch):
    """The server; it has the set ``tiny`` and lacks ``absent``, which is listed too."""
    monkeypatch.setattr(download, "_PAUSE", 0.001)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.delenv("TRUEPATH_MIRROR", raising=False)
    listing = {f"hmc/{name}": [remote(name, *item) for item in CONTENTS.items()] for name in ("absent", "tiny")}
    monkeypatch.setattr(sources, "_public_files", lambda: listing)
    files = {f"/{file.path}": CONTENTS[file.place.split("/")[-1][:-5]] for file in listing["hmc/tiny"]}
    with serving(files) as server:
        monkeypatch.setattr(benchmark, "PUBLIC", server.url)
        yield server
