"""Plans of strangers: nothing in them runs code or opens files other than data."""

from __future__ import annotations

import inspect
import os
from pathlib import Path

import joblib
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import all_estimators

from truepath.classifier import HierarchicalClassifier
from truepath.errors import TruePathError
from truepath.experiments import make_plan, run_experiment, survey_experiment
from truepath.experiments.allowed import MODULES, TEXTS, check_texts
from truepath.registry import COMBINERS, DECODERS, LEARNERS

TOML = """
datasets = ["toy"]
measures = ["micro_f1"]
[methods.cached]
use = "sklearn.pipeline.Pipeline"
params.memory = "CACHE"
params.steps = [
  ["scale", {use = "sklearn.preprocessing.StandardScaler"}],
  ["classify", {use = "sklearn.dummy.DummyClassifier"}],
]
"""


class Bomb:
    """Makes a file when it is unpickled."""

    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return os.mkdir, (str(self.mark),)


def test_a_cache_with_a_hostile_pickle_is_not_opened(tmp_path):
    """With the same pipeline as an object, which is trusted, the pickle runs: the threat is real."""
    cache, mark = tmp_path / "cache", tmp_path / "it ran"
    steps = [("scale", StandardScaler()), ("classify", DummyClassifier())]
    trusted = {"datasets": ["toy"], "methods": {"cached": Pipeline(steps, memory=str(cache))}, "measures": ["micro_f1"]}
    run_experiment(trusted, tmp_path / "first")
    for kept in cache.rglob("output.pkl"):
        joblib.dump(Bomb(mark), kept)
    run_experiment(trusted, tmp_path / "second")
    assert mark.is_dir()
    mark.rmdir()

    plan = tmp_path / "plan.toml"
    plan.write_text(TOML.replace("CACHE", str(cache)))
    with pytest.raises(TruePathError) as caught:
        run_experiment(plan, tmp_path / "third")
    assert caught.value.problem.startswith(f"{plan}: methods.cached.params: 'memory' is set to the text")
    assert "Leave it out." in caught.value.remedy
    assert not mark.exists()


PIPELINE = {"use": "sklearn.pipeline.Pipeline", "steps": [["classify", {"use": "sklearn.dummy.DummyClassifier"}]]}
SEARCH = {"estimator": PIPELINE, "param_grid": {"classify__strategy": ["prior"]}}


@pytest.mark.parametrize(
    ("use", "params", "table", "key"),
    [
        ("pipeline.Pipeline", {"memory": "x", "steps": []}, "", "memory"),
        ("model_selection.GridSearchCV", {**SEARCH, "param_grid": {"memory": ["x"]}}, ".param_grid", "memory"),
        ("model_selection.GridSearchCV", {**SEARCH, "param_grid": [{"a__memory": ["x"]}]}, ".param_grid", "a__memory"),
        ("model_selection.GridSearchCV", {**SEARCH, "pre_dispatch": "exit()"}, "", "pre_dispatch"),
        ("multiclass.OneVsRestClassifier", {"estimator": {**PIPELINE, "memory": "x"}}, ".estimator", "memory"),
        ("feature_extraction.text.CountVectorizer", {"input": "filename"}, "", "input"),
        ("feature_extraction.text.CountVectorizer", {"tokenizer": "os.system"}, "", "tokenizer"),
        ("feature_extraction.text.CountVectorizer", {"preprocessor": "os.system"}, "", "preprocessor"),
        ("preprocessing.FunctionTransformer", {"func": "eval"}, "", "func"),
        ("feature_selection.RFE", {"importance_getter": "__class__"}, "", "importance_getter"),
        ("decomposition.DictionaryLearning", {"callback": "os.system"}, "", "callback"),
    ],
)
def test_text_that_is_no_option_is_refused(use, params, table, key):
    method = {"use": f"sklearn.{use}", "params": params}
    with pytest.raises(TruePathError) as caught:
        survey_experiment({"datasets": ["toy"], "methods": {"x": method}})
    assert caught.value.problem.startswith(f"plan: methods.x.params{table}: {key!r} is set to the text")


