"""One file from a web server to a folder: over https, checked, resumed, never half written.

A file is downloaded next to its place as ``<name>.part``, continued from there after an interruption, checked against
the size and the checksums that the caller knows, and then renamed. So a file that has its name is the right one, and
what the server says about itself (lengths, types, redirections) is only ever a reason to refuse.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from http.client import HTTPException
from ipaddress import ip_address
from pathlib import Path, PurePosixPath
from ssl import SSLError
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from truepath.errors import DataFormatError, TruePathError
from truepath.files.names import PathType

log = logging.getLogger(__name__)

Progress = Callable[[str, int, "int | None"], None]

_CHUNK = 1 << 16
_MOST = 8 << 30  # bytes of a file whose size is not known
_PAUSE = 0.2  # seconds before the first new attempt; doubled each time
_PASSING = (408, 425, 429, 500, 502, 503, 504)  # answers that may be different next time
_RANGE = re.compile(r"bytes (\d{1,18})-\d{1,18}/(\d{1,18}|\*)", re.ASCII)
_NUMBER = re.compile(r"\d{1,18}", re.ASCII)
_HTTPS = "Use an https address; allow_http=True is for a server of your own."


@dataclass(frozen=True)
class RemoteFile:
    """A file that can be downloaded: where it is, where it goes, and what it must be.

    Attributes
    ----------
    path : str
        The file below the address, with ``/`` between its parts.
    place : str
        The file below the local folder.
    sha256 : str
        The checksum; may be empty if ``git_blob`` is known.
    git_blob : str
        The id that git has for the content: the SHA-1 of ``blob <size>``, a zero byte and the content.
    size : int, optional
        The number of bytes; an answer of another length is refused before it is downloaded.
    """

    path: str
    place: str
    sha256: str = ""
    git_blob: str = ""
    size: int | None = None

    def is_at(self, file: Path) -> bool:
        """Return whether a local file is this one; every checksum that is known has to agree."""
        if not file.is_file() or not (self.sha256 or self.git_blob):
            return False
        has_sum = not self.sha256 or _digest(file, hashlib.sha256()) == self.sha256.lower()
        header = b"blob %d\0" % file.stat().st_size
        return has_sum and (
            not self.git_blob or _digest(file, hashlib.sha1(header, usedforsecurity=False)) == self.git_blob.lower()
        )


def fetch_file(
    base: str,
    file: RemoteFile,
    home: PathType,
    *,
    progress: Progress | None = None,
    retries: int = 3,
    timeout: float = 30.0,
    allow_http: bool = False,
) -> Path:
    """Download one file below ``base`` to its place below ``home``, unless it is there already.

    Parameters
    ----------
    base : str
        The address of a folder: ``https://...``, or ``file://...`` for one that is mounted.
    file : RemoteFile
        The file, with checksums from a source other than the server.
    home : path
        The local folder.
    progress : callable, optional
        Called as ``progress(place, bytes so far, bytes in all or None)`` while the file is downloaded.
    retries : int, default=3
        How often the file is tried again after a network error, continuing where it stopped.
    timeout : float, default=30.0
        Seconds without data after which a connection counts as broken.
    allow_http : bool, default=False
        Whether addresses without encryption are allowed too, for a server on your own network. One on your own machine
        (``localhost``) is always allowed.

    Returns
    -------
    file : Path

    Raises
    ------
    TruePathError
        If the address is not https, or leads to one that is not.
    DataFormatError
        If the answer is not the file: another size, a web page, another checksum (what was downloaded is deleted).
    FileNotFoundError
        If the server has no such file.
    OSError
        If the server cannot be reached or the file cannot be written; the next call continues from what was downloaded.
    """
    check_address(base, allow_http)
    for path in (file.path, file.place):
        if not stays_inside(path):
            raise DataFormatError(f"the path {path!r} leads outside the data folder.")
    target = Path(home).joinpath(*PurePosixPath(file.place).parts)
    if file.is_at(target):
        log.info("%s is there already", target)
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    download = _Download(f"{base.rstrip('/')}/{quote(file.path)}", file, target, progress, timeout, allow_http)
    resumed = download.part.exists()
    _fetch_with_retries(download, retries)
    if resumed and not file.is_at(download.part):  # the part was of another version of the file: start over
        download.part.unlink()
        _fetch_with_retries(download, retries)
    if not file.is_at(download.part):
        download.part.unlink()
        known = (file.sha256 or file.git_blob)[:12]
        problem = f"the file from {download.address} does not have the expected checksum ({known}…) and was deleted."
        raise DataFormatError(problem, target, remedy="Try again; if it happens again, the mirror has another file.")
    os.replace(download.part, target)
    log.info("fetched %s", target)
    return target


def check_address(address: str, allow_http: bool = False) -> None:
    """Refuse an address that is neither https, nor a local folder, nor on this machine.

    >>> check_address("http://example.org/data")
    Traceback (most recent call last):
    truepath.errors.TruePathError: the address 'http://example.org/data' does not start with https://. Use an https ...
    """
    try:
        parts = urlsplit(address)
        allowed = ("https", "file", *(["http"] if allow_http or _is_this_machine(parts.hostname) else []))
        is_whole = parts.scheme in allowed and (parts.scheme == "file" or bool(parts.hostname)) and parts.port != 0
    except ValueError as error:
        raise TruePathError(f"{address!r} is not an address ({error}).", _HTTPS) from None
    if not is_whole:
        raise TruePathError(f"the address {address!r} does not start with https://.", _HTTPS)


def _is_this_machine(host: str | None) -> bool:
    """Return whether a host is this machine by name or number: what is sent there, nobody else sees."""
    try:
        return host == "localhost" or (host is not None and ip_address(host).is_loopback)
    except ValueError:
        return False


def stays_inside(path: str) -> bool:
    r"""Return whether a relative path names a file inside its folder, on every system.

    >>> [stays_inside(path) for path in ("hmc/a b/train.arff", "../x", "/x", "a/../../x", "c:x", "a\\b", "a/", "")]
    [True, False, False, False, False, False, False, False]
    """
    parts = path.split("/")
    clean = all(part not in ("", ".", "..") for part in parts) and not path.endswith(".part")
    return clean and path.isprintable() and not set(path) & set('\\:*?"<>|')


# ----------------------------------------------------------------------------------------------- one download


class _SafeRedirects(HTTPRedirectHandler):
    """Follow redirections to https only."""

    def __init__(self, allow_http: bool):
        self.allow_http = allow_http

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Request | None:
        """Refuse an address that is not https, files of this machine included."""
        if not newurl.startswith(("https://", *(["http://"] if self.allow_http else []))):
            fp.close()
            raise TruePathError(f"{req.full_url} redirects to {newurl!r:.200}, which is not https.", _HTTPS)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


@dataclass(frozen=True)
class _Download:
    """What is known about a file that is being downloaded; calling it downloads what is missing."""

    address: str
    file: RemoteFile
    target: Path
    progress: Progress | None
    timeout: float
    allow_http: bool

    @property
    def part(self) -> Path:
        """Where the bytes go until all of them are there."""
        return self.target.with_name(self.target.name + ".part")

    def __call__(self) -> None:
        """Append what is still missing to the part; start over if the server does not continue."""
        have = self.part.stat().st_size if self.part.exists() else 0
        if self.file.size is not None and have == self.file.size and have:
            return
        if self.file.size is not None and have > self.file.size:
            have = 0
        answer = self._request(have)
        if answer is None:
            return
        with answer:
            have, total = self._check(answer, have)
            have = self._write(answer, have, total)
        if total is not None and have < total:
            raise ConnectionError(f"the connection ended after {have} of {total} bytes")

    def _request(self, have: int) -> Any:
        """Return the answer; None if there is nothing left to send."""
        headers = {"Accept-Encoding": "identity", **({"Range": f"bytes={have}-"} if have else {})}
        opener = build_opener(_SafeRedirects(self.allow_http))
        try:
            return opener.open(Request(self.address, headers=headers), timeout=self.timeout)
        except HTTPError as problem:
            if problem.code == 416 and have:  # the part is complete, or too long
                problem.close()
                return None
            raise

    def _check(self, answer: Any, have: int) -> tuple[int, int | None]:
        """Refuse an answer that cannot be the file; return where it starts and where it will end, if that is known."""
        headers = answer.headers
        kind, coding = headers.get_content_type(), (headers.get("Content-Encoding") or "identity").strip().lower()
        if kind == "text/html" and self.target.suffix.lower() not in (".html", ".htm"):
            raise self._refuse("the server sent a web page, not the file")
        if coding != "identity" or answer.status not in (None, 200, 206):
            raise self._refuse(
                f"the server sent another form of the file (status {answer.status}, encoding {coding!r:.40})"
            )
        have = self._start(answer, have)
        length = (headers.get("Content-Length") or "").strip()
        total = have + int(length) if _NUMBER.fullmatch(length) else None
        if self.file.size is not None and total is not None and total != self.file.size:
            raise self._refuse(f"the server has {total:,} bytes, but {self.file.size:,} are expected")
        return have, self.file.size if total is None else total

    def _start(self, answer: Any, have: int) -> int:
        """Return at which byte the answer starts."""
        if answer.status != 206:
            return 0
        found = _RANGE.fullmatch((answer.headers.get("Content-Range") or "").strip())
        if found is None or int(found[1]) != have:
            self.part.unlink(missing_ok=True)
            raise ConnectionError("the server resumed at the wrong position")
        return have

    def _write(self, answer: Any, have: int, total: int | None) -> int:
        """Write what comes; return how much there is."""
        most = _MOST if total is None else total
        with open(self.part, "ab" if have else "wb") as file:
            while chunk := answer.read(_CHUNK):
                have += len(chunk)
                if have > most:
                    raise self._refuse(f"the server sent more than {most:,} bytes")
                file.write(chunk)
                if self.progress is not None:
                    self.progress(self.file.place, have, total)
        return have

    def _refuse(self, problem: str) -> DataFormatError:
        remedy = "Check the address in a browser; if it is right, use another mirror."
        return DataFormatError(f"{problem}: {self.address}.", self.target, remedy=remedy)


def _digest(path: Path, digest: Any) -> str:
    """Return a checksum of a file, continued from what has been put in already."""
    with open(path, "rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    found: str = digest.hexdigest()
    return found


def _fetch_with_retries(download: _Download, retries: int) -> None:
    """Download, retrying after errors that may pass; the final error names the address."""
    for attempt in range(retries + 1):
        try:
            return download()
        except (URLError, ConnectionError, TimeoutError, HTTPException, SSLError) as problem:
            last = problem
            if isinstance(problem, HTTPError):
                problem.close()
            if _is_missing(problem) or (isinstance(problem, HTTPError) and problem.code not in _PASSING):
                break
        if attempt < retries:
            log.info("%s: %s; trying again", download.address, last)
            time.sleep(_PAUSE * 2**attempt)
    said = " ".join(str(last).split()) or type(last).__name__
    kind = FileNotFoundError if _is_missing(last) else ConnectionError
    raise kind(f"{download.address} cannot be fetched: {said}. Files fetched so far are kept.") from last


def _is_missing(problem: Exception) -> bool:
    """Return whether the server, or the folder, says that it has no such file."""
    if isinstance(problem, HTTPError):
        return problem.code in (404, 410)
    return isinstance(getattr(problem, "reason", None), FileNotFoundError)
