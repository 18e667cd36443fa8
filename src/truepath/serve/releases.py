"""Model files that are replaced while a server runs: all its processes go from one release to the next at once.

A release is a file as it was at some moment: it is copied, and its number is the beginning of its digest. The
supervisor (the parent of the workers, or the only process) looks for new ones and *wants* them; each worker loads the
copy, tries it and reports. Once all have, the release is *current*: one number in memory that the processes share, and
that workers look at with each request. So no request is answered by an older model than one before it, whichever worker
it came to. If the file is bad, or a worker ends while it loads it, the one before stays, and the log says why.
"""

from __future__ import annotations

import errno
import logging
import mmap
import os
import stat
import struct
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from truepath.errors import ModelFileError, TruePathError, explain
from truepath.files.writing import write_text
from truepath.persistence.container import is_model_file

if TYPE_CHECKING:
    from truepath.classifier import HierarchicalClassifier

logger = logging.getLogger("truepath.serve")

#: Bytes that are copied at a time
CHUNK = 1 << 20
#: A release's number, written and read as one
_NUMBER = struct.Struct("Q")
#: What identifies the content of a file without reading it
Stamp = tuple[int, int, int]


class Board:
    """The releases of some models that are wanted and current, in memory that all processes of a server share.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     one, other = Board(Path(folder), 2), Board(Path(folder), 2)
    ...     one.set_current(1, 7)
    ...     found = other.current(0), other.current(1)
    ...     one.close(), other.close()
    (None, None)
    >>> found
    (0, 7)
    """

    def __init__(self, folder: Path, n_models: int):
        self.folder, self.n_models = folder, n_models
        file = folder / "board"
        if not file.exists():
            file.write_bytes(bytes(2 * n_models * _NUMBER.size))
        with open(file, "r+b") as opened:
            self._numbers = mmap.mmap(opened.fileno(), 0)

    def current(self, k: int) -> int:
        """Return the release of a model that answers requests."""
        found: int = _NUMBER.unpack_from(self._numbers, k * _NUMBER.size)[0]
        return found

    def wanted(self, k: int) -> int:
        """Return the release that is to answer them."""
        found: int = _NUMBER.unpack_from(self._numbers, (self.n_models + k) * _NUMBER.size)[0]
        return found

    def set_current(self, k: int, release: int) -> None:
        """Let a release answer requests from now on."""
        _NUMBER.pack_into(self._numbers, k * _NUMBER.size, release)

    def want(self, k: int, release: int) -> None:
        """Let workers load a release."""
        _NUMBER.pack_into(self._numbers, (self.n_models + k) * _NUMBER.size, release)

    def copy_of(self, k: int, release: int) -> Path:
        """Return where the copy of a release is."""
        return self.folder / f"{k}-{release:016x}"

    def report_of(self, k: int, release: int, worker: int) -> Path:
        """Return where a worker reports on a release: what is wrong with it, or nothing."""
        return self.folder / f"{k}-{release:016x}.{worker}"

    def reports(self, k: int, release: int) -> dict[int, str]:
        """Return what workers have reported on a release, by their number."""
        found = self.folder.glob(f"{k}-{release:016x}.*")
        return {int(path.suffix[1:]): path.read_text("utf-8") for path in found if path.suffix[1:].isdecimal()}

    def report(self, k: int, release: int, problem: str) -> None:
        """Report on a release for this process."""
        write_text(self.report_of(k, release, os.getpid()), problem)

    def forget(self, k: int, release: int, *, with_copy: bool = True) -> None:
        """Remove what workers reported on a release, and its copy."""
        for path in self.folder.glob(f"{k}-{release:016x}.*"):
            path.unlink(missing_ok=True)
        if with_copy:
            self.copy_of(k, release).unlink(missing_ok=True)

    def close(self) -> None:
        """Give the memory back."""
        self._numbers.close()


