"""Which benchmark files there are, where, and what they must be: two lists that come with the package.

``public_files.tsv`` lists the hierarchical sets in their public repository, at one commit of it: address, place in the
data folder, size, git's id of the content, sha256 (empty for the few files whose content was not at hand when the list
was made: git's id is checked then). ``benchmarks.sha256`` lists a data folder as benchmarks use it, compressed, with
the flat sets too. A mirror may be laid out in either way.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterable
from dataclasses import replace
from importlib.resources import files
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from truepath.data.fetch.download import RemoteFile, stays_inside
from truepath.english import did_you_mean
from truepath.errors import DataFormatError, TruePathError, UnknownDatasetError
from truepath.files.names import PathType

HOST = "https://raw.githubusercontent.com"
#: The repository's tree at one commit, below the host
TREE = "EGiunchiglia/C-HMCNN/e887855ab4b3b8f22e4fafc80a0a33c1d1ac0041"
#: The address of the hierarchical benchmark sets
PUBLIC = f"{HOST}/{TREE}"

Layout = list[RemoteFile]
Listing = dict[str, Layout]  # files by the name of their data set, such as "hmc/enron"

_LINE = re.compile(r"([0-9a-fA-F]{64}) [ *](.+)")
_WRITE = "Write it with sha256sum, from files that you trust."


class Benchmark(NamedTuple):
    """A data set that can be fetched."""

    #: As :func:`~truepath.load_dataset` takes it
    name: str
    n_files: int
    #: What all files take together, in bytes; None where that is known only to the server
    size: int | None


def list_benchmarks() -> list[Benchmark]:
    """List the hierarchical data sets that :func:`fetch_benchmark` takes from their public repository.

    Examples
    --------
    >>> list_benchmarks()[0]
    Benchmark(name='cellcycle_FUN', n_files=3, size=1639672)
    """
    return [Benchmark(name.partition("/")[2], len(found), _total(found)) for name, found in _public_files().items()]


def _total(found: Layout) -> int | None:
    sizes = [file.size for file in found]
    return None if None in sizes else sum(size for size in sizes if size is not None)


def layouts_of(name: str, manifest: PathType | None = None) -> dict[str, Layout]:
    """Return the files of a data set in every way that a server may be laid out.

    That is ``"tree"``, as in the public repository; ``"host"``, for a copy of the whole host; and ``"folder"``, as in a
    data folder, the only one if there is a manifest of your own.
    """
    folder = _mirrored_files(manifest)
    public = {} if manifest is not None else _public_files()
    full = _full_name(name, [*public, *folder])
    layouts = {}
    if full in public:
        host = [replace(file, path=f"{TREE}/{file.path}") for file in public[full]]
        layouts = {"tree": public[full], "host": host}
    return {**layouts, "folder": folder[full]} if full in folder else layouts


def fetch_command(*names: str) -> str | None:
    """Return the command that downloads data sets, or two if some need a mirror; None if nothing is known of them.

    >>> fetch_command("hmc/enron", "diatoms"), fetch_command("mulan/scene"), fetch_command("mine")
    ('truepath fetch enron diatoms', 'truepath fetch mulan/scene --mirror ADDRESS', None)
    """
    public, mirrored = [], []
    for name in names:
        try:
            layouts = layouts_of(name)
        except UnknownDatasetError:
            continue
        group, plain = PurePosixPath(next(iter(layouts.values()))[0].place).parts[:2]
        public += [plain] if "tree" in layouts else []
        mirrored += [f"{group}/{plain}"] if "tree" not in layouts else []
    commands = [f"truepath fetch {' '.join(public)}"] if public else []
    commands += [f"truepath fetch {' '.join(mirrored)} --mirror ADDRESS"] if mirrored else []
    return "; ".join(commands) or None


def read_manifest(text: str, path: str | None = None) -> dict[str, str]:
    """Read lines ``sha256  path`` into a mapping from path to checksum; paths must stay inside the folder."""
    sums: dict[str, str] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        match = _LINE.fullmatch(line.strip())
        if match is None:
            raise DataFormatError(f"{line[:60]!r} is not 'sha256  path'.", path, number, _WRITE)
        file = match.group(2).removeprefix("./")
        if not stays_inside(file):
            raise DataFormatError(f"the path {file!r:.80} leads outside the data folder.", path, number)
        if sums.setdefault(file, match.group(1).lower()) != match.group(1).lower():
            raise DataFormatError(f"{file!r:.80} has two checksums.", path, number, _WRITE)
    return sums


# ------------------------------------------------------------------------------------------------- the lists


def _public_files() -> Listing:
    text = (files("truepath.data.bundled") / "public_files.tsv").read_text(encoding="utf-8")
    return _by_set(
        RemoteFile(
            row["path"], row["place"], row["sha256"], row["git_blob"], int(row["bytes"]) if row["bytes"] else None
        )
        for row in csv.DictReader(text.splitlines(), delimiter="\t")
    )


def _mirrored_files(manifest: PathType | None) -> Listing:
    """Read the checksums given, or those of the package."""
    return _by_set(RemoteFile(path, path, sha256) for path, sha256 in _sums(manifest).items() if path.count("/") > 1)


def _by_set(found: Iterable[RemoteFile]) -> Listing:
    listing: Listing = {}
    for file in found:
        listing.setdefault("/".join(PurePosixPath(file.place).parts[:2]), []).append(file)
    return listing


def _sums(manifest: PathType | None) -> dict[str, str]:
    if manifest is None:
        source = files("truepath.data.bundled") / "benchmarks.sha256"
        return read_manifest(source.read_text(encoding="utf-8"), source.name)
    place = os.fspath(manifest)
    if "://" in place:
        problem = f"manifest must be a local file, not the address {place!r}: a mirror cannot vouch for itself."
        raise TruePathError(problem, "Leave it out to use the checksums that come with the package.")
    try:
        return read_manifest(Path(manifest).read_text(encoding="utf-8"), place)
    except UnicodeDecodeError:
        raise DataFormatError("the manifest is not text.", place, remedy=_WRITE) from None


# ------------------------------------------------------------------------------------------------- names


def _full_name(name: str, known: list[str]) -> str:
    """Return a name with its group; a plain name that exists twice means the hierarchical one."""
    for full in [name] if "/" in name else [f"hmc/{name}", f"mulan/{name}"]:
        if full in known:
            return full
    listed = ", ".join(sorted(set(known), key=str.lower)) or "none"
    way = did_you_mean(name, known, f"Available: {listed}.")
    raise UnknownDatasetError(f"there are no checksums for a data set {name!r}.", way)
