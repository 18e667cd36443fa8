"""Large tables are read by compiled loops: the same bits and the same errors as the plain readers give."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from places import SOURCES
from truepath import open_dataset
from truepath.data import read_scores
from truepath.data.tables import cut
from truepath.errors import TruePathError

NUMBERS = ["1", "-0", "0.1", "1e5", "1E-7", ".5", "5.", "+3", "-1.5e+300", "1e-320", "1e400", "0.30000000000000004"]
NUMBERS += ["9007199254740993", "12345678901234567890123", "1e23", "8.5e22", "2.2250738585072011e-308", " 7 ", "\t2"]
STRANGE = ["", " ", "?", "nan", "NaN", "inf", "-Infinity", "1_0", "٣", "e5", ".", "1e", "--1", "0x10", "1.5.2", "1 2"]
WORDS = [
    "a",
    "b",
    "red",
    "dark blue",
    "a-word-that-is-longer-than-eight",
    "a-word-that-is-longer-than-eighT",
    "seven-7",
    "eight--8",
    "eight--9",
    "sixteen--letters",
    "é",
    "日本",
]
QUOTED = ['"a"', '"a, b"', '"say ""a"""', '""', '"1.5"', 'a"b', '"two\nlines"', '"open', '"a"b', '"x" ']
ARFF_QUOTED = [
    "'dark blue'",
    '"dark blue"',
    "'a'",
    "'it\\'s'",
    "'a",
    "'a'b",
    "'a, b'",
    " 'a' ",
    "'1.5'",
    "'?'",
    "'a\\'",
    "\u00a0a",
]
N_EXAMPLES = int(os.environ.get("TRUEPATH_TEST_EXAMPLES", "40"))
ENDS = ["\n", "\r\n", "\n\n", "\n \n"]


def both(read, path):
    """Read a file plainly and by the compiled loops; errors are given as text."""
    found = []
    for large in (1 << 60, 0):
        before, cut.LARGE = cut.LARGE, large
        try:
            found.append(read(path))
        except TruePathError as problem:
            found.append(f"{type(problem).__name__} {problem}")
        finally:
            cut.LARGE = before
    return found


def same_bits(a, b):
    a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
    assert a.shape == b.shape
    is_nan = np.isnan(a)
    np.testing.assert_array_equal(is_nan, np.isnan(b))
    np.testing.assert_array_equal(a[~is_nan].view(np.uint64), b[~is_nan].view(np.uint64))


def check_dataset(path):
    plain, fast = both(open_dataset, path)
    if isinstance(plain, str) or isinstance(fast, str):
        assert plain == fast
        return
    assert list(plain) == list(fast)
    assert plain.categories == fast.categories
    assert plain.feature_names == fast.feature_names
    for name in plain:
        same_bits(plain[name].X, fast[name].X)
        np.testing.assert_array_equal(plain[name].y, fast[name].y)
        assert plain[name].ids is None or plain[name].ids.tolist() == fast[name].ids.tolist()


def check_scores(path):
    plain, fast = both(read_scores, path)
    if isinstance(plain, str) or isinstance(fast, str):
        assert plain == fast
        return
    same_bits(plain.S, fast.S)
    assert (plain.names, plain.path) == (fast.names, fast.path)
    assert (plain.ids is None) == (fast.ids is None)
    assert plain.ids is None or plain.ids.tolist() == fast.ids.tolist()


def lines(rows):
    return st.lists(rows, min_size=1, max_size=6)


def cells(usual, rare):
    """Mostly usual cells: a file is mostly well."""
    return st.one_of(*[st.sampled_from(usual)] * 9, st.sampled_from(rare))


@st.composite
def tables(draw):
    """A header and rows; now and then a row is too long or too short."""
    number, word = cells(NUMBERS, STRANGE + QUOTED), cells(WORDS + QUOTED[:4], STRANGE + QUOTED)
    kinds = draw(st.lists(st.sampled_from([number, word]), min_size=1, max_size=4))
    label = cells(["a/b", "c", "a/b;c"], ["", '"a/b"', "a//b"])
    rows = draw(lines(st.tuples(*kinds, label)))
    text = "".join(",".join(row) + draw(st.sampled_from(ENDS[:2] * 8 + ENDS)) for row in rows)
    header = ",".join([*(f"x{k}" for k in range(len(kinds))), draw(st.sampled_from(["labels", '"labels"']))])
    if draw(st.integers(0, 9)) == 0:
        text += draw(st.sampled_from(["1\n", "1,2,3,4,5,6,7\n", ",,\n", "1"]))
    return f"{header}\n{text}" if draw(st.booleans()) else f"{header}\n{text}".rstrip("\n")


@settings(max_examples=N_EXAMPLES)
@given(tables())
@example('x0,labels\n"a\nb",c\n1,c\n')
@example("x0,labels\n1,a,\n")
def test_tables_of_labels(tmp_path_factory, text):
    path = tmp_path_factory.getbasetemp() / "table.csv"
    path.write_bytes(text.encode())
    check_dataset(path)


