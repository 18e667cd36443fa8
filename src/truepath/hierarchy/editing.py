"""A hierarchy taken apart to be changed: labels added, removed, renamed, moved, merged or split."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from truepath.english import did_you_mean
from truepath.errors import HierarchyError
from truepath.hierarchy import build
from truepath.hierarchy.difference import HierarchyDiff, compare_hierarchies

if TYPE_CHECKING:
    from truepath.hierarchy.hierarchy import Hierarchy

#: The changes that can be written as sentences, each with the word between what changes and what it becomes
STEPS = {"add": "under", "remove": None, "rename": "to", "move": "under", "merge": "into", "split": "into"}


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
        names = hierarchy.names.tolist()
        self.hierarchy = hierarchy
        self._parents = {name: [names[u] for u in hierarchy.parents(v)] for v, name in enumerate(names)}
        self._origin: dict[str, tuple[str, ...]] = {name: (name,) for name in names}
        self._split: dict[str, tuple[str, ...]] = {}

    def add(self, name: str, parents: str | Sequence[str] = ()) -> HierarchyEditor:
        """Add a label below the parents given; at the top without any."""
        self._new(name)
        self._parents[name] = [self._known(parent) for parent in _several(parents)]
        self._origin[name] = ()
        return self

    def remove(self, name: str) -> HierarchyEditor:
        """Remove a label; what was below it is then below its parents."""
        above = self._parents.pop(self._known(name))
        del self._origin[name]
        self._replace(name, above)
        self._replace_parts({name: ()})
        return self

    def rename(self, old: str, new: str) -> HierarchyEditor:
        """Give a label another name."""
        self._known(old)
        self._new(new)
        changes = {old: new}
        sep = self.hierarchy.sep
        if sep is not None:
            changes |= {name: new + name[len(old) :] for name in self._parents if name.startswith(old + sep)}
        for name in changes.values():
            self._new(name)
        self._parents = {changes.get(v, v): [changes.get(u, u) for u in us] for v, us in self._parents.items()}
        self._origin = {changes.get(v, v): known for v, known in self._origin.items()}
        self._replace_parts({before: (after,) for before, after in changes.items()})
        return self

    def move(self, name: str, parents: str | Sequence[str] = ()) -> HierarchyEditor:
        """Hang a label, with all below it, under other parents; at the top without any."""
        above = [self._known(parent) for parent in _several(parents)]
        self._parents[self._known(name)] = above
        sep = self.hierarchy.sep
        if sep is not None and len(above) <= 1:
            moved = sep.join([*above, name.rsplit(sep, 1)[-1]])
            return self if moved == name else self.rename(name, moved)
        return self

    def merge(self, names: Sequence[str], into: str) -> HierarchyEditor:
        """Make one label of several: it has all their parents and all their children."""
        several = [self._known(name) for name in dict.fromkeys(names)]
        if into not in several:
            self._new(into)
        above = dict.fromkeys(u for name in several for u in self._parents[name] if u not in several)
        origin = dict.fromkeys(old for name in several for old in self._origin[name])
        for name in several:
            del self._parents[name], self._origin[name]
            self._replace(name, [into])
        self._parents[into], self._origin[into] = list(above), tuple(origin)
        self._replace_parts(dict.fromkeys(several, (into,)))
        return self

    def split(self, name: str, into: Sequence[str]) -> HierarchyEditor:
        """Replace a label by several beside each other; what was below it is then below the first."""
        above = self._parents.pop(self._known(name))
        for new in into:
            self._new(new)
            self._parents[new], self._origin[new] = list(above), ()
        self._replace_parts({name: tuple(into)})
        self._split |= {old: tuple(into) for old in self._origin.pop(name)}
        self._replace(name, [into[0]])
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
        names, pairs, *_ = build.number_parents(self._parents, None)
        aliases = {alias: name for alias, name in self.hierarchy.aliases.items() if name in self._parents}
        titles = {name: title for name, title in self.hierarchy.titles.items() if name in self._parents}
        return type(self.hierarchy)(names, pairs, aliases, self.hierarchy.sep, titles)

    def diff(self) -> HierarchyDiff:
        """Return what changed, renamed, merged and split labels known as such."""
        return compare_hierarchies(self.hierarchy, self.done(), self._origin, self._split)

    def _sides(self, action: str, text: str) -> tuple[str, str]:
        """Return what stands around the keyword of a step; of several places, those that give known labels."""
        word = STEPS[action]
        if word is None:
            return text, ""
        parts = text.split(" ")
        ways = [(" ".join(parts[:k]), " ".join(parts[k + 1 :])) for k in range(1, len(parts) - 1) if parts[k] == word]
        if action in ("add", "move") and (not ways or text in self._parents):
            ways.append((text, ""))  # at the top
        if not ways:
            raise HierarchyError(f"'{action} {text}' lacks the word {word!r}.", f"Write '{action} X {word} Y'.")
        side = 1 if action == "add" else 0  # that of labels which must be there
        known = [way for way in ways if all(name in self._parents for name in _listed(way[side]))]
        return (known or ways)[0]

    def _known(self, name: str) -> str:
        if name not in self._parents:
            raise HierarchyError(f"no label is called {name!r}.", did_you_mean(name, self._parents))
        return name

    def _new(self, name: str) -> None:
        if name in self._parents:
            raise HierarchyError(f"a label is called {name!r} already; choose another name, or merge the two.")

    def _replace_parts(self, changes: Mapping[str, tuple[str, ...]]) -> None:
        """Put others in the place of labels that a label was split into; one without any left is removed."""
        several = {
            old: tuple(dict.fromkeys(new for part in parts for new in changes.get(part, (part,))))
            for old, parts in self._split.items()
        }
        self._split = {old: parts for old, parts in several.items() if parts}

    def _replace(self, name: str, others: Sequence[str]) -> None:
        """Put others in the place of a parent."""
        for v, above in self._parents.items():
            if name in above:
                found = [u for parent in above for u in (others if parent == name else [parent])]
                self._parents[v] = [u for u in dict.fromkeys(found) if u != v]


def _listed(text: str) -> list[str]:
    """Return the labels between semicolons."""
    return [name for name in map(str.strip, text.split(";")) if name]


def _several(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)
