"""``truepath fetch`` as it is typed, against a server on this machine."""

from __future__ import annotations

import hashlib
import json
import lzma

import pytest
from typer.testing import CliRunner

from commands import refusal_of, run_command
from places import SHARED_DATA
from truepath.cli.app import app
from truepath.data import load_dataset
from truepath.data.fetch import download, sources
from truepath.data.fetch.download import RemoteFile
from web_server import serving

BODY = b"@relation r\n@attribute x numeric\n@attribute class hierarchical a,a/b\n@data\n1,a/b\n2,a\n"


@pytest.fixture
def server(monkeypatch):
    """A mirror with the set ``tiny``, and without ``absent``, which is listed too."""
    monkeypatch.setattr(download, "_PAUSE", 0.001)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.delenv("TRUEPATH_MIRROR", raising=False)
    known = {"sha256": hashlib.sha256(BODY).hexdigest(), "size": len(BODY)}
    names = ("absent", "tiny")
    listing = {
        f"hmc/{n}": [RemoteFile(f"data/{n}.{s}", f"hmc/{n}/{s}.arff", **known) for s in ("train", "test")]
        for n in names
    }
    monkeypatch.setattr(sources, "_public_files", lambda: listing)
    with serving({"/data/tiny.train": BODY, "/data/tiny.test": BODY}) as mirror:
        yield mirror


def test_one_set(server, tmp_path):
    out, err = run_command("fetch", "tiny", "--mirror", server.url, "--data", tmp_path)
    assert out == f"tiny: {tmp_path / 'hmc/tiny'}\n"
    assert err == ""
    assert len(load_dataset("tiny", home=tmp_path).test) == 2
    out, _ = run_command("fetch", "hmc/tiny", "--mirror", server.url, "--data", tmp_path, "--json")
    assert json.loads(out) == {"folders": {"hmc/tiny": str(tmp_path / "hmc/tiny")}, "failed": {}}
    assert len(server.asked) == 2


def test_all_sets_and_what_failed(server, tmp_path):
    done = CliRunner().invoke(app, ["fetch", "all", "--mirror", server.url, "--data", str(tmp_path)])
    assert done.exit_code == 1
    assert done.stdout == f"tiny: {tmp_path / 'hmc/tiny'}\n"
    problem, count = done.stderr.splitlines()
    assert problem.startswith(f"truepath: absent: {server.url} has neither data/absent.train")
    assert count == "truepath: 1 of 2 data sets could not be fetched."


def test_the_list(server, tmp_path):
    run_command("fetch", "tiny", "--mirror", server.url, "--data", tmp_path)
    out, err = run_command("fetch", "--list", "--data", tmp_path)
    assert [line.split() for line in out.splitlines()] == [
        ["absent", "2", "files", "0.0", "MB"],
        ["tiny", "2", "files", "0.0", "MB", "here"],
        ["wordnet-nouns", "2", "files", "made", "with", "--from", "FOLDER"],
    ]
    assert str(tmp_path) in err
    rows = json.loads(run_command("fetch", "--list", "--json", "--data", tmp_path)[0])
    assert rows[1] == {"name": "tiny", "files": 2, "bytes": 2 * len(BODY), "here": True}


def test_wordnet(tmp_path):
    synsets = ["00000001 03 n 01 entity 0 000 | what is"]
    synsets += [f"{i:08} 03 n 01 thing{i} 0 001 @ 00000001 n 0000 | one" for i in range(2, 23)]
    (tmp_path / "data.noun").write_text("\n".join(synsets) + "\n")
    out, _ = run_command("fetch", "wordnet-nouns", "--from", tmp_path, "--data", tmp_path / "home")
    assert out == f"wordnet-nouns: {tmp_path / 'home/text/wordnet_nouns'}\n"
    assert load_dataset("wordnet-nouns", home=tmp_path / "home").n_samples == 21


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "name one or more data sets, or all."),
        (["tinny"], "Did you mean 'hmc/tiny'?"),
        (["mulan/scene"], "not in the public repository of hierarchical sets."),
        (["tiny", "--mirror", "http://example.org"], "does not start with https://"),
        (["tiny", "--mirror", "here"], "does not start with https://"),
        (["tiny", "--from", "here"], "--from is for wordnet-nouns only"),
        (["wordnet-nouns"], "is made from WordNet's files, which are not downloaded."),
        (["wordnet-nouns", "--from", "nowhere"], "nowhere has no file data.noun"),
    ],
)
def test_refusals(arguments, said, server, tmp_path):
    assert said in refusal_of("fetch", *arguments, "--data", tmp_path)


def test_commands_that_miss_a_set_name_the_command(server, tmp_path, monkeypatch):
    monkeypatch.setenv("TRUEPATH_DATA", str(tmp_path))
    assert "Download it: truepath fetch tiny, or load_dataset('tiny', download=True)" in refusal_of("describe", "tiny")
    assert "truepath fetch mulan/scene --mirror ADDRESS" in refusal_of("describe", "mulan/scene")
    assert "truepath fetch wordnet-nouns --from FOLDER" in refusal_of("describe", "wordnet-nouns")


def test_the_real_list_against_the_real_files(tmp_path, monkeypatch):
    """The smallest set, unpacked and served under the paths of the public repository."""
    packed = SHARED_DATA / "hmc" / "pheno_FUN"
    if not packed.is_dir():
        pytest.skip("the benchmark data are not here")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    at = "/HMC_data/datasets_FUN/pheno_FUN/pheno_FUN"
    bodies = {s: lzma.decompress((packed / f"{s}.arff.xz").read_bytes()) for s in ("train", "valid", "test")}
    with serving({f"{at}.{split}.arff": body for split, body in bodies.items()}) as mirror:
        run_command("fetch", "pheno_FUN", "--mirror", mirror.url, "--data", tmp_path)
    ds = load_dataset("pheno_FUN", home=tmp_path)
    assert {name: len(split) for name, split in ds.splits.items()} == {"train": 656, "valid": 353, "test": 582}
