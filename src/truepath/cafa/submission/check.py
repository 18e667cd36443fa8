"""Checking submissions: every kind of mistake, each with its line."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat
from os import fspath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath.cafa.ontology.ontology import Ontology
from truepath.cafa.submission.rules import SubmissionRules
from truepath.cafa.tables.columns import TabRows, read_rows
from truepath.cafa.tables.long import SUBMISSION_HEADERS
from truepath.cafa.tables.problems import BadLine, Problems
from truepath.files.names import PathType

#: Scores that differ by less are the same
TOLERANCE = 1e-12


def check_submission(
    path: PathType,
    ontology: Ontology,
    *,
    rules: SubmissionRules | None = None,
    targets: Iterable[str] | None = None,
    aspects: Iterable[str] | None = None,
) -> list[BadLine]:
    """Return the mistakes of a submission, at most one per line, in the order of lines; none means that it is valid.

    It finds lines without exactly three columns, scores that are not numbers, out of range or with too many decimals,
    terms that are unknown, obsolete, given by an alternative id or of another aspect, targets that are not asked for,
    pairs that are repeated, targets with too many terms, and (if the rules say so) terms that score above an ancestor.

    Parameters
    ----------
    path : path
    ontology : Ontology
    rules : SubmissionRules, optional
    targets : iterable of str, optional
        The targets of the challenge; by default any.
    aspects : iterable of str, optional
        The aspects that the file may hold; by default all.
    """
    checker = _Checker(ontology, rules or SubmissionRules(), targets, aspects)
    problems = Problems()
    for rows in read_rows(path, 3, problems, headers=SUBMISSION_HEADERS):
        checker.check_rows(rows)
    checker.check_together()
    found = {line: BadLine(fspath(path), line, said) for line, said in checker.found.items()}
    found |= {bad.line: bad for bad in problems.bad}
    return [found[line] for line in sorted(found)]


class _Checker:
    """Mistakes by line: of each line the first that is found."""

    def __init__(
        self,
        ontology: Ontology,
        rules: SubmissionRules,
        targets: Iterable[str] | None,
        aspects: Iterable[str] | None,
    ):
        self.ontology, self.rules = ontology, rules
        self.targets = None if targets is None else set(targets)
        self.aspects = None if aspects is None else {ontology.aspect(name) for name in aspects}
        self.found: dict[int, str] = {}
        self.index: dict[str, int] = {}
        self.parts: list[tuple[NDArray[Any], ...]] = []

    def report(self, lines: NDArray[np.int64], reasons: Iterable[str]) -> None:
        for line, reason in zip(lines.tolist(), reasons):
            self.found.setdefault(line, reason)

    def check_rows(self, rows: TabRows) -> None:
        """Check what can be said of each line alone."""
        lines, rules = rows.lines, self.rules
        targets, terms, scores = rows.numbered(0), rows.numbered(1), rows.floats(2)
        is_long = rows.widths > 3
        self.report(lines[is_long], (f"{n} columns where 3 are allowed" for n in rows.widths[is_long]))
        for (codes, words), about in ((targets, self._about_target), (terms, self._about_term)):
            said = np.array([about(word) for word in words], object)[codes]
            is_bad = said.astype(bool)
            self.report(lines[is_bad], said[is_bad])
        with np.errstate(invalid="ignore"):
            is_number, is_inside = np.isfinite(scores), (scores > rules.lowest) & (scores <= rules.highest)
            is_short = np.abs(np.round(scores, rules.decimals) - scores) < TOLERANCE
        self.report(lines[~is_number], repeat("the score is not a number"))
        outside, span = is_number & ~is_inside, f"above {rules.lowest:g} and at most {rules.highest:g}"
        self.report(lines[outside], (f"the score {s:g} is not {span}" for s in scores[outside]))
        long, more = is_number & is_inside & ~is_short, f"has more than {rules.decimals} decimals"
        self.report(lines[long], (f"the score {s!r} {more}" for s in scores[long].tolist()))
        numbers = np.array([self.index.setdefault(name, len(self.index)) for name in targets[1]], np.int64)
        nodes = self.ontology.resolve(terms[1]).nodes
        self.parts.append((lines.copy(), numbers[targets[0]], nodes[terms[0]], scores))

    def _about_target(self, name: str) -> str:
        """Return what is wrong with a target, if anything."""
        if not name:
            return "an empty target"
        is_wanted = self.targets is None or name in self.targets
        return "" if is_wanted else f"{name!r} is not one of the targets"

    def _about_term(self, name: str) -> str:
        """Return what is wrong with a term, if anything."""
        found = self.ontology.resolve([name])
        if found.changed:
            return f"{name!r} is an old id: write {found.changed[name]!r}"
        if found.lost:
            near = self.ontology.suggest(name)
            hint = f"; consider {', '.join(near)}" if near else ""
            kind = "obsolete" if found.counts["obsolete"] else "not in the ontology"
            return f"{name!r} is {kind}{hint}"
        aspect = self.ontology.aspect_of[found.nodes[0]]
        is_allowed = self.aspects is None or aspect in self.aspects
        return "" if is_allowed else f"{name!r} belongs to {aspect}"

    def check_together(self) -> None:
        """Check what takes all lines: repeated pairs, terms per target, propagation."""
        if not any(part[0].size for part in self.parts):
            self.found.setdefault(1, "no predictions")
            return
        whole = [np.concatenate(column) for column in zip(*self.parts)]
        lines, targets, nodes, scores = (column[whole[2] >= 0] for column in whole)
        keys = targets * self.ontology.hierarchy.n_nodes + nodes
        _, firsts = np.unique(keys, return_index=True)
        is_again = np.ones(keys.size, bool)
        is_again[firsts] = False
        self.report(lines[is_again], repeat("this target and term were given before"))
        order = np.argsort(targets, kind="stable")
        counts = np.bincount(targets, minlength=len(self.index))
        rank = np.arange(order.size) - np.repeat(np.cumsum(counts) - counts, counts)
        beyond = np.sort(lines[order[rank >= self.rules.max_terms]])
        self.report(beyond, repeat(f"more than {self.rules.max_terms} terms of this target"))
        if self.rules.propagated:
            self._check_propagated(lines, targets, nodes, scores)

    def _check_propagated(
        self,
        lines: NDArray[np.int64],
        targets: NDArray[np.int64],
        nodes: NDArray[np.int64],
        scores: NDArray[np.float64],
    ) -> None:
        """Find terms that score above a parent, or whose parent is missing."""
        hierarchy = self.ontology.hierarchy
        keys = targets * hierarchy.n_nodes + nodes
        order = np.argsort(keys, kind="stable")
        n_parents = np.diff(hierarchy.parent_ptr)[nodes]
        line = np.repeat(np.arange(nodes.size), n_parents)
        place = np.arange(line.size) - np.repeat(np.cumsum(n_parents) - n_parents, n_parents)
        parents = hierarchy.parent_idx[hierarchy.parent_ptr[nodes[line]] + place]
        wanted = targets[line] * hierarchy.n_nodes + parents
        at = np.minimum(np.searchsorted(keys[order], wanted), max(keys.size - 1, 0))
        above = np.where(keys[order][at] == wanted, scores[order][at], 0.0) if keys.size else np.empty(0)
        is_bad = np.unique(line[above < scores[line] - TOLERANCE])
        self.report(lines[is_bad], repeat("the term scores above a parent, or the parent is missing"))
