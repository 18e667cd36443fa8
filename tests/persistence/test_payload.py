"""What a payload may hold, rule by rule: sizes, headers, references, key types and seeds, before anything is built."""

from __future__ import annotations

import io
import json
import zipfile

import numpy as np
import pytest

from truepath.persistence.payload import MAX_POOL, PROTOCOL, SCHEMA_WEIGHT, PayloadError, check_payload, list_called

MOST = 100_000


def node(loader="ObjectNode", module="m", cls="C", **rest):
    return {"__loader__": loader, "__module__": module, "__class__": cls, **rest}


def key_types(*names, number=None, loader="TypeNode"):
    content = [node(loader, *name.rsplit(".", 1)) for name in names]
    return node("ListNode", "builtins", "list", content=content, **({} if number is None else {"__id__": number}))


def array(values=(1.0, 2.0), **written):
    file = io.BytesIO()
    np.save(file, np.array(values, **written))
    return file.getvalue()


def zipped(entries, compression=zipfile.ZIP_STORED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return file.getvalue()


def payload(schema, **entries):
    if isinstance(schema, dict):
        schema.setdefault("protocol", PROTOCOL)
    return zipped({"schema.json": json.dumps(schema), **entries})


def read_often(times):
    return node(content=[node("NdArrayNode", "numpy", "ndarray", file="a.npy") for _ in range(times)])


def test_ordinary_payloads_pass():
    check_payload(payload(read_often(2), **{"a.npy": array()}), MOST)
    check_payload(payload(node("DictNode", key_types=key_types("builtins.str", "numpy.int64"))), MOST)
    check_payload(payload(node(content=[node(__id__=1), node(__id__=1)])), MOST)
    check_payload(payload(node("RandomGeneratorNode", content={"seed": {"pool_size": {"content": "4"}}})), MOST)
    check_payload(payload(node(file="s.npz"), **{"s.npz": zipped({"data": array(), "shape": array([])})}), MOST)
    numbers = key_types("builtins.str", number=7)
    check_payload(payload(node(a=node("DictNode", key_types=numbers), b=node("DictNode", key_types=numbers))), MOST)


WRONG = {
    "a list": ([], "not a JSON object"),
    "no protocol": ({**node(), "protocol": None}, "protocol"),
    "an old protocol": ({**node(), "protocol": PROTOCOL - 1}, "protocol"),
    "no class": (node(a={"__loader__": "ObjectNode", "__module__": "m"}), "without loader, module or class"),
    "an id without a loader": (node(a={"__id__": 3}), "without loader, module or class"),
    "a module that is a number": (node(a=node(module=3)), "without loader, module or class"),
    "an id that is a list": (node(__id__=[1]), "an id is not a number"),
    "a cycle": (node(__id__=1, a=node(__id__=1)), "contains itself"),
    "a reference to another type": (node(a=node(__id__=1), b=node(cls="D", __id__=1)), "another type"),
    "a reference to another loader": (node(a=node(__id__=1), b=node("TupleNode", __id__=1)), "another type"),
    "a larger reference": (node(a=node(__id__=1), b=node(__id__=1, c=node())), "another size"),
    "a reference without what it held": (node(a=node(__id__=1, c=node()), b=node(__id__=1)), "another size"),
    "a smaller reference": (node(a=node(__id__=1, c=[node(), node()]), b=node(__id__=1, c=[node()])), "another size"),
    "an array of another kind": (node(a=node("NdArrayNode", "numpy", "memmap")), "would become"),
    "no types of keys": (node("DictNode"), "does not list"),
    "types of keys in a dict": (node("DictNode", key_types=node("DictNode", key_types=key_types())), "does not list"),
    "types of keys in a tuple": (
        node("DictNode", key_types={**key_types("builtins.str"), "__class__": "tuple"}),
        "does not list",
    ),
    "types of keys that are text": (node("DictNode", key_types="builtins.list"), "does not list"),
    "types of keys of another node": (
        node(
            a=node(cls="list", module="builtins", loader="ListNode", __id__=7),
            b=node("DictNode", key_types=key_types(number=7)),
        ),
        "does not list",
    ),
    "keys that are made by a function": (
        node("DictNode", key_types=key_types("os.system")),
        "keys of type 'os.system'",
    ),
    "keys that are no types": (
        node("DictNode", key_types=key_types("builtins.str", loader="FunctionNode")),
        "keys of type",
    ),
    "a huge seed": (
        node("RandomGeneratorNode", content={"a": [{"pool_size": {"content": str(MAX_POOL + 1)}}]}),
        "impossible seed",
    ),
    "a seed without words": (node("RandomGeneratorNode", content={"pool_size": {"content": "0"}}), "impossible seed"),
    "a seed that is no number": (node("RandomGeneratorNode", content={"pool_size": {"content": "4.5"}}), "impossible"),
    "a seed that is a text": (node("RandomGeneratorNode", content={"pool_size": 4}), "impossible seed"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_no_model_holds_is_refused(name):
    schema, said = WRONG[name]
    with pytest.raises(PayloadError, match=said):
        check_payload(payload(schema), MOST)


@pytest.mark.parametrize(
    "content",
    [
        array()[:-1],
        array() + b"x",
        array().replace(b"(2,)", b"(3,)"),
        array().replace(b"(2,), ", b"(-2,),"),
        array(np.array([None])),
        zipped({"data": array()[:-1]}),
    ],
    ids=["too short", "too long", "other shape", "negative shape", "objects", "too short in a zip"],  # bytes have dates
)
def test_arrays_agree_with_their_headers(content):
    with pytest.raises(PayloadError, match="does not agree"):
        check_payload(payload(node(), **{"a.npy": content}), MOST)


def test_unpacked_bytes_are_counted_up_to_the_last_one():
    data = payload(node(), **{"a.npy": array()})
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        sizes = {entry.filename: entry.file_size for entry in archive.infolist()}
    needed = sum(sizes.values()) + SCHEMA_WEIGHT * sizes["schema.json"]
    check_payload(data, needed)
    with pytest.raises(PayloadError, match=f"unpacks to {needed:,} bytes, more than max_bytes={needed - 1:,}"):
        check_payload(data, needed - 1)


def test_an_entry_that_is_read_again_and_again_counts_each_time():
    big = {"a.npy": array(np.zeros(1000))}
    check_payload(payload(read_often(5), **big), 5 * len(big["a.npy"]))
    with pytest.raises(PayloadError, match="unpacks to"):
        check_payload(payload(read_often(6), **big), 6 * len(big["a.npy"]) - 1)


def test_sparse_matrices_are_counted_unpacked():
    packed = zipped({"data": array(np.zeros(100_000))}, zipfile.ZIP_DEFLATED)
    with pytest.raises(PayloadError, match="unpacks to"):
        check_payload(payload(node(), **{"s.npz": packed}), MOST)


def test_other_ways_to_pack_and_entries_twice_are_refused():
    with pytest.raises(PayloadError, match="packed in a way"):
        check_payload(zipped({"schema.json": json.dumps(node())}, zipfile.ZIP_BZIP2), MOST)
    file = io.BytesIO(payload(node()))
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr("a.npy", array(), zipfile.ZIP_BZIP2)
    with pytest.raises(PayloadError, match="packed in a way"):
        check_payload(file.getvalue(), MOST)
    file = io.BytesIO(payload(node()))
    with zipfile.ZipFile(file, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("schema.json", "{}")
    with pytest.raises(PayloadError, match="twice"):
        check_payload(file.getvalue(), MOST)


def test_matrices_that_unpack_to_all_that_is_left_are_looked_into():
    matrix = zipped({"data": array()[:-1]})
    data = payload(node(), **{"s.npz": matrix})
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        sizes = {entry.filename: entry.file_size for entry in archive.infolist()}
    needed = sum(sizes.values()) + SCHEMA_WEIGHT * sizes["schema.json"] + len(array()) - 1
    with pytest.raises(PayloadError, match="does not agree"):
        check_payload(data, needed)
    with pytest.raises(PayloadError, match="unpacks to"):
        check_payload(data, needed - 1)


def test_matrices_are_counted_together():
    packed = zipped({"data": array(np.zeros(5_000))}, zipfile.ZIP_DEFLATED)
    check_payload(payload(node(), **{f"{k}.npz": packed for k in range(2)}), MOST)
    with pytest.raises(PayloadError, match="unpacks to"):
        check_payload(payload(node(), **{f"{k}.npz": packed for k in range(3)}), MOST)


def test_arrays_of_every_shape_and_either_version_of_the_header_pass():
    newer = io.BytesIO()
    np.lib.format.write_array(newer, np.ones((2, 3), np.float32), version=(2, 0))
    arrays = [newer.getvalue(), array(3.0), array(np.zeros((0, 3))), array(np.zeros((3, 2, 2), "U5"))]
    check_payload(payload(node(), **{f"{k}.npy": content for k, content in enumerate(arrays)}), MOST)


@pytest.mark.parametrize("size", [1, MAX_POOL])
def test_seeds_of_possible_sizes_pass(size):
    check_payload(payload(node("RandomGeneratorNode", content={"pool_size": {"content": str(size)}})), MOST)


@pytest.mark.parametrize("loader", ["NdArrayNode", "SparseMatrixNode", "BytesNode", "BytearrayNode"])
def test_what_reads_an_entry_is_counted(loader):
    read = node(loader, "numpy", "ndarray", file="a.npy")
    big = {"a.npy": array(np.zeros(1000))}
    check_payload(payload(node(content=[read] * 12), **big), 12 * len(big["a.npy"]))
    with pytest.raises(PayloadError, match="unpacks to"):
        check_payload(payload(node(content=[read] * 12), **big), 12 * len(big["a.npy"]) - 1)
    others = [node(content=[{**read, "__loader__": "ObjectNode"}] * 12)]  # has a file, and reads none
    check_payload(payload(node(content=others), **big), 12 * len(big["a.npy"]) - 1)
    check_payload(payload(node(content=[node(loader, "numpy", "ndarray", file=None)])), MOST)


def test_what_could_be_called_is_listed_wherever_it_is():
    method = node("MethodNode", "m", "Kind", content={"obj": node(), "func": "act"})
    partial = node("PartialNode", "functools", "partial", content={"func": node("FunctionNode", "os", "system")})
    schema = node(a=[node(b=method)], c={"d": [partial, node("OperatorFuncNode", "operator", "itemgetter")], "e": 3})
    expected = {"m.Kind.act", "functools.partial", "os.system", "operator.itemgetter"}
    assert list_called(payload(schema)) == expected
    assert list_called(payload(node(a=node("TypeNode", "os", "system")))) == set()
