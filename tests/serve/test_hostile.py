"""Requests that were made to cost much, to be misread, or to be repeated: each is refused for its first mistake."""

from __future__ import annotations

import json
import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from truepath import HierarchicalClassifier, Hierarchy
from truepath.classifier import FittedOn
from truepath.preprocessing import AutoFeatures
from truepath.serve.refusals import RefusedError
from truepath.serve.requests import ExplainRequest, PredictRequest, read_request
from truepath.serve.rows import RowForm

from .conftest import client_of, refused

MEGABYTE = 1 << 20
#: Bodies of 3.9 MB: 1.3 million cells or more that are no cells, in every place where there may be many
HUGE = {
    "lists in a row": b'{"rows": [[' + b"[]," * 1_300_000 + b"1]]}",
    "objects in a row": b'{"rows": [[' + b"{}," * 1_300_000 + b"1]]}",
    "rows of one bad cell": b'{"rows": [' + b'{"":{}},' * 480_000 + b"{}]}",
    "numbers as texts": b'{"texts": [' + b"1," * 1_900_000 + b"1]}",
    "numbers in a row": b'{"rows": [[' + b"1," * 1_900_000 + b"1]]}",
    "columns in a row": b'{"rows": [{' + b",".join(b'"%d":[]' % i for i in range(300_000)) + b"}]}",
    "fields": b"{" + b",".join(b'"%d":1' % i for i in range(350_000)) + b"}",
    "thresholds": b'{"texts": ["a"], "thresholds": {' + b",".join(b'"%d":[]' % i for i in range(300_000)) + b"}}",
    "a name of megabytes": b'{"texts": ["a"], "thresholds": {"' + b"x" * 3_900_000 + b'": 1}}',
    "a field of megabytes": b'{"' + b"x" * 3_900_000 + b'": 1}',
    "a word of megabytes": b'{"texts": ["a"], "top": "' + b"x" * 3_900_000 + b'"}',
}


@pytest.fixture(scope="module")
def table():
    """A model of two columns of a table with ids and labels."""
    X = np.array([[str(i % 5), "red" if i % 2 else "blue"] for i in range(40)], object)
    learner = make_pipeline(AutoFeatures(dense=True), GaussianNB())
    model = HierarchicalClassifier(learner, cv=2, hierarchy=Hierarchy.from_paths(["a/1", "b"]))
    model.fit(X, [["a/1"] if i % 2 else ["b"] for i in range(40)])
    model.set_fitted_on(FittedOn("table", "t", ("price", "colour"), others=("id", "labels")))
    return model


@pytest.fixture(scope="module")
def shop(table):
    with client_of(table) as client:
        yield client


@pytest.mark.parametrize("case", HUGE)
def test_a_huge_body_of_mistakes_costs_little(client, case):
    tracemalloc.start()
    try:
        answer = client.post("/predict", content=HUGE[case], headers={"content-type": "application/json"})
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert 400 <= answer.status_code < 500
    assert len(answer.content) < 700, answer.text[:2000]
    assert peak < 100 * MEGABYTE


