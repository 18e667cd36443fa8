"""Saved here, loaded in a fresh process, the same bits of predictions; and the checks around that."""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from threadpoolctl import threadpool_limits

from learners_room import make
from persistence_room import TREE, answer, fitted, make_data, make_scores
from places import SOURCES, TESTS
from truepath import Hierarchy
from truepath.combiners import MaxUp
from truepath.decoders import SingleThreshold
from truepath.errors import ModelFileError, TruePathError
from truepath.files.writing import open_atomically
from truepath.learners import POLICIES, BinaryRelevance, PCTForest, SiblingLasso
from truepath.persistence import describe_model, load, model_file, save, trusted_types
from truepath.persistence.container import read_model

LOAD_ALL = """
import sys, warnings
import numpy as np
from persistence_room import answer
from truepath.persistence import load

warnings.simplefilter("error")
for line in sys.stdin:
    name, path = line.rstrip("\\n").split("\\t")
    np.savez(path + ".npz", **answer(name, load(path)))
"""


@pytest.fixture(autouse=True)
def one_thread():
    """Small fits are slow where threads wait for each other."""
    with threadpool_limits(1):
        yield


@pytest.mark.slow
def test_every_estimator_predicts_the_same_bits_in_a_fresh_process(tmp_path):
    models = fitted()
    files = {name: tmp_path / f"{number}.truepath" for number, name in enumerate(models)}
    for name, model in models.items():
        save(model, files[name])
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join([str(SOURCES), str(TESTS)])}
    listing = "".join(f"{name}\t{path}\n" for name, path in files.items())
    command = [sys.executable, "-c", LOAD_ALL]
    done = subprocess.run(command, input=listing, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    for name, model in models.items():
        with np.load(f"{files[name]}.npz") as found:
            expected = answer(name, model)
            assert set(found) == set(expected)
            for method, value in expected.items():
                assert found[method].tobytes() == value.tobytes(), (name, method)
    assert {describe_model(path)["class"] for path in files.values()} >= {"truepath.learners.PCTForest"}
    assert all(describe_model(path)["untrusted_types"] == [] for path in files.values())


@pytest.mark.parametrize(
    "estimator",
    [
        RandomForestClassifier(3, random_state=0),
        GradientBoostingClassifier(n_estimators=2, random_state=0),
        HistGradientBoostingClassifier(max_iter=2, min_samples_leaf=2),
        make_pipeline(StandardScaler(), LogisticRegression()),
        make_pipeline(FunctionTransformer(np.sqrt, check_inverse=False), LogisticRegression()),
        make_pipeline(
            ColumnTransformer([("one", StandardScaler(), [0, 1])], remainder="passthrough"), LogisticRegression()
        ),
    ],
    ids=lambda estimator: type(estimator[0] if hasattr(estimator, "steps") else estimator).__name__,
)
def test_estimators_of_scikit_learn_inside(estimator, tmp_path):
    X, Y = make_data()
    X = abs(X)
    model = BinaryRelevance(estimator, hierarchy=TREE).fit(X, Y)
    save(model, tmp_path / "model")
    np.testing.assert_array_equal(load(tmp_path / "model").predict_proba(X), model.predict_proba(X))


def test_calibrated_and_text_models(tmp_path):
    X, Y = make_data()
    model = BinaryRelevance(LogisticRegression(), hierarchy=TREE, calibrate_each="sigmoid").fit(X, Y)
    save(model, tmp_path / "model")
    np.testing.assert_array_equal(load(tmp_path / "model").predict_proba(X), model.predict_proba(X))
    texts = ["red apple", "green pear", "red pear", "green apple"] * 3
    h = Hierarchy.from_paths(["fruit/apple", "fruit/pear"])
    labels = [["fruit/apple"], ["fruit/pear"], ["fruit/pear"], ["fruit/apple"]] * 3
    vectors = TfidfVectorizer().fit(texts)
    text_model = make_pipeline(vectors, BinaryRelevance(LogisticRegression(), hierarchy=h)).fit(texts, h.encode(labels))
    save(text_model, tmp_path / "texts")
    np.testing.assert_array_equal(load(tmp_path / "texts").predict(texts), text_model.predict(texts))
    assert describe_model(tmp_path / "texts")["hierarchy"]["n_nodes"] == 3


def test_random_states_and_generators_round_trip(tmp_path):
    X, Y = make_data()
    for random_state in (np.random.RandomState(3), np.random.default_rng(3)):
        model = MaxUp(hierarchy=TREE).fit(make_scores())
        model.drawn_ = random_state
        save(model, tmp_path / "model")
        found = load(tmp_path / "model").drawn_
        assert type(found) is type(random_state)
        np.testing.assert_array_equal(found.uniform(size=4), random_state.uniform(size=4))
    seeded = PCTForest(hierarchy=TREE, n_estimators=2, random_state=np.random.RandomState(1)).fit(X, Y)
    save(seeded, tmp_path / "forest")
    np.testing.assert_array_equal(load(tmp_path / "forest").predict_proba(X), seeded.predict_proba(X))


def test_the_hierarchy_is_shared_again_and_stays_immutable(tmp_path):
    model = SingleThreshold("micro_f1", hierarchy=TREE).fit(make_scores(), TREE.close(make_scores() > 0.5))
    save(model, tmp_path / "model")
    found = load(tmp_path / "model")
    assert found.hierarchy is found.hierarchy_
    assert found.hierarchy == TREE
    assert not found.hierarchy.names.flags.writeable
    with pytest.raises(AttributeError, match="immutable"):
        found.hierarchy.__setstate__(TREE.__getstate__())
    aliased = Hierarchy(["a", "b"], np.array([[0, 1]]), {"other": "b"}, "/")
    save(MaxUp(hierarchy=aliased).fit([[0.5, 0.2]]), tmp_path / "aliased")
    back = load(tmp_path / "aliased").hierarchy
    assert (back.index("other"), back.sep, back) == (1, "/", aliased)


def test_estimators_still_pickle_and_clone():
    X, Y = make_data()
    lasso = SiblingLasso(hierarchy=TREE, alpha=0.05).fit(X, Y)
    again = pickle.loads(pickle.dumps(lasso))
    assert again.alphas_ == lasso.alphas_
    assert None in again.gaps_
    assert "alphas_" not in vars(clone(lasso))
    policy = pickle.loads(pickle.dumps(POLICIES["siblings"]))
    assert policy == POLICIES["siblings"]
    assert pickle.loads(pickle.dumps(TREE)) == TREE


def test_metadata_say_what_the_model_is(tmp_path):
    pandas = pytest.importorskip("pandas")
    X, Y = make_data()
    frame = pandas.DataFrame(X, columns=[f"größe {j}" for j in range(X.shape[1])])
    save(make("binary-relevance", TREE).fit(frame, Y), tmp_path / "model")
    found = describe_model(tmp_path / "model")
    assert found["class"] == "truepath.learners.BinaryRelevance"
    assert found["feature_names"] == list(frame.columns)
    assert found["n_features"] == X.shape[1]
    assert found["hierarchy"]["n_nodes"] == TREE.n_nodes
    assert found["hierarchy"]["is_tree"] is True
    assert len(found["hierarchy"]["digest"]) == 64
    assert set(found) >= {"truepath", "scikit-learn", "numpy", "skops", "created"}


def test_metadata_find_the_hierarchy_within_a_search(tmp_path):
    X, Y = make_data()
    search = GridSearchCV(PCTForest(n_estimators=2, hierarchy=TREE, random_state=0), {"max_depth": [2]}, cv=2)
    save(search.fit(X, Y), tmp_path / "model")
    assert describe_model(tmp_path / "model")["hierarchy"]["n_nodes"] == TREE.n_nodes


def test_what_cannot_be_saved_is_said(tmp_path):
    X, Y = make_data()
    with pytest.raises(NotFittedError):
        save(BinaryRelevance(LogisticRegression(), hierarchy=TREE), tmp_path / "model")
    odd = make_pipeline(FunctionTransformer(lambda X: X), LogisticRegression())
    with pytest.raises(ModelFileError, match=r"<lambda>.*Define it in a module"):
        save(BinaryRelevance(odd, hierarchy=TREE).fit(X, Y), tmp_path / "model")
    model = MaxUp(hierarchy=TREE).fit(make_scores())
    model.table_ = {(1, 2): 3}
    with pytest.raises(ModelFileError, match="MaxUp holds something that cannot be saved"):
        save(model, tmp_path / "model")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "model")


