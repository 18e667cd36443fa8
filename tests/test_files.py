"""Compressed files, whole and damaged; texts in any encoding."""

from __future__ import annotations

import bz2
import gzip
import lzma

import pytest

from truepath.data import read_clus_arff
from truepath.errors import DataFormatError
from truepath.files.encodings import encoding_of
from truepath.files.text import read_text
from truepath.files.utf8 import read_utf8

TEXT = b"@relation r\n@attribute x numeric\n@attribute class hierarchical a,a/b\n@data\n" + b"1.25,a/b\n" * 200
PACK = {".xz": lzma.compress, ".gz": gzip.compress, ".bz2": bz2.compress}


@pytest.mark.parametrize("ending", PACK)
def test_compressed_files_are_read(tmp_path, ending):
    file = tmp_path / f"data.arff{ending}"
    file.write_bytes(PACK[ending](TEXT))
    assert len(read_clus_arff(file)["all"]) == 200


@pytest.mark.parametrize("ending", PACK)
@pytest.mark.parametrize("damage", ["cut", "junk", "empty", "flipped"])
def test_damaged_compressed_files(tmp_path, ending, damage):
    whole = PACK[ending](TEXT)
    middle = len(whole) // 2
    flipped = whole[:middle] + bytes([whole[middle] ^ 255]) + whole[middle + 1 :]
    broken = {"cut": whole[:-9], "junk": b"not compressed at all", "empty": b"", "flipped": flipped}[damage]
    file = tmp_path / f"data.arff{ending}"
    file.write_bytes(broken)
    with pytest.raises(DataFormatError, match=rf"data\.arff\{ending}: the compressed file is"):
        read_clus_arff(file)


def test_compressed_bytes_under_a_plain_name(tmp_path):
    file = tmp_path / "data.arff"
    file.write_bytes(lzma.compress(TEXT))
    with pytest.raises(DataFormatError, match="decompress it if its name lacks"):
        read_clus_arff(file)


TEXTS = {
    "plain": b"x,y\n1,2\n",
    "no line feed at the end": "x\né".encode(),
    "two bytes of a letter in two pieces": b"a" * ((1 << 18) - 1) + "é\n".encode(),
    "line ends of Windows": b"x\r\n1\r2\n",
    "a mark": b"\xef\xbb\xbfx\n1\n",
    "UTF-16": "x\n1\n".encode("utf-16"),
    "Latin-1": b"x\n\xe9\n",
    "a letter cut off": b"x\n\xc3",
    "blank": b" \n\x1c\n",
    "empty": b"",
    "NUL": b"x\0\n",
}


@pytest.mark.parametrize("encoding", ["utf-8-sig", "cp1252", encoding_of])
@pytest.mark.parametrize("kind", TEXTS)
def test_text_as_bytes_is_text(tmp_path, kind, encoding):
    file = tmp_path / "text.csv"
    file.write_bytes(TEXTS[kind])
    expected = said_of(lambda: read_text(file, encoding=encoding(file) if callable(encoding) else encoding))
    assert said_of(lambda: read_utf8(file, encoding=encoding).text) == expected
    assert said_of(lambda: "".join(line for _, line in read_utf8(file, encoding=encoding).lines())) == expected


def said_of(read):
    """Return a text with a line feed at its end, or what is wrong with it."""
    try:
        return read().removesuffix("\n") + "\n"
    except DataFormatError as problem:
        return str(problem)
