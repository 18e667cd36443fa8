#!/usr/bin/env python
"""Make the bundled data set ``pypi-topics``: word counts and topic labels of Python packages.

The work has two steps, both run by default and each on its own when named:

``collect``
    Ask pip for the metadata of many packages of the Python package index, one batch at a time, and append what is
    needed to a cache in the work folder. It can be stopped and started again at any time.
``build``
    Turn the cache into ``src/truepath/data/bundled/pypi-topics.npz``. It needs no network, and the same cache gives
    the same bytes.

Examples
--------
::

    python tools/make_pypi_topics.py collect --limit 9000
    python tools/make_pypi_topics.py build --date 2026-11-15
"""

from __future__ import annotations

import argparse
import datetime
import gzip
import hashlib
import io
import json
import re
import subprocess
import sys
import tempfile
import time
import zipfile
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix, triu
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS
from sklearn.preprocessing import normalize

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "pypi-topics"
OUTPUT = ROOT / "src" / "truepath" / "data" / "bundled" / "pypi-topics.npz"

Record = dict[str, Any]


# Names ----------------------------------------------------------------------------------------------------------------

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")


def normalise(name: str) -> str:
    """Spell a package name the way package indexes compare names."""
    return re.sub(r"[-_.]+", "-", name).lower()


def requirement_name(requirement: str) -> str | None:
    """Name of the package that a requirement asks for.

    Parameters
    ----------
    requirement : str
        One ``requires_dist`` entry, such as ``"idna<4,>=2.5; extra == 'socks'"``.

    Returns
    -------
    str or None
        The normalised name, None when the entry does not start with a name.
    """
    found = _NAME.match(requirement.strip())
    return normalise(found.group()) if found else None


def debian_names() -> list[str]:
    """Names of the Python packages in Debian."""
    command = ["apt-cache", "search", "--names-only", "^python3-"]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return names_from_debian(lines)


def names_from_debian(lines: Iterable[str]) -> list[str]:
    """Read package names from the lines of a Debian package search.

    Parameters
    ----------
    lines : iterable of str
        Lines such as ``"python3-numpy - Fast array facility"``.

    Returns
    -------
    list of str
        Normalised names, sorted, without the documentation and debugging companions that only Debian has.
    """
    first = (line.split(" ", 1)[0] for line in lines)
    names = {normalise(word.removeprefix("python3-")) for word in first if word.startswith("python3-")}
    return sorted(name for name in names if not name.endswith(("-doc", "-dbg", "-examples")))


_INSTALLED = re.compile(
    r"usr/lib/python3/dist-packages/([A-Za-z0-9][^/-]*)(?:-[^/]*)?\.(?:dist|egg)-info[/\s].*\bpython3-"
)


def names_from_contents(lines: Iterable[str]) -> list[str]:
    """Read package names from the lines of a Debian ``Contents`` index.

    Debian's own package names are guesses at the names of the Python package index, and four in ten are wrong. The
    metadata folders that the packages install have the right names.

    Parameters
    ----------
    lines : iterable of str
        Lines such as ``"usr/lib/python3/dist-packages/PyYAML-6.0.egg-info/PKG-INFO python/python3-yaml"``.

    Returns
    -------
    list of str
        Normalised names, sorted; the names of applications, which are seldom on the index as wheels, are left out.
    """
    found = (_INSTALLED.match(line) for line in lines)
    return sorted({normalise(match.group(1)) for match in found if match})


def read_contents(paths: Iterable[Path]) -> list[str]:
    """Read package names from gzipped ``Contents`` indices of Debian."""
    names: set[str] = set()
    for path in paths:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            names.update(names_from_contents(lines))
    return sorted(names)


def names_from_file(path: Path) -> list[str]:
    """Read package names from a text file, one per line."""
    words = (line.strip() for line in path.read_text(encoding="utf-8").splitlines())
    return list(dict.fromkeys(normalise(word) for word in words if _NAME.fullmatch(word)))


# Metadata -------------------------------------------------------------------------------------------------------------

HEAD = 2000
_NO_MATCH = re.compile(r"No matching distribution found for (\S+)")


class BatchResult(NamedTuple):
    """What one run of pip gave.

    Attributes
    ----------
    records : list of dict
        The packages' metadata, empty when the run failed.
    offender : str or None
        The name that pip stopped at.
    error : str or None
        The last line of what pip complained about, None when the run went well.
    """

    records: list[Record]
    offender: str | None = None
    error: str | None = None


