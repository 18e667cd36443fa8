"""Several models by name, and files that are replaced: the steps of both, in this process."""

from __future__ import annotations

import gc
import logging
import os
import weakref

import pytest
from prometheus_client.parser import text_string_to_metric_families

from truepath import HierarchicalClassifier
from truepath.cli.serve import name_models
from truepath.errors import ModelFileError, TruePathError
from truepath.serve import ServeSettings, make_app
from truepath.serve.app import planned_app
from truepath.serve.connection import PREDICT
from truepath.serve.releases import Releases, load_release, version_of

from .conftest import LABELS, TEXTS, client_of, client_of_app, refused

ODD = "a & b?"


@pytest.fixture(scope="module")
def other():
    """A model of the same texts with other labels."""
    return HierarchicalClassifier(cv=2).fit(TEXTS * 2, [[f"new/{label[0]}"] for label in LABELS] * 2)


@pytest.fixture(scope="module")
def both(model, other):
    with client_of({"old": model, ODD: other}) as client:
        yield client


def predict(client, path="/predict"):
    answer = client.post(path, json={"texts": TEXTS})
    assert answer.status_code == 200, answer.text
    return [tuple(row["labels"]) for row in answer.json()["predictions"]]


def test_a_model_answers_by_its_name_and_the_first_without(both, model, other):
    assert predict(both) == predict(both, "/models/old/predict") == model.predict_labels(TEXTS)
    assert predict(both, "/models/a%20%26%20b%3F/predict") == other.predict_labels(TEXTS)
    explained = both.post("/models/a%20%26%20b%3F/explain", json={"text": TEXTS[0]}).json()
    assert tuple(explained["labels"]) == other.predict_labels(TEXTS[:1])[0]
    names = [row["name"] for row in both.get("/models/a%20%26%20b%3F/hierarchy").json()["labels"]]
    assert names == other.hierarchy_.names.tolist()
    assert both.get("/model").json() == both.get("/models/old").json()
    assert both.get("/models/old").json()["labels"] == model.hierarchy_.n_nodes


def test_models_are_listed_with_their_addresses(both, model, other):
    listed = both.get("/models").json()["models"]
    assert [(one["name"], one["labels"]) for one in listed] == [
        ("old", model.hierarchy_.n_nodes),
        (ODD, other.hierarchy_.n_nodes),
    ]
    assert [both.get(one["address"]).json()["name"] for one in listed] == ["old", ODD]


@pytest.mark.parametrize(
    ("method", "below"), [("GET", ""), ("GET", "/hierarchy"), ("POST", "/predict"), ("POST", "/explain")]
)
def test_an_unknown_name_is_answered_with_those_that_are_known(both, method, below):
    answer = both.request(method, f"/models/odl{below}", json={"text": "a"} if method == "POST" else None)
    said = refused(answer, 404)
    assert "'odl'" in said
    assert "'old'" in said
    assert len(refused(both.get("/models/" + "x" * 20_000), 404)) < 500


def test_the_description_lists_the_names(both):
    paths = both.get("/openapi.json").json()["paths"]
    for path, methods in paths.items():
        for about in methods.values():
            named = [given for given in about.get("parameters", ()) if given["in"] == "path"]
            assert [given["schema"]["enum"] for given in named] == ([["old", ODD]] if "{name}" in path else [])
            assert ("404" in about["responses"]) == ("{name}" in path)
    assert "a &amp; b?" in both.get("/docs").text


def test_requests_are_counted_by_the_names_that_there_are(both):
    predict(both, "/models/old/predict")
    both.post("/models/none/predict", json={"texts": ["a"]})
    families = text_string_to_metric_families(both.get("/metrics").text)
    found = {s.labels.get("path") for family in families for s in family.samples} - {None}
    assert "/models/old/predict" in found
    assert "other" in found
    assert not [path for path in found if "none" in path]


def test_rows_that_wait_are_counted_over_all_models(both):
    for path in ("/predict", "/models/a%20%26%20b%3F/predict"):
        predict(both, path)
    assert "truepath_waiting_rows 0.0" in both.get("/metrics").text


@pytest.mark.parametrize("name", ["", "a/b", "..", ".", "a\nb", "x" * 101, "\udcff"])
def test_names_that_cannot_stand_in_an_address_are_refused(model, name):
    with pytest.raises(TruePathError, match="name of a model"):
        make_app({name: model})


