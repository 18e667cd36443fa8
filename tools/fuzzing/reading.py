"""Readers: a damaged file is read, or refused by an error of ours that names it."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from fuzzing.checks import RefusedError, check
from truepath import Hierarchy, open_dataset
from truepath.data import Dataset, read_hierarchy, read_labels, read_scores
from truepath.errors import TruePathError
from truepath.files import Limits

LIMITS = Limits(max_bytes=2**26)
TREE = Hierarchy.from_paths(["a/b", "c"])
HEAD = b"@relation 'r: -C 1'\n@attribute sun {0,1}\n@attribute size numeric\n@attribute colour {red,'dark blue'}\n"
CLUS = HEAD + b"@attribute class hierarchical a,a/b,d\n@data\n0,1.5,red,a/b@d\n1,?,'dark blue',a\n?,-2e3,?,d\n"


def dataset(form: str) -> Callable[[Path], Any]:
    """Return what reads a data set of that format."""
    return lambda path: open_dataset(path, format=form, limits=LIMITS)


#: By name: a whole file, its ending and what reads it
FILES: dict[str, tuple[bytes, str, Callable[[Path], Any]]] = {
    "clus": (CLUS, ".arff", dataset("clus")),
    "meka": (HEAD + b"@data\n0,1.5,red\n1,?,'dark blue'\n", ".arff", dataset("meka")),
    "csv": (b'id,labels,x\n1,"a/b;c",0.5\n2,a,\n3,,red\n', ".csv", dataset("paths")),
    "xmc": (b"3 4 3\n0,2 1:0.5 3:1\n 0:2\n1\n", ".txt", dataset("xmc")),
    "libsvm": (b"b,a 1:0.5 3:1 # first\na 2:2\n1:7\n", ".txt", dataset("libsvm")),
    "scores": (b"id,a,a/b,c\n1,0.5,0.25,1e-3\n2,1,0,.5\n", ".csv", lambda p: read_scores(p, TREE, limits=LIMITS)),
    "labels": (b"id,labels\n1,a/b;c\n2,\n", ".csv", lambda p: read_labels(p, TREE, limits=LIMITS)),
    "edges": (b"parent,child\na,b\na,c\nb,d\n", ".csv", lambda p: read_hierarchy(p, limits=LIMITS)),
    "obo": (
        b"format-version: 1.2\n\n[Term]\nid: T:1\nname: top\n\n[Term]\nid: T:2\nis_a: T:1\n",
        ".obo",
        lambda p: read_hierarchy(p, limits=LIMITS),
    ),
}
BITS = [b",", b"?", b"\n", b"\r", b"'", b'"', b"@", b"/", b"{", b"}", b" ", b"%", b":", b"0", b"7", b"-", b"a", b"\xff"]
BITS += [b"\x00", b"@data\n", b"nan", b"1_0", "é".encode(), "\u2028".encode(), b"\\", b";", b"[Term]\n", b"99999999999"]


def damage(rng: np.random.Generator, raw: bytes) -> bytes:
    """Delete, insert, replace or repeat bytes and lines, a few times."""
    for _ in range(int(rng.integers(1, 4))):
        start = int(rng.integers(0, len(raw) + 1))
        bit = BITS[int(rng.integers(len(BITS)))]
        kind = rng.integers(6)
        if kind == 0:
            raw = raw[:start] + raw[start + int(rng.integers(1, 7)) :]
        elif kind == 1:
            raw = raw[:start] + bit + raw[start:]
        elif kind == 2:
            raw = raw[:start] + bit + raw[start + 1 :]
        elif kind == 3:
            raw = raw[:start]
        else:
            lines = raw.split(b"\n")
            i, j = rng.integers(0, len(lines), 2)
            if kind == 4:
                lines.insert(i, lines[j])
            else:
                lines[i], lines[j] = lines[j], lines[i]
            raw = b"\n".join(lines)
    return raw


@check("damaged files", 60)
def reading(rng: np.random.Generator) -> None:
    """One damaged file of a random format."""
    form = list(FILES)[int(rng.integers(len(FILES)))]
    whole, ending, read = FILES[form]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"damaged{ending}"
        path.write_bytes(damage(rng, whole))
        try:
            found = read(path)
        except TruePathError as problem:
            raise (RefusedError if "damaged" in str(problem) else AssertionError)(str(problem)) from problem
    if isinstance(found, Dataset):
        assert all(found.hierarchy.is_closed(split.y) for split in found.splits.values())