Runner = Callable[[Sequence[str]], BatchResult]


def extract(metadata: dict[str, Any]) -> Record:
    """Keep the fields of a package's metadata that the data set is made from."""
    keywords = metadata.get("keywords") or []
    topics = [text for text in metadata.get("classifier") or [] if text.startswith("Topic ::")]
    requires = {requirement_name(text) for text in metadata.get("requires_dist") or []}
    return {
        "name": normalise(metadata["name"]),
        "version": metadata.get("version", ""),
        "summary": metadata.get("summary") or "",
        "keywords": keywords if isinstance(keywords, str) else " ".join(keywords),
        "topics": topics,
        "description": (metadata.get("description") or "")[:HEAD],
        "requires": sorted(name for name in requires if name),
    }


@dataclass(frozen=True)
class Pip:
    """Asks pip for the metadata of packages.

    Parameters
    ----------
    python : str
        The interpreter whose pip is asked. Before version 23.3, pip downloads whole wheels even for a dry run.
    whole_wheels : bool
        Download whole wheels where the index serves no metadata apart from them. The default reads the metadata out of
        the remote file instead, which saves gigabytes but needs more requests; with a mirror nearby, whole wheels
        are faster.
    """

    python: str = sys.executable
    whole_wheels: bool = False

    def __call__(self, names: Sequence[str]) -> BatchResult:
        """Get the metadata of a batch of packages, or what went wrong."""
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report.json"
            command, seconds = self.command(names, report), 30 + 5 * len(names)
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
            except subprocess.TimeoutExpired:
                return BatchResult([], error="timeout")
            if done.returncode:
                return failed_batch(done.stderr)
            installs = json.loads(report.read_text(encoding="utf-8"))["install"]
            return BatchResult([extract(install["metadata"]) for install in installs])

    def command(self, names: Sequence[str], report: Path) -> list[str]:
        """Command that has pip report the metadata of packages without installing them."""
        what = ["--dry-run", "--no-deps", "--only-binary", ":all:", "--ignore-installed", "--report", str(report)]
        network = ["--no-input", "--disable-pip-version-check", "--retries=2", "--timeout=20"]
        lazy = [] if self.whole_wheels else ["--use-feature=fast-deps"]
        return [self.python, "-m", "pip", "install", "-q", *what, *network, *lazy, *names]


def failed_batch(stderr: str) -> BatchResult:
    """Find the name that pip stopped at in what it wrote."""
    found = _NO_MATCH.search(stderr)
    lines = [line for line in stderr.splitlines() if line.startswith("ERROR")] or ["unknown"]
    return BatchResult([], offender=normalise(found.group(1)) if found else None, error=lines[-1][:200])


def resolve(names: Sequence[str], run: Runner) -> tuple[list[Record], dict[str, str]]:
    """Get the metadata of a batch, even if some of its names fail.

    pip takes the names in order and stops at the first one that it cannot find. So the names before that one are known
    to be good: they are set aside and asked for together at the end.

    Parameters
    ----------
    names : sequence of str
        The packages.
    run : callable
        Runs pip on some names.

    Returns
    -------
    records : list of dict
        Metadata of the packages that pip found.
    failures : dict of str to str
        Why each of the other packages was dropped.
    """
    records: list[Record] = []
    failures: dict[str, str] = {}
    good: list[str] = []
    rest = list(names)
    while rest:
        result = run(rest)
        if result.offender not in rest:
            more, failed = settle(rest, result, run)
            records, failures, rest = records + more, failures | failed, []
            continue
        place = rest.index(result.offender)
        failures[rest[place]] = result.error or "not found"
        good, rest = good + rest[:place], rest[place + 1 :]
    if good:
        more, failed = settle(good, run(good), run)
        records, failures = records + more, failures | failed
    return records, failures


def settle(names: list[str], result: BatchResult, run: Runner) -> tuple[list[Record], dict[str, str]]:
    """Accept a batch that went well, halve one that failed for a reason that is not a name."""
    if result.error is None:
        reported = {record["name"] for record in result.records}
        return result.records, {name: "not reported" for name in names if name not in reported}
    if len(names) == 1:
        return [], {names[0]: result.error}
    middle = len(names) // 2
    left, right = resolve(names[:middle], run), resolve(names[middle:], run)
    return left[0] + right[0], left[1] | right[1]


