"""An ontology as CAFA uses it: a hierarchy of terms, their aspects and names, and what became of retired ids.

The *aspects* (namespaces) of the Gene Ontology are molecular function, biological process and cellular component. Each
is evaluated, trained and submitted on its own; here an aspect is a set of nodes of one hierarchy. Ids that are no
longer nodes lead somewhere: an alternative id to the term it was merged into, an obsolete term to its replacement.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath.cafa.ontology.resolve import Resolved, resolve
from truepath.english import nearest
from truepath.errors import HierarchyError
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.names import node_number

#: Short names of the Gene Ontology's aspects, as GAF files and CAFA write them
SHORT_ASPECTS = {
    **dict.fromkeys(("F", "MF", "MFO"), "molecular_function"),
    **dict.fromkeys(("P", "BP", "BPO"), "biological_process"),
    **dict.fromkeys(("C", "CC", "CCO"), "cellular_component"),
}


@dataclass(frozen=True)
class Ontology:
    """A hierarchy of terms with aspects, names of terms and retired ids; made by :func:`read_ontology`.

    Attributes
    ----------
    hierarchy : Hierarchy
        All terms; edges are the chosen relations.
    aspects : mapping of str to ndarray of int64
        The nodes of each aspect.
    replaced : mapping of str to str
        Obsolete ids with one replacement, and that.
    consider : mapping of str to tuple of str
        Obsolete ids without replacement, and the terms to consider instead (which may be none).
    report : mapping of str to int
        What reading the file left out or changed, in numbers.
    shared : mapping of str to tuple of str
        Alternative ids of several terms, and those terms. In annotations and predictions such an id means all of
        them, as in cafaeval; where one term is asked for, it means the last.

    Examples
    --------
    >>> import io
    >>> from truepath.cafa import read_ontology
    >>> ontology = read_ontology(io.StringIO('''
    ... [Term]
    ... id: GO:1
    ... name: binding
    ... namespace: molecular_function
    ... alt_id: GO:9
    ...
    ... [Term]
    ... id: GO:2
    ... name: DNA binding
    ... namespace: molecular_function
    ... is_a: GO:1
    ... '''))
    >>> ontology
    Ontology(2 terms, 1 edges, aspects: molecular_function 2)
    >>> ontology.label("GO:2"), ontology.resolve(["GO:9", "GO:7"]).counts
    ('GO:2 DNA binding', {'current': 0, 'alternative': 1, 'replaced': 0, 'obsolete': 0, 'unknown': 1})
    """

    hierarchy: Hierarchy
    aspects: Mapping[str, NDArray[np.int64]]
    replaced: Mapping[str, str] = field(default_factory=dict)
    consider: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    report: Mapping[str, int] = field(default_factory=dict)
    shared: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def titles(self) -> Mapping[str, str]:
        """The name of each term: ``titles["GO:0006915"]`` is "apoptotic process"."""
        return self.hierarchy.titles

    @classmethod
    def of(cls, hierarchy: Hierarchy, aspects: Mapping[str, Any] | str = "all") -> Ontology:
        """Make one of a hierarchy without further knowledge; ``aspects`` are names of nodes by aspect, or one name."""
        if isinstance(aspects, str):
            return cls(hierarchy, {aspects: np.arange(hierarchy.n_nodes)})
        return cls(hierarchy, {name: np.sort(hierarchy.indices(nodes)) for name, nodes in aspects.items()})

    def label(self, term: str | int) -> str:
        """Return the id of a term followed by its name."""
        return self.hierarchy.label(term)

    def labels(self, terms: Iterable[str | int]) -> list[str]:
        """Return the ids of several terms, each followed by its name."""
        return [self.label(term) for term in terms]

    def aspect(self, name: str) -> str:
        """Return the name of an aspect given in full or as GAF files and CAFA write it (``"P"``, ``"BPO"``)."""
        full = name if name in self.aspects else SHORT_ASPECTS.get(name.upper(), name)
        if full not in self.aspects:
            raise HierarchyError(f"no aspect {name!r}; the ontology has {', '.join(self.aspects)}.")
        return full

    def flags(self, aspect: str) -> NDArray[np.float64]:
        """Return 1 for the nodes of an aspect and 0 for others: labels @ flags counts each target's terms of it."""
        found = np.zeros(self.hierarchy.n_nodes)
        found[self.aspects[aspect]] = 1.0
        return found

    @cached_property
    def aspect_of(self) -> NDArray[np.object_]:
        """The aspect of each node."""
        found = np.full(self.hierarchy.n_nodes, "", object)
        for name, nodes in self.aspects.items():
            found[nodes] = name
        return found

    @cached_property
    def alternative_ids(self) -> frozenset[str]:
        """The ids that stand for a term, or for several, by another id."""
        return frozenset((*self.hierarchy.aliases, *self.shared))

    @cached_property
    def known_ids(self) -> dict[str, int]:
        """Every id that leads to a node: of terms, alternative ids and replaced ones."""
        index = dict(self.hierarchy.numbers)
        shared = {alias: names[-1] for alias, names in self.shared.items()}
        for alias, name in {**self.replaced, **shared, **self.hierarchy.aliases}.items():
            index.setdefault(alias, self.hierarchy.numbers[name])
        return index

    def resolve(self, ids: Sequence[str], counts: Sequence[int] | None = None) -> Resolved:
        """Look ids up, and say what became of each; ``counts`` is how often each occurs (once by default)."""
        return resolve(self, ids, counts)

    def suggest(self, name: str) -> list[str]:
        """Return ids like an unknown one."""
        return list(self.consider.get(name, ())) or nearest(name, self.hierarchy.numbers)

    def keep(self, terms: Iterable[str | int] | NDArray[Any]) -> Ontology:
        """Return a smaller ontology of some terms and all their ancestors.

        Parameters
        ----------
        terms : iterable of str or int
            Ids (alternative ones too) or node numbers; those that are used in annotations, for instance.
        """
        wanted = np.zeros((1, self.hierarchy.n_nodes), bool)
        listed: list[Any] = terms.tolist() if isinstance(terms, np.ndarray) else list(terms)
        known = self.known_ids
        listed = [name for v in listed for name in self.shared.get(v, (v,))]
        wanted[0, [known[v] if v in known else node_number(self.hierarchy, v) for v in listed]] = 1
        nodes = np.flatnonzero(self.hierarchy.close(wanted)[0])
        smaller = self.hierarchy.subgraph(nodes)
        names = set(smaller.names.tolist())
        aspects = {
            aspect: np.sort(smaller.indices(kept))
            for aspect, of in self.aspects.items()
            if (kept := self.hierarchy.names[np.intersect1d(of, nodes)].tolist())
        }
        return replace(
            self,
            hierarchy=smaller,
            aspects=aspects,
            replaced={old: new for old, new in self.replaced.items() if new in names},
            shared={alias: kept for alias, of in self.shared.items() if (kept := (*filter(names.__contains__, of),))},
            report={**self.report, "terms not kept": self.hierarchy.n_nodes - smaller.n_nodes},
        )

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name} {nodes.size}" for name, nodes in self.aspects.items())
        return f"Ontology({self.hierarchy.n_nodes} terms, {self.hierarchy.n_edges} edges, aspects: {sizes})"
