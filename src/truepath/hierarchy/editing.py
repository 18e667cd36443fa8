"""A hierarchy taken apart to be changed: labels added, removed, renamed, moved, merged or split."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from truepath.english import did_you_mean
from truepath.errors import HierarchyError
from truepath.hierarchy import build
from truepath.hierarchy.difference import HierarchyDiff, Sources, compare_hierarchies

if TYPE_CHECKING:
    from truepath.hierarchy.hierarchy import Hierarchy

#: The changes that can be written as sentences, each with the word between what changes and what it becomes
STEPS = {"add": "under", "remove": None, "rename": "to", "move": "under", "merge": "into", "split": "into"}


@dataclass
class _Label:
    """A label while it is edited: the old labels that it holds all of, and those that it is a part of."""

    parents: list[str]
    whole: tuple[str, ...] = ()
    partly: tuple[str, ...] = ()
    title: str | None = None
    aliases: tuple[str, ...] = ()


class HierarchyEditor:
    """Changes to a hierarchy, one after the other; :meth:`done` gives the new one, :meth:`diff` what changed.

    Made by :meth:`Hierarchy.edit`. Every method returns the editor. In a hierarchy made of paths,
    renaming or moving a label also renames all labels below it, so that names remain paths.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> h = Hierarchy.from_paths(["animal/cat", "animal/dog", "plant"])
    >>> editor = h.edit().add("plant/oak", "plant").rename("animal", "fauna")
    >>> editor = editor.merge(["fauna/cat", "fauna/dog"], "fauna/pet")
    >>> editor.done().names.tolist()
    ['fauna', 'plant', 'plant/oak', 'fauna/pet']
    >>> print(editor.diff())
    added: plant/oak
    renamed: animal -> fauna
    merged: animal/cat, animal/dog -> fauna/pet
    """

    def __init__(self, hierarchy: Hierarchy):
        self.hierarchy = hierarchy
        names, titles = hierarchy.names.tolist(), hierarchy.titles
        self._labels = {
            name: _Label([names[u] for u in hierarchy.parents(v)], (name,), (), titles.get(name))
            for v, name in enumerate(names)
        }
        for alias, name in hierarchy.aliases.items():
            self._labels[name].aliases += (alias,)

    def add(self, name: str, parents: str | Sequence[str] = ()) -> HierarchyEditor:
        """Add a label below the parents given; at the top without any."""
        self._new(name)
        self._labels[name] = _Label(self._all_known(parents))
        return self

    def remove(self, name: str) -> HierarchyEditor:
        """Remove a label; what was below it is then below its parents."""
        gone = self._labels.pop(self._known(name))
        self._replace(name, gone.parents)
        return self

    def rename(self, old: str, new: str) -> HierarchyEditor:
        """Give a label another name; it keeps its title and its alternative names."""
        self._rename(self._new_names(old, new))
        return self

    def move(self, name: str, parents: str | Sequence[str] = ()) -> HierarchyEditor:
        """Hang a label, with all below it, under other parents; at the top without any."""
        above, sep, changes = self._all_known(parents), self.hierarchy.sep, dict[str, str]()
        if sep is not None and len(above) <= 1:
            path = sep.join([*above, self._known(name).rsplit(sep, 1)[-1]])
            changes = {} if path == name else self._new_names(name, path)
        self._labels[self._known(name)].parents = above
        self._rename(changes)
        return self

    def merge(self, names: str | Sequence[str], into: str) -> HierarchyEditor:
        """Make one label of several: it has all their parents, children and alternative names.

        Its title is that of ``into``, if that is one of them.
        """
        several = self._all_known(names)
        if not several:
            raise HierarchyError(f"no labels are given to merge into {into!r}.", "Name at least one.")
        if into not in several:
            self._new(into)
        gone = {name: self._labels.pop(name) for name in several}
        for name in several:
            self._replace(name, [into])
        self._labels[into] = _Label(
            [u for u in _once(label.parents for label in gone.values()) if u not in gone],
            tuple(_once(label.whole for label in gone.values())),
            tuple(_once(label.partly for label in gone.values())),
            gone[into].title if into in gone else None,
            tuple(_once(label.aliases for label in gone.values())),
        )
        return self

    def split(self, name: str, into: str | Sequence[str]) -> HierarchyEditor:
        """Replace a label by several beside each other; what was below it is then below the first.

        A part may have the name of the label; it is a new label nevertheless.
        """
        parts = _several(into)
        if not parts:
            raise HierarchyError(f"no labels are given to split {name!r} into.", "Name them, or remove the label.")
        self._known(name)
        for k, part in enumerate(parts):
            if part != name or part in parts[:k]:
                self._new(part, parts[:k])
        gone = self._labels.pop(name)
        self._replace(name, parts[:1])
        for part in parts:
            self._labels[part] = _Label(list(gone.parents), (), tuple(_once([gone.whole, gone.partly])))
        return self

    def apply(self, step: str) -> HierarchyEditor:
        """Make a change that is written as a sentence, as the command line takes it.

        Parameters
        ----------
        step : str
            ``"add ELM under PLANT"`` (without ``under`` at the top), ``"remove CAT"``, ``"rename CAT to FELINE"``,
            ``"move OAK under TREE"``, ``"merge CAT; DOG into PET"`` or ``"split PET into CAT; DOG"``. A semicolon
            separates several labels. A name may hold the words ``under``, ``to`` and ``into`` itself.

        Examples
        --------
        >>> from truepath import Hierarchy
        >>> h = Hierarchy.from_paths(["animal/cat", "animal/dog", "plant"])
        >>> h.edit().apply("merge animal/cat; animal/dog into animal/pet").done().names.tolist()
        ['animal', 'plant', 'animal/pet']
        """
        action, _, rest = step.strip().partition(" ")
        if action not in STEPS or not rest.strip():
            raise HierarchyError(
                f"{step!r} is not a change of a hierarchy.",
                'Write "add X under Y", "remove X", "rename X to Y", "move X under Y", "merge X; Y into Z" or '
                '"split X into Y; Z".',
            )
        first, second = self._sides(action, rest.strip())
        if action in ("add", "move"):
            return getattr(self, action)(first, _listed(second))
        if action == "remove":
            return self.remove(first)
        if action == "rename":
            return self.rename(first, second)
        return self.merge(_listed(first), second) if action == "merge" else self.split(first, _listed(second))

    def done(self) -> Hierarchy:
        """Return the new hierarchy."""
        labels = self._labels
        names, pairs, *_ = build.number_parents({name: label.parents for name, label in labels.items()}, None)
        known = {alias: name for name, label in labels.items() for alias in label.aliases if alias not in labels}
        titles = {name: label.title for name, label in labels.items() if label.title is not None}
        return type(self.hierarchy)(names, pairs, known, self.hierarchy.sep, titles)

    def diff(self) -> HierarchyDiff:
        """Return what changed, renamed, merged and split labels known as such."""
        sources = {name: Sources(label.whole, label.partly) for name, label in self._labels.items()}
        return compare_hierarchies(self.hierarchy, self.done(), sources)

    def _sides(self, action: str, text: str) -> tuple[str, str]:
        """Return what stands around the keyword of a step; of several places, those that give known labels."""
        word = STEPS[action]
        if word is None:
            return text, ""
        parts = text.split(" ")
        ways = [(" ".join(parts[:k]), " ".join(parts[k + 1 :])) for k in range(1, len(parts) - 1) if parts[k] == word]
        if action in ("add", "move") and (not ways or text in self._labels):
            ways.append((text, ""))  # at the top
        if not ways:
            raise HierarchyError(f"'{action} {text}' lacks the word {word!r}.", f"Write '{action} X {word} Y'.")
        side = 1 if action == "add" else 0  # that of labels which must be there
        known = [way for way in ways if all(name in self._labels for name in _listed(way[side]))]
        return (known or ways)[0]

    def _known(self, name: str) -> str:
        if name not in self._labels:
            raise HierarchyError(f"no label is called {name!r}.", did_you_mean(name, self._labels))
        return name

    def _all_known(self, names: str | Sequence[str]) -> list[str]:
        return _once([[self._known(name) for name in _several(names)]])

    def _new(self, name: str, others: Sequence[str] = ()) -> None:
        if name in self._labels or name in others:
            raise HierarchyError(f"a label is called {name!r} already; choose another name, or merge the two.")

    def _new_names(self, old: str, new: str) -> dict[str, str]:
        """Return the labels whose names change with one, and what they are called then: those below it, in paths."""
        changes, sep = {self._known(old): new}, self.hierarchy.sep
        if sep is not None:
            changes |= {name: new + name[len(old) :] for name in self._labels if name.startswith(old + sep)}
        for name in changes.values():
            self._new(name)
        return changes

    def _rename(self, changes: Mapping[str, str]) -> None:
        for label in self._labels.values():
            label.parents = [changes.get(u, u) for u in label.parents]
        self._labels = {changes.get(name, name): label for name, label in self._labels.items()}

    def _replace(self, name: str, others: Sequence[str]) -> None:
        """Put others in the place of a parent."""
        for v, label in self._labels.items():
            if name in label.parents:
                found = _once(others if u == name else [u] for u in label.parents)
                label.parents = [u for u in found if u != v]


def _listed(text: str) -> list[str]:
    """Return the labels between semicolons."""
    return [name for name in map(str.strip, text.split(";")) if name]


def _several(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _once(lists: Iterable[Sequence[str]]) -> list[str]:
    """Return what several lists hold, each name once."""
    return list(dict.fromkeys(name for some in lists for name in some))