def test_a_server_of_no_model_is_refused():
    with pytest.raises(TruePathError, match="no model"):
        make_app({})


def test_one_model_is_named_by_its_settings_or_its_data(model):
    with client_of(model, ServeSettings(name="mine")) as client:
        assert predict(client, "/models/mine/predict") == model.predict_labels(TEXTS)
    with client_of(model) as client:
        (listed,) = client.get("/models").json()["models"]
        assert client.get(listed["address"]).status_code == 200
        assert listed["version"] == ""  # it comes from no file
        assert "x-model-version" not in client.get("/model").headers


def test_files_have_names(tmp_path):
    (tmp_path / "x=y.tp").write_bytes(b"")
    given = [tmp_path / "x=y.tp", f"z={tmp_path}/x=y.tp", "a.b.tp", "c=d=e.tp"]
    found = name_models([type(tmp_path)(one) for one in given])
    assert {name: os.fspath(path) for name, path in found.items()} == {
        "x=y": f"{tmp_path}/x=y.tp",
        "z": f"{tmp_path}/x=y.tp",
        "a.b": "a.b.tp",
        "c": "d=e.tp",
    }
    with pytest.raises(TruePathError, match="'x=' names no file"):
        name_models([type(tmp_path)("x=")])
    with pytest.raises(TruePathError, match="two models are called 'a'"):
        name_models([type(tmp_path)(one) for one in ("x/a.tp", "y/a.tp")])


def test_the_start_of_a_request_says_for_which_model_it_is():
    assert PREDICT.match(b"POST /predict HTTP/1.1")[1] is None
    assert PREDICT.match(b"POST /models/a%20b/predict HTTP/1.1")[1] == b"a%20b"
    assert not PREDICT.match(b"POST /models/a/explain HTTP/1.1")
    assert not PREDICT.match(b"POST /predictions HTTP/1.1")


# ------------------------------------------------------------------------------- files that are replaced


@pytest.fixture
def files(model, other, tmp_path):
    """A model file, another to replace it with, and a folder for copies."""
    model.save(tmp_path / "m.tp")
    other.save(tmp_path / "next.tp")
    (tmp_path / "copies").mkdir()
    return tmp_path


@pytest.fixture
def log(caplog):
    caplog.set_level(logging.INFO, "truepath.serve")
    logger = logging.getLogger("truepath.serve")
    before, logger.propagate = logger.propagate, True
    yield lambda: [(record.getMessage(), getattr(record, "fields", {})) for record in caplog.records]
    logger.propagate = before


def releases_of(files, **options):
    return Releases({"m": files / "m.tp"}, files / "copies", **options)


def replace(files, content=None):
    (files / "part").write_bytes((files / "next.tp").read_bytes() if content is None else content)
    (files / "part").replace(files / "m.tp")


def test_a_release_is_current_once_all_workers_have_it(files, log):
    kept = releases_of(files)
    board, first = kept.board, kept.board.current(0)
    kept.step({1, 2})
    assert board.wanted(0) == first
    replace(files)
    kept.step({1, 2})
    assert board.wanted(0) == first  # it may be written still
    kept.step({1, 2})
    wanted = board.wanted(0)
    assert wanted != first == board.current(0)
    board.report_of(0, wanted, 1).write_text("")
    kept.step({1, 2, 3})
    assert board.current(0) == first
    for worker in (2, 3):
        board.report_of(0, wanted, worker).write_text("")
    kept.step({1, 2, 3})
    assert board.current(0) == wanted
    assert {path.name for path in (files / "copies").iterdir()} == {"board", board.copy_of(0, wanted).name}
    (message, about) = log()[-1]
    assert message == "the model was replaced"
    assert (about["before"], about["version"]) == (version_of(first), version_of(wanted))
    loaded = load_release(board.copy_of(0, wanted), "m.tp", [])
    assert loaded.predict_labels(TEXTS[:1])[0][0].startswith("new/")
    kept.close()