class Own(LogisticRegression):
    """A type that truepath does not know."""


def test_a_foreign_type_is_refused_by_name_until_trusted(tmp_path):
    X, Y = make_data()
    model = BinaryRelevance(Own(), hierarchy=TREE).fit(X, Y)
    save(model, tmp_path / "model")
    name = f"{Own.__module__}.Own"
    assert describe_model(tmp_path / "model")["untrusted_types"] == [name]
    with pytest.raises(ModelFileError, match=r"not trusted: '.*Own'.*load\(path, trusted=\['.*Own'\]\)"):
        load(tmp_path / "model")
    for trusted in ([name], [Own]):
        found = load(tmp_path / "model", trusted=trusted)
        np.testing.assert_array_equal(found.predict_proba(X), model.predict_proba(X))
    with pytest.raises(TypeError, match="trusted must be a list"):
        load(tmp_path / "model", trusted=name)


class Foreign:
    """Stands for the types of a package that truepath does not know."""


FOREIGN = {f"Foreign{k}": type(f"Foreign{k}", (Foreign,), {"__module__": __name__}) for k in range(9)}
globals().update(FOREIGN)


def test_many_foreign_types_are_cut_short(tmp_path):
    model = MaxUp(hierarchy=TREE).fit(make_scores())
    names = [f"{__name__}.{name}" for name in FOREIGN]
    for n_types, end in ((8, ""), (9, ", ...")):
        model.parts_ = [cls() for cls in list(FOREIGN.values())[:n_types]]
        save(model, tmp_path / "model")
        listed = ", ".join(map(repr, names[:8]))
        with pytest.raises(ModelFileError, match=re.escape(f"not trusted: {listed}{end}.")):
            load(tmp_path / "model")
        assert len(load(tmp_path / "model", trusted=names).parts_) == n_types


