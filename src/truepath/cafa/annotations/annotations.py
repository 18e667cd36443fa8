"""Annotations in memory: columns of small numbers, chosen by evidence, taxon, date and qualifier."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date as Day
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath.cafa.annotations.evidence import evidence_codes
from truepath.cafa.tables.long import LongTable
from truepath.cafa.tables.problems import Problems


@dataclass(frozen=True)
class Coded:
    """A column of texts, or of other values: the different ones, and which of them each row has."""

    words: list[Any]
    codes: NDArray[np.int32]

    def is_in(self, wanted: Iterable[str]) -> NDArray[np.bool_]:
        """Say which rows have one of the texts asked for."""
        chosen = set(wanted)
        return np.array([word in chosen for word in self.words], bool)[self.codes]

    def take(self, kept: NDArray[np.bool_]) -> Coded:
        return Coded(self.words, self.codes[kept])


@dataclass(frozen=True)
class Annotations:
    """What :func:`read_annotations` found, one row per line.

    Attributes
    ----------
    target, term, evidence, taxon : Coded
        Taxa are numbers as text, such as "9606"; unknown ones are empty. Evidence is a code such as "IDA".
    date : ndarray of int32
        Year, month and day as one number, such as 20240131; 0 where there is none.
    is_negated : ndarray of bool
        Whether the line says NOT.
    problems : Problems
        Lines that were left out: bad ones by name, unwanted ones by reason.

    Examples
    --------
    See :func:`read_annotations`.
    """

    target: Coded
    term: Coded
    evidence: Coded
    taxon: Coded
    date: NDArray[np.int32]
    is_negated: NDArray[np.bool_]
    problems: Problems = field(default_factory=Problems, repr=False, compare=False)

    def __len__(self) -> int:
        return int(self.date.size)

    @property
    def table(self) -> LongTable:
        """The true pairs: what is evaluated, trained on and counted; NOT lines are left out."""
        return self._pairs(~self.is_negated)

    @property
    def negatives(self) -> LongTable:
        """The pairs that are known to be false."""
        return self._pairs(self.is_negated)

    def _pairs(self, rows: NDArray[np.bool_]) -> LongTable:
        codes, firsts = self.target.codes[rows], np.full(len(self.target.words), -1, np.int32)
        used = np.unique(codes)
        firsts[used] = np.arange(used.size)
        names = [self.target.words[k] for k in used.tolist()]
        return LongTable(names, self.term.words, firsts[codes], self.term.codes[rows], None, self.problems)

    def select(
        self,
        *,
        evidence: str | Iterable[str] | None = None,
        taxa: str | int | Iterable[Any] | None = None,
        after: str | Day | None = None,
        until: str | Day | None = None,
        targets: Iterable[str] | None = None,
        terms: Iterable[str] | None = None,
    ) -> Annotations:
        """Return the annotations that meet all conditions; what is left out is counted in ``problems.left_out``.

        Parameters
        ----------
        evidence : str or iterable of str, optional
            Groups (experimental, phylogenetic, computational, author, curated, electronic, cafa) or codes.
        taxa : str, int or iterable, optional
            Taxonomic numbers, such as 9606.
        after, until : str or date, optional
            Annotations dated after a day, and until a day (that day included); "2024-01-31" or a date. Those without a
            date meet neither.
        targets, terms : iterable of str, optional
        """
        conditions: dict[str, NDArray[np.bool_]] = {}
        if evidence is not None:
            conditions["other evidence"] = self.evidence.is_in(evidence_codes(evidence))
        if taxa is not None:
            listed = [taxa] if isinstance(taxa, str | int) else taxa
            conditions["other taxa"] = self.taxon.is_in(map(_taxon, listed))
        if after is not None:
            conditions["too early, or no date"] = self.date > _day(after)
        if until is not None:
            conditions["too late, or no date"] = (self.date <= _day(until)) & (self.date > 0)
        if targets is not None:
            conditions["other targets"] = self.target.is_in(targets)
        if terms is not None:
            conditions["other terms"] = self.term.is_in(terms)
        return self._take(conditions)

    def _take(self, conditions: Mapping[str, NDArray[np.bool_]]) -> Annotations:
        kept, problems = np.ones(len(self), bool), self.problems.copy()
        for reason, is_met in conditions.items():
            problems.left_out[reason] += int((kept & ~is_met).sum())
            kept &= is_met
        return replace(
            self,
            **{name: getattr(self, name).take(kept) for name in ("target", "term", "evidence", "taxon")},
            date=self.date[kept],
            is_negated=self.is_negated[kept],
            problems=problems,
        )

    def split_by_date(self, day: str | Day) -> tuple[Annotations, Annotations]:
        """Return what was known until a day, and what came after: to train on and to test on.

        Pairs of target and term that were known already are left out of the second part.
        """
        before, later = self.select(until=day), self.select(after=day)
        width = max(len(self.term.words), 1)
        keys = [part.target.codes.astype(np.int64) * width + part.term.codes for part in (before, later)]
        return before, later._take({"known before": ~np.isin(keys[1], keys[0])})

    def with_taxa(self, taxa: Mapping[str, str]) -> Annotations:
        """Return the same with taxa by target, as :func:`read_gene_products` gives them."""
        words = list(dict.fromkeys(["", *taxa.values()]))
        place = {word: k for k, word in enumerate(words)}
        of = np.array([place[taxa.get(name, "")] for name in self.target.words], np.int32)
        return replace(self, taxon=Coded(words, of[self.target.codes]))

    def __repr__(self) -> str:
        n_targets = np.unique(self.target.codes).size
        return f"Annotations({len(self)} lines, {n_targets} targets, {int(self.is_negated.sum())} negated)"


def _taxon(given: str | int) -> str:
    """Return the number of a taxon."""
    number = str(given).removeprefix("taxon:")
    if not (number.isascii() and number.isdigit()):
        raise ValueError(f"taxa must be NCBI's numbers, such as 9606; got {given!r:.60}.")
    return number


def _day(given: str | Day) -> int:
    """Return a day as one number; 2024-01-31 is 20240131."""
    try:
        day = given if isinstance(given, Day) else Day.fromisoformat(given)
    except (TypeError, ValueError):
        raise ValueError(f"a day must be written as 2024-01-31 is; got {given!r:.60}.") from None
    return day.year * 10_000 + day.month * 100 + day.day
