"""Long tables: one line per target and term, and the score of a prediction: ``target<TAB>term[<TAB>score]``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath.cafa.tables.columns import TabRows, read_rows
from truepath.cafa.tables.problems import Problems
from truepath.files.limits import Limits
from truepath.files.names import PathType

#: First words of the lines around the predictions in a CAFA submission
SUBMISSION_HEADERS = ("AUTHOR", "MODEL", "KEYWORDS", "ACCURACY", "END")


@dataclass(frozen=True)
class LongTable:
    """Targets and terms, pair by pair, perhaps with scores.

    Attributes
    ----------
    targets, terms : list of str
        The different names, in the order in which they appear.
    target_codes, term_codes : ndarray of int32, shape (n_pairs,)
        Which target and which term each pair has.
    scores : ndarray of float64, shape (n_pairs,), or None
    problems : Problems
        What was left out in reading.
    """

    targets: list[str]
    terms: list[str]
    target_codes: NDArray[np.int32]
    term_codes: NDArray[np.int32]
    scores: NDArray[np.float64] | None = None
    problems: Problems = field(default_factory=Problems, repr=False, compare=False)

    @property
    def n_pairs(self) -> int:
        return int(self.target_codes.size)

    def __len__(self) -> int:
        return self.n_pairs

    @classmethod
    def from_pairs(cls, targets: Iterable[str], terms: Iterable[str], scores: Any = None) -> LongTable:
        """Number the targets and terms of pairs given as two (or three) sequences of one length."""
        (target_names, target_codes), (term_names, term_codes) = _number(targets), _number(terms)
        values = None if scores is None else np.asarray(scores, np.float64)
        if target_codes.size != term_codes.size or (values is not None and values.size != term_codes.size):
            raise ValueError("targets, terms and scores must have one length.")
        return cls(target_names, term_names, target_codes, term_codes, values)


def _number(names: Iterable[str]) -> tuple[list[str], NDArray[np.int32]]:
    index: dict[str, int] = {}
    codes = np.array([index.setdefault(str(name), len(index)) for name in names], np.int32)
    return list(index), codes


def as_long_table(source: Any, *, scored: bool = False) -> LongTable:
    """Return pairs as a long table: of what has one, a file, a frame, a mapping from targets to terms, or tuples."""
    if isinstance(found := getattr(source, "table", source), LongTable):
        table = found
    elif isinstance(source, (str, PathLike)):
        table = read_long_table(source, scored=scored)
    elif isinstance(source, Mapping):
        pairs = [(target, term) for target, terms in source.items() for term in terms]
        scores = [source[target][term] for target, term in pairs] if scored else None
        table = LongTable.from_pairs([t for t, _ in pairs], [v for _, v in pairs], scores)
    elif hasattr(source, "columns"):
        columns = [source[column] for column in list(source.columns)[: 3 if scored else 2]]
        table = LongTable.from_pairs(*columns)
    else:
        rows = list(source)
        table = LongTable.from_pairs(*([row[k] for row in rows] for k in range(3 if scored else 2)))
    if scored and table.scores is None:
        raise ValueError("predictions must have scores: a third column.")
    return table


def read_long_table(
    path: PathType,
    *,
    scored: bool = False,
    only: Iterable[str] | None = None,
    bad: str = "raise",
    limits: Limits | None = None,
) -> LongTable:
    """Read ``target<TAB>term``, or ``target<TAB>term<TAB>score``; further columns are passed over.

    Parameters
    ----------
    path : path
        Plain or compressed (.gz, .bz2, .xz), of any size: what is kept takes 16 bytes per line. Lines that begin with
        ``!`` are comments, and so are those around the predictions of a CAFA submission (AUTHOR, MODEL, KEYWORDS, END).
    scored : bool, default=False
        Whether the third column holds scores. A first line without a number there is a header.
    only : iterable of str, optional
        Keep these targets only; the others' lines are counted in ``problems.left_out``.
    bad : {"raise", "skip"}, default="raise"
        What to do about lines that are not as they should be: raise an error that names the first, or leave them out
        and list them in ``problems.bad``.
    limits : Limits, optional

    Returns
    -------
    table : LongTable
    """
    problems, wanted = Problems(bad), None if only is None else set(only)
    targets: dict[str, int] = {}
    terms: dict[str, int] = {}
    parts: list[list[Any]] = []
    for rows in read_rows(path, 3 if scored else 2, problems, headers=SUBMISSION_HEADERS, limits=limits):
        values = rows.floats(2) if scored else np.zeros(rows.n_rows)
        is_good = _check(rows, values, scored, path, problems)
        rows, values = rows.take(is_good), values[is_good]
        at, of = rows.indexed(0, targets, wanted), rows.indexed(1, terms)
        kept = at >= 0
        problems.left_out["other targets"] += int((~kept).sum())
        parts.append([at[kept], of[kept], values[kept]])
    problems.finish()
    at, of, values = (_joined(parts, k) for k in range(3))
    scores = np.asarray(values, np.float64) if scored else None
    return LongTable(list(targets), list(terms), at, of, scores, problems)


def _joined(parts: list[list[Any]], k: int) -> NDArray[Any]:
    """Join column k of all pieces, and let the pieces go: there may be very many lines."""
    joined = np.concatenate([part[k] for part in parts]) if parts else np.empty(0, np.int32)
    for part in parts:
        part[k] = None
    return joined


def _check(
    rows: TabRows, values: NDArray[np.float64], scored: bool, path: PathType, problems: Problems
) -> NDArray[np.bool_]:
    """Return which rows are as they should be, and record the others."""
    is_bad = (rows.ends[:, :2] == rows.starts[:, :2]).any(axis=1) | ~np.isfinite(values)
    for i in np.flatnonzero(is_bad).tolist():
        line = int(rows.lines[i])
        if not rows.cell(i, 0) or not rows.cell(i, 1):
            problems.add(path, line, f"an empty {'term' if rows.cell(i, 0) else 'target'}")
        elif scored and line == 1 and problems.n_bad == 0:
            problems.n_skipped += 1  # a header
        else:
            problems.add(path, line, f"the score {rows.cell(i, 2)[:40]!r} is not a number")
    return ~is_bad
