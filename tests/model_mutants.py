"""Model files with one or two things changed inside, under a right checksum, and the judge of what comes of them.

A change knows the structure of a file: it swaps arrays, gives them other shapes, types and values, swaps, removes and
doubles attributes and items, and puts other values in the place of parameters. Whatever is done, a file ends as a model
whose answers are valid, or as one ModelFileError.
"""

from __future__ import annotations

import copy
import io
import json
import warnings
import zipfile
from pathlib import Path

import numpy as np

from persistence_room import ROWS
from truepath.errors import ModelFileError
from truepath.persistence import load
from truepath.persistence.container import pack

SCHEMA = "schema.json"
N_ROWS = 6
ASKED = ("predict_proba", "predict_conditional_proba", "transform", "predict")
VALUES = [None, True, False, 0, 1, -1, 2, 7, 0.5, -0.5, 1e308, 10**30, float("nan"), float("inf"), "", "x", "auto"]
TYPES = ["f4", "f8", "i1", "i4", "i8", "u8", "?", "c16", "U3", "S3", ">f8", ">i4", "f2", "M8[s]"]
VALUES += [[], [1], [0.5, 0.5], {}, {"a": 1}, "0", 10**9]


# ------------------------------------------------------------------------------------------------ files and parts


def unpack(data):
    """Return the metadata, the schema, and the other entries of a model file."""
    n_metadata = int.from_bytes(data[12:16], "little")
    with zipfile.ZipFile(io.BytesIO(data[56 + n_metadata :])) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    return data[56 : 56 + n_metadata], json.loads(entries.pop(SCHEMA)), entries