@pytest.mark.parametrize("case", ["lists in a row", "objects in a row", "rows of one bad cell"])
def test_lists_are_counted_before_they_are_made(case):
    tracemalloc.start()
    with pytest.raises(RefusedError, match="more lists and objects than rows"):
        read_request(PredictRequest, HUGE[case], 10_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 12 * MEGABYTE


def test_brackets_in_texts_are_not_counted():
    texts = ['[1] {see} \\ " [' * 3_000] * 4
    assert read_request(PredictRequest, json.dumps({"texts": texts}).encode(), 4).texts == texts
    assert read_request(ExplainRequest, json.dumps({"text": texts[0] * 4}).encode(), 1).text == texts[0] * 4


class Watched(list):
    """A list that remembers how far it was read."""

    read = 0

    def __iter__(self):
        for cell in super().__iter__():
            self.read += 1
            yield cell


def test_reading_stops_at_the_first_complaint(table):
    rows = Watched([{"price": 1, "colour": "red"}, {"price": [], "colour": "red"}, *[{}] * 1000])
    with pytest.raises(RefusedError, match="row 1, column 'price': a list cannot be a cell"):
        RowForm(table).check(None, rows)
    assert rows.read == 2


#: Rows of a table that are refused, and words of what is said
WRONG_ROWS = {
    "a misspelt column": ({"prise": 1, "colour": "red"}, ["no column 'prise'", "Did you mean 'price'?"]),
    "a column too much": ({"price": 1, "colour": "red", "more": 1}, ["no column 'more'", "'price', 'colour'"]),
    "a column too few": ({"price": 1}, ["row 0 has no column 'colour'", "null"]),
    "an unlikely column": ({"price": 1, "colour": "red", "x" * 100_000: 1}, ["no column 'xxx"]),
    "a list as a cell": ({"price": [1], "colour": "red"}, ["column 'price'", "a list"]),
    "an object as a cell": ({"price": 1, "colour": {}}, ["column 'colour'", "an object"]),
    "a word for a number": ({"price": "cheap", "colour": "red"}, ["'price'", "'cheap'", "number"]),
    "a row that is a text": ("red", ["row 0 is 'red'"]),
    "a row that is null": (None, ["row 0 is null"]),
    "a list too short": ([1], ["1 value", "2 columns"]),
    "an integer of 309 digits": ([10**309, "red"], ["column 'price'", "too large"]),
}


@pytest.mark.parametrize("case", WRONG_ROWS)
def test_a_row_of_a_table_is_refused_by_the_name_of_its_column(shop, case):
    row, words = WRONG_ROWS[case]
    said = refused(shop.post("/predict", json={"rows": [row]}), 422)
    assert [word for word in words if word not in said] == [], said
    assert "of X" not in said
    assert len(said) < 500


def test_the_row_at_fault_is_named_by_its_place_in_the_request(shop):
    rows = [{"price": 1, "colour": "red"}] * 200 + [{"price": "cheap", "colour": "red"}]
    said = refused(shop.post("/predict", json={"rows": rows}), 422)
    assert "row 200" in said
    assert "'price'" in said


def test_columns_that_nothing_is_learned_from_may_come_along(shop):
    row = {"price": 1, "colour": "red"}
    plain = shop.post("/predict", json={"rows": [row]}).json()
    assert shop.post("/predict", json={"rows": [{"id": "r1", **row, "labels": "b"}]}).json() == plain


@pytest.fixture(scope="module")
def sparse_numbers():
    X = sparse.csr_array(np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 0.0]] * 6))
    with client_of(HierarchicalClassifier(cv=2).fit(X, [["a"], ["b"]] * 6)) as client:
        yield client


@pytest.mark.parametrize(
    "place", ["01", "00", "٢", "²", "１", "+1", "-0", "1.0", " 1", "1 ", "", "1_0", "3", "9" * 5_000, "one"]
)
def test_a_place_is_written_in_plain_digits(sparse_numbers, place):
    said = refused(sparse_numbers.post("/predict", json={"rows": [{place: 2.0}]}), 422)
    assert "is not the index" in said
    assert len(said) < 400


def test_places_are_the_numbers_of_a_list(sparse_numbers):
    found = sparse_numbers.post("/predict", json={"rows": [[0, 1, 2], {"2": 2, "1": 1}, {}, [0, 0, 0]]}).json()
    first, second, third, fourth = found["predictions"]
    assert (first, third) == (second, fourth)


LONG_NUMBERS = {
    "309 digits": b"9" * 309,
    "5,000 digits": b"9" * 5_000,
    "above all floats": b"1e400",
    "far below": b"-1e400",
    "no number": b"NaN",
    "infinity": b"Infinity",
}


@pytest.mark.parametrize("case", LONG_NUMBERS)
@pytest.mark.parametrize(
    "body",
    [
        b'{"rows": [[0, 1, %s]]}',
        b'{"rows": [{"1": %s}]}',
        b'{"rows": [[0, 1, 2]], "threshold": %s}',
        b'{"rows": [[0, 1, 2]], "thresholds": {"a": %s}}',
        b'{"rows": [[0, 1, 2]], "min_score": %s}',
        b'{"rows": [[0, 1, 2]], "top": %s}',
        b'{"rows": [[0, 1, 2]], "top": 1, "min_score": 1e-3, "coverage": %s}',
    ],
)
def test_numbers_that_no_computer_holds_are_refused(sparse_numbers, case, body):
    sent = sparse_numbers.post(
        "/predict", content=body % LONG_NUMBERS[case], headers={"content-type": "application/json"}
    )
    if b'"top": %s' in body and case == "309 digits":
        assert sent.status_code in (200, 422)  # an integer all the same
    else:
        assert sent.status_code in (400, 422), sent.text
        assert len(sent.content) < 500