@pytest.mark.parametrize(
    ("method", "table", "key"),
    [
        ({"preset": "linear", "params": {"learner__estimator__memory": "x"}}, ".params", "learner__estimator__memory"),
        ({"use": "pct", "decoder": {"use": "single", "candidates": "file.npy"}}, ".decoder", "candidates"),
    ],
)
def test_text_that_is_no_option_is_refused_in_parts(method, table, key):
    with pytest.raises(TruePathError) as caught:
        survey_experiment({"datasets": ["toy"], "methods": {"x": method}})
    assert caught.value.problem.startswith(f"plan: methods.x{table}: {key!r} is set to the text")


@pytest.mark.parametrize(
    "path",
    [
        "sklearn.conftest.Thing",
        "sklearn.tests.test_base.MyEstimator",
        "sklearn.utils.parallel.Parallel",
        "sklearn.externals.Thing",
        "sklearn_evil.linear_model.Thing",
        "truepath.cli.app.typer",
        "joblib.Memory",
        "builtins.eval",
    ],
)
def test_classes_elsewhere_are_refused(path):
    with pytest.raises(TruePathError, match="uses"):
        survey_experiment({"datasets": ["toy"], "methods": {"x": path}})


def test_options_may_still_be_text():
    method = {
        "use": "truepath.learners.PerNode",
        "params": {
            "policy": "siblings",
            "estimator": {
                "use": "sklearn.model_selection.GridSearchCV",
                "scoring": "roc_auc",
                "estimator": {"use": "sklearn.ensemble.RandomForestClassifier", "max_features": "sqrt"},
                "param_grid": {"criterion": ["gini", "entropy"], "max_depth": [2, 3]},
            },
        },
        "decoder": {"use": "multi", "method": "greedy"},
    }
    survey = survey_experiment({"datasets": ["toy"], "methods": {"x": method}})
    assert survey.methods["x"].template.learner.estimator.param_grid["criterion"] == ["gini", "entropy"]


def test_a_python_user_may_give_what_a_plan_may_not():
    method = Pipeline([("classify", DummyClassifier())], memory="anywhere")
    plan = make_plan({"datasets": ["toy"], "methods": {"mine": method}, "measures": ["micro_f1"]})
    assert survey_experiment(plan).methods["mine"].template is method


# ------------------------------------------------------------------------------------- the lists themselves

REVIEWED = {"metric", "scoring", "refit", "constant", "pos_label", "outlier_label", "threshold", "fill_value"}
REVIEWED |= {"token_pattern"}  # a regular expression: slow at worst


def test_no_parameter_of_scikit_learn_on_the_list_takes_any_text():
    """Texts are options that scikit-learn checks, except for those reviewed above."""
    others = set()
    for _, kind in all_estimators():
        for name, allowed in getattr(kind, "_parameter_constraints", {}).items():
            others |= {name} if allowed == "no_validation" or str in list(allowed) else set()
    assert others & TEXTS <= REVIEWED
    assert {"memory", "pre_dispatch", "importance_getter", "dtype"} <= others
    modules = {kind.__module__.split("._")[0] for _, kind in all_estimators()}
    assert modules - MODULES <= {"sklearn.frozen", "sklearn.feature_extraction.image"}


WRONG = {"memory", "cache_dir", "path", "file", "filename", "folder", "input", "pre_dispatch", "importance_getter"}
WRONG |= {"func", "inverse_func", "score_func", "callback", "tokenizer", "preprocessor", "dtype", "hierarchy"}


@pytest.mark.parametrize("key", sorted(WRONG))
def test_what_names_files_functions_or_caches_takes_no_text(key):
    with pytest.raises(TruePathError, match="is set to the text"):
        check_texts("x", "methods.x", key)


def test_every_option_of_our_own_members_can_be_set():
    members = [*LEARNERS.members(), *COMBINERS.members(), *DECODERS.members(), HierarchicalClassifier]
    own = [one for one in members if one.__module__.startswith("truepath.")]
    for parameter in (parameter for one in own for parameter in inspect.signature(one).parameters.values()):
        if isinstance(parameter.default, str):
            check_texts(parameter.default, "methods.x", parameter.name)


def test_finished_work_is_read_without_pickles():
    """What a store holds is JSON; nothing in the package but joblib's workers unpickles."""
    import truepath

    sources = {path: path.read_text(encoding="utf-8") for path in Path(truepath.__file__).parent.rglob("*.py")}
    loading = ("pickle.load", "joblib.load", "allow_pickle=True", "marshal.load", "shelve.open")
    assert [str(path) for path, text in sources.items() if any(word in text for word in loading)] == []
