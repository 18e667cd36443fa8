"""Compressed files, whole and damaged."""

from __future__ import annotations

import bz2
import gzip
import lzma

import pytest

from truepath.data import read_clus_arff
from truepath.errors import DataFormatError

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
