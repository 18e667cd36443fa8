"""Damaged files: only errors of ours come out, with the name of the file."""

from __future__ import annotations

import lzma

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from truepath.data import Dataset, read_clus_arff, read_libsvm, read_meka, read_mulan, read_paths_csv, read_xmc
from truepath.errors import DataFormatError, HierarchyError

pytestmark = pytest.mark.filterwarnings("ignore::truepath.errors.InputWarning")

HEAD = b"@relation 'r: -C 1'\n@attribute sun {0,1}\n@attribute size numeric\n@attribute colour {red,'dark blue'}\n"
XML = b'<?xml version="1.0"?>\n<labels>\n<label name="sun"><label name="sand"/></label>\n</labels>\n'
MULAN = HEAD + b"@attribute sand {0,1}\n@data\n"
CLUS = HEAD + b"@attribute class hierarchical a,a/b,a/b/c,d\n@data\n"
DAG = HEAD + b"@attribute class hierarchical root/a,root/b,a/c,b/c,c/d\n@data\n"

SEEDS = {
    "clus": (CLUS + b"0,1.5,red,a/b@d\n1,?,'dark blue',a/b/c\n?,-2e3,?,d\n", read_clus_arff, ".arff"),
    "clus_sparse": (DAG + b"{2 1.5,4 d}\n{1 1,3 'dark blue',4 a@b}\n", read_clus_arff, ".arff"),
    "clus_xz": (lzma.compress(CLUS + b"0,1.5,red,a/b@d\n"), read_clus_arff, ".arff.xz"),
    "mulan": (MULAN + b"0,1.5,red,1\n1,?,'dark blue',0\n", None, ".arff"),
    "mulan_sparse": (MULAN + b"{0 1,1 1.5}\n{2 'dark blue',3 1}\n{}\n", None, ".arff"),
    "mulan_xml": (XML, None, ".xml"),
    "meka": (MULAN + b"0,1.5,red,1\n1,?,'dark blue',0\n", read_meka, ".arff"),
    "csv": (b'id,labels,x\n1,"a/b;c",0.5\n2,a,\n3,,red\n', read_paths_csv, ".csv"),
    "xmc": (b"3 4 3\n0,2 1:0.5 3:1\n 0:2\n1\n", read_xmc, ".txt"),
    "libsvm": (b"b,a 1:0.5 3:1 # first\na 2:2\n1:7\n", read_libsvm, ".txt"),
}
BITS = [
    b",",
    b"?",
    b"\n",
    b"\r",
    b"'",
    b'"',
    b"@",
    b"/",
    b"{",
    b"}",
    b" ",
    b"%",
    b":",
    b"0",
    b"7",
    b"-",
    b"a",
    b"\xff",
    b"\x00",
    b"root/",
    b"@data\n",
    b"nan",
    b"1_0",
    "é".encode(),
    "٣".encode(),
    "\u2028".encode(),
    b"\\",
    b"<",
    b"&",
]


@st.composite
def damaged(draw, whole):
    """Delete, insert, replace or repeat bytes and lines, a few times."""
    raw = whole
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(["delete", "insert", "replace", "drop line", "repeat line", "swap lines", "cut"]))
        start = draw(st.integers(0, max(len(raw) - 1, 0)))
        end = min(len(raw), start + draw(st.integers(1, 6)))
        lines = raw.split(b"\n")
        i, j = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
        if kind == "delete":
            raw = raw[:start] + raw[end:]
        elif kind == "insert":
            raw = raw[:start] + draw(st.sampled_from(BITS)) + raw[start:]
        elif kind == "replace":
            raw = raw[:start] + draw(st.sampled_from(BITS)) + raw[start + 1 :]
        elif kind == "cut":
            raw = raw[:start]
        else:
            if kind == "drop line":
                del lines[i]
            elif kind == "repeat line":
                lines.insert(i, lines[i])
            else:
                lines[i], lines[j] = lines[j], lines[i]
            raw = b"\n".join(lines)
    return raw


def read_damaged(form, raw, folder):
    _, reader, ending = SEEDS[form]
    file = folder / f"damaged{ending}"
    file.write_bytes(raw)
    if reader is not None:
        return reader(file)
    other = folder / ("whole.xml" if ending == ".arff" else "whole.arff")
    other.write_bytes(XML if ending == ".arff" else SEEDS["mulan"][0])
    return read_mulan(*((file, other) if ending == ".arff" else (other, file)))


def only_our_errors(form, raw, folder):
    found = outcome(form, raw, folder)
    if isinstance(found, DataFormatError):
        assert "damaged" in str(found) or "whole" in str(found)
        last = raw.count(b"\n") + raw.count(b"\r") + 1
        assert found.line is None or 1 <= found.line <= last or "whole" in str(found.path)
    elif isinstance(found, Dataset):
        assert all(found.hierarchy.is_closed(split.y) for split in found.splits.values())
        found.describe()


def outcome(form, raw, folder):
    """Give the data set, or the error if it is one of ours; any other passes through and fails the test."""
    try:
        return read_damaged(form, raw, folder)
    except (DataFormatError, HierarchyError) as problem:
        return problem


@pytest.mark.parametrize("form", SEEDS)
def test_seeds_are_whole(form, tmp_path):
    assert read_damaged(form, SEEDS[form][0], tmp_path).n_samples >= 1


@pytest.mark.parametrize("form", SEEDS)
def test_damaged_files(form, tmp_path_factory):
    folder = tmp_path_factory.mktemp(form)

    @settings(max_examples=80)
    @given(damaged(SEEDS[form][0]))
    @example(b"")
    @example(b"\xef\xbb\xbf")
    def run(raw):
        only_our_errors(form, raw, folder)

    run()


@pytest.mark.slow
@pytest.mark.parametrize("form", SEEDS)
def test_damaged_files_at_length(form, tmp_path_factory):
    folder = tmp_path_factory.mktemp(form)

    @settings(max_examples=1500)
    @given(damaged(SEEDS[form][0]))
    def run(raw):
        only_our_errors(form, raw, folder)

    run()
