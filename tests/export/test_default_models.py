"""Every default model as an ONNX file, run in a process without truepath: the same scores and label sets."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from truepath import HierarchicalClassifier
from truepath.classifier import default_method, make_preset
from truepath.data import make_hmc
from truepath.errors import LeftOutWarning
from truepath.hierarchy.matrices import as_dense
from truepath.learners import MultiLabelKernelRidge, PCTForest, TableBlend

pytest.importorskip("onnx", reason="onnx is not installed")
pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

from truepath.export import to_onnx

RUNNER = Path(__file__).parents[1] / "onnx_runner.py"
N_NEW = 60


def make_table(n_rows, n_columns=6, missing=0.0, dag=False):
    """Return numbers, labels and hierarchy."""
    ds = make_hmc(n_rows, n_columns, 15, dag=dag, random_state=0).merge()
    X = np.array(ds["all"].X, float)
    X[np.random.default_rng(0).random(X.shape) < missing] = np.nan
    return X, ds["all"].y, ds.hierarchy


SCRIPTS = {
    "latin": "abcdefghijklmnopéüßñİı",
    "greek": "αβγδεσςάΣΩ",
    "cyrillic": "абвгдежйё",
    "chinese": "天地玄黃宇宙洪荒日月盈昃",
}


def make_texts(n_rows, script="latin"):
    """Return texts with words of their labels among common ones, labels and hierarchy."""
    _, y, hierarchy = make_table(n_rows)
    rng = np.random.default_rng(0)
    letters = list(SCRIPTS[script])
    words = [["".join(rng.choice(letters, 5)) for _ in range(8)] for _ in range(hierarchy.n_nodes)]
    common = ["".join(rng.choice(letters, 4)) for _ in range(150)]
    blank = "" if script == "chinese" else " "
    texts = []
    for labels in as_dense(y):
        own = [str(rng.choice(words[v])) for v in np.flatnonzero(labels) for _ in range(3)]
        chosen = [*own, *rng.choice(common, 12), "The", "x", "naïve,", "Ⅻ"]
        texts.append(blank.join(rng.permutation([word.title() if rng.random() < 0.2 else word for word in chosen])))
    return texts, y, hierarchy


def make_frame(n_rows):
    """Return a frame of texts, numbers, categories and days, with gaps, labels and hierarchy."""
    texts, y, hierarchy = make_texts(n_rows)
    X, rng = make_table(n_rows, missing=0.1)[0], np.random.default_rng(1)
    columns = {
        "Title & text": texts,
        "size (cm)": X[:, 0],
        "size_cm_": X[:, 1],
        "colour": rng.choice(["red", "green", "bläulich", None], n_rows),
        "maker": rng.choice([f"maker {k}" for k in range(70)], n_rows),
        "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 500, n_rows), "D"),
    }
    return pd.DataFrame(columns), y, hierarchy


def make_number_frame(n_rows):
    """Return a frame of numbers with ids that are left out, labels and hierarchy."""
    X, y, hierarchy = make_table(n_rows)
    frame = pd.DataFrame(X).add_prefix("x")
    frame.insert(2, "id", np.arange(n_rows))
    return frame, y, hierarchy


def to_inputs(made, X):
    """Return rows as another program would send them, by what the file says about itself."""
    if isinstance(X, list):
        return {"text": np.array(X)}
    if not hasattr(X, "columns"):
        return {"features": as_dense(X).astype(np.float64)}
    said = {entry.key: entry.value for entry in made.metadata_props}
    inputs = {}
    for one in json.loads(said["inputs"]):
        cells = X[one["column"]]
        if one["holds"] == "time":
            cells = (cells - pd.Timestamp("1970-01-01")) / pd.Timedelta(days=1)
        is_text = one["holds"] in ("text", "category")
        inputs[one["name"]] = cells.fillna("").to_numpy(str) if is_text else cells.to_numpy(np.float64)
    return inputs or {"features": X[json.loads(said["columns"])].to_numpy(np.float64)}


def run_elsewhere(folder, made, inputs):
    """Return scores and labels by a process that has no truepath."""
    (folder / "model.onnx").write_bytes(made.SerializeToString())
    np.savez(folder / "rows.npz", **inputs)
    command = [sys.executable, str(RUNNER), "model.onnx", "rows.npz", "answers.npz"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with np.load(folder / "answers.npz") as answers:
        return answers["scores"], answers["labels"]


def make_embeddings(n_rows):
    """Return rows as encoders make them."""
    X, y, hierarchy = make_table(n_rows, 64)
    return X.astype(np.float32), y, hierarchy


def make_gaps(n_rows):
    """Return a table with gaps whose labels form a DAG."""
    return make_table(n_rows, missing=0.15, dag=True)


def sparse_rows(whole):
    """Return sparse counts, or sparse numbers."""
    _, y, hierarchy = make_table(250 + N_NEW)
    rng = np.random.default_rng(0)
    X = rng.poisson(0.06, (len(as_dense(y)), 150)).astype(float)
    X[:, : hierarchy.n_nodes] += as_dense(y) * rng.poisson(1.0, as_dense(y).shape)
    return sparse.csr_array(X if whole else X * rng.random(X.shape)), y, hierarchy


LANDMARKS = MultiLabelKernelRidge("laplacian", max_rows=50, n_landmarks=40)
#: Rows, the learner where it is not the default of such rows, the method that the rows lead to, and how far scores may
#: be off: 0 for forests; 2e-7 where the model itself rounds scores to float32
MODELS: dict[str, Any] = {
    "texts below 100": (lambda: make_texts(70 + N_NEW), None, "linear", 2e-7),
    "texts from 100": (lambda: make_texts(150 + N_NEW), None, "text-blend", 2e-7),
    "texts from 500": (lambda: make_texts(600 + N_NEW), None, "text-blend", 2e-7),
    "texts above 8,000": (lambda: make_texts(600 + N_NEW), make_preset("linear").learner, "text-blend", 2e-7),
    "Greek texts": (lambda: make_texts(120 + N_NEW, "greek"), None, "text-blend", 2e-7),
    "Cyrillic texts": (lambda: make_texts(70 + N_NEW, "cyrillic"), None, "linear", 2e-7),
    "Chinese texts": (lambda: make_texts(120 + N_NEW, "chinese"), None, "text-blend", 2e-7),
    "small table": (lambda: make_table(40 + N_NEW, missing=0.1), None, "blend", 1e-9),
    "table": (lambda: make_table(300 + N_NEW), None, "blend", 1e-9),
    "table with gaps": (lambda: make_table(200 + N_NEW, missing=0.1, dag=True), None, "blend", 1e-9),
    "table in float32": (lambda: make_table(1010 + N_NEW), None, "blend", 2e-7),
    "frame of numbers": (lambda: make_number_frame(60 + N_NEW), None, "blend", 1e-9),
    "large table": (lambda: make_gaps(200 + N_NEW), TableBlend(members=["forest"]), "blend", 0.0),
    "landmarks": (lambda: make_table(100 + N_NEW), LANDMARKS, "blend", 1e-9),
    "embeddings": (lambda: make_embeddings(150 + N_NEW), None, "blend", 3e-7),
    "mixed frame": (lambda: make_frame(200 + N_NEW), None, "blend", 1e-9),
    "counts": (lambda: sparse_rows(True), None, "text-blend", 1e-9),
    "sparse numbers": (lambda: sparse_rows(False), None, "text-blend", 1e-9),
    "trees": (lambda: make_gaps(80 + N_NEW), PCTForest(n_estimators=5, random_state=0), "blend", 0.0),
}


#: Not in the quick suite
SLOW = {"table in float32", "texts from 500", "Cyrillic texts", "sparse numbers", "trees"}


@pytest.mark.parametrize("case", [pytest.param(k, marks=pytest.mark.slow) if k in SLOW else k for k in MODELS])
def test_a_process_without_truepath_gives_the_same_answers(case, tmp_path):
    make, learner, method, atol = MODELS[case]
    X, y, hierarchy = make()
    n = len(y.toarray() if sparse.issparse(y) else y) - N_NEW
    assert default_method(X[:n]) == method
    model = HierarchicalClassifier(learner, hierarchy=hierarchy, random_state=0, cv=3)
    with pytest.warns(LeftOutWarning) if case == "frame of numbers" else nullcontext():
        model.fit(X[:n], y[:n])
    made, new = to_onnx(model), X[n:]
    scores, labels = run_elsewhere(tmp_path, made, to_inputs(made, new))
    np.testing.assert_allclose(scores, model.predict_proba(new), atol=atol, rtol=0)
    np.testing.assert_array_equal(labels, as_dense(model.predict(new)))
    assert labels.any()
