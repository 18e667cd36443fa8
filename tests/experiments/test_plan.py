"""Plans: what can be written, what defaults do, and that mistakes are named before anything is fitted."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline

from truepath.classifier import preset_names
from truepath.data import load_dataset, make_hmc
from truepath.errors import TruePathError
from truepath.experiments import make_plan, survey_experiment
from truepath.experiments.fingerprint import data_fingerprint, describe_settings
from truepath.experiments.job import run_job
from truepath.experiments.methods import make_method
from truepath.experiments.sources import open_source
from truepath.experiments.store import digest
from truepath.learners import PCTForest, PCTree, PerNode

TREE = {"tree": "truepath.learners.PCTree"}
TOML = """
seeds = [3, 5]
folds = 2
measures = ["micro_f1", {name = "auprc", label = "leaves", nodes = "leaves"}]
datasets = ["toy", "own.arff", {name = "made", make = {n_samples = 60, n_nodes = 8}, prune = 2}]

[methods]
tree = "truepath.learners.PCTree"

[methods.logistic]
use = "truepath.learners.PerNode"
params.estimator = {use = "sklearn.pipeline.Pipeline", steps = [
  ["impute", {use = "sklearn.impute.SimpleImputer"}],
  ["classify", {use = "sklearn.linear_model.LogisticRegression", C = 0.5}],
]}
"""


def test_a_plan_in_toml(tmp_path):
    rows = "\n".join(["1,a/b", "2,c", "0,a", "1,a/b", "3,c", "?,c"])
    (tmp_path / "own.arff").write_text(
        f"@relation own\n@attribute f numeric\n@attribute class hierarchical a,a/b,c\n@data\n{rows}\n"
    )
    (tmp_path / "trees.toml").write_text(TOML)
    survey = survey_experiment(tmp_path / "trees.toml")
    assert survey.plan.name == "trees"
    assert list(survey.sources) == ["toy", "own", "made"]
    assert [m.label for m in survey.plan.measures] == ["micro_f1", "auprc[leaves]"]
    assert len(survey.todo) == survey.plan.n_runs == 3 * 2 * 2 * 2
    template = survey.methods["logistic"].template
    assert isinstance(template, PerNode)
    assert isinstance(template.estimator, Pipeline)
    assert template.estimator.steps[1][1].C == 0.5


def test_defaults():
    plan = make_plan({"datasets": "toy", "methods": TREE})
    assert plan.seeds == (0,)
    assert plan.folds is None
    assert [m.label for m in plan.measures] == ["auprc", "micro_f1", "h_loss", "exact_match"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"method": TREE}, "unknown key 'method'. Did you mean 'methods'"),
        ({"datasets": []}, "datasets is missing or empty"),
        ({"methods": {}}, "methods is missing or empty"),
        ({"datasets": ["toy", "toy"]}, "names 'toy' twice"),
        ({"datasets": ["toi"]}, "no data set 'toi'.*Did you mean 'toy'"),
        ({"datasets": {"x": {"make": {"n_nodez": 3}}}}, "datasets: 'x'.*n_nodez"),
        ({"datasets": {"x": {"load": "toy", "prune": "x"}}}, "plan: datasets: 'x': prune must be an integer"),
        ({"datasets": {"x": {"load": "toy", "one_hot": 3}}}, "plan: datasets: 'x': one_hot must be true or false"),
        ({"datasets": {"x": {"make": {"n_samples": -1}}}}, "plan: datasets: 'x': n_samples must be at least 1"),
        ({"methods": {"x": {"use": "pct", "params": 3}}}, "methods.x.params must be a table of parameters; got 3"),
        ({"datasets": {"x": {}}}, "'x' needs one of load, path, files, make"),
        ({"datasets": {"x": 3}}, "must be a Dataset, a name, a path or a table"),
        ({"datasets": [make_hmc(20, random_state=0).merge()]}, "'made' has no published split.*folds = 5"),
        ({"folds": 50}, "'toy' has 12 rows, too few for folds = 50"),
        ({"folds": 1}, "folds must be a whole number of at least 2"),
        ({"seeds": [1, 1]}, "seeds must be a list of different whole numbers"),
        ({"seeds": ["a"]}, "seeds must be"),
        ({"seeds": []}, "seeds must be"),
        ({"seeds": 4_000_000_000}, "at most 1,000,000 can be run.*seeds = .4000000000."),
        ({"folds": 4_000_000_000}, "4,000,000,000 runs are more than the 1,000,000"),
        ({"data": 3}, "data must be the path of a folder; got 3"),
        ({"measures": 3}, "measures must be names of metrics, or tables .*; got 3"),
        ({"measures": [3]}, "measures must be names of metrics, or tables .*; got 3"),
        ({"measures": ["micro_f"]}, "no metric is called 'micro_f'. Did you mean 'micro_f1'"),
        ({"measures": [{"name": "auprc", "node": "leaves"}]}, "auprc has no option 'node'. Did you mean 'nodes'"),
        ({"measures": [{"name": "auprc", "nodes": ["zz"]}]}, "auprc.*cannot be used on 'toy'.*zz"),
        ({"measures": ["auprc", "auprc"]}, "has 'auprc' twice"),
        ({"measures": []}, "measures is empty"),
        ({"methods": {"x": "truepath.learners.PCTre"}}, "no such estimator. Did you mean 'PCTree'"),
        ({"methods": {"x": "truepath.lerners.PCTree"}}, "no module 'truepath.lerners'"),
        (
            {"methods": {"x": {"use": "truepath.learners.PCTree", "params": {"max_dept": 1}}}},
            "Did you mean 'max_depth'",
        ),
        ({"methods": {"x": {"use": "truepath.learners.PCTree", "param": {}}}}, "unknown key 'param'"),
        ({"methods": {"x": {"params": {}}}}, "needs either use"),
        ({"methods": {"x": "os.system"}}, "not in truepath or sklearn"),
        ({"methods": {"x": {"use": "subprocess.Popen", "params": {"args": "true"}}}}, "not in truepath or sklearn"),
        ({"methods": {"x": "sklearn.utils._joblib.Parallel"}}, "not a public import path"),
        ({"methods": {"x": "sklearn.datasets.load_iris"}}, "not a module that plans may name"),
        ({"methods": {"x": {"use": "sklearn.cluster.KMeans"}}}, "neither predict_proba nor .*'auprc' needs scores"),
        ({"methods": {"x": object()}}, "has no method fit"),
    ],
)
def test_mistakes_are_named(change, message):
    with pytest.raises(TruePathError, match=message):
        survey_experiment({"datasets": ["toy"], "methods": TREE, **change})


def test_presets_and_decoders(tmp_path):
    methods = {
        "preset": "clus-ens+mts",
        "smaller": {"preset": "clus-ens+mts", "params": {"cv": 0.4}},
        "decoded": {
            "use": "truepath.learners.PCTree",
            "combiner": "truepath.combiners.MinDown",
            "decoder": {"use": "truepath.decoders.SingleThreshold", "objective": "h_loss"},
        },
        "by name": {"use": "pct", "combiner": "min-down", "decoder": {"use": "single", "objective": "h_loss"}},
    }
    survey = survey_experiment({"datasets": {"x": {"make": {"n_samples": 80, "n_nodes": 6}}}, "methods": methods})
    assert survey.methods["smaller"].template.cv == 0.4
    assert survey.methods["decoded"].template.decoder.objective == "h_loss"
    assert survey.methods["by name"].settings == survey.methods["decoded"].settings
    job = next(job for job in survey.jobs(survey.keys) if job.key.method == "decoded")
    assert set(run_job(job)["values"]) == {measure.label for measure in survey.plan.measures}
    assert list(make_plan({"datasets": "toy", "methods": preset_names()}).methods) == list(preset_names())
    assert all(make_method(name, name).settings["use"].endswith("HierarchicalClassifier") for name in preset_names())
    with pytest.raises(TruePathError, match=r"asks for the preset 'clus-ens', which is unknown\. Did you mean"):
        make_method("x", "clus-ens")


def test_a_broken_file_is_named(tmp_path):
    (tmp_path / "plan.toml").write_text("datasets = [")
    with pytest.raises(TruePathError, match=r"plan\.toml: not a TOML file"):
        make_plan(tmp_path / "plan.toml")
    with pytest.raises(FileNotFoundError):
        make_plan(tmp_path / "none.toml")
    with pytest.raises(TypeError, match="plan must be a path"):
        make_plan(3)


def test_hierarchy_and_seed_are_filled_in_where_they_are_missing():
    h = load_dataset("toy").hierarchy
    forest = make_method("m", PCTForest()).make(h, 7)
    assert forest.hierarchy is h
    assert forest.random_state == 7
    assert make_method("m", PCTForest(random_state=1)).make(h, 7).random_state == 1
    inner = make_method("m", PerNode(LogisticRegression())).make(h, 7)
    assert inner.estimator.random_state == 7


def test_settings_show_what_changed():
    same = digest(describe_settings(PCTree(max_depth=3)))
    assert same == digest(describe_settings(PCTree(max_depth=3)))
    assert same != digest(describe_settings(PCTree(max_depth=4)))
    shift = [1, 2]
    assert describe_settings({"f": lambda x: x + 1}) != describe_settings({"f": lambda x: x + 2})
    assert describe_settings(np.arange(3)) == describe_settings(np.arange(3))
    assert describe_settings(shift) == [1, 2]


@pytest.mark.parametrize("sparse", [False, True])
def test_data_are_distinguished_by_content(sparse):
    ds = make_hmc(40, n_nodes=8, sparse=sparse, random_state=0)
    assert data_fingerprint(ds) == data_fingerprint(make_hmc(40, n_nodes=8, sparse=sparse, random_state=0))
    changed = make_hmc(40, n_nodes=8, sparse=sparse, random_state=0)
    values = changed.train.X.data if sparse else changed.train.X
    values.flat[0] += 1e-9
    assert data_fingerprint(ds) != data_fingerprint(changed)


def test_text_features_have_a_fingerprint():
    ds = load_dataset("toy")
    assert data_fingerprint(ds) != data_fingerprint(ds.merge())


def test_folds_keep_the_groups_of_a_table_together(tmp_path):
    rows = "".join(f"{i},{i // 3},{'ab'[i % 2]}\n" for i in range(30))
    (tmp_path / "visits.csv").write_text("x,patient,labels\n" + rows)
    source = open_source("visits", {"path": "visits.csv", "groups": "patient"}, 3, tmp_path, None)
    assert source.rows.X.shape == (30, 1)
    for train, test in source.deal(0):
        assert not set(source.rows.groups[train]) & set(source.rows.groups[test])
    blind = open_source("visits", {"path": "visits.csv", "features": ["x"]}, 3, tmp_path, None)
    assert blind.fingerprint != source.fingerprint


def test_a_file_of_brackets_within_brackets_is_refused(tmp_path):
    (tmp_path / "plan.toml").write_text("datasets = " + "[" * 5000 + "]" * 5000 + "\n")
    with pytest.raises(TruePathError, match=r"plan.toml: .*(nested|not a TOML file)"):
        make_plan(tmp_path / "plan.toml")