# Cache ----------------------------------------------------------------------------------------------------------------


@dataclass
class Cache:
    """Metadata collected so far, in two files of JSON lines that only ever grow.

    Parameters
    ----------
    folder : Path
        The work folder, made when it is missing.
    """

    folder: Path
    records: dict[str, Record] = field(default_factory=dict, init=False)
    failures: dict[str, str] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        """Read what an earlier run left."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.records = {line["name"]: line for line in read_lines(self._records_path)}
        self.failures = {line["name"]: line["error"] for line in read_lines(self._failures_path)}

    @property
    def _records_path(self) -> Path:
        return self.folder / "records.jsonl"

    @property
    def _failures_path(self) -> Path:
        return self.folder / "failures.jsonl"

    @property
    def n_asked(self) -> int:
        """Number of names that pip was asked about."""
        return len(self.records) + len(self.failures)

    @property
    def n_labelled(self) -> int:
        """Number of packages with at least one topic."""
        return sum(bool(record["topics"]) for record in self.records.values())

    def __contains__(self, name: object) -> bool:
        """Whether a name was asked about."""
        return name in self.records or name in self.failures

    def add(self, records: Sequence[Record], failures: dict[str, str]) -> None:
        """Append the outcome of one batch."""
        append_lines(self._records_path, records)
        append_lines(self._failures_path, [{"name": name, "error": error} for name, error in failures.items()])
        self.records.update({record["name"]: record for record in records})
        self.failures.update(failures)


def read_lines(path: Path) -> list[Record]:
    """Read a file of JSON lines, cutting off a last line that was never finished."""
    if not path.exists():
        return []
    raw = path.read_bytes()
    whole = raw[: raw.rfind(b"\n") + 1]
    if len(whole) < len(raw):
        path.write_bytes(whole)
    return [json.loads(line) for line in whole.splitlines()]


def append_lines(path: Path, lines: Iterable[Record]) -> None:
    """Append JSON lines to a file in one write."""
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


# Collection -----------------------------------------------------------------------------------------------------------


# Families of generated packages whose descriptions are one boilerplate text.
FAMILIES = ("azure-", "types-", "mypy-boto3-", "nvidia-", "odoo-addon-", "pyobjc-framework-", "trytond-")


class Frontier:
    """Names still to be asked about, four from the start list per dependency.

    Dependencies alone would stay among the tools of developers, the start list alone would end too early.

    Parameters
    ----------
    start : sequence of str
        Names to start from, taken in the order of a hash so that any number of them is a fair sample.
    cache : Cache
        What is known already, whose dependencies are followed too, breadth-first.
    """

    def __init__(self, start: Sequence[str], cache: Cache) -> None:
        self._start = deque(sorted(start, key=lambda name: hashlib.sha256(name.encode()).digest()))
        self._found: deque[str] = deque()
        self._seen = set(cache.records) | set(cache.failures)
        self.follow(cache.records.values())

    def follow(self, records: Iterable[Record]) -> None:
        """Queue the dependencies of packages."""
        for record in records:
            self._found.extend(record["requires"])

    def take(self, size: int) -> list[str]:
        """Take the next names, fewer than `size` only at the end."""
        batch: list[str] = []
        while len(batch) < size and (self._found or self._start):
            fresh = len(batch) % 5 < 4
            queue = (self._start or self._found) if fresh else (self._found or self._start)
            name = queue.popleft()
            if name not in self._seen and not name.startswith(FAMILIES):
                self._seen.add(name)
                batch.append(name)
        return batch


def collect(
    start: Sequence[str], cache: Cache, run: Runner, *, limit: int, batch: int = 20, pause: float = 0.3
) -> None:
    """Collect metadata until enough names were asked about or no name is left.

    Parameters
    ----------
    start : sequence of str
        Names to start from.
    cache : Cache
        Where the metadata goes. Its names are not asked about again.
    run : callable
        Runs pip on some names.
    limit : int
        Number of names to ask about, those in the cache included.
    batch : int
        Number of names in a batch.
    pause : float
        Seconds between two batches.
    """
    frontier = Frontier(start, cache)
    while cache.n_asked < limit and (names := frontier.take(min(batch, limit - cache.n_asked))):
        records, failures = resolve(names, run)
        cache.add(records, failures)
        frontier.follow(records)
        say(f"asked {cache.n_asked}, found {len(cache.records)}, with topics {cache.n_labelled}")
        time.sleep(pause)


def say(text: str) -> None:
    """Report progress."""
    print(text, file=sys.stderr, flush=True)


# Words ----------------------------------------------------------------------------------------------------------------

# Links, e-mail addresses, markup and quoted classifiers are not what a package is about, and the last are the labels.
_NOISE = re.compile(r"\w+://\S+|\S+@\S+|<[^>]*>|Topic ::[^\n]*|:\w+:(?=`)|\.\. [\w-]+::")
_WORD = re.compile(r"[^\W_]+")


def tokens(text: str) -> list[str]:
    """Split a text into lower-case words of 2 to 25 letters, without English stop words.

    Parameters
    ----------
    text : str
        Plain text, Markdown or reStructuredText.

    Returns
    -------
    list of str
        The words in order, repeats included. A run with a digit in it is not a word.
    """
    words = _WORD.findall(_NOISE.sub(" ", text).lower())
    return [word for word in words if word.isalpha() and 2 <= len(word) <= 25 and word not in ENGLISH_STOP_WORDS]


def word_counts(record: Record) -> Counter[str]:
    """Count the words of a package's summary, keywords and head of description."""
    return Counter(tokens("\n".join([record["summary"], record["keywords"], record["description"][:HEAD]])))


