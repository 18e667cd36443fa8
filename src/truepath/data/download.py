"""One file from a web server to a folder: over https, checked, resumed, never half written.

A file is downloaded next to its place as ``<name>.part``, continued from there after an interruption, checked against
the size and the sha256 that the caller knows, and then renamed. So a file that has its name is the right one, and what
the server says about itself (lengths, types, redirections) is only ever a reason to refuse.
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
from ssl import SSLError
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from truepath.errors import DataFormatError, TruePathError
from truepath.files.text import PathType

__all__ = ["Progress", "check_address", "fetch_file", "stays_inside"]

log = logging.getLogger(__name__)

Progress = Callable[[str, int, "int | None"], None]

_CHUNK = 1 << 16
_MOST = 8 << 30  # bytes of a file whose size is not known
_PAUSE = 0.2  # seconds before the first new attempt; doubled each time
_PASSING = (408, 425, 429, 500, 502, 503, 504)  # answers that may be different next time
_RANGE = re.compile(r"bytes (\d{1,18})-\d{1,18}/(\d{1,18}|\*)", re.ASCII)
_NUMBER = re.compile(r"\d{1,18}", re.ASCII)
_HTTPS = "Use an https address; allow_http=True is for a server of your own."


def fetch_file(
    base: str,
    path: str,
    home: PathType,
    *,
    sha256: str,
    size: int | None = None,
    progress: Progress | None = None,
    retries: int = 3,
    timeout: float = 30.0,
    allow_http: bool = False,
) -> Path:
    """Download one file below ``base`` to the same place below ``home``, unless it is there already.

    Parameters
    ----------
    base : str
        The address of a folder: ``https://...``, or ``file://...`` for one that is mounted.
    path : str
        The file within both folders, with ``/`` between its parts.
    home : path
        The local folder.
    sha256 : str
        The checksum, from a source other than the server.
    size : int, optional
        The number of bytes; an answer of another length is refused before it is downloaded.
    progress : callable, optional
        Called as ``progress(name, bytes so far, bytes in all or None)`` while the file is downloaded.
    retries : int, default=3
        How often the file is tried again after a network error, continuing where it stopped.
    timeout : float, default=30.0
        Seconds without data after which a connection counts as broken.
    allow_http : bool, default=False
        Whether addresses without encryption are allowed too, for a server on your own machine or network.

    Returns
    -------
    file : Path

    Raises
    ------
    TruePathError
        If the address is not https, or leads to one that is not.
    DataFormatError
        If the answer is not the file: another size, a web page, another checksum (what was downloaded is deleted).
    OSError
        If the server cannot be reached or the file cannot be written; the next call continues from what was downloaded.
    """
    check_address(base, allow_http)
    if not stays_inside(path):
        raise DataFormatError(f"the path {path!r} leads outside the data folder.")
    target = Path(home).joinpath(*PurePosixPath(path).parts)
    if target.is_file() and _sha256(target) == sha256.lower():
        log.info("%s is there already", target)
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    download = _Download(f"{base.rstrip('/')}/{quote(path)}", target, size, progress, timeout, allow_http)
    resumed = download.part.exists()
    _insist(download, retries)
    if resumed and _sha256(download.part) != sha256.lower():  # the part was of another version of the file: start over
        download.part.unlink()
        _insist(download, retries)
    if _sha256(download.part) != sha256.lower():
        download.part.unlink()
        problem = (
            f"the file from {download.address} does not have the expected checksum ({sha256[:12]}…) and was deleted."
        )
        raise DataFormatError(problem, target, remedy="Try again; if it happens again, the mirror has another file.")
    os.replace(download.part, target)
    log.info("fetched %s", target)
    return target


def check_address(address: str, allow_http: bool = False) -> None:
    """Refuse an address that is neither https nor a local folder.

    >>> check_address("http://example.org/data")
    Traceback (most recent call last):
    truepath.errors.TruePathError: the address 'http://example.org/data' does not start with https://. Use an https ...
    """
    allowed = ("https", "file", *(["http"] if allow_http else []))
    try:
        parts = urlsplit(address)
        is_whole = parts.scheme in allowed and (parts.scheme == "file" or bool(parts.hostname)) and parts.port != 0
    except ValueError as error:
        raise TruePathError(f"{address!r} is not an address ({error}).", _HTTPS) from None
    if not is_whole:
        raise TruePathError(f"the address {address!r} does not start with https://.", _HTTPS)


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


class _Download:
    """What is known about a file that is being downloaded; calling it downloads what is missing."""

    def __init__(
        self,
        address: str,
        target: Path,
        size: int | None,
        progress: Progress | None,
        timeout: float,
        allow_http: bool,
    ):
        self.address, self.target, self.size = address, target, size
        self.progress, self.timeout = progress, timeout
        self.part = target.with_name(target.name + ".part")
        self.opener = build_opener(_SafeRedirects(allow_http))

    def __call__(self) -> None:
        """Append what is still missing to the part; start over if the server does not continue."""
        have = self.part.stat().st_size if self.part.exists() else 0
        if self.size is not None and have == self.size and have:
            return
        if self.size is not None and have > self.size:
            have = 0
        answer = self._ask(have)
        if answer is None:
            return
        with answer:
            have, total = self._check(answer, have)
            have = self._write(answer, have, total)
        if total is not None and have < total:
            raise ConnectionError(f"the connection ended after {have} of {total} bytes")

    def _ask(self, have: int) -> Any:
        """Return the answer; None if there is nothing left to send."""
        headers = {"Accept-Encoding": "identity", **({"Range": f"bytes={have}-"} if have else {})}
        try:
            return self.opener.open(Request(self.address, headers=headers), timeout=self.timeout)
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
        if self.size is not None and total is not None and total != self.size:
            raise self._refuse(f"the server has {total:,} bytes, but {self.size:,} are expected")
        return have, self.size if total is None else total

    def _start(self, answer: Any, have: int) -> int:
        """Return at which byte the answer starts."""
        if answer.status != 206:
            return 0
        found = _RANGE.fullmatch((answer.headers.get("Content-Range") or "").strip())
        if found is None or int(found[1]) != have:
            self.part.unlink(missing_ok=True)
            raise ConnectionError("the server continued at another place than asked for")
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
                    self.progress(self.target.name, have, total)
        return have

    def _refuse(self, problem: str) -> DataFormatError:
        remedy = "Check the address in a browser; if it is right, use another mirror."
        return DataFormatError(f"{problem}: {self.address}.", self.target, remedy=remedy)


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def _insist(download: _Download, retries: int) -> None:
    """Try again after errors that may pass; if they do not, say which address could not be fetched."""
    for attempt in range(retries + 1):
        try:
            return download()
        except (URLError, ConnectionError, TimeoutError, HTTPException, SSLError) as problem:
            last = problem
            if isinstance(problem, HTTPError):
                problem.close()
                if problem.code not in _PASSING:
                    break
        if attempt < retries:
            log.info("%s: %s; trying again", download.address, last)
            time.sleep(_PAUSE * 2**attempt)
    said = " ".join(str(last).split()) or type(last).__name__
    raise ConnectionError(f"{download.address} cannot be fetched: {said}. Files fetched so far are kept.") from last
