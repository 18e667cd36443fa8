"""``truepath warmup``: afterwards a new process compiles nothing for models in common use."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from joblib import parallel_config

from commands import refusal_of, run_command
from places import SOURCES
from truepath import warmup

#: Other data than those of the warm-up: other sizes, hierarchy and names; prints the functions that were compiled
FRESH_PROCESS = """
import json
import warnings

import numpy as np
from numba.core import event

from truepath import HierarchicalClassifier
from truepath.data import make_hmc
from truepath.decoders import MultiThreshold, SingleThreshold
from truepath.learners import CutsetNetwork, HAdaBoostMH, PCTForest, TableBlend
from truepath.metrics import evaluate

warnings.simplefilter("ignore")
with event.install_recorder("numba:compile") as compiled:
    ds = make_hmc(90, 9, 30, random_state=1).merge()
    X, y, h = ds["all"].X, ds["all"].y, ds.hierarchy
    names = h.decode(y)
    Y = h.encode(names, sparse_output=False)
    for learner in (PCTForest(n_estimators=3), HAdaBoostMH(n_estimators=3), CutsetNetwork(), TableBlend()):
        S = learner.set_params(hierarchy=h).fit(X, Y).predict_proba(X)
    texts = [" ".join(f"w{label} also" for label in row) + " this" for row in names]
    HierarchicalClassifier(hierarchy=h).fit(texts, names).predict(texts)
    for decoder in (SingleThreshold(hierarchy=h), MultiThreshold(hierarchy=h)):
        found = decoder.fit(S, Y).predict(S)
    evaluate(Y, found, S, hierarchy=h)
print(json.dumps([happened.data["dispatcher"].py_func.__qualname__ for _, happened in compiled.buffer]))
"""


@pytest.mark.slow
def test_a_new_process_compiles_nothing_after_it():
    out, _ = run_command("warmup", "--json")  # beside the sources, where the tests before it compiled most
    assert set(json.loads(out)) == {"n_compiled", "seconds", "folder"}
    environment = {**os.environ, "PYTHONPATH": str(SOURCES)}
    done = subprocess.run(
        [sys.executable, "-c", FRESH_PROCESS], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == []


def test_every_member_with_loops_of_its_own_is_a_step():
    learners = {step.removeprefix("learner ") for step in warmup._steps() if step.startswith("learner ")}
    assert {"pct-forest", "sparse-linear", "table-blend", "h-ada-boost-mh", "cutset-network"} <= learners


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_steps_are_shown_as_they_are_done_and_what_was_compiled_is_counted(monkeypatch, n_jobs):
    shown = []
    monkeypatch.setattr(warmup, "_steps", lambda: {"first": lambda: None, "second": lambda: None})
    with parallel_config("threading"):  # so that the workers have the steps of this test
        done = warmup.warm_up(lambda *step: shown.append(step), n_jobs)
    assert [step[:2] for step in shown] == [(0, 2), (1, 2), (2, 2)]
    assert {step[2] for step in shown} == {"", "first", "second"}
    assert done.n_compiled == 0
    assert done.folder == warmup.cache_folder()


def test_it_says_where_the_result_is(monkeypatch):
    monkeypatch.setattr(warmup, "_steps", dict)
    out, _ = run_command("warmup")
    assert out.startswith("nothing to compile")
    assert warmup.cache_folder() in out


def test_without_a_folder_to_write_it_says_what_to_set(monkeypatch):
    monkeypatch.setattr(warmup.build.build_tree, "_cache", type("NoCache", (), {"cache_path": None})())
    assert "NUMBA_CACHE_DIR" in refusal_of("warmup")