def choose_vocabulary(counts: Sequence[Counter[str]], rules: Rules) -> list[str]:
    """Choose the words that neither few nor too many packages use.

    Parameters
    ----------
    counts : sequence of Counter
        Word counts of the training packages. The other parts are not used.
    rules : Rules
        The limits.

    Returns
    -------
    list of str
        The words in alphabetical order; the most frequent ones when there are more than the cap.
    """
    frequency = Counter(word for count in counts for word in count)
    most = rules.max_share * len(counts)
    eligible = [word for word, number in frequency.items() if rules.min_documents <= number <= most]
    return sorted(sorted(eligible, key=lambda word: (-frequency[word], word))[: rules.max_words])


# Labels ---------------------------------------------------------------------------------------------------------------

TopicPath = tuple[str, ...]


def topic_path(classifier: str) -> TopicPath:
    """Split a classifier into the parts that follow ``Topic``."""
    return tuple(part.strip() for part in classifier.split("::"))[1:]


def close(classifiers: Iterable[str]) -> set[TopicPath]:
    """Topics of some classifiers, with all their ancestors."""
    paths = (topic_path(text) for text in classifiers)
    return {path[:depth] for path in paths for depth in range(1, len(path) + 1)}


def choose_topics(labels: Sequence[set[TopicPath]], parts: Sequence[int], rules: Rules) -> list[TopicPath]:
    """Choose the topics that are frequent enough to be learnt and evaluated.

    Both conditions hold for the ancestors of a topic when they hold for the topic, so what is left is closed.

    Parameters
    ----------
    labels : sequence of set
        Closed topics of each package.
    parts : sequence of int
        Part of each package.
    rules : Rules
        The limits.

    Returns
    -------
    list of tuple of str
        Topics with enough packages in all and in each part, in alphabetical order, which puts parents before children.
    """
    total = Counter(path for paths in labels for path in paths)
    by_part = Counter((path, part) for paths, part in zip(labels, parts) for path in paths)
    return sorted(
        path
        for path, number in total.items()
        if number >= rules.min_packages and all(by_part[path, part] >= rules.min_in_part for part in range(3))
    )


# Parts and duplicates -------------------------------------------------------------------------------------------------


def part_of(name: str) -> int:
    """Part of a package: 0 for training (60 %), 1 for validation (20 %), 2 for test (20 %).

    Parameters
    ----------
    name : str
        The package's name, in any spelling.

    Returns
    -------
    int
        A function of the normalised name alone, so that a package never changes parts when the data set is made again.
    """
    # Not the hash that orders the collection: otherwise a collection that stops early would be all training packages.
    digest = hashlib.blake2b(normalise(name).encode(), digest_size=8).digest()
    tenth = int.from_bytes(digest, "big") * 10 >> 64
    return 0 if tenth < 6 else 1 if tenth < 8 else 2