def seal(metadata, schema, entries):
    """Return a model file with a right checksum."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in {**entries, SCHEMA: json.dumps(schema).encode()}.items():
            archive.writestr(name, content)
    return b"".join(pack(metadata, buffer.getvalue()))


def nodes_of(value):
    """Return the nodes of a schema, in order."""
    found = [value] if isinstance(value, dict) and "__loader__" in value else []
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        found += nodes_of(part)
    return found


def arrays_of(nodes, entries):
    return [n for n in nodes if n["__loader__"] in ("NdArrayNode", "SparseMatrixNode") and n.get("file") in entries]


def pick(rng, choices):
    return choices[int(rng.integers(len(choices)))]


# ------------------------------------------------------------------------------------------------ changes


def change_value(nodes, entries, rng):
    plain = [node for node in nodes if node["__loader__"] == "JsonNode"]
    pick(rng, plain)["content"] = json.dumps(pick(rng, VALUES))


def swap_values(nodes, entries, rng):
    first, second = (pick(rng, [node for node in nodes if node["__loader__"] == "JsonNode"]) for _ in range(2))
    first["content"], second["content"] = second["content"], first["content"]


def swap_arrays(nodes, entries, rng):
    arrays = arrays_of(nodes, entries)
    first, second = pick(rng, arrays)["file"], pick(rng, arrays)["file"]
    entries[first], entries[second] = entries[second], entries[first]


def swap_nodes(nodes, entries, rng):
    first, second = pick(rng, nodes), copy.deepcopy(pick(rng, nodes))
    first.clear()
    first.update(second)


def other_shape(array, rng):
    ways = [
        lambda a: a[:-1],
        lambda a: a[1:],
        lambda a: np.concatenate([a, a[:1]]),
        lambda a: a.T,
        lambda a: a[:0],
        lambda a: a.ravel(),
        lambda a: a[None],
        lambda a: a[..., None],
        lambda a: a.ravel()[0],
        lambda a: a[..., :-1],
    ]
    return pick(rng, ways)(np.atleast_1d(array))


def other_type(array, rng):
    return array.astype(
        pick(rng, ["f4", "f8", "i1", "i4", "i8", "u8", "?", "c16", "U3", "S3", ">f8", ">i4", "f2", "M8[s]"])
    )


def other_values(array, rng):
    changed = np.array(array)
    flat = changed.reshape(-1)
    where = rng.integers(flat.size, size=int(rng.integers(1, 4)))
    if changed.dtype.kind == "f":
        flat[where] = pick(rng, [np.nan, np.inf, -np.inf, 1e300, -1e300, -1, 0, 1e-300, 2, 0.5])
    elif changed.dtype.kind in "iu":
        flat[where] = pick(rng, [0, 1, 2, 5, 100, 2**31 - 1, -1, -(2**31)])
    elif changed.dtype.kind == "b":
        flat[where] ^= True
    else:
        rng.shuffle(flat)
    return changed


def other_order(array, rng):
    return rng.permuted(np.atleast_1d(array), axis=0)


def change_array(nodes, entries, rng):
    name = pick(rng, arrays_of(nodes, entries))["file"]
    change = pick(rng, [other_shape, other_type, other_values, other_values, other_order])
    buffer = io.BytesIO()
    content = np.load(io.BytesIO(entries[name]))
    if isinstance(content, np.ndarray):
        np.save(buffer, change(content, rng))
    else:
        parts = dict(content)
        part = pick(rng, sorted(parts))
        parts[part] = change(parts[part], rng)
        np.savez(buffer, **parts)
    entries[name] = buffer.getvalue()


def attributes_of(nodes):
    """Return the mappings of attributes, or of keys."""
    return [node for node in nodes if node["__loader__"] == "DictNode" and node["content"]]


def remove_attribute(nodes, entries, rng):
    node = pick(rng, attributes_of(nodes))
    position = int(rng.integers(len(node["content"])))
    del node["content"][list(node["content"])[position]]
    del node["key_types"]["content"][position]


def swap_attributes(nodes, entries, rng):
    content = pick(rng, attributes_of(nodes))["content"]
    first, second = pick(rng, list(content)), pick(rng, list(content))
    content[first], content[second] = content[second], content[first]


def copy_attribute(nodes, entries, rng):
    content, other = (pick(rng, attributes_of(nodes))["content"] for _ in range(2))
    content[pick(rng, list(content))] = copy.deepcopy(other[pick(rng, list(other))])


def rename_attribute(nodes, entries, rng):
    node = pick(rng, attributes_of(nodes))
    names = list(node["content"])
    old, new = pick(rng, names), pick(rng, [*names, "x_", "predict", "check_loaded", "0", "n_features_in_"])
    node["content"] = {new if name == old else name: value for name, value in node["content"].items()}


def change_items(nodes, entries, rng):
    lists = [node for node in nodes if node["__loader__"] in ("ListNode", "TupleNode") and node["content"]]
    items = pick(rng, lists)["content"]
    where, way = int(rng.integers(len(items))), int(rng.integers(5))
    if way == 0:
        del items[where]
    elif way == 1:
        items.insert(where, copy.deepcopy(pick(rng, items)))
    elif way == 2:
        items.reverse()
    elif way == 3:
        items.append(copy.deepcopy(pick(rng, nodes)))
    else:
        items[where] = copy.deepcopy(pick(rng, nodes))


def change_class(nodes, entries, rng):
    first, second = pick(rng, nodes), pick(rng, nodes)
    for key in ("__class__", "__module__", "__loader__"):
        first[key] = second[key]


def change_name(nodes, entries, rng):
    first, second = pick(rng, nodes), pick(rng, nodes)
    first["__class__"], first["__module__"] = second["__class__"], second["__module__"]


CHANGES = [change_value] * 4 + [swap_values, swap_arrays, swap_nodes] + [change_array] * 6 + [remove_attribute]
CHANGES += [swap_attributes, copy_attribute, rename_attribute, change_items, change_items, change_class, change_name]


def change_parts(data, rng):
    """Change one or two parts of a model."""
    metadata, schema, entries = unpack(data)
    done = []
    for _ in range(1 if rng.random() < 0.8 else 2):
        change = pick(rng, CHANGES)
        try:
            change(nodes_of(schema), entries, rng)
        except (
            ValueError,
            IndexError,
            KeyError,
            TypeError,
            AttributeError,
            OverflowError,
        ):  # nothing of the kind to change there
            continue
        done.append(change.__name__)
    for number, node in enumerate(nodes_of(schema)):  # copies are things of their own
        if "swap_nodes" in done or "copy_attribute" in done or "change_items" in done:
            node["__id__"] = number + 1
    return seal(metadata, schema, entries), "+".join(done)


def flip_bits(data, rng):
    """Change bits of an entry."""
    metadata, schema, entries = unpack(data)
    name = pick(rng, [*entries, SCHEMA])
    content = bytearray(entries.get(name) or json.dumps(schema).encode())
    for where in rng.integers(len(content), size=int(rng.integers(1, 5))):
        content[where] ^= 1 << int(rng.integers(8))
    entries[name] = bytes(content)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for key, value in ({SCHEMA: json.dumps(schema).encode()} | entries).items():
            archive.writestr(key, value)
    return b"".join(pack(metadata, buffer.getvalue())), "flip_bits"


def cut_short(data, rng):
    """Leave out the end, under a right checksum or not."""
    if rng.random() < 0.5:
        return data[: int(rng.integers(len(data)))], "cut_short"
    n_metadata = int.from_bytes(data[12:16], "little")
    payload = data[56 + n_metadata :]
    return b"".join(pack(data[56 : 56 + n_metadata], payload[: int(rng.integers(len(payload)))])), "cut_short"


def mutate(data, rng):
    """Return a changed file, and what was done."""
    way = rng.random()
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # other types and huge values do not always fit
        return (cut_short if way < 0.02 else flip_bits if way < 0.1 else change_parts)(data, rng)


# ------------------------------------------------------------------------------------------------ the judge


def judge(path: Path, name: str) -> str:
    """Load a file and ask the model; return "refused" or "valid", or raise whatever went wrong."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            model = load(path)
        except ModelFileError:
            return "refused"
        found = ask(model, name)
    check_answers(model, found)
    return "valid"


