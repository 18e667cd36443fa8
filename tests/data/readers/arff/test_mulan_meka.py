"""MULAN's pair of files and MEKA's relation: labels among the attributes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from truepath.data import read_meka, read_mulan
from truepath.errors import DataFormatError

ARFF = """@relation tiny
@attribute sun {0,1}
@attribute size numeric
@attribute 'sea \\'n\\' sky' {0, 1}
@attribute colour {red,green}
@attribute sand {1,0}
@data
1,0.5,0,red,0
0,?,1,?,1
"""
XML = """<?xml version="1.0" encoding="utf-8"?>
<labels xmlns="http://mulan.sourceforge.net/labels">
<label name="sea 'n' sky"><label name="sand"></label></label>
<label name="sun"/>
</labels>"""


@pytest.fixture
def read(tmp_path):
    def read(arff, xml=XML):
        (tmp_path / "tiny.arff").write_text(arff)
        (tmp_path / "labels.xml").write_text(xml)
        return read_mulan(tmp_path / "tiny.arff", tmp_path / "labels.xml")

    return read


def test_nested_labels_become_a_hierarchy(read):
    ds = read(ARFF)
    assert ds.hierarchy.names.tolist() == ["sea 'n' sky", "sand", "sun"]
    assert ds.hierarchy.edges.tolist() == [[0, 1]]
    assert ds["all"].y.astype(int).tolist() == [[0, 0, 1], [1, 1, 0]]
    assert ds.feature_names == ("size", "colour")
    np.testing.assert_array_equal(ds["all"].X, [[0.5, 0], [np.nan, np.nan]])


def test_sparse_rows_count_from_zero_and_absent_is_the_first_value(read):
    ds = read(ARFF[: ARFF.index("1,0.5")] + "{0 1,1 0.5,4 0}\n{2 1,3 green}\n{}\n")
    assert sparse.issparse(ds["all"].X)
    assert ds["all"].X.toarray().tolist() == [[0.5, 0], [0, 1], [0, 0]]
    # sand is declared {1,0}: left out, it is 1; then closure adds the sea
    assert ds["all"].y.astype(int).tolist() == [[0, 0, 1], [1, 1, 0], [1, 1, 0]]
    assert ds["all"].n_written.tolist() == [1, 2, 1]


def test_labels_may_be_numeric(read):
    ds = read(ARFF.replace("sun {0,1}", "sun numeric"))
    assert ds["all"].y[:, 2].tolist() == [True, False]


@pytest.mark.parametrize(
    ("arff", "xml", "problem", "line"),
    [
        (ARFF, XML.replace('"sun"', '"moon"'), "label 'moon' has no attribute", None),
        (ARFF.replace("size", "sun"), XML, "label 'sun' has 2 attributes", None),
        (ARFF, XML.replace('"sun"', '"sand"'), "label 'sand' is listed twice", None),
        (ARFF, XML.replace("</labels>", ""), "not well-formed XML", 5),
        (ARFF, XML.replace('<label name="sun"/>', "<tag/>"), "element <tag>", None),
        (ARFF, XML.replace('<label name="sun"/>', "<label/>"), "a <label> without a name", None),
        (ARFF, "<labels/>", "no <label name=...> elements", None),
        (ARFF, "", "not well-formed XML", 1),
        (ARFF, XML.replace("utf-8", "utf-99"), "not well-formed XML", None),
        (ARFF.replace("sun {0,1}", "sun {no,yes}"), XML, "must be declared {0,1}", 2),
        (ARFF.replace("\n1,0.5", "\n?,0.5"), XML, "label 'sun' must be 0 or 1, not missing", 8),
        (ARFF.replace("sun {0,1}", "sun numeric").replace("\n0,?", "\n2,?"), XML, "must be 0 or 1, not 2", 9),
        (ARFF.replace("{0,1}\n@attribute size", "{0,1}\n@attribute size string\n@attribute s2"), XML, "values in", 9),
    ],
)
def test_mulan_faults(read, arff, xml, problem, line):
    with pytest.raises(DataFormatError) as caught:
        read(arff, xml)
    assert problem in str(caught.value)
    assert caught.value.line == line


MEKA = """@RELATION "tiny: -C 2"

@ATTRIBUTE sun {0, 1}
@ATTRIBUTE sea {0, 1}
@ATTRIBUTE blue {0, 1}
@DATA
1,0,1
0,0,0
%\x20
%\x20
"""


def read_text(tmp_path, text):
    (tmp_path / "m.arff").write_text(text)
    return read_meka(tmp_path / "m.arff")


def test_meka_labels_first(tmp_path):
    ds = read_text(tmp_path, MEKA)
    assert (ds.name, ds.hierarchy.names.tolist(), ds.feature_names) == ("tiny", ["sun", "sea"], ("blue",))
    assert ds["all"].y.tolist() == [[True, False], [False, False]]
    assert ds.describe().n_unlabeled == 1


def test_meka_labels_last(tmp_path):
    ds = read_text(tmp_path, MEKA.replace("-C 2", "-C -2 -split 5"))
    assert (ds.hierarchy.names.tolist(), ds.feature_names) == (["sea", "blue"], ("sun",))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (MEKA.replace("-C 2", ""), "does not say how many labels"),
        (MEKA.replace("-C 2", "-C 0"), "-C 0, but there are 3"),
        (MEKA.replace("-C 2", "-C 4"), "-C 4, but there are 3"),
        (MEKA.replace("-C 2", "-C -4"), "-C -4, but"),
        (MEKA.replace("sea", "sun"), "two labels are called 'sun'"),
    ],
)
def test_meka_faults(tmp_path, text, problem):
    with pytest.raises(DataFormatError, match=problem):
        read_text(tmp_path, text)