def first_of_kind(X: csr_matrix, threshold: float) -> npt.NDArray[np.intp]:
    """Rows that are not near copies of an earlier row that stays.

    Parameters
    ----------
    X : csr_matrix
        Word counts without empty rows.
    threshold : float
        The cosine of two rows from which the later one is a copy of the earlier one.

    Returns
    -------
    ndarray of int
        The rows that stay, in order.
    """
    unit = normalize(X.astype(np.float64))
    alike = triu((unit @ unit.T) >= threshold, k=1).tocsr()
    stays = np.ones(X.shape[0], dtype=bool)
    for row in np.flatnonzero(np.diff(alike.indptr)):
        if stays[row]:
            stays[alike.indices[alike.indptr[row] : alike.indptr[row + 1]]] = False
    return np.flatnonzero(stays)


# Building -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rules:
    """Limits that shape the data set.

    Parameters
    ----------
    min_documents : int
        Training packages that a word needs.
    max_share : float
        Largest share of the training packages that may use a word.
    max_words : int
        Cap on the vocabulary; the most frequent words stay.
    min_words : int
        Different words of the vocabulary that a package needs.
    copy_cosine : float
        Cosine of the word counts from which two packages are copies, of which the first in alphabetical order stays.
    min_packages : int
        Packages that a topic needs.
    min_in_part : int
        Packages that a topic needs in each part.
    """

    min_documents: int = 4
    max_share: float = 0.3
    max_words: int = 4000
    min_words: int = 5
    copy_cosine: float = 0.95
    min_packages: int = 10
    min_in_part: int = 1


class Built(NamedTuple):
    """The data set before it is written."""

    X: csr_matrix
    vocabulary: list[str]
    packages: list[str]
    topics: list[TopicPath]
    labels: list[list[int]]
    parts: list[int]


def build(records: Iterable[Record], rules: Rules) -> Built:
    """Make the data set from the metadata collected.

    Parameters
    ----------
    records : iterable of dict
        Metadata of the packages.
    rules : Rules
        The limits.

    Returns
    -------
    Built
        The packages that have a topic and words, in alphabetical order.
    """
    chosen = sorted((record for record in records if record["topics"]), key=lambda record: record["name"])
    counts = [word_counts(record) for record in chosen]
    parts = [part_of(record["name"]) for record in chosen]
    vocabulary = choose_vocabulary([count for count, part in zip(counts, parts) if part == 0], rules)
    X = count_matrix(counts, vocabulary)
    rows = np.flatnonzero(np.diff(X.indptr) >= rules.min_words)
    rows = rows[first_of_kind(X[rows], rules.copy_cosine)]
    return label(X[rows], vocabulary, [chosen[row] for row in rows], rules)


def label(X: csr_matrix, vocabulary: list[str], records: list[Record], rules: Rules) -> Built:
    """Choose the topics of the packages that stay and drop the packages that lose all of theirs."""
    closed = [close(record["topics"]) for record in records]
    topics = choose_topics(closed, [part_of(record["name"]) for record in records], rules)
    index = {path: place for place, path in enumerate(topics)}
    labels = [sorted(index[path] for path in paths if path in index) for paths in closed]
    rows = [row for row, places in enumerate(labels) if places]
    packages = [records[row]["name"] for row in rows]
    return Built(X[rows], vocabulary, packages, topics, [labels[row] for row in rows], [part_of(n) for n in packages])


def count_matrix(counts: Sequence[Counter[str]], vocabulary: Sequence[str]) -> csr_matrix:
    """Put word counts into a sparse matrix, capped at 255 to fit in a byte."""
    index = {word: place for place, word in enumerate(vocabulary)}
    rows = [
        sorted((index[word], min(number, 255)) for word, number in count.items() if word in index) for count in counts
    ]
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int32)
    flat = np.array([pair for row in rows for pair in row], dtype=np.int32).reshape(-1, 2)
    return csr_matrix((flat[:, 1].astype(np.uint8), flat[:, 0], indptr), shape=(len(counts), len(vocabulary)))


# Writing --------------------------------------------------------------------------------------------------------------


def encode_lines(lines: Iterable[str]) -> npt.NDArray[np.uint8]:
    """Store strings as the bytes of one text, one per line, which needs no pickle."""
    return np.frombuffer("\n".join(lines).encode(), dtype=np.uint8)


def gaps(indices: npt.NDArray[np.int32], indptr: npt.NDArray[np.int32]) -> npt.NDArray[np.uint16]:
    """Replace the sorted column numbers of each row with the steps between them, which compress better."""
    steps = np.diff(indices, prepend=0)
    starts = indptr[:-1][np.diff(indptr) > 0]
    steps[starts] = indices[starts]
    return steps.astype(np.uint16)


