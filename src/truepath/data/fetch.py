"""Downloading benchmark data from a mirror into the data folder: over https, checked, resumed, never half written.

A mirror is any web server that offers the data folder as it is. Whether its files are the right ones is decided by
checksums that come with the package, or that the caller has from a trusted source: a mirror's own list would vouch for
whatever the mirror sends.
"""

from __future__ import annotations

import os
import re
from importlib.resources import files
from pathlib import Path, PurePosixPath

from truepath.data.download import Progress, check_address, fetch_file, stays_inside
from truepath.data.named import data_home
from truepath.errors import DataFormatError, TruePathError, UnknownDatasetError
from truepath.files.text import PathType

__all__ = ["fetch_benchmark", "read_manifest"]

_LINE = re.compile(r"([0-9a-fA-F]{64}) [ *](.+)")
_WRITE = "Write it with sha256sum, from files that you trust."


def fetch_benchmark(
    name: str,
    url: str | None = None,
    *,
    manifest: PathType | None = None,
    home: PathType | None = None,
    progress: Progress | None = None,
    retries: int = 3,
    timeout: float = 30.0,
    allow_http: bool = False,
) -> Path:
    """Download a benchmark data set into the data folder, unless it is there already.

    Parameters
    ----------
    name : str
        As for :func:`load_dataset`: ``"cellcycle_FUN"``, ``"hmc/enron"``, ``"mulan/enron"``. A plain name that
        exists twice means the hierarchical one.
    url : str, optional
        The https address of a mirror: a folder laid out like the data folder. ``$TRUEPATH_MIRROR`` by default. There is
        no official mirror.
    manifest : path, optional
        A local file of checksums, lines ``sha256  path`` as ``sha256sum`` writes them; by default those that come with
        the package. It must not come from the mirror, or it proves nothing.
    home : path, optional
        The data folder; :func:`data_home` by default.
    progress : callable, optional
        Called as ``progress(name, bytes so far, bytes in all or None)`` while a file is downloaded.
    retries : int, default=3
        How often a file is tried again after a network error, continuing where it stopped.
    timeout : float, default=30.0
        Seconds without data after which a connection counts as broken.
    allow_http : bool, default=False
        Whether the mirror may be without encryption, for a server on your own machine or network. The checksums hold
        either way; what you fetch is then seen by others.

    Returns
    -------
    folder : Path
        Where the files are.

    Raises
    ------
    TruePathError
        If no mirror is known, its address is not https, or there are no checksums for such a data set.
    DataFormatError
        If an answer is not the file: a web page, another size, another checksum (what was downloaded is deleted); or if
        the manifest is malformed.
    OSError
        If the mirror cannot be reached or a file cannot be written; the next call continues from what was downloaded.
    """
    base = url or os.environ.get("TRUEPATH_MIRROR")
    if not base:
        raise TruePathError(
            "no mirror is known, and there is no official mirror.",
            "Pass url= or set TRUEPATH_MIRROR to the https address of a folder with the benchmark data; if you have "
            "the files, set TRUEPATH_DATA instead.",
        )
    check_address(base, allow_http)
    target = data_home(home)
    sums = _sums(manifest)
    chosen = _files_of(name, sums)
    for path in chosen:
        fetch_file(
            base,
            path,
            target,
            sha256=sums[path],
            progress=progress,
            retries=retries,
            timeout=timeout,
            allow_http=allow_http,
        )
    return target.joinpath(*PurePosixPath(next(iter(chosen))).parts[:2])


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


def _sums(manifest: PathType | None) -> dict[str, str]:
    """Read the checksums given, or those of the package."""
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


def _files_of(name: str, sums: dict[str, str]) -> list[str]:
    groups = [""] if "/" in name else ["hmc/", "mulan/"]
    for group in groups:
        chosen = [path for path in sums if path.startswith(f"{group}{name}/")]
        if chosen:
            return chosen
    known = sorted({"/".join(path.split("/")[:2]) for path in sums if path.count("/") > 1})
    raise UnknownDatasetError(
        f"there are no checksums for a data set {name!r}.", f"There are: {', '.join(known) or 'none'}."
    )