def ask(model, name):
    """Return what a model says about rows of the right width."""
    room, _, kind = name.partition(".")
    n_rows = count_asked(model)
    n_columns, rng = getattr(model, "n_features_in_", 5), np.random.default_rng(0)
    if room in ("combiners", "decoders"):
        hierarchy, asked = getattr(model, "hierarchy_", None), rng.random((n_rows, n_columns))
        asked = np.sort(asked, axis=1)[:, ::-1] if hierarchy is None else _coherent(asked, hierarchy)
    else:
        asked = ROWS[kind][:n_rows] if kind in ROWS else rng.normal(size=(n_rows, n_columns)).round()
    found = {method: getattr(model, method)(asked) for method in ASKED if hasattr(model, method)}
    assert found
    return {key: value.toarray() if hasattr(value, "toarray") else np.asarray(value) for key, value in found.items()}


def count_asked(model):
    """Return how many rows to ask about: those that a decoder has a number of leaves for, where it has one per row."""
    k = getattr(getattr(model, "decoder_", model), "k", None)
    return np.size(k) if np.ndim(k) else N_ROWS


def _coherent(S, hierarchy):
    from truepath.combiners import MinDown

    return MinDown(hierarchy=hierarchy).fit(S).transform(S)


def check_answers(model, found):
    """Refuse scores that are no numbers, and labels that are not closed."""
    hierarchy, n_rows = getattr(model, "hierarchy_", None), count_asked(model)
    for method, values in found.items():
        assert len(values) == n_rows, f"{method}: {values.shape}"
        if values.dtype.kind == "f":
            assert np.isfinite(values).all(), f"{method}: not finite"
        if hierarchy is not None and method in ("predict", "predict_proba"):
            assert values.shape == (n_rows, hierarchy.n_nodes), f"{method}: {values.shape}"
        if hierarchy is not None and method == "predict":
            assert hierarchy.is_closed(values), "labels are not closed"
