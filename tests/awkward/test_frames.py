"""Score and label frames: the columns are found by name in every metric, decoder and combiner."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from truepath import Hierarchy
from truepath.combiners import Blend, MinDown
from truepath.decoders import SingleThreshold, Threshold, TopLeaves
from truepath.errors import TruePathError, UnknownLabelError
from truepath.metrics import auprc, bootstrap_interval, evaluate, hierarchical_f1, incoherent_share, list_metrics
from truepath.registry import COMBINERS, DECODERS, METRICS

TREE = Hierarchy.from_paths(["a/1", "a/2", "b/1", "b/2"])
NAMES = TREE.names.tolist()
ORDER = [3, 0, 5, 2, 4, 1]
RNG = np.random.default_rng(3)
S = MinDown(hierarchy=TREE).transform(RNG.random((40, 6)))
Y = TREE.close(RNG.random(S.shape) < S)
LIBRARIES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


def frame(values, library="pandas", names=NAMES, order=ORDER):
    """Make a frame with the columns in another order."""
    return LIBRARIES[library]({names[v]: values[:, v] for v in order})


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", list_metrics())
def test_metrics(name, library):
    metric = METRICS[name]
    plain, frames = (Y, S if metric.needs == "scores" else Y[::-1]), None
    frames = [frame(np.asarray(M), library) for M in plain]
    expected = metric(*plain, TREE)
    assert metric(*frames, TREE) == pytest.approx(expected, nan_ok=True)
    assert metric(plain[0], frames[1], TREE) == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("member", DECODERS.members(), ids=lambda member: member.name)
def test_decoders(member):
    expected = member(hierarchy=TREE).fit(S, Y).predict(S)
    found = member(hierarchy=TREE).fit(frame(S), frame(Y)).predict(frame(S, "polars"))
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("member", COMBINERS.members(), ids=lambda member: member.name)
def test_combiners(member):
    expected = member(hierarchy=TREE).fit(S, Y).transform(S)
    found = member(hierarchy=TREE).fit(frame(S, "polars"), frame(Y)).transform(frame(S, "pyarrow"))
    np.testing.assert_allclose(found, expected)


def test_several_frames_are_blended():
    expected = Blend(hierarchy=TREE).fit([S, S**2], Y).transform([S, S**2])
    found = Blend(hierarchy=TREE).fit([frame(S), S**2], Y).transform([S, frame(S**2, "polars")])
    np.testing.assert_allclose(found, expected)


def test_without_a_hierarchy_frames_are_matched_with_each_other():
    assert auprc(frame(Y), frame(S, order=range(6))) == pytest.approx(auprc(Y, S))
    fitted = SingleThreshold().fit(frame(S), frame(Y, order=range(6)))
    expected = SingleThreshold().fit(S[:, ORDER], Y[:, ORDER]).predict(S[:, ORDER])
    np.testing.assert_array_equal(fitted.predict(frame(S, "polars", order=range(6))), expected)


def test_the_rest_of_the_metrics_module():
    assert evaluate(frame(Y), frame(Y), frame(S), TREE) == pytest.approx(evaluate(Y, Y, S, TREE), nan_ok=True)
    options = {"n_resamples": 20, "random_state": 0}
    found = bootstrap_interval("auprc", frame(Y), frame(S, "polars"), TREE, **options)
    assert found == pytest.approx(bootstrap_interval("auprc", Y, S, TREE, **options))
    assert incoherent_share(frame(S), TREE) == 0


def test_arrays_and_frames_without_names_go_by_position():
    expected = Threshold(hierarchy=TREE).predict(S)
    np.testing.assert_array_equal(Threshold(hierarchy=TREE).predict(pd.DataFrame(S)), expected)
    np.testing.assert_array_equal(Threshold(hierarchy=TREE).predict(S.tolist()), expected)


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_wrong_name_answers_with_the_nearest(library):
    wrong = frame(S, library, [*NAMES[:-1], "b/22"])
    for use in (
        lambda: Threshold(hierarchy=TREE).predict(wrong),
        lambda: MinDown(hierarchy=TREE).transform(wrong),
        lambda: auprc(Y, wrong, TREE),
        lambda: hierarchical_f1(frame(Y, library, [*NAMES[:-1], "b/22"]), Y, TREE),
    ):
        with pytest.raises(UnknownLabelError, match=r"the column 'b/22' is not in the hierarchy.*Did you mean 'b/2'"):
            use()


def test_a_missing_column_and_a_column_of_ids_are_named():
    with pytest.raises(TruePathError, match=r"S: no column for 1 of the hierarchy's 6 nodes: 'b/2'"):
        TopLeaves(hierarchy=TREE).predict(frame(S, order=range(5)))
    with_ids = frame(S).assign(gene=[f"g{i}" for i in range(40)])
    with pytest.raises(UnknownLabelError, match=r"the column 'gene' is not in the hierarchy.*column of row ids"):
        Threshold(hierarchy=TREE).predict(with_ids)
    np.testing.assert_array_equal(
        Threshold(hierarchy=TREE).predict(with_ids.set_index("gene")), Threshold(hierarchy=TREE).predict(S)
    )


def test_missing_values_and_texts_are_refused_by_name():
    holes = frame(S).astype("Float64")
    holes.iloc[2, 0] = pd.NA
    with pytest.raises(TruePathError, match=rf"NaN or infinity in row 2, label '{NAMES[ORDER[0]]}'"):
        Threshold(hierarchy=TREE).predict(holes)
    texts = frame(S).assign(b="high")
    with pytest.raises(TypeError, match="column 'b' holds String"):
        Threshold(hierarchy=TREE).predict(texts)


@pytest.mark.parametrize("dtype", ["Float64", "float32", "Float32", "float64[pyarrow]"])
def test_types_of_pandas(dtype):
    found = MinDown(hierarchy=TREE).transform(frame(S).astype(dtype))
    np.testing.assert_allclose(found, S, rtol=1e-6)


def test_nullable_booleans_are_labels():
    assert hierarchical_f1(frame(Y).astype("boolean"), frame(Y).astype("Int64"), TREE) == 1
