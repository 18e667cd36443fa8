"""Downloading benchmark data into the data folder: over https, checked, resumed; a set appears whole or not at all.

The hierarchical sets come from their public repository, at one commit, as they are there: nothing is converted. A
mirror is any web server that offers the same tree, or a data folder as it is. Whether its files are the right ones is
decided by checksums that come with the package, or that the caller has from a trusted source: a mirror's own list would
vouch for whatever the mirror sends.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path, PurePosixPath

from truepath.data.fetch.download import Progress, check_address, fetch_file
from truepath.data.fetch.sources import PUBLIC, Layout, layouts_of
from truepath.data.named import data_home
from truepath.data.readers.base import split_files
from truepath.errors import TruePathError
from truepath.files.names import PathType

#: Where files wait, below the data folder, until all of their data set are there
WAITING = ".fetching"


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
        exists twice means the hierarchical one. :func:`list_benchmarks` lists the public ones.
    url : str, optional
        The https address of a mirror: a copy of the public repository's tree, or a folder laid out like the data
        folder. By default ``$TRUEPATH_MIRROR``, else the public repository, which has hierarchical sets only.
    manifest : path, optional
        A local file of checksums, lines ``sha256  path`` as ``sha256sum`` writes them, for a mirror laid out like a
        data folder; by default those of the package. It must not come from the mirror, or it proves nothing.
    home : path, optional
        The data folder; :func:`data_home` by default.
    progress : callable, optional
        Called as ``progress(file, bytes so far, bytes in all or None)`` while a file is downloaded.
    retries : int, default=3
        How often a file is tried again after a network error, continuing where it stopped.
    timeout : float, default=30.0
        Seconds without data after which a connection counts as broken.
    allow_http : bool, default=False
        Whether the mirror may be without encryption, for a server on your own network; one on your own machine
        (``http://localhost:8000``) always may. The checksums hold either way; what you fetch is then seen by others.

    Returns
    -------
    folder : Path
        Where the files are.

    Raises
    ------
    TruePathError
        If the address is not https, there are no checksums for such a data set, it is not in the public repository and
        no mirror is named, or the folder has other files for the same splits.
    DataFormatError
        If an answer is not the file: a web page, another size, another checksum (what was downloaded is deleted); or if
        the manifest is malformed.
    FileNotFoundError
        If the server does not have the files.
    OSError
        If the server cannot be reached or a file cannot be written; the next call continues from what was downloaded.
    """
    mirror = url or os.environ.get("TRUEPATH_MIRROR")
    check_address(mirror or PUBLIC, allow_http)
    known = layouts_of(name, manifest)
    target = data_home(home)
    folder = target.joinpath(*PurePosixPath(next(iter(known.values()))[0].place).parts[:2])
    if any(not _missing(layout, target) for layout in known.values()):
        return folder
    layouts = list(known.values()) if mirror else [_public_layout(name, known)]
    fetch = partial(fetch_file, progress=progress, retries=retries, timeout=timeout, allow_http=allow_http)
    _fetch_whole(mirror or PUBLIC, layouts, target, folder, fetch)
    return folder


def _public_layout(name: str, known: Mapping[str, Layout]) -> Layout:
    if "tree" in known:
        return known["tree"]
    raise TruePathError(
        f"the data set {name!r} is not in the public repository of hierarchical sets.",
        "Name a mirror of a data folder that has it: url=, --mirror or TRUEPATH_MIRROR.",
    )


def _missing(layout: Layout, home: Path) -> Layout:
    """Return the files that are not in the data folder, or not the right ones."""
    return [file for file in layout if not file.is_at(home / file.place)]


def _fetch_whole(base: str, layouts: list[Layout], home: Path, folder: Path, fetch: Callable[..., Path]) -> None:
    """Download what is missing beside the data folder's sets, then put all of it in its place."""
    missing = _missing(_served(base, layouts, home, folder, fetch), home)
    for file in missing:
        fetch(base, file, home / WAITING)
    folder.mkdir(parents=True, exist_ok=True)
    for file in missing:
        (home / file.place).parent.mkdir(parents=True, exist_ok=True)
        os.replace(home / WAITING / file.place, home / file.place)
    _remove_empty(home / WAITING)


def _served(base: str, layouts: list[Layout], home: Path, folder: Path, fetch: Callable[..., Path]) -> Layout:
    """Return the layout that the server has, found by downloading its first file."""
    for layout in layouts:
        _check_no_other_files(layout, folder)
        try:
            fetch(base, _missing(layout, home)[0], home / WAITING)
        except FileNotFoundError:
            if len(layouts) == 1:
                raise
        else:
            return layout
    asked = " nor ".join(layout[0].path for layout in layouts)
    raise FileNotFoundError(f"{base} has neither {asked}. Is it the address of the folder that holds them?")


def _check_no_other_files(layout: Layout, folder: Path) -> None:
    """Refuse files beside others that would be the same split."""
    names = {PurePosixPath(file.place).name for file in layout}
    for split, file in split_files(folder).items():
        if file.name not in names and any(name.startswith(f"{split}.") for name in names):
            problem = f"{folder} has another file for the split {split!r} already: {file.name}."
            raise TruePathError(problem, "Remove it, or fetch into another folder: home= or --data.")


def _remove_empty(folder: Path) -> None:
    """Remove folders without files, from the bottom up."""
    for path, _, _ in os.walk(folder, topdown=False):
        with suppress(OSError):
            os.rmdir(path)
