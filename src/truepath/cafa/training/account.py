"""What became of the annotations that a model was to be trained on: every line is used, or counted with a reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from truepath.cafa.ontology.ontology import Ontology
from truepath.cafa.tables.long import LongTable, as_long_table
from truepath.english import counted
from truepath.errors import TruePathError


class Learned(NamedTuple):
    """What the model of an aspect learned from: terms, terms that too few proteins have, and proteins."""

    n_terms: int
    n_rare: int
    n_proteins: int


@dataclass(frozen=True)
class Account:
    """Lines of annotations, by what became of them.

    Attributes
    ----------
    n_lines, n_used : int
        All lines, and those trained on. The others are in ``left_out``.
    left_out : dict of str to int
        Lines that were not trained on, by reason.
    examples : dict of str to str
        A term or a protein for each reason that has one.
    n_proteins, n_proteins_used : int
        Proteins with a line that does not say NOT, and those of them that are trained on.
    n_spare : int
        Embeddings of proteins that are not trained on.
    ids : tuple of str
        A protein without an embedding and an embedding that is not used, to compare how they are written.
    aspects : dict of str to Learned
    """

    n_lines: int
    n_used: int
    left_out: Mapping[str, int]
    examples: Mapping[str, str]
    n_proteins: int
    n_proteins_used: int
    n_spare: int
    ids: tuple[str, ...] = ()
    aspects: Mapping[str, Learned] = field(default_factory=dict)

    @property
    def share_used(self) -> float:
        """The share of proteins that is trained on, or that of lines which do not say NOT, whichever is less."""
        n_true = self.n_lines - self.left_out[NEGATED]
        return min(self.n_used / max(n_true, 1), self.n_proteins_used / max(self.n_proteins, 1))

    def check(self, min_used: float) -> None:
        """Refuse to train on less than a share."""
        if not self.n_proteins_used:
            raise TruePathError(
                f"none of the {counted(self.n_proteins, 'annotated protein')} can be trained on: {self._reasons()}.",
                self._way_out(),
            )
        if self.share_used < min_used:
            raise TruePathError(
                f"only {self.n_proteins_used:,} of {counted(self.n_proteins, 'annotated protein')} and "
                f"{self.n_used:,} of {counted(self.n_lines, 'line')} can be trained on: {self._reasons()}.",
                f"{self._way_out()} Or pass min_used=0 (--min-used 0) to train on what there is.",
            )

    def describe(self) -> list[str]:
        """Return what became of the lines, in words."""
        used = f"{self.n_used:,} of {counted(self.n_lines, 'line')} and {self.n_proteins_used:,} of "
        said = [f"{used}{counted(self.n_proteins, 'protein')} are trained on"]
        said += [f"{counted(n, 'line')} left out: {self._reason(why)}" for why, n in self.left_out.items() if n]
        if self.n_spare:
            said.append(f"{counted(self.n_spare, 'embedding')} not used: no line that can be trained on")
        return said

    def _reason(self, why: str) -> str:
        return f"{why}, such as {self.examples[why]!r}" if why in self.examples else why

    def _reasons(self) -> str:
        return "; ".join(f"{counted(n, 'line')} {self._reason(why)}" for why, n in self.left_out.items() if n)

    def _way_out(self) -> str:
        if max(self.left_out, key=lambda why: self.left_out[why]) in (UNKNOWN, OBSOLETE):
            return "Give the ontology that the annotations were made with."
        alike = f" (here {' and '.join(map(repr, self.ids))})" if len(self.ids) > 1 else ""
        return f"Ids of proteins must be written alike in both files{alike}."


NEGATED = "that say NOT"
UNKNOWN = "with terms that the ontology does not have"
OBSOLETE = "with obsolete terms"
WITHOUT = "of proteins without an embedding"


def account_for(annotations: Any, ids: Sequence[str], ontology: Ontology) -> tuple[LongTable, Account]:
    """Return annotations as pairs, and what becomes of each: NOT first, then its term, then its protein."""
    table = as_long_table(annotations)
    n_negated = len(getattr(annotations, "negatives", ()))
    resolved, has_embedding = ontology.resolve(table.terms), set(ids)
    lost = np.array([_why_lost(name, resolved.lost, ontology.consider) for name in table.terms], object)[
        table.term_codes
    ]
    is_there = np.array([name in has_embedding for name in table.targets], bool)[table.target_codes]
    why = np.where(lost != "", lost, np.where(is_there, "", WITHOUT)).astype(str)
    left_out, examples = {NEGATED: n_negated}, {}
    for reason, codes, names in (
        (UNKNOWN, table.term_codes, table.terms),
        (OBSOLETE, table.term_codes, table.terms),
        (WITHOUT, table.target_codes, table.targets),
    ):
        found = codes[why == reason]
        left_out[reason] = int(found.size)
        if found.size:
            examples[reason] = names[int(found[0])]
    used = {table.targets[k] for k in np.unique(table.target_codes[why == ""]).tolist()}
    spare = [name for name in ids if name not in used]
    return table, Account(
        n_lines=table.n_pairs + n_negated,
        n_used=int((why == "").sum()),
        left_out=left_out,
        examples=examples,
        n_proteins=len(table.targets),
        n_proteins_used=len(used),
        n_spare=len(spare),
        ids=tuple([*([examples[WITHOUT]] if WITHOUT in examples else []), *spare[:1]]),
    )


def _why_lost(name: str, lost: Mapping[str, tuple[str, ...]], obsolete: Mapping[str, Any]) -> str:
    """Return why a term is none of the ontology, nothing if it is one."""
    if name not in lost:
        return ""
    return OBSOLETE if name in obsolete else UNKNOWN