#: Words of pydantic, and of Python's types
FOREIGN = ["pydantic", "input should", "nullable", "union[", "dict[", "list[", "str[", "valid integer", "parse string"]


@pytest.mark.parametrize(
    "request_",
    [
        {"top": "3"},
        {"top": 0},
        {"top": 1.5},
        {"top": True},
        {"top": [1]},
        {"per": "rows"},
        {"per": "x" * 10_000},
        {"among": None},
        {"scores": "yes"},
        {"min_score": "0"},
        {"threshold": {}},
        {"thresholds": []},
        {"thresholds": {"a": "b"}},
        {"coverage": 1},
        {"tpo": 1},
        {"x" * 10_000: 1},
    ],
)
def test_no_field_is_refused_in_the_words_of_a_library(client, request_):
    said = refused(client.post("/predict", json={"texts": ["a"], **request_}), 422)
    assert [word for word in FOREIGN if word in said.lower()] == [], said
    assert next(iter(request_))[:50] in said
    assert len(said) < 500


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/" + "x" * 20_000),
        ("GET", "/hierarchy?format=" + "x" * 20_000),
        ("GET", "/hierarchy?labels=" + "x" * 20_000),
    ],
)
def test_addresses_are_repeated_in_part(client, method, path):
    answer = client.request(method, path)
    assert 400 <= answer.status_code < 500
    assert len(answer.content) < 700


def test_a_packed_body_is_refused_as_such(client):
    headers = {"content-type": "application/json", "content-encoding": "gzip"}
    assert "'gzip'" in refused(client.post("/predict", content=b'{"texts": ["a"]}', headers=headers), 415)


def test_every_refusal_has_a_way_out(client):
    requests = [{"texts": [1]}, {}, {"texts": []}, {"texts": ["a"], "threshold": "x"}, {"rows": [[1]]}]
    answers = [client.post("/predict", json=request) for request in requests]
    answers += [client.get("/nowhere"), client.get("/predict"), client.get("/hierarchy", params={"format": "pdf"})]
    answers.append(client.post("/predict", content=b"{", headers={"content-type": "application/json"}))
    assert [answer.text for answer in answers if not answer.json()["remedy"]] == []


def test_methods_that_are_not_taken_are_answered_with_those_that_are(client):
    for path, allowed in {"/predict": "POST", "/health": "GET, HEAD", "/": "GET, HEAD"}.items():
        answer = client.request("DELETE", path)
        assert (answer.status_code, answer.headers["allow"]) == (405, allowed)


@pytest.mark.parametrize("path", ["/health", "/live", "/metrics", "/model", "/", "/docs", "/openapi.json"])
def test_a_head_is_that_of_the_answer(client, path):
    head, whole = client.head(path), client.get(path)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-type"] == whole.headers["content-type"]


def test_an_address_with_a_slash_too_much_leads_nowhere(client):
    answer = client.get("/health/", headers={"host": "elsewhere.example"}, follow_redirects=False)
    assert (answer.status_code, answer.headers.get("location")) == (404, None)


def test_the_description_has_all_answers(client):
    paths = client.get("/openapi.json").json()["paths"]
    for path, methods in paths.items():
        for about in methods.values():
            content = about["responses"]["200"]["content"]
            assert all(kind["schema"] for kind in content.values()), path
            assert [code for code in about["responses"] if code.startswith("5")], path
            assert [code for code in about["responses"] if code.startswith("4")], path
    assert set(paths["/metrics"]["get"]["responses"]["200"]["content"]) == {"text/plain"}
    assert "422" not in paths["/live"]["get"]["responses"]
    assert paths["/predict"]["post"]["responses"]["503"]["content"]["application/json"]["schema"]
