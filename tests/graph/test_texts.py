"""Texts inside a graph: cut and counted as scikit-learn does, in all scripts and for every character."""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from truepath.errors import CapabilityError

onnx = pytest.importorskip("onnx", reason="onnx is not installed")
runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

from truepath.graph import Graph  # noqa: E402 - only where onnx is
from truepath.graph.transformers import export_transformer  # noqa: E402

TEXTS = [
    "The Cat sat on the mat, the CAT!",
    "straße STRASSE İstanbul ﬁne ½ naïve café CAFÉ",
    "ΟΔΥΣΣΕΥΣ και ΣΑΣ ΟΔΟΣ Άνθρωπος",
    "привет Мир мир ёлка",
    "한국어 텍스트 분석",
    "हिन्दी पाठ विश्लेषण",
    "日本語 テスト ㍿ 東京",
    "שלום עולם ﷺ صلى الله",
    "ไทย ภาษา",
    "foo_bar 123 ① ②③ x² aa bb ab cd",
    "e\u0301t\u00e9 I\u0307 Ⅻ ℡ ㎏",
    "a b c\td\n\n e",
]
SETTINGS = {
    "words": {"strip_accents": "unicode"},
    "pairs of words": {"strip_accents": "unicode", "ngram_range": (1, 2)},
    "words with accents": {},
    "pieces": {"analyzer": "char", "ngram_range": (1, 3)},
    "with capitals": {"lowercase": False},
}


@pytest.fixture(scope="module", params=SETTINGS)
def both(request):
    """A vectorizer, and the function that a graph makes of it."""
    vectorizer = TfidfVectorizer(sublinear_tf=True, dtype=np.float32, **SETTINGS[request.param]).fit(TEXTS)
    return vectorizer, function_of(vectorizer)


def function_of(vectorizer):
    graph, helper = Graph(), onnx.helper
    made = export_transformer(graph, vectorizer, graph.input("text", "STRING", ["rows"]))
    output = helper.make_tensor_value_info(made, getattr(onnx.TensorProto, graph.kind(made)), None)
    whole = helper.make_graph(graph.nodes, "test", graph.inputs, [output], graph.constants)
    opsets = {"": 18, "ai.onnx.ml": 3, "com.microsoft": 1}
    model = helper.make_model(whole, opset_imports=[helper.make_opsetid(*pair) for pair in opsets.items()])
    model.ir_version = 8
    session = runtime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return lambda texts: session.run(None, {"text": np.array(texts, object)})[0]


def check_same(both, texts):
    vectorizer, count = both
    found, wanted = count(texts), vectorizer.transform(texts).toarray()
    wrong = np.flatnonzero(np.abs(found - wanted).max(axis=1) > 1e-7)
    assert [texts[i] for i in wrong] == []


@pytest.mark.parametrize("texts", [TEXTS, ["", ""], [""], ["cat"], ["  ", "the cat"]])
def test_texts_are_counted_as_scikit_learn_does(both, texts):
    check_same(both, texts)


def probes(letters):
    """Return texts with each letter inside, beside and between words."""
    return [f"ab{c}cd {c}{c} x{c} the{c}cat  {c} ab" for c in letters]


def test_every_letter_up_to_the_punctuation_of_chinese_is_taken_as_python_does(both):
    check_same(both, probes(map(chr, range(1, 0x3100))))


@pytest.mark.slow
def test_every_letter_is_taken_as_python_does(both):
    letters = [chr(c) for c in range(1, 0x110000) if unicodedata.category(chr(c)) not in ("Cs", "Cn", "Co")]
    for start in range(0, len(letters), 10_000):
        check_same(both, probes(letters[start : start + 10_000]))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(st.sampled_from(sorted(set("".join(TEXTS)))), max_size=30), min_size=1, max_size=5))
def test_any_text_of_known_letters(both, texts):
    check_same(both, [text for text in texts if "Σ" not in text] or [""])


def test_a_capital_sigma_ends_a_word_where_its_neighbours_say_so(both):
    check_same(both, ["ΟΔΟΣ ΣΑΣ", "ΟΔΟΣ, ΟΔΟΣΑ. Σ ΑΣ1 1ΣΑ", "ΣΣ aΣ Σa", "oδοΣ"])


def test_other_ways_to_cut_are_refused():
    with pytest.raises(CapabilityError, match="token_pattern"):
        function_of(CountVectorizer(token_pattern="[a-z]+").fit(["a cat"]))
    with pytest.raises(CapabilityError, match="stop_words"):
        function_of(CountVectorizer(stop_words="english").fit(["a cat"]))
