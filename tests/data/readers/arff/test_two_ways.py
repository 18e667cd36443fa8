"""The quick and the careful way of reading rows agree: one quoted cell is enough to force the careful one."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from truepath.data import read_clus_arff

HEADER = """@relation r
@attribute x numeric
@attribute colour {red,green}
@attribute y numeric
@attribute class hierarchical a,a/b,c
@data
"""

numbers = st.one_of(st.none(), st.floats(allow_nan=False), st.integers(-(10**6), 10**6))
rows = st.lists(
    st.tuples(
        numbers,
        st.sampled_from([None, "red", "green"]),
        numbers,
        st.lists(st.sampled_from(["a", "a/b", "c"]), min_size=1, unique=True),
    ),
    min_size=1,
    max_size=6,
)


def shown(value):
    return "?" if value is None else str(value)


def code(value):
    return math.nan if value is None else {"red": 0.0, "green": 1.0}.get(value, value)


@settings(max_examples=60)
@given(rows)
def test_dense_and_sparse_quick_and_careful(tmp_path_factory, table):
    folder = tmp_path_factory.mktemp("rows")
    quoted = [(x, f"'{c}'" if c else None, y, labels) for x, c, y, labels in table]
    expected = np.array([[code(x), code(c), code(y)] for x, c, y, _ in table], dtype=float)
    found = []
    for k, kind in enumerate([table, quoted]):
        dense = "\n".join(",".join([shown(x), shown(c), shown(y), "@".join(labels)]) for x, c, y, labels in kind)
        thin = "\n".join(f"{{1 {shown(x)},2 {shown(c)},3 {shown(y)},4 {'@'.join(labels)}}}" for x, c, y, labels in kind)
        for name, text in (
            (f"dense{k}.arff", dense),
            (f"thin{k}.arff", thin),
            (f"wide{k}.arff", thin.replace(",", " , ")),
        ):
            (folder / name).write_text(HEADER + text + "\n")
            found.append(read_clus_arff(folder / name)["all"])
    for split in found:
        X = split.X if isinstance(split.X, np.ndarray) else split.X.toarray()
        np.testing.assert_array_equal(X, expected)
        np.testing.assert_array_equal(split.y, found[0].y)
        assert split.n_written.tolist() == [len(labels) for *_, labels in table]


@settings(max_examples=30)
@given(rows, st.randoms())
def test_row_order_is_kept(tmp_path_factory, table, random):
    file = tmp_path_factory.mktemp("order") / "r.arff"
    order = list(range(len(table)))
    random.shuffle(order)
    splits = []
    for arrangement in (range(len(table)), order):
        lines = [",".join([*map(shown, table[i][:3]), "@".join(table[i][3])]) for i in arrangement]
        file.write_text(HEADER + "\n".join(lines))
        splits.append(read_clus_arff(file)["all"])
    np.testing.assert_array_equal(splits[0].take(np.array(order)).X, splits[1].X)
    np.testing.assert_array_equal(splits[0].take(np.array(order)).y, splits[1].y)