class Releases:
    """Looks after the model files of a server; ``step`` is called twice a second.

    Parameters
    ----------
    sources : dict of str to Path
        The files by the names of the models.
    folder : Path
        A folder of the server's own, for the copies.
    is_watching : bool
        Whether a file that is replaced becomes a release by itself, or only when asked for.
    """

    def __init__(self, sources: Mapping[str, Path], folder: Path, *, is_watching: bool = True):
        self.names, self.sources = list(sources), list(sources.values())
        self.board, self.is_watching = Board(folder, len(sources)), is_watching
        self.is_asked = False
        self._asked: set[int] = set()
        self._loading: dict[int, set[int]] = {}
        self._taken = [_stamp(source) for source in self.sources]
        self._seen = list(self._taken)
        for k in range(len(self.sources)):
            release = self._copy(k)
            self.board.want(k, release)
            self.board.set_current(k, release)

    def close(self) -> None:
        """Give the shared memory back."""
        self.board.close()

    def ask(self) -> None:
        """Look at all files with the next step, whether they seem to be others or not."""
        self.is_asked = True

    def step(self, workers: set[int]) -> None:
        """Look at the files and at what the workers, processes by number, have reported."""
        if self.is_asked:
            self.is_asked = False
            self._asked = set(range(len(self.sources)))
        for k in range(len(self.sources)):
            if self.board.wanted(k) != self.board.current(k):
                self._decide(k, workers)
            else:
                self._look(k, workers)

    def _look(self, k: int, workers: set[int]) -> None:
        """Want a file that is another than the one that was copied last, and is complete."""
        stamp = _stamp(self.sources[k])
        before, self._seen[k] = self._seen[k], stamp
        is_asked = k in self._asked
        is_new = self.is_watching and stamp is not None and stamp != self._taken[k] and stamp == before
        if not (is_asked or is_new):
            return
        self._asked.discard(k)
        self._taken[k] = stamp
        try:
            if stamp is None and self.sources[k].exists():
                raise OSError(errno.EINVAL, "it is not a regular file", os.fspath(self.sources[k]))  # a pipe has no end
            release = self._copy(k)
        except OSError as problem:
            self._say_kept(k, " ".join(explain(problem)).strip())
            return
        if release == self.board.current(k):
            if is_asked:
                logger.info("the model file is the one that is served", extra={"fields": self._about(k)})
            return
        if _stamp(self.sources[k]) != stamp and self.is_watching:  # it is written still, and looked at again
            self.board.forget(k, release)
            return
        self.board.forget(k, release, with_copy=False)  # of an earlier time
        self._loading[k] = set(workers)
        self.board.want(k, release)

    def _decide(self, k: int, workers: set[int]) -> None:
        """Make what is wanted current if all workers have it; give it up if one says what is wrong, or has ended."""
        wanted = self.board.wanted(k)
        said = self.board.reports(k, wanted)
        problem = next((said[worker] for worker in sorted(said) if said[worker]), "")
        if not problem and self._loading[k] - workers - said.keys():
            problem = "a worker ended while it loaded the file."
        if problem:
            self.board.want(k, self.board.current(k))
            self.board.forget(k, wanted)
            self._say_kept(k, problem)
        elif workers and workers <= said.keys():
            before = self.board.current(k)
            self.board.set_current(k, wanted)
            self.board.forget(k, wanted, with_copy=False)
            self.board.forget(k, before)
            logger.info("the model was replaced", extra={"fields": {**self._about(k), "before": version_of(before)}})

    def _copy(self, k: int) -> int:
        """Copy a file; return the number of the release. Of what is no model file only the beginning is copied."""
        digest = sha256()
        with (
            open(self.sources[k], "rb") as source,
            tempfile.NamedTemporaryFile(dir=self.board.folder, delete=False) as copy,
        ):
            try:
                while chunk := source.read(CHUNK):
                    digest.update(chunk)
                    copy.write(chunk)
                    copy.flush()
                    if copy.tell() <= CHUNK and not is_model_file(copy.name):
                        break
            except BaseException:
                os.unlink(copy.name)
                raise
        (release,) = _NUMBER.unpack(digest.digest()[: _NUMBER.size])
        os.replace(copy.name, self.board.copy_of(k, release))
        return int(release)

    def _say_kept(self, k: int, problem: str) -> None:
        said = "the new model file is not taken; the one before is served"
        logger.error(said, extra={"fields": {**self._about(k), "problem": problem}})

    def _about(self, k: int) -> dict[str, str]:
        current = version_of(self.board.current(k))
        return {"model": self.names[k], "file": os.fspath(self.sources[k]), "version": current}


def version_of(release: int) -> str:
    """Return how a release is called: the first 16 digits of the SHA-256 of its file.

    Examples
    --------
    >>> version_of(int.from_bytes(bytes.fromhex("00ff00ff00ff00ff"), "little"))
    '00ff00ff00ff00ff'
    """
    return _NUMBER.pack(release).hex()


def load_release(copy: Path, source: str, trusted: list[str]) -> HierarchicalClassifier:
    """Load the copy of a model file; errors name the file."""
    from truepath.classifier import HierarchicalClassifier

    try:
        return HierarchicalClassifier.load(copy, trusted=trusted)
    except ModelFileError as error:
        raise ModelFileError(error.problem, source, error.remedy) from error
    except TruePathError as error:
        said = [text.replace(os.fspath(copy), source) for text in (error.problem, error.remedy)]
        raise TruePathError(*said) from error


def _stamp(path: Path) -> Stamp | None:
    """Return what changes when a file is replaced; None while there is none."""
    with suppress(OSError):
        found = path.stat()
        if stat.S_ISREG(found.st_mode):
            return found.st_mtime_ns, found.st_size, found.st_ino
    return None
