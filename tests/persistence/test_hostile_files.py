"""Damaged, foreign and crafted model files: a clear error each, no crash, no hang, no code run.

A checksum stops accidents, not attackers, who compute their own. So most files here carry a right checksum around a
wrong payload, and an audit hook watches for anything that looks like code execution while they are loaded.
"""

from __future__ import annotations

import copy
import io
import json
import pickle
import resource
import sys
import time
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from learners_room import make_data
from truepath import Hierarchy
from truepath.combiners import MaxUp
from truepath.decoders import SingleThreshold
from truepath.errors import ModelFileError
from truepath.learners import BinaryRelevance, HAdaBoostMH, PCTree, RestrictedCutsetNetwork
from truepath.persistence import describe_model, load, save
from truepath.persistence.container import FORMAT_VERSION, is_model_file, pack, read_model

TREE = Hierarchy.from_paths(["a/1", "a/2", "b"])
X, Y = make_data(TREE, n_samples=25, n_features=3)
X = X.round()
N_FILES = 1000

# ------------------------------------------------------------------------------------------------ the watchman

FORBIDDEN = ("os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "subprocess.", "pickle.", "ctypes.dlopen")
FORBIDDEN += (
    "socket.",
    "shutil.",
    "os.remove",
    "os.rename",
    "os.mkdir",
    "os.rmdir",
    "os.chmod",
    "webbrowser.",
    "marshal.",
)
watching: list[bool] = []
caught: list[str] = []


def _watch(event, arguments):
    if not watching:
        return
    if event.startswith(FORBIDDEN) or (event == "open" and any(letter in str(arguments[1]) for letter in "wax+")):
        caught.append(f"{event}{arguments}")
    if event == "import" and str(arguments[0]).partition(".")[0] in ("antigravity", "this", "tp_canary"):
        caught.append(f"import {arguments[0]}")
    if event == "exec" and not Path(arguments[0].co_filename).is_file():  # code that is no installed module's
        caught.append(f"exec {arguments[0]}")


sys.addaudithook(_watch)


@pytest.fixture(autouse=True)
def canary(tmp_path, monkeypatch):
    """A module that would leave a mark when imported or called, and the watchman at its post."""
    (tmp_path / "tp_canary.py").write_text(
        "from pathlib import Path\nPath(__file__).with_name('fired').touch()\nfire = print\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    caught.clear()
    yield
    assert caught == []
    assert not (tmp_path / "fired").exists()


def try_loading(path, **options):
    """Load under watch; return the model, or None if it was refused as it should be."""
    started = time.process_time()
    watching.append(True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # metadata may claim any version of scikit-learn
            return load(path, **options)
    except ModelFileError as error:
        text = str(error)
        assert text.startswith(str(path)), text
        assert "\n" not in text
        assert len(text) < 1500 + len(str(path))
        return None
    finally:
        watching.clear()
        assert time.process_time() - started < 5


# ------------------------------------------------------------------------------------------------ the samples


@pytest.fixture(scope="module")
def samples(tmp_path_factory):
    """Small files of different make, as bytes."""
    folder = tmp_path_factory.mktemp("samples")
    S = np.sort(np.random.default_rng(0).random((25, TREE.n_nodes)))[:, ::-1]
    models = [
        SingleThreshold("micro_f1", hierarchy=TREE).fit(S, Y),
        PCTree(hierarchy=TREE).fit(X, Y),
        BinaryRelevance(LogisticRegression(), hierarchy=TREE).fit(X, Y),
        HAdaBoostMH(hierarchy=TREE, n_estimators=3).fit(X, Y),
        RestrictedCutsetNetwork(hierarchy=TREE).fit(X, Y),
        MaxUp(hierarchy=TREE).fit(S),
    ]
    models[-1].matrix_, models[-1].drawn_ = sparse.csr_array(np.eye(3)), np.random.default_rng(0)
    files = []
    for number, model in enumerate(models):
        save(model, folder / f"{number}")
        load(folder / f"{number}")  # whatever is imported on the way is imported before the watch
        files.append((folder / f"{number}").read_bytes())
    return files


def unpack(data):
    """Return metadata, and the payload's entries."""
    n_metadata, n_payload = int.from_bytes(data[12:16], "little"), int.from_bytes(data[16:24], "little")
    payload = data[56 + n_metadata : 56 + n_metadata + n_payload]
    with zipfile.ZipFile(io.BytesIO(payload)) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    return data[56 : 56 + n_metadata], payload, entries


def zipped(entries, compression=zipfile.ZIP_STORED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def sealed(metadata, payload, version=FORMAT_VERSION):
    """Return a file with a right checksum."""
    return b"".join(pack(metadata, payload, version))


# ------------------------------------------------------------------------------------------------ the fuzzers


def flip(data, rng):
    data = bytearray(data)
    for _ in range(rng.integers(1, 6)):
        data[rng.integers(len(data))] ^= 1 << rng.integers(8)
    return bytes(data)


def cut(data, rng):
    return data[: rng.integers(len(data))]


def insert(data, rng):
    where = rng.integers(len(data))
    return data[:where] + rng.bytes(rng.integers(1, 40)) + data[where:]


def swap(data, rng):
    a, b = sorted(rng.integers(len(data), size=2))
    width = int(rng.integers(1, 50))
    return data[:a] + data[b : b + width] + data[a + width : b] + data[a : a + width] + data[b + width :]


def foreign(data, rng):
    choices = [b"", b"MZ" + rng.bytes(90), pickle.dumps({"a": 1}), zipped({"a.txt": b"hello"}), b"id,labels\n1,a\n"]
    choices += [
        data[:8],
        data[:20],
        b"\x93NUMPY" + rng.bytes(30),
        rng.bytes(500),
        unpack(data)[1],
        b"\x89PNG\r\n\x1a\n" * 9,
    ]
    return choices[rng.integers(len(choices))]


def in_payload(mutate):
    def mutated(data, rng):
        metadata, payload, _ = unpack(data)
        return sealed(metadata, mutate(payload, rng))

    return mutated


def in_entry(data, rng):
    metadata, _, entries = unpack(data)
    name = sorted(entries)[rng.integers(len(entries))]
    entries[name] = [flip, cut, insert, swap][rng.integers(4)](entries[name], rng)
    return sealed(metadata, zipped(entries))


def other_archive(data, rng):
    metadata, _, entries = unpack(data)
    names = sorted(entries)
    dropped = names[rng.integers(len(names))]
    kinds = [
        {name: content for name, content in entries.items() if name != dropped},
        {"schema.json": b"{}"},
        {"schema.json": b"[" * 100_000},
        {"schema.json": b'{"protocol": 2}', **{name: b"" for name in names if name != "schema.json"}},
        {"word/document.xml": b"<xml/>", "../../etc/passwd": b"root"},
        {name: entries[names[rng.integers(len(names))]] for name in names},
    ]
    return sealed(metadata, zipped(kinds[rng.integers(len(kinds))], [0, 8][rng.integers(2)]))


def in_metadata(data, rng):
    metadata, payload, _ = unpack(data)
    kinds = [b"", b"null", b"[" * 50_000, b'{"scikit-learn": 3}', rng.bytes(40), b'{"a": 1e999}', flip(metadata, rng)]
    return sealed(kinds[rng.integers(len(kinds))], payload)


HOSTILE = [
    ("os", "system"),
    ("posix", "system"),
    ("builtins", "eval"),
    ("builtins", "exec"),
    ("builtins", "__import__"),
    ("builtins", "getattr"),
    ("subprocess", "Popen"),
    ("operator", "methodcaller"),
    ("operator", "attrgetter"),
    ("functools", "partial"),
    ("pickle", "loads"),
    ("tp_canary", "fire"),
    ("antigravity", "fly"),
    ("truepath.cli.app", "main"),
    ("truepath.files", "open_atomically"),
    ("truepath.persistence.model_file", "load"),
    ("numpy", "load"),
    ("numpy", "void"),
    ("joblib", "load"),
    ("sklearn.utils", "shuffle"),
]
LOADERS = [
    "DictNode",
    "DefaultDictNode",
    "ListNode",
    "SetNode",
    "TupleNode",
    "FunctionNode",
    "PartialNode",
    "TypeNode",
    "SliceNode",
    "ObjectNode",
    "ConstructorFromReduceNode",
    "MethodNode",
    "JsonNode",
    "BytesNode",
    "BytearrayNode",
    "OperatorFuncNode",
    "NdArrayNode",
    "MaskedArrayNode",
    "DTypeNode",
    "RandomStateNode",
    "RandomGeneratorNode",
    "SparseMatrixNode",
    "TreeNode",
    "LossNode",
    "CachedNode",
    "Nonsense",
]


def list_nodes(value):
    found = [value] if isinstance(value, dict) and "__loader__" in value else []
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        found += list_nodes(part)
    return found


def in_schema(data, rng):
    metadata, _, entries = unpack(data)
    schema = json.loads(entries["schema.json"])
    for _ in range(rng.integers(1, 4)):
        nodes = list_nodes(schema)
        if not nodes:
            break
        node, other = nodes[rng.integers(len(nodes))], nodes[rng.integers(len(nodes))]
        edit = rng.integers(8)
        if edit == 0:
            node["__module__"], node["__class__"] = HOSTILE[rng.integers(len(HOSTILE))]
        elif edit == 1:
            node["__loader__"] = LOADERS[rng.integers(len(LOADERS))]
        elif edit == 2:
            node.pop(sorted(node)[rng.integers(len(node))])
        elif edit == 3:
            node["__id__"] = other.get("__id__")
        elif edit == 4:
            node["content"] = copy.deepcopy(other.get("content"))
        elif edit == 5:
            key = sorted(node)[rng.integers(len(node))]
            node[key] = [None, 10**30, -1, "", [], {}, "1e999", "[" * 5000, True][rng.integers(9)]
        elif edit == 6:
            module, name = HOSTILE[rng.integers(len(HOSTILE))]
            node.clear()
            node.update(__module__=module, __class__=name, __loader__=LOADERS[rng.integers(len(LOADERS))], __id__=7)
            node.update(
                content=copy.deepcopy(other) if other is not node else {}, attrs=[], file="schema.json", type="numpy"
            )
        elif isinstance(node.get("content"), str):
            node["content"] = ["NaN", "-1", "1e400", '"x"', "[1, 2]", "{", "99999999999"][rng.integers(7)]
    schema["protocol"] = int(rng.integers(-1, 4)) if rng.random() < 0.2 else schema.get("protocol")
    entries["schema.json"] = json.dumps(schema).encode()
    return sealed(metadata, zipped(entries))


FUZZERS = [flip, cut, insert, swap, foreign, in_metadata, other_archive, in_entry, in_entry, in_entry]
FUZZERS += [in_payload(flip), in_payload(cut), in_payload(swap), in_payload(insert), *[in_schema] * 6]


@pytest.mark.slow
def test_a_thousand_corrupted_files(samples, tmp_path):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    path = tmp_path / "corrupted"
    n_refused, survivors = 0, []
    for seed in range(N_FILES):
        rng = np.random.default_rng(seed)
        data = samples[rng.integers(len(samples))]
        corrupted = FUZZERS[seed % len(FUZZERS)](data, rng)
        path.write_bytes(corrupted)
        model = try_loading(path)
        n_refused += model is None
        if model is not None:
            is_changed = unpack(corrupted)[1:] != unpack(data)[1:]
            survivors.append((FUZZERS[seed % len(FUZZERS)].__name__, model))
            assert is_changed or corrupted == data or survivors[-1][0] in ("in_metadata", "swap"), seed
    assert n_refused > 0.6 * N_FILES
    assert all(hasattr(model, "get_params") for _, model in survivors)
    assert {name for name, _ in survivors} <= {
        "in_metadata",
        "in_entry",
        "in_schema",
        "mutated",
        "swap",
        "other_archive",
    }
    for _, model in survivors:  # numbers may have changed: wrong answers or errors, but no walk outside an array
        for method, asked in (("predict", X), ("transform", np.ones((2, TREE.n_nodes)))):
            if hasattr(model, method):
                use(getattr(model, method), asked)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 500_000, f"{grown} kB more"


def use(method, asked):
    """Call a method of a model that may be broken."""
    with np.errstate(all="ignore"):
        try:
            method(asked)
        except Exception as error:
            assert not isinstance(error, MemoryError)  # noqa: PT017


# ------------------------------------------------------------------------------------------------ crafted files


def craft(samples, tmp_path, change, sample=0):
    """Write a sample with another schema (or entries) and a right checksum."""
    metadata, _, entries = unpack(samples[sample])
    schema = json.loads(entries["schema.json"])
    schema = change(schema, entries) or schema
    entries["schema.json"] = json.dumps(schema).encode()
    path = tmp_path / "crafted"
    path.write_bytes(sealed(metadata, zipped(entries, zipfile.ZIP_DEFLATED)))
    return path


def plain(value, number=1):
    return {
        "__class__": "str",
        "__module__": "builtins",
        "__loader__": "JsonNode",
        "content": json.dumps(value),
        "__id__": number,
    }


def container(loader, items, number, cls=None):
    cls = cls or {"ListNode": "list", "TupleNode": "tuple"}[loader]
    return {"__class__": cls, "__module__": "builtins", "__loader__": loader, "content": items, "__id__": number}


@pytest.mark.parametrize("loader", LOADERS)
def test_no_loader_takes_a_hostile_name(samples, tmp_path, loader):
    data_only = {"JsonNode", "SliceNode"}  # what they are called does not matter
    arguments = container("TupleNode", [plain("touch fired")], 11)
    for module, name in HOSTILE:
        node = {
            "__module__": module,
            "__class__": name,
            "__loader__": loader,
            "__id__": 10,
            "type": "json",
            "file": "x",
        }
        function = dict(node, __loader__="FunctionNode", __id__=13)
        contents = [
            arguments,
            {"func": function, "args": arguments, "kwds": plain({}, 14), "namespace": plain(None, 15)},
            {"obj": plain("x", 16), "func": name},
            {"start": 1, "stop": 2, "step": 3},
        ]
        for content in contents:
            evil = dict(node, content=content, attrs=arguments, shape=arguments, __reduce__={"args": arguments})

            def change(schema, entries, evil=evil):
                schema["content"]["content"]["objective"] = evil

            model = try_loading(craft(samples, tmp_path, change))
            assert model is None or loader in data_only or model.objective is np.void, (module, name)


def test_a_refused_type_is_named_with_the_way_out(samples, tmp_path):
    def change(schema, entries):
        schema["content"]["content"]["objective"] = {
            "__module__": "tp_canary",
            "__class__": "Kind",
            "__loader__": "ObjectNode",
            "__id__": 900,
        }

    with pytest.raises(ModelFileError, match=r"not trusted: 'tp_canary.Kind'.*trusted=\['tp_canary.Kind'\]\)"):
        load(craft(samples, tmp_path, change))


def test_keys_do_not_call_anything(samples, tmp_path):
    def change(schema, entries):
        types = [{"__module__": "os", "__class__": "system", "__loader__": "TypeNode", "__id__": 20}]
        schema["content"]["key_types"] = container("ListNode", types, 21)

    assert try_loading(craft(samples, tmp_path, change)) is None


def expect_refusal(samples, tmp_path, change, match, sample=0, **options):
    path = craft(samples, tmp_path, change, sample)
    assert try_loading(path, **options) is None
    with pytest.raises(ModelFileError, match=match):
        load(path, **options)


def test_references_that_fan_out_are_refused(samples, tmp_path):
    def change(schema, entries):
        node = plain("ha", 100)
        for level in range(40):
            again = {key: value for key, value in node.items() if key != "content"}
            node = container("ListNode", [node, again], 101 + level)
        schema["content"]["content"]["objective"] = node

    expect_refusal(samples, tmp_path, change, "another size")


def test_an_object_that_holds_itself_is_refused(samples, tmp_path):
    def change(schema, entries):
        schema["content"]["content"]["objective"] = container("ListNode", [container("ListNode", [], 5)], 5)

    expect_refusal(samples, tmp_path, change, "contains itself")


def test_deep_nesting_is_refused(samples, tmp_path):
    def change(schema, entries):
        node = plain("deep", 100)
        for level in range(300):
            node = container("ListNode", [node], 101 + level)
        schema["content"]["content"]["objective"] = node

    assert try_loading(craft(samples, tmp_path, change)) is None


def test_a_zip_bomb_is_refused_before_it_unpacks(samples, tmp_path):
    def change(schema, entries):
        entries["bomb.npy"] = bytes(20_000_000)

    path = craft(samples, tmp_path, change)
    assert path.stat().st_size < 100_000
    expect_refusal(samples, tmp_path, change, "max_bytes=10,000,000", max_bytes=10_000_000)


def test_a_bomb_within_a_sparse_matrix_is_refused(samples, tmp_path):
    def change(schema, entries):
        name = next(name for name in entries if name.endswith(".npz"))
        entries[name] = zipped({"data.npy": bytes(20_000_000)}, zipfile.ZIP_DEFLATED)

    expect_refusal(samples, tmp_path, change, "max_bytes", sample=5, max_bytes=10_000_000)


def test_bombs_within_several_sparse_matrices_are_counted_together(samples, tmp_path):
    def change(schema, entries):
        name = next(name for name in entries if name.endswith(".npz"))
        for k in range(4):
            entries[f"{k}{name}"] = zipped({"data.npy": array_bytes(3_000_000)}, zipfile.ZIP_DEFLATED)

    expect_refusal(samples, tmp_path, change, "max_bytes", sample=5, max_bytes=10_000_000)


def test_what_unpacks_to_much_more_than_its_size_is_refused_unless_it_is_asked_for(samples, tmp_path, monkeypatch):
    """A file of half a megabyte that would unpack to 300 MB, by the ratio that the limits allow, and without it."""

    def change(schema, entries):
        entries["large.npy"] = array_bytes(300_000_000)

    expect_refusal(samples, tmp_path, change, "TRUEPATH_MAX_RATIO")
    path = craft(samples, tmp_path, change)
    load(path, max_bytes=2**33)
    monkeypatch.setenv("TRUEPATH_MAX_RATIO", "2000")
    load(path)


def array_bytes(n):
    """Return n bytes that numpy reads as one array of zeros."""
    buffer = io.BytesIO()
    np.save(buffer, np.zeros(n - 128, np.uint8))
    return buffer.getvalue()


def test_one_entry_read_many_times_is_refused(samples, tmp_path):
    def change(schema, entries):
        buffer = io.BytesIO()
        np.save(buffer, np.zeros(100_000))
        entries["large.npy"] = buffer.getvalue()
        node = {
            "__class__": "ndarray",
            "__module__": "numpy",
            "__loader__": "NdArrayNode",
            "type": "numpy",
            "file": "large.npy",
        }
        schema["content"]["content"]["objective"] = container(
            "ListNode", [dict(node, __id__=200 + k) for k in range(99)], 9
        )

    expect_refusal(samples, tmp_path, change, "max_bytes", max_bytes=10_000_000)


def test_an_array_larger_than_its_entry_is_refused(samples, tmp_path):
    def change(schema, entries):
        name = next(name for name in entries if name.endswith(".npy"))
        buffer = io.BytesIO()
        np.lib.format.write_array_header_1_0(buffer, {"descr": "<f8", "fortran_order": False, "shape": (10**9,)})
        entries[name] = buffer.getvalue()

    expect_refusal(samples, tmp_path, change, "does not agree with its header")


def test_a_seed_that_would_take_for_ever_is_refused(samples, tmp_path):
    def change(schema, entries):
        seed = schema["content"]["content"]["drawn_"]["content"]["seed_seq"]["content"]
        seed["pool_size"]["content"] = "1000000000"

    expect_refusal(samples, tmp_path, change, "impossible seed", sample=5)


def replace_array(entries, schema, find, change):
    """Change the array of the first node for which ``find`` holds."""
    node = next(
        node
        for node in list_nodes(schema)
        if node["__loader__"] == "NdArrayNode" and "file" in node and find(node, entries)
    )
    array = np.load(io.BytesIO(entries[node["file"]]))
    change(array)
    buffer = io.BytesIO()
    np.save(buffer, array)
    entries[node["file"]] = buffer.getvalue()


@pytest.mark.parametrize("column", [0, 1, 2, 5])
def test_links_of_a_tree_that_lead_outside_are_refused(samples, tmp_path, column):
    def change(schema, entries):
        def find(node, entries):
            return np.load(io.BytesIO(entries[node["file"]])).shape[1:] == (8,)

        replace_array(entries, schema, find, lambda link: link.__setitem__((slice(None), column), 10**6))

    expect_refusal(samples, tmp_path, change, "outside its bounds", sample=1)


def test_indices_of_a_sparse_matrix_are_checked(samples, tmp_path):
    def change(schema, entries):
        name = next(name for name in entries if name.endswith(".npz"))
        with np.load(io.BytesIO(entries[name])) as parts:
            parts = dict(parts)
        parts["indices"] = parts["indices"] + 10**6
        buffer = io.BytesIO()
        np.savez(buffer, **parts)
        entries[name] = buffer.getvalue()

    expect_refusal(samples, tmp_path, change, "cannot be rebuilt", sample=5)


@pytest.mark.parametrize("hidden", [lambda matrix: [matrix], lambda matrix: {"a": (matrix,)}, lambda matrix: matrix])
def test_what_lies_in_lists_is_checked(tmp_path, hidden):
    model = MaxUp(hierarchy=TREE).fit(np.ones((1, TREE.n_nodes)))
    matrix = sparse.csr_array(np.eye(3))
    matrix.indices[1] = 7
    model.parts_ = hidden(matrix)
    save(model, tmp_path / "model")
    with pytest.raises(ModelFileError, match="cannot be rebuilt"):
        load(tmp_path / "model")


def test_rows_of_a_sparse_matrix_end_after_they_start(tmp_path):
    model = MaxUp(hierarchy=TREE).fit(np.ones((1, TREE.n_nodes)))
    matrix = sparse.csr_array(np.eye(3))
    model.matrix_ = matrix
    for changed in ([0, 1, 2, -1], [0, 2, 1, 3]):
        matrix.indptr[:] = changed
        matrix.data, matrix.indices = np.ones(3), np.zeros(3, np.int32)
        save(model, tmp_path / "model")
        with pytest.raises(ModelFileError, match="cannot be rebuilt"):
            load(tmp_path / "model")


@pytest.mark.parametrize(("row", "column"), [(-1, 0), (3, 0), (0, -1), (0, 3)])
def test_coordinates_of_a_sparse_matrix_are_checked(tmp_path, row, column):
    model = MaxUp(hierarchy=TREE).fit(np.ones((1, TREE.n_nodes)))
    model.empty_, model.matrix_ = sparse.coo_array((3, 3)), sparse.coo_array(np.eye(3))
    save(model, tmp_path / "model")
    np.testing.assert_array_equal(load(tmp_path / "model").matrix_.toarray(), np.eye(3))
    model.matrix_.coords[0][1], model.matrix_.coords[1][1] = row, column
    save(model, tmp_path / "model")
    with pytest.raises(ModelFileError, match="cannot be rebuilt"):
        load(tmp_path / "model")


def test_trees_of_scikit_learn_are_checked(tmp_path):
    from sklearn.tree import DecisionTreeClassifier

    model = DecisionTreeClassifier().fit(X, Y[:, 0])
    save(model, tmp_path / "tree")
    assert (load(tmp_path / "tree").predict(X) == model.predict(X)).all()
    samples = [(tmp_path / "tree").read_bytes()]
    for field, value in (("left_child", 10**8), ("left_child", 0), ("feature", 3), ("feature", -1)):

        def change(schema, entries, field=field, value=value):
            def find(node, entries):
                return np.load(io.BytesIO(entries[node["file"]])).dtype.names is not None

            replace_array(entries, schema, find, lambda nodes: nodes[field].__setitem__(0, value))

        expect_refusal(samples, tmp_path, change, "a tree")


def test_a_newer_format_names_its_writer(samples, tmp_path):
    _, payload, _ = unpack(samples[0])
    path = tmp_path / "newer"
    path.write_bytes(sealed(b'{"truepath": "9.1"}', payload, version=7))
    for reader in (load, describe_model):
        with pytest.raises(ModelFileError, match=r"written by truepath 9\.1, format 7; .* Upgrade"):
            reader(path)
    path.write_bytes(sealed(b'{"truepath": "9.1"}', b"", version=7))
    with pytest.raises(ModelFileError, match=r"written by truepath 9\.1, format 7"):
        load(path)
    path.write_bytes(sealed(b"layout changed", payload, version=7))
    with pytest.raises(ModelFileError, match="written by a newer truepath, format 7"):
        load(path)


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (b"", "is empty"),
        (pickle.dumps([1, 2]), "looks like a pickle"),
        (zipped({"schema.json": b"{}"}), "zip archive"),
        (b"id,labels\n", "not a model file"),
    ],
    ids=["empty", "pickle", "zip", "table"],  # the bytes of a zip archive hold the time: workers would differ in names
)
def test_foreign_files_are_recognised(tmp_path, content, match):
    path = tmp_path / "foreign"
    path.write_bytes(content)
    for reader in (load, describe_model):
        with pytest.raises(ModelFileError, match=match):
            reader(path)


def test_model_files_are_told_by_how_they_begin(tmp_path):
    path = tmp_path / "file"
    assert is_model_file(path) is False
    for content, found in ((sealed(b"{}", b""), True), (sealed(b"{}", b"")[:7], False), (b"", False), (b"PK", False)):
        path.write_bytes(content)
        assert is_model_file(path) is found
    assert is_model_file(tmp_path) is False


def test_damage_is_found_before_parsing(samples, tmp_path):
    path = tmp_path / "damaged"
    path.write_bytes(samples[0][:-10])
    with pytest.raises(ModelFileError, match="cut short"):
        load(path)
    path.write_bytes(samples[0] + b"more")
    with pytest.raises(ModelFileError, match="damaged"):
        load(path)
    path.write_bytes(samples[0][:-1] + b"x")
    with pytest.raises(ModelFileError, match="checksum"):
        load(path)
    path.write_bytes(sealed(b"{}", zipped({"schema.json": json.dumps(plain(3) | {"protocol": 2})})))
    with pytest.raises(ModelFileError, match="not an estimator"):
        load(path)
    path.write_bytes(samples[0])
    assert read_model(path).metadata["class"] == describe_model(path)["class"]