def test_how_much_is_unpacked_follows_the_limits_of_readers(tmp_path, monkeypatch):
    path = tmp_path / "model"
    save(MaxUp(hierarchy=TREE).fit(make_scores()), path)
    size = len(read_model(path).payload)
    for line, ratio, most in ((1, 1, size), (1, 2, 2 * size), (size, 1, 2 * size), (size, 3, 3 * size)):
        monkeypatch.setenv("TRUEPATH_MAX_LINE", str(line))
        monkeypatch.setenv("TRUEPATH_MAX_RATIO", str(ratio))
        with pytest.raises(ModelFileError, match=f"more than max_bytes={most:,}. If you expect"):
            load(path)
    monkeypatch.setenv("TRUEPATH_MAX_RATIO", "1000")
    load(path)
    monkeypatch.setattr(model_file, "MAX_BYTES", 1000)
    with pytest.raises(ModelFileError, match=r"more than max_bytes=1,000\. If you expect"):
        load(path)


def test_a_wrong_limit_is_not_the_fault_of_the_file(tmp_path, monkeypatch):
    save(MaxUp(hierarchy=TREE).fit(make_scores()), tmp_path / "model")
    monkeypatch.setenv("TRUEPATH_MAX_RATIO", "many")
    for options in ({}, {"max_bytes": 10**9}):
        with pytest.raises(TruePathError, match="TRUEPATH_MAX_RATIO") as found:
            load(tmp_path / "model", **options)
        assert not isinstance(found.value, ModelFileError)


def test_another_version_of_scikit_learn_is_warned_of_once(tmp_path, monkeypatch):
    X, Y = make_data()
    save(make("binary-relevance", TREE).fit(X, Y), tmp_path / "model")
    monkeypatch.setattr("sklearn.__version__", "0.9.9")
    with pytest.warns(UserWarning, match=r"saved with scikit-learn .*, this is 0\.9\.9") as caught:
        load(tmp_path / "model")
    assert len(caught) == 1


def test_a_failed_write_leaves_the_old_file_and_no_litter(tmp_path, monkeypatch):
    path = tmp_path / "model"
    save(MaxUp(hierarchy=TREE).fit(make_scores()), path)
    before = path.read_bytes()

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        save(SingleThreshold("micro_f1", hierarchy=TREE).fit(make_scores(), TREE.close(make_scores() > 0.5)), path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["model"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_disk_that_is_really_full(tmp_path, monkeypatch):
    path = tmp_path / "model"
    path.write_bytes(b"old")
    really_open = open
    monkeypatch.setattr(
        "builtins.open",
        lambda file, *args, **k: really_open("/dev/full" if str(file).endswith(".part") else file, *args, **k),
    )
    with pytest.raises(OSError, match="No space left"), open_atomically(path) as file:
        file.write(b"new" * 100_000)
    monkeypatch.undo()
    assert path.read_bytes() == b"old"


def test_links_are_followed_and_rights_kept(tmp_path):
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_bytes(b"old")
    real.chmod(0o640)
    link.symlink_to(real)
    with open_atomically(link) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"
    assert real.stat().st_mode & 0o777 == 0o640


def test_the_list_of_trusted_types_is_explicit():
    names = trusted_types()
    homes = ("truepath.", "sklearn.", "scipy.sparse.", "numpy.dtype", "collections.")
    assert all(name.startswith(homes) for name in names)
    assert "truepath.classifier" not in names
    assert not any("system" in name or "eval" in name or name.startswith("builtins") for name in names)
    assert issubclass(ModelFileError, TruePathError)
    error = pickle.loads(pickle.dumps(ModelFileError("odd", "file")))
    assert (str(error), error.path) == ("file: odd", "file")
