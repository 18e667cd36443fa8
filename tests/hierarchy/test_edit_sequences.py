"""Hierarchies edited step by step at random, beside a plain twin that takes the same steps."""

from __future__ import annotations

from itertools import count

import numpy as np
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule
from scipy import sparse

from oracles_editing import PlainTaxonomy
from strategies import hierarchies
from truepath import Hierarchy

PATHS = Hierarchy.from_paths(["a/1/x", "a/1/y", "a/2", "b/1", "b/2", "c"])


class Edits(RuleBasedStateMachine):
    """The editor and its twin; every step is possible, and checked."""

    def begin(self, hierarchy):
        names = hierarchy.names.tolist()
        titles = {name: f"title of {name}" for name in names[::2]}
        aliases = {f"{name}-alias": name for name in names[::3]}
        self.hierarchy = Hierarchy(hierarchy.names, hierarchy.edges, aliases, hierarchy.sep, titles)
        self.editor, self.twin = self.hierarchy.edit(), PlainTaxonomy(self.hierarchy)
        self.fresh = (f"new{k}" for k in count())

    @initialize(hierarchy=st.one_of(hierarchies(max_nodes=6), st.just(PATHS)))
    def start(self, hierarchy):
        self.begin(hierarchy)

    def names(self, data, max_size=1, without=()):
        names = [name for name in self.twin.labels if name not in without]
        least = 1 if max_size == 1 else 0
        return (
            data.draw(st.lists(st.sampled_from(names), min_size=least, max_size=max_size, unique=True)) if names else []
        )

    def unused(self, data, above=()):
        """A name that nothing has now; perhaps one that a label had once."""
        gone = [name for name in [*self.twin.old, *self.hierarchy.aliases] if name not in self.twin.labels]
        name = data.draw(st.sampled_from(gone)) if gone and data.draw(st.booleans()) else next(self.fresh)
        return self.hierarchy.sep.join([*above, name]) if self.hierarchy.sep and above else name

    def step(self, action, *arguments):
        getattr(self.editor, action)(*arguments)
        getattr(self.twin, action)(*arguments)

    @rule(data=st.data())
    def add(self, data):
        parents = self.names(data, max_size=2)
        name = self.unused(data, parents[:1])
        if name not in self.twin.labels:
            self.step("add", name, parents)

    @rule(data=st.data())
    def remove(self, data):
        if len(self.twin.labels) > 1:
            self.step("remove", *self.names(data))

    @rule(data=st.data())
    def rename(self, data):
        (name,), new = self.names(data), self.unused(data)
        if not self.clashes(name, new):
            self.step("rename", name, new)

    @rule(data=st.data())
    def move(self, data):
        (name,) = self.names(data)
        parents = self.names(data, max_size=2, without={name} | self.twin.below(name))
        sep = self.hierarchy.sep
        path = sep.join([*parents, name.split(sep)[-1]]) if sep and len(parents) <= 1 else name
        if path == name or not self.clashes(name, path):
            self.step("move", name, parents)

    @rule(data=st.data())
    def merge(self, data):
        names = self.names(data) + self.names(data, max_size=2)
        names = list(dict.fromkeys(names))
        between = [u for v in names for u in self.twin.above(v) if self.twin.above(u) & set(names)]
        if set(between) <= set(names):  # otherwise a label would come above and below the merged one
            self.step("merge", names, data.draw(st.sampled_from([names[0], self.unused(data)])))

    @rule(data=st.data(), reuse=st.booleans())
    def split(self, data, reuse):
        (name,) = self.names(data)
        parts = [name] if reuse else [next(self.fresh)]
        self.step("split", name, data.draw(st.permutations([*parts, next(self.fresh)])))

    def clashes(self, name, new):
        """Whether a name is taken that a renaming would give."""
        sep = self.hierarchy.sep
        changed = [v for v in self.twin.labels if v == name or (sep and v.startswith(name + sep))]
        return any(new + v[len(name) :] in self.twin.labels for v in changed)

    def teardown(self):
        """Compare at the end: what a step did wrong is still there."""
        if hasattr(self, "twin"):
            self.names_parents_titles_and_aliases_are_the_same()
            self.what_changed_is_told()
            self.labels_are_carried_over()
            self.labels_with_other_rows_are_touched()

    def names_parents_titles_and_aliases_are_the_same(self):
        labels, new = self.twin.labels, self.editor.done()
        assert set(new.names) == set(labels)
        for name, label in labels.items():
            assert set(new.names[new.parents(name)]) == label["parents"]
        assert dict(new.titles) == {name: label["title"] for name, label in labels.items() if label["title"]}
        known = {alias: name for name, label in labels.items() for alias in label["aliases"] if alias not in labels}
        assert dict(new.aliases) == known

    def what_changed_is_told(self):
        diff, labels = self.editor.diff(), self.twin.labels
        assert set(diff.added) == {name for name, label in labels.items() if not label["whole"] | label["partly"]}
        for old in self.twin.old:
            whole = [name for name, label in labels.items() if old in label["whole"]]
            parts = {name for name, label in labels.items() if old in label["partly"]}
            assert (old in diff.removed) == (not whole and not parts)
            assert set(diff.split.get(old, ())) == parts
            (v,) = self.hierarchy.indices([old])
            assert diff.became[v] == (diff.new.index(whole[0]) if whole else -1)
        for v, name in enumerate(diff.new.names):
            assert (diff.origin[v] >= 0) == self.twin.is_old(name)
        assert str(diff)

    def labels_are_carried_over(self):
        diff, h = self.editor.diff(), self.hierarchy
        one = np.eye(h.n_nodes, dtype=bool)
        for first, second in zip(h.names, np.roll(h.names, 1)):
            row = h.close(one[[h.index(first)]] | one[[h.index(second)]])
            found = set(diff.new.names[diff.transfer(row)[0]])
            above = self.twin.old_above(first) | self.twin.old_above(second)
            specific = {first, second} - above
            assert found == set().union(*(self.twin.transferred(name) for name in specific))
            np.testing.assert_array_equal(diff.transfer(sparse.csr_array(row)).toarray(), diff.transfer(row))

    def labels_with_other_rows_are_touched(self):
        diff = self.editor.diff()
        assert set(diff.new.names[diff.touched]) == {name for name in self.twin.labels if self.twin.is_touched(name)}


TestEdits = Edits.TestCase
TestEdits.settings = settings(
    max_examples=20, stateful_step_count=6, deadline=None, phases=set(Phase) - {Phase.explain}
)