@st.composite
def score_files(draw):
    number = cells(NUMBERS, STRANGE + QUOTED)
    width = draw(st.integers(1, 3))
    ids = draw(st.booleans())
    rows = draw(lines(st.tuples(*([cells(WORDS, QUOTED)] if ids else []), *[number] * width)))
    header = ",".join([*(["id"] if ids else []), *(f"c{k}" for k in range(width))])
    return header + "\n" + "".join(",".join(row) + draw(st.sampled_from(ENDS[:2] * 8 + ENDS)) for row in rows)


@settings(max_examples=N_EXAMPLES)
@given(score_files())
@example("c0\n \n1\n")
def test_scores(tmp_path_factory, text):
    path = tmp_path_factory.getbasetemp() / "scores.csv"
    path.write_bytes(text.encode())
    check_scores(path)


@st.composite
def arff_files(draw):
    number = cells(NUMBERS, [*STRANGE, "'1.5'", "?"])
    word = cells(["a", "'dark blue'", "red", "?", '"dark blue"'], [*ARFF_QUOTED, *STRANGE[:3], "green"])
    kinds = draw(
        st.lists(st.sampled_from(["numeric", "{red,'dark blue',a,'it\\'s',a}", "key"]), min_size=1, max_size=4)
    )
    one = {"numeric": number, "key": cells(["r1", "r 2"], ARFF_QUOTED)}
    rows = draw(
        lines(st.tuples(*[one.get(kind, word) for kind in kinds], cells(["a/b", "c@a"], ["a / b", "", "x", "'c'"])))
    )
    between = st.sampled_from([*ENDS[:2] * 8, *ENDS, "\n% a, comment\n", " \n", "\t\n  "])
    separator = draw(st.sampled_from([",", ",", ", ", " ,\t"]))
    head = "@relation r\n" + "".join(f"@attribute x{k} {kind}\n" for k, kind in enumerate(kinds))
    body = "".join(separator.join(row) + draw(between) for row in rows)
    return head + "@attribute class hierarchical a,a/b,c\n@data\n" + body


@settings(max_examples=N_EXAMPLES)
@given(arff_files())
def test_arff_files(tmp_path_factory, text):
    path = tmp_path_factory.getbasetemp() / "rows.arff"
    path.write_bytes(text.encode())
    check_dataset(path)


def test_several_files_share_their_words(tmp_path):
    (tmp_path / "train.csv").write_text("x,y,labels\n" + "red,1,a\nblue,2,b\n" * 3)
    (tmp_path / "test.csv").write_text("x,y,labels\n" + "green,1,a\n,u,b\nred,,a\n" * 3)
    plain, fast = both(open_dataset, tmp_path)
    assert plain.categories == fast.categories == {0: ("blue", "green", "red"), 1: ("1", "2", "u")}
    for name in plain:
        same_bits(plain[name].X, fast[name].X)


def test_a_column_with_many_words(tmp_path):
    rows = "".join(f"word-{k * 7919 % 3000},{k % 5},w{k % 3},a\n" for k in range(6000))
    (tmp_path / "t.csv").write_text("u,v,w,labels\n" + rows)
    check_dataset(tmp_path / "t.csv")


digits = st.text("0123456789", max_size=20)
decimals = st.builds(
    lambda sign, a, b, e: f"{sign}{a}.{b}{e}",
    st.sampled_from(["", "-", "+"]),
    digits,
    digits,
    st.one_of(st.just(""), st.integers(-350, 320).map("e{}".format)),
).filter(lambda text: any(c.isdigit() for c in text.partition("e")[0]))


@settings(max_examples=50)
@given(
    st.lists(st.one_of(decimals, st.floats(allow_nan=False, allow_infinity=False).map(repr)), min_size=1, max_size=50)
)
def test_numbers_are_those_of_python(texts):
    raw = ("\n".join(texts) + "\n").encode()
    (rows,) = cut.cut_rows(raw, 0, 1, 1, ",", "csv", str, whole=True)
    values = np.empty((len(texts), 1))
    assert rows.numbers([0], values, lambda i, k, cell: float(cell)).all()
    same_bits(values[:, 0], np.array([float(text) for text in texts]))


def test_most_numbers_need_no_python():
    numbers = np.random.default_rng(0).random(20_000)
    raw = ("\n".join(map(repr, numbers.tolist())) + "\n").encode()
    (rows,) = cut.cut_rows(raw, 0, 1, 1, ",", "csv", str, whole=True)
    values = np.empty((numbers.size, 1))
    odd = []
    rows.numbers([0], values, lambda i, k, cell: odd.append(cell) or float(cell))
    same_bits(values[:, 0], numbers)
    assert len(odd) < 20


def test_small_files_load_no_compiler(tmp_path):
    (tmp_path / "s.csv").write_text("id,a,b\n" + "x,0.5,1\n")
    read = f"from truepath.data import read_scores; read_scores({str(tmp_path / 's.csv')!r})"
    code = f"import sys; {read}; print('numba' in sys.modules)"
    environment = {**os.environ, "PYTHONPATH": str(SOURCES)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
