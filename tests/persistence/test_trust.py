"""What ``trusted`` and ``--trust`` let in: types that are named exactly, and nothing that a file could have called."""

from __future__ import annotations

import io
import json
import shutil
import sys
import zipfile
from pathlib import Path

import pytest
from sklearn.linear_model import LogisticRegression

from persistence_room import TREE, make_data
from truepath.errors import ModelFileError, TruePathError
from truepath.learners import BinaryRelevance
from truepath.persistence import describe_model, load, save
from truepath.persistence.container import Model, read_model, write_model

PACKAGE = """
from pathlib import Path
from sklearn.linear_model import LogisticRegression

class Kind(LogisticRegression):
    def fire(self, *given):
        fire()

def fire(*given):
    Path(__file__).with_name("fired").touch()
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """A package of another: a type of it is in a model, and it has a function that must never be called."""
    folder = tmp_path_factory.mktemp("package")
    (folder / "helpful.py").write_text(PACKAGE)
    sys.path.insert(0, str(folder))
    import helpful

    save(BinaryRelevance(helpful.Kind(), hierarchy=TREE).fit(*make_data()), folder / "model")
    yield helpful
    sys.path.remove(str(folder))
    del sys.modules["helpful"]


@pytest.fixture(autouse=True)
def model(package, tmp_path):
    """The model's file, in a place of its own."""
    folder = Path(package.__file__).parent
    shutil.copy(folder / "model", tmp_path)
    yield
    assert not (folder / "fired").exists()


def test_a_type_is_trusted_by_its_full_name(package, tmp_path):
    assert describe_model(tmp_path / "model")["untrusted_types"] == ["helpful.Kind"]
    assert type(load(tmp_path / "model", trusted=["helpful.Kind"]).estimator) is package.Kind
    assert type(load(tmp_path / "model", trusted=[package.Kind]).estimator) is package.Kind
    save(BinaryRelevance(LogisticRegression(), hierarchy=TREE).fit(*make_data()), tmp_path / "plain")
    load(tmp_path / "plain", trusted=["sklearn.linear_model.LogisticRegression"])  # as it is imported


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("helpful", "is a package or module"),
        ("sklearn.linear_model", "is a package or module"),
        ("helpful.fire", "is a function"),
        ("helpful.Kind.fire", "cannot be imported"),
        ("helpful.Other", "cannot be imported"),
        ("nowhere.Kind", "cannot be imported"),
        ("builtins.eval", "is a function"),
        ("functools.partial", "does more than hold data"),
        ("operator.methodcaller", "does more than hold data"),
        ("builtins.type", "does more than hold data"),
        ("builtins.map", "does more than hold data"),
        ("subprocess.Popen", "does more than hold data"),
        ("helpful.Path.home", "cannot be imported"),
    ],
)
def test_what_is_not_exactly_a_type_is_refused(package, tmp_path, name, said):
    with pytest.raises(TruePathError, match=rf"^'{name}' cannot be trusted: .*{said}.*\. (Name|Put) "):
        load(tmp_path / "model", trusted=["helpful.Kind", name])


def node(loader, name, number, **further):
    module, _, cls = name.rpartition(".")
    return {"__loader__": loader, "__module__": module, "__class__": cls, "__id__": number, **further}


def values(loader, parts, number):
    return node(loader, {"ListNode": "builtins.list", "TupleNode": "builtins.tuple"}[loader], number, content=parts)


def plain(value, number):
    return node("JsonNode", "builtins.str", number, content=json.dumps(value))


