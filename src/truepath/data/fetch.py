"""Downloading benchmark data from a mirror into the data folder: checked, resumed, never half written.

A mirror is any web server that offers the data folder as it is, with its ``MANIFEST`` (lines ``sha256  path``, as
``sha256sum`` writes them). A file is downloaded next to its place as ``<name>.part``, continued from there after an
interruption, checked, and then renamed. So a file that has its name is complete.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import time
from collections.abc import Callable
from http.client import HTTPException
from pathlib import Path, PurePosixPath
from typing import TypeVar
from urllib.error import HTTPError, URLError
from urllib.parse import quote
from urllib.request import Request, urlopen

from truepath.data.named import data_home
from truepath.errors import DataFormatError, UnknownDatasetError
from truepath.files import PathType

__all__ = ["fetch_benchmark", "read_manifest"]

log = logging.getLogger(__name__)

Progress = Callable[[str, int, "int | None"], None]

T = TypeVar("T")

_CHUNK = 1 << 16
_PAUSE = 0.2  # seconds before the first new attempt; doubled each time
_PASSING = (408, 425, 429, 500, 502, 503, 504)  # answers that may be different next time
_LINE = re.compile(r"([0-9a-fA-F]{64}) [ *](.+)")


def fetch_benchmark(
    name: str,
    url: str | None = None,
    *,
    manifest: PathType | None = None,
    home: PathType | None = None,
    progress: Progress | None = None,
    retries: int = 3,
    timeout: float = 30.0,
) -> Path:
    """Download a benchmark data set into the data folder, unless it is there already.

    Parameters
    ----------
    name : str
        As for :func:`load_dataset`: ``"cellcycle_FUN"``, ``"hmc/enron"``, ``"mulan/enron"``. A plain name that
        exists twice means the hierarchical one.
    url : str, optional
        The address of a mirror: a folder laid out like the data folder. ``$TRUEPATH_MIRROR`` by default. There is
        no official mirror.
    manifest : path, optional
        A local file of checksums to use; by default the mirror's own ``MANIFEST``.
    home : path, optional
        The data folder; :func:`data_home` by default.
    progress : callable, optional
        Called as ``progress(path, bytes so far, bytes in all or None)`` while a file is downloaded.
    retries : int, default=3
        How often a file is tried again after a network error, continuing where it stopped.
    timeout : float, default=30.0
        Seconds without data after which a connection counts as broken.

    Returns
    -------
    folder : Path
        Where the files are.

    Raises
    ------
    ValueError
        If no mirror is known, or the manifest has no such data set.
    DataFormatError
        If a file does not have the checksum announced (it is deleted), or the manifest is malformed.
    OSError
        If the mirror cannot be reached or a file cannot be written; the next call continues from what was downloaded.
    """
    base = url or os.environ.get("TRUEPATH_MIRROR")
    if not base:
        raise ValueError(
            "no mirror is known: pass url= or set TRUEPATH_MIRROR to the address of a folder with the benchmark data "
            "and their MANIFEST. There is no official mirror; if you have the files, set TRUEPATH_DATA instead."
        )
    if not base.startswith(("http://", "https://", "file://")):
        raise ValueError(f"url must start with http://, https:// or file://, not {base!r}.")
    base = base.rstrip("/")
    target = data_home(home)
    sums = _sums(base, manifest, retries, timeout)
    chosen = _files_of(name, sums)
    for path in chosen:
        _fetch_file(f"{base}/{quote(path)}", target / path, sums[path], progress, retries, timeout)
    return target.joinpath(*PurePosixPath(next(iter(chosen))).parts[:2])


def read_manifest(text: str, path: str | None = None) -> dict[str, str]:
    """Read lines ``sha256  path`` into a mapping from path to checksum; paths must stay inside the folder."""
    sums: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        match = _LINE.fullmatch(line.strip())
        if match is None:
            raise DataFormatError(f"{line[:60]!r} is not 'sha256  path'.", path, number)
        file = match.group(2).removeprefix("./")
        if PurePosixPath(file).is_absolute() or ".." in PurePosixPath(file).parts or "\\" in file or ":" in file:
            raise DataFormatError(f"the path {file!r} leads outside the data folder.", path, number)
        sums[file] = match.group(1).lower()
    return sums


def _sums(base: str, manifest: PathType | None, retries: int, timeout: float) -> dict[str, str]:
    if manifest is not None:
        return read_manifest(Path(manifest).read_text(encoding="utf-8"), os.fspath(manifest))
    address = f"{base}/MANIFEST"

    def read() -> bytes:
        with urlopen(Request(address), timeout=timeout) as answer:
            whole: bytes = answer.read()
            return whole

    raw = _insist(read, address, retries)
    try:
        return read_manifest(raw.decode("utf-8"), address)
    except UnicodeDecodeError:
        raise DataFormatError("the manifest is not text.", address) from None


def _files_of(name: str, sums: dict[str, str]) -> list[str]:
    groups = [""] if "/" in name else ["hmc/", "mulan/"]
    for group in groups:
        chosen = [path for path in sums if path.startswith(f"{group}{name}/")]
        if chosen:
            return chosen
    known = sorted({"/".join(path.split("/")[:2]) for path in sums if path.count("/") > 1})
    raise UnknownDatasetError(f"the manifest has no data set {name!r}. It has: {', '.join(known) or 'none'}.")


# ------------------------------------------------------------------------------------------------ one file


def _fetch_file(
    address: str, target: Path, sha256: str, progress: Progress | None, retries: int, timeout: float
) -> None:
    if target.exists() and _sha256(target) == sha256:
        log.info("%s is there already", target)
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(target.name + ".part")
    resumed = part.exists()
    _insist(lambda: _continue_download(address, part, progress, timeout), address, retries)
    if resumed and _sha256(part) != sha256:  # the part was of another version of the file: start over
        part.unlink()
        _insist(lambda: _continue_download(address, part, progress, timeout), address, retries)
    if _sha256(part) != sha256:
        part.unlink()
        raise DataFormatError(
            f"the file from {address} does not have the checksum of the manifest ({sha256[:12]}…); it was deleted. "
            "Try again; if it happens again, the mirror or its MANIFEST is wrong.",
            target,
        )
    os.replace(part, target)
    log.info("fetched %s", target)


def _continue_download(address: str, part: Path, progress: Progress | None, timeout: float) -> None:
    """Append what is still missing to ``part``; start over if the server does not continue."""
    have = part.stat().st_size if part.exists() else 0
    request = Request(address, headers={"Range": f"bytes={have}-"} if have else {})
    try:
        answer = urlopen(request, timeout=timeout)
    except HTTPError as problem:
        if problem.code == 416 and have:  # nothing left to send: the part is complete, or too long
            problem.close()
            return
        raise
    with answer:
        if answer.status != 206:
            have = 0
        length = answer.headers.get("Content-Length") or ""
        total = have + int(length) if length.isdigit() else None
        with open(part, "ab" if have else "wb") as file:
            while chunk := answer.read(_CHUNK):
                file.write(chunk)
                have += len(chunk)
                if progress is not None:
                    progress(part.name.removesuffix(".part"), have, total)
    if total is not None and have < total:
        raise ConnectionError(f"the connection ended after {have} of {total} bytes")


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def _insist(action: Callable[[], T], address: str, retries: int) -> T:
    """Try again after errors that may pass; if they do not, say which address could not be fetched."""
    for attempt in range(retries + 1):
        try:
            return action()
        except (URLError, ConnectionError, TimeoutError, HTTPException) as problem:
            last = problem
            if isinstance(problem, HTTPError):
                problem.close()
                if problem.code not in _PASSING:
                    break
        if attempt < retries:
            log.info("%s: %s; trying again", address, last)
            time.sleep(_PAUSE * 2**attempt)
    raise ConnectionError(f"{address} cannot be fetched: {last}. Files fetched so far are kept.") from last