@pytest.mark.parametrize("how", ["says so", "ends"])
def test_a_release_that_a_worker_cannot_load_is_given_up(files, log, how):
    kept = releases_of(files)
    board, first = kept.board, kept.board.current(0)
    replace(files)
    for _ in range(2):
        kept.step({1, 2})
    wanted = board.wanted(0)
    assert wanted != first
    if how == "says so":
        board.report_of(0, wanted, 1).write_text("the file is damaged.")
    kept.step({1, 2} if how == "says so" else {2, 3})
    assert board.wanted(0) == board.current(0) == first
    for _ in range(3):
        kept.step({1, 2})
    assert board.wanted(0) == first  # not again until it is another file
    (message, about) = log()[-1]
    assert "the one before is served" in message
    assert ("damaged" if how == "says so" else "ended") in about["problem"]
    assert len(log()) == 1
    kept.ask()
    kept.step({1, 2})
    assert board.wanted(0) == wanted
    assert board.reports(0, wanted) == {}  # what was said before does not count
    kept.close()


def test_without_watching_a_file_is_looked_at_when_asked(files, log):
    kept = releases_of(files, is_watching=False)
    first = kept.board.current(0)
    replace(files)
    for _ in range(4):
        kept.step({1})
    assert kept.board.wanted(0) == first
    kept.ask()
    kept.step({1})
    assert kept.board.wanted(0) != first
    kept.close()


def test_the_same_file_and_none_are_said_when_asked_for(files, log):
    kept = releases_of(files)
    os.utime(files / "m.tp", (1, 1))
    for _ in range(3):
        kept.step({1})
    assert log() == []
    kept.ask()
    kept.step({1})
    (files / "m.tp").unlink()
    for _ in range(3):
        kept.step({1})
    assert len(log()) == 1
    kept.ask()
    kept.step({1})
    assert [message for message, _ in log()] == [
        "the model file is the one that is served",
        "the new model file is not taken; the one before is served",
    ]
    assert "No such file" in log()[1][1]["problem"]
    kept.close()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes with names")
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(files, log):
    kept = releases_of(files)
    (files / "m.tp").unlink()
    os.mkfifo(files / "m.tp")
    kept.ask()
    kept.step({1})
    assert "not a regular file" in log()[-1][1]["problem"]
    kept.close()


def test_of_a_file_that_is_no_model_only_the_beginning_is_copied(files):
    (files / "m.tp").write_bytes(b"x" * 3_000_000)
    kept = releases_of(files)
    copy = kept.board.copy_of(0, kept.board.current(0))
    assert copy.stat().st_size <= 1 << 20
    with pytest.raises(ModelFileError) as found:
        load_release(copy, "m.tp", [])
    assert str(copy) not in str(found.value)
    assert found.value.path == "m.tp"
    kept.close()


@pytest.fixture
def swapping(files, monkeypatch):
    """A client of the app that a server of one process has, its releases, and what waits until something is so."""
    monkeypatch.setattr("truepath.serve.shelf.LOOK", 0.01)
    monkeypatch.setattr("truepath.serve.shelf.PAUSE", 0.01)
    kept = releases_of(files)
    plan = {"models": {"m": os.fspath(files / "m.tp")}, "folder": os.fspath(files / "copies"), "trusted": []}
    with client_of_app(planned_app({**plan, "settings": {}}, kept)) as client:
        yield client, kept
    kept.close()


def version(client):
    return client.get("/model").headers["x-model-version"]


def test_a_worker_goes_over_to_a_new_file_and_lets_the_old_model_go(swapping, files, log):
    client, kept = swapping
    first = version(client)
    assert client.get("/model").json()["version"] == first
    old = predict(client)
    forgotten = weakref.ref(kept_model(client))
    replace(files)
    while version(client) == first:
        pass
    new = predict(client)
    assert new != old
    assert all(labels[0].startswith("new/") for labels in new)
    assert version(client) == version_of(kept.board.current(0))
    lines = f'truepath_model{{model="m",version="{first}"}} 0.0', f'version="{version(client)}"}} 1.0'
    assert [line for line in lines if line not in client.get("/metrics").text] == []
    assert "the model before has answered its last request" in [message for message, _ in log()]
    while forgotten() is not None:
        gc.collect()
    replace(files, b"no model")
    while not any("not taken" in message for message, _ in log()):
        pass
    assert predict(client) == new


def kept_model(client):
    app = client.app.app
    while not hasattr(app, "state"):
        app = app.app
    return app.state.shelf.services[0].model