ARGUMENTS = values("TupleNode", [plain("now", 901)], 902)
NO_KEYS = node("DictNode", "builtins.dict", 903, content={}, key_types=values("ListNode", [], 904))
KIND = node("ObjectNode", "helpful.Kind", 905)
FUNCTION = node("FunctionNode", "helpful.fire", 906)
#: Everything that skops can make into something that is called, here or by the type of a key
CALLABLES = {
    "function": FUNCTION,
    "function as a type": node("TypeNode", "helpful.fire", 907),
    "type": node("TypeNode", "helpful.Kind", 908),
    "method": node("MethodNode", "helpful.Kind", 909, content={"obj": KIND, "func": "fire"}),
    "partial": node(
        "PartialNode",
        "functools.partial",
        910,
        content={"func": FUNCTION, "args": ARGUMENTS, "kwds": NO_KEYS, "namespace": plain(None, 911)},
    ),
    "partial of a type": node(
        "PartialNode",
        "helpful.Kind",
        912,
        content={"func": FUNCTION, "args": ARGUMENTS, "kwds": NO_KEYS, "namespace": plain(None, 913)},
    ),
    "methodcaller": node("OperatorFuncNode", "operator.methodcaller", 914, attrs=ARGUMENTS),
    "attrgetter": node("OperatorFuncNode", "helpful.Kind", 915, attrs=ARGUMENTS),
    "constructor": node("ConstructorFromReduceNode", "helpful.fire", 916, content=ARGUMENTS),
    "object": node("ObjectNode", "helpful.fire", 917, content=NO_KEYS),
    "list": node("ListNode", "helpful.fire", 918, content=[plain(1, 919)]),
    "tuple": node("TupleNode", "helpful.fire", 920, content=[plain(1, 921)]),
    "loss": node("LossNode", "helpful.fire", 922, __reduce__={"args": ARGUMENTS}, content=NO_KEYS),
    "tree": node("TreeNode", "helpful.fire", 923, __reduce__={"args": ARGUMENTS}, content=NO_KEYS),
    "random state": node("RandomStateNode", "helpful.fire", 924, content=NO_KEYS),
    "array": node("NdArrayNode", "helpful.fire", 925, type="json", content=[], shape=ARGUMENTS),
}


def craft(path, change, protocol=2):
    """Write the model again with another schema, and a right checksum."""
    model = read_model(path)
    with zipfile.ZipFile(io.BytesIO(model.payload)) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    schema = json.loads(entries["schema.json"])
    change(schema["content"])
    entries["schema.json"] = json.dumps(schema | {"protocol": protocol}).encode()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    write_model(path, Model(model.metadata, buffer.getvalue()))


@pytest.mark.parametrize("kind", CALLABLES)
@pytest.mark.parametrize("protocol", [0, 2])
def test_a_file_calls_nothing_of_a_trusted_type_s_package(package, tmp_path, kind, protocol):
    def mapping(key_type):
        key_types = values("ListNode", [key_type], 992)
        return node("DictNode", "builtins.dict", 990, content={"now": plain(1, 991)}, key_types=key_types)

    def call_by_keys(state):
        state["content"]["n_jobs"] = mapping(CALLABLES[kind])

    def call_by_reference(state):  # a list that looks right in its second place stands for the first
        first, second = (name for name in state["content"] if name in ("calibrate_each", "n_jobs"))
        state["content"][first] = values("ListNode", [CALLABLES[kind]], 992)
        state["content"][second] = mapping(node("TypeNode", "builtins.str", 993))

    for change in (call_by_keys, call_by_reference):
        craft(tmp_path / "model", change, protocol)
        with pytest.raises(ModelFileError):
            load(tmp_path / "model", trusted=["helpful.Kind"])


@pytest.mark.parametrize("kind", ["function", "method", "partial", "methodcaller"])
def test_what_could_be_called_is_refused_with_the_way_out(package, tmp_path, kind):
    def change(state):
        state["content"]["n_jobs"] = CALLABLES[kind]

    craft(tmp_path / "model", change)
    with pytest.raises(ModelFileError, match=r"could be called\. Put a class with a method __call__ in its place"):
        load(tmp_path / "model", trusted=["helpful.Kind"])


def test_a_model_that_could_not_be_loaded_is_not_saved(package, tmp_path):
    model = load(tmp_path / "model", trusted=["helpful.Kind"])
    model.objective = package.fire
    with pytest.raises(ModelFileError, match=r"holds helpful\.fire, which could be called\. Put a class"):
        save(model, tmp_path / "model")
