"""A slow, obvious twin of an edited hierarchy: labels are plain records, and sets of rows are sets of old labels."""

from __future__ import annotations


class PlainTaxonomy:
    """Labels with their parents, title, alternative names, and the old labels that each holds wholly or in part."""

    def __init__(self, hierarchy):
        self.sep = hierarchy.sep
        self.old = {name: set(hierarchy.names[hierarchy.parents(name)].tolist()) for name in hierarchy.names.tolist()}
        self.labels = {
            name: {
                "parents": set(parents),
                "whole": {name},
                "partly": set(),
                "title": hierarchy.titles.get(name),
                "aliases": {alias for alias, of in hierarchy.aliases.items() if of == name},
            }
            for name, parents in self.old.items()
        }

    # ------------------------------------------------------------------------------------------ edits

    def add(self, name, parents):
        empty = {"whole": set(), "partly": set(), "title": None, "aliases": set()}
        self.labels[name] = {"parents": set(parents), **empty}

    def remove(self, name):
        gone = self.labels.pop(name)
        self.hang_elsewhere({name}, gone["parents"])

    def rename(self, old, new):
        below = [name for name in self.labels if self.sep and name.startswith(old + self.sep)]
        for name in [old, *below]:
            called = new + name[len(old) :]
            self.labels[called] = self.labels.pop(name)
            self.hang_elsewhere({name}, {called})

    def move(self, name, parents):
        self.labels[name]["parents"] = set(parents)
        if self.sep and len(parents) <= 1:
            path = self.sep.join([*parents, name.split(self.sep)[-1]])
            if path != name:
                self.rename(name, path)

    def merge(self, names, into):
        gone = {name: self.labels.pop(name) for name in names}
        self.hang_elsewhere(set(names), {into})
        one = {what: set().union(*(label[what] for label in gone.values())) for what in ("whole", "partly", "aliases")}
        above = set().union(*(label["parents"] for label in gone.values())) - set(names)
        self.labels[into] = {"parents": above, **one, "title": gone[into]["title"] if into in gone else None}

    def split(self, name, into):
        gone = self.labels.pop(name)
        self.hang_elsewhere({name}, {into[0]})
        for part in into:
            self.add(part, gone["parents"])
            self.labels[part]["partly"] = gone["whole"] | gone["partly"]

    def hang_elsewhere(self, gone, others):
        for name, label in self.labels.items():
            if label["parents"] & gone:
                label["parents"] = (label["parents"] - gone | others) - {name}

    # -------------------------------------------------------------------------------------- what follows

    def above(self, name):
        """All labels above one."""
        parents = self.labels[name]["parents"]
        return parents.union(*(self.above(parent) for parent in parents))

    def below(self, name):
        """All labels below one."""
        return {other for other in self.labels if name in self.above(other)}

    def old_above(self, old):
        """All old labels above one."""
        return self.old[old].union(*(self.old_above(parent) for parent in self.old[old]))

    def transferred(self, old):
        """The new labels of a row whose most specific label is an old one."""
        whole = [name for name, label in self.labels.items() if old in label["whole"]]
        if whole:
            return {whole[0]} | self.above(whole[0])
        parts = [name for name, label in self.labels.items() if old in label["partly"]]
        if parts:
            return set.intersection(*(self.above(part) for part in parts))
        return set().union(*(self.transferred(parent) for parent in self.old[old]))

    def rows(self, name):
        """The old labels whose rows a label has now, and "new" if it may have rows that were not there."""
        found = {old for old in self.old if name in self.transferred(old)}
        has_new = any(
            not (self.labels[other]["whole"] or self.labels[other]["partly"]) for other in {name} | self.below(name)
        )
        return frozenset(found | ({"new"} if has_new else set()))

    def old_rows(self, old):
        """The old labels whose rows an old label had."""
        return frozenset(other for other in self.old if old == other or old in self.old_above(other))

    def is_touched(self, name):
        """Whether a label, its own rows or its parents' are others than before."""
        label = self.labels[name]
        if not self.is_old(name) or not all(map(self.is_old, label["parents"])):
            return True
        (old,) = label["whole"]
        now = {self.rows(parent) for parent in label["parents"]}
        return self.rows(name) != self.old_rows(old) or now != {self.old_rows(parent) for parent in self.old[old]}

    def is_old(self, name):
        """Whether a label is one old label, all of it."""
        return len(self.labels[name]["whole"]) == 1 and not self.labels[name]["partly"]
