"""Data sets by name: the toy, the bundled one, and the benchmark sets found in the data folder.

The folder is laid out as ``hmc/<name>/{train,valid,test}.arff.xz`` (CLUS files), ``mulan/<name>/`` (MULAN files,
and MEKA files discretised by LAIM below ``laim/``) and ``text/wordnet_nouns/``. A file called
``train.derived.arff.xz`` is the train split too: the middle word is kept in ``ds.provenance["remarks"]``.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from truepath.data.bundled.pypi_topics import pypi_topics
from truepath.data.bundled.toy import toy_dataset
from truepath.data.dataset import Dataset
from truepath.data.rcv1 import with_topics
from truepath.data.readers.arff.meka import read_meka
from truepath.data.readers.base import find_reader, read_with, remark_of, split_files, store_labels
from truepath.english import did_you_mean
from truepath.errors import UnknownDatasetError
from truepath.files.limits import Limits
from truepath.hierarchy.matrices import SparseOutput

#: The data set that is made from other files
WORDNET = "wordnet-nouns"

_GROUPS = ("hmc", "mulan")  # a plain name is looked up in this order
_BUNDLED = {"toy": toy_dataset, "pypi-topics": pypi_topics}
_NAME = re.compile(r"(?:(hmc|mulan)/)?([\w][\w.-]*)")


def data_home(home: str | os.PathLike[str] | None = None) -> Path:
    r"""Return where benchmark data are: ``home``, or ``$TRUEPATH_DATA``, or the user's cache folder.

    The cache folder is ``$XDG_CACHE_HOME/truepath``, or ``~/.cache/truepath`` (on Windows
    ``%LOCALAPPDATA%\truepath``, on macOS ``~/Library/Caches/truepath``). It need not exist.
    """
    if home is not None:
        return Path(home)
    if os.environ.get("TRUEPATH_DATA"):
        return Path(os.environ["TRUEPATH_DATA"]).expanduser()
    return _cache_folder() / "truepath"


def _cache_folder() -> Path:
    if os.environ.get("XDG_CACHE_HOME"):
        return Path(os.environ["XDG_CACHE_HOME"])
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path.home() / ".cache"


def list_datasets(home: str | os.PathLike[str] | None = None) -> list[str]:
    """List the names that :func:`load_dataset` knows now: the bundled ones, then those in the data folder.

    Examples
    --------
    >>> list_datasets()[:2]
    ['toy', 'pypi-topics']
    """
    from truepath.data.fetch.wordnet import has_wordnet

    place = data_home(home)
    made = [WORDNET] if has_wordnet(place) else []
    return [*_BUNDLED, *made, *(f"{folder.parent.name}/{folder.name}" for folder in _folders(place))]


def _folders(home: Path) -> Iterator[Path]:
    for group in _GROUPS:
        if (home / group).is_dir():
            yield from sorted(folder for folder in (home / group).iterdir() if split_files(folder))


def load_dataset(
    name: str,
    *,
    version: str = "original",
    fold: int | None = None,
    home: str | os.PathLike[str] | None = None,
    sparse_output: SparseOutput = "auto",
    limits: Limits | None = None,
    download: bool = False,
) -> Dataset:
    """Load a data set by name.

    Parameters
    ----------
    name : str
        ``"toy"``; ``"pypi-topics"`` (bundled); or a benchmark set in the data folder, such as ``"cellcycle_FUN"``.
        A name that exists twice means the hierarchical one: ``"enron"`` is ``"hmc/enron"``; write
        ``"mulan/enron"`` for the flat one. ``"wordnet-nouns"`` is what :func:`make_wordnet` made.
    version : {"original", "laim", "topics"}, default="original"
        For MULAN sets: ``"original"``, the data as they are; ``"laim"``, discretised by LAIM (which used all
        labels, those of the test folds too: use it to reproduce papers, not to estimate performance); ``"topics"``, for
        the RCV1 subsets only, with named topics, their hierarchy, and the half of the rows whose labels are right.
    fold : int, optional
        With ``version="laim"``: the train and test files of this fold (0 to 4) instead of the whole set.
    home : path, optional
        The data folder; :func:`data_home` by default.
    sparse_output : bool or "auto", default="auto"
        Whether labels are sparse (CSR); ``"auto"``: plain arrays while they take less than 256 MB.
    limits : Limits, optional
        The most that is taken from a file; see :class:`truepath.files.Limits`.
    download : bool, default=False
        Whether to download a benchmark set that is not in the data folder, as :func:`fetch_benchmark` does.

    Returns
    -------
    ds : Dataset
        One split per file: train, valid, test; or ``"all"`` for data in one piece.

    Raises
    ------
    UnknownDatasetError
        If there is no such data set; the message has the nearest names and how to get it.

    Examples
    --------
    >>> load_dataset("toy").hierarchy.names.tolist()
    ['a', 'b', 'a/1', 'a/2', 'b/1']
    """
    if version not in ("original", "laim", "topics"):
        raise ValueError(f"version must be 'original', 'laim' or 'topics', not {version!r}.")
    if fold is not None and version != "laim":
        raise ValueError("fold needs version='laim': the original files have no folds. Use stratified_folds.")
    if name in _BUNDLED:
        return store_labels(_BUNDLED[name](), sparse_output)
    place = data_home(home)
    if name == WORDNET:
        return store_labels(_wordnet(place, limits), sparse_output)
    folder = _find(name, place) or (_download(name, place) if download else None)
    if folder is None:
        raise _unknown(name, place)
    return store_labels(_load_folder(folder, version, fold, limits), sparse_output)


def _load_folder(folder: Path, version: str, fold: int | None, limits: Limits | None) -> Dataset:
    title = f"{folder.parent.name}/{folder.name}"
    if version == "laim":
        return _load_laim(folder, title, fold, limits)
    if version == "topics" and not title.startswith("mulan/rcv1"):
        raise ValueError(f"version='topics' is for the RCV1 subsets, not {title!r}.")
    files = split_files(folder)
    reader = find_reader(next(iter(files.values())))
    ds = read_with(reader, files, limits, name=folder.name if folder.parent.name == _GROUPS[0] else title)
    if remarks := {split: remark for split, file in files.items() if (remark := remark_of(file))}:
        ds = replace(ds, provenance={**ds.provenance, "remarks": remarks})
    return with_topics(ds, folder.parent / "rcv1_topics.tsv") if version == "topics" else ds


def _find(name: str, home: Path) -> Path | None:
    match = _NAME.fullmatch(name) if isinstance(name, str) else None
    if match:
        groups = [match.group(1)] if match.group(1) else list(_GROUPS)
        for group in groups:
            if split_files(home / group / match.group(2)):
                return home / group / match.group(2)
    return None


def _wordnet(home: Path, limits: Limits | None) -> Dataset:
    from truepath.data.fetch.wordnet import has_wordnet, read_wordnet

    if not has_wordnet(home):
        raise _unknown(WORDNET, home)
    return read_wordnet(home, limits)


def _download(name: str, home: Path) -> Path:
    from truepath.data.fetch.benchmark import fetch_benchmark

    return fetch_benchmark(name, home=home)


def _unknown(name: object, home: Path) -> UnknownDatasetError:
    from truepath.data.fetch.sources import fetch_command, list_benchmarks

    if name == WORDNET:
        way = f"Make it from WordNet's files: truepath fetch {WORDNET} --from FOLDER."
    elif command := fetch_command(str(name)):
        python = "" if "--mirror" in command else f", or load_dataset({name!r}, download=True)"
        way = f"Download it: {command}{python}."
    else:
        public = [f"hmc/{benchmark.name}" for benchmark in list_benchmarks()]
        listed = "truepath fetch --list shows what can be downloaded, list_datasets() what there is."
        way = did_you_mean(name, [WORDNET, *public, *list_datasets(home)], listed)
    remedy = f"{way} If you have the data, set TRUEPATH_DATA to their folder."
    return UnknownDatasetError(f"no data set {name!r}: not bundled, and not in {home}.", remedy)


def _load_laim(folder: Path, title: str, fold: int | None, limits: Limits | None) -> Dataset:
    files = {path.name.split(".arff")[0]: path for path in sorted((folder / "laim").glob("*.arff*"))}
    if not files:
        raise ValueError(f"{title} has no LAIM version in {folder}.")
    if fold is None:
        return read_meka(files["all"], name=f"{title} (laim)", limits=limits)
    chosen = {split: files.get(f"f{fold}.{split}") for split in ("train", "test")}
    if None in chosen.values():
        folds = sorted({int(stem[1]) for stem in files if re.fullmatch(r"f\d\.train", stem)})
        raise ValueError(f"{title} has no LAIM fold {fold}; there are {folds}.")
    paths: dict[str, Any] = chosen
    return read_meka(paths, name=f"{title} (laim, fold {fold})", limits=limits)
