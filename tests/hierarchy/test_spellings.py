"""Labels that differ only in how they are spelled, against a plain count."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from truepath.hierarchy.spellings import find_spellings, plain_spelling

PARTS = st.sampled_from(["a", "A", "a ", "b", "\u00e9", "E\u0301"])


@given(st.dictionaries(st.lists(PARTS, min_size=1, max_size=4).map(tuple), st.integers(1, 3), max_size=8))
def test_the_usual_spelling_of_each_node_is_counted_as_a_loop_does(paths):
    found = find_spellings(paths)
    heads = list(dict.fromkeys(path[:k] for path in paths for k in range(1, len(path) + 1)))

    def usual(path):
        like = [head for head in heads if plain(head) == plain(path)]
        rows = {part: 0 for part in dict.fromkeys(head[-1] for head in like)}
        for given_path, n in paths.items():
            head = given_path[: len(path)]
            if head in like:
                rows[head[-1]] += n
        return max(rows, key=rows.get)

    def plain(path):
        return tuple(map(plain_spelling, path))

    merged = {head: tuple(usual(head[:k]) for k in range(1, len(head) + 1)) for head in heads}
    assert found == {head: to for head, to in merged.items() if head != to}