def arrays_of(built: Built, provenance: dict[str, Any]) -> dict[str, npt.NDArray[Any]]:
    """Lay the data set out in small arrays."""
    sizes = [len(places) for places in built.labels]
    return {
        "X_data": built.X.data.astype(np.uint8),
        "X_indices": gaps(built.X.indices, built.X.indptr),
        "X_indptr": built.X.indptr.astype(np.int32),
        "vocabulary": encode_lines(built.vocabulary),
        "packages": encode_lines(built.packages),
        "topics": encode_lines(" :: ".join(path) for path in built.topics),
        "Y_indices": np.array([place for places in built.labels for place in places], dtype=np.uint16),
        "Y_indptr": np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32),
        "part": np.array(built.parts, dtype=np.uint8),
        "provenance": encode_lines([json.dumps(provenance, indent=1, sort_keys=True)]),
    }


def write_npz(path: Path, arrays: dict[str, npt.NDArray[Any]]) -> None:
    """Write arrays as an ``.npz`` file whose bytes depend on nothing but the arrays."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name, array in arrays.items():
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, array, allow_pickle=False)
            member = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            archive.writestr(member, buffer.getvalue(), zipfile.ZIP_DEFLATED, compresslevel=9)


def provenance_of(cache: Cache, built: Built, rules: Rules, date: str) -> dict[str, Any]:
    """State where the data set comes from."""
    return {
        "name": "pypi-topics",
        "source": "metadata collected with pip from the Python package index",
        "collected": date,
        "names_asked": cache.n_asked,
        "packages_found": len(cache.records),
        "packages_with_topics": cache.n_labelled,
        "packages_kept": len(built.packages),
        "description_head": HEAD,
        "rules": asdict(rules),
    }


def make(cache: Cache, output: Path, date: str, rules: Rules) -> Built:
    """Build the data set from a cache and write it."""
    built = build(cache.records.values(), rules)
    write_npz(output, arrays_of(built, provenance_of(cache, built, rules, date)))
    depth = max(len(path) for path in built.topics)
    mean = sum(map(len, built.labels)) / len(built.labels)
    say(
        f"{len(built.packages)} packages, {len(built.vocabulary)} words, {len(built.topics)} topics, depth {depth}, "
        f"{mean:.2f} labels per package, {output.stat().st_size} bytes"
    )
    return built


# Command line ---------------------------------------------------------------------------------------------------------


def parse_arguments(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Make the bundled data set pypi-topics.")
    parser.add_argument("step", nargs="?", choices=["collect", "build", "all"], default="all")
    parser.add_argument("--work", type=Path, default=WORK, help="work folder (default: build/pypi-topics)")
    parser.add_argument("--names", type=Path, help="file of names to start from, instead of Debian's list")
    parser.add_argument("--contents", type=Path, nargs="+", help="Debian's Contents indices to start from, gzipped")
    parser.add_argument("--python", default=sys.executable, help="interpreter whose pip (23.3 or newer) is asked")
    parser.add_argument("--whole-wheels", action="store_true", help="download whole wheels: faster next to a mirror")
    parser.add_argument("--limit", type=int, default=9000, help="number of names to ask about (default: 9000)")
    parser.add_argument("--batch", type=int, default=20, help="names in one run of pip (default: 20)")
    parser.add_argument("--pause", type=float, default=0.3, help="seconds between batches (default: 0.3)")
    parser.add_argument("--date", default=datetime.date.today().isoformat(), help="date of the collection")
    parser.add_argument("--output", type=Path, default=OUTPUT, help="file to write")
    return parser.parse_args(arguments)


def start_names(options: argparse.Namespace) -> list[str]:
    """Names to start from, as the command line says."""
    if options.names:
        return names_from_file(options.names)
    return read_contents(options.contents) if options.contents else debian_names()


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the steps that the command line asks for."""
    options = parse_arguments(arguments)
    cache = Cache(options.work)
    if options.step in ("collect", "all"):
        start = start_names(options)
        pip = Pip(options.python, options.whole_wheels)
        collect(start, cache, pip, limit=options.limit, batch=options.batch, pause=options.pause)
    if options.step in ("build", "all"):
        make(cache, options.output, options.date, Rules())


if __name__ == "__main__":
    main()
