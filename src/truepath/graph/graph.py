"""A graph of ONNX operators while it is written: every step returns the name of what it makes.

The graph knows the kind of numbers behind every name. Members compute in float64 wherever the model does, and round to
float32 wherever the model does, so that scores are the model's to the last digits and compare with thresholds in the
same way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from truepath.errors import TruePathError
from truepath.extras import import_extra

#: A protobuf file cannot be larger
MOST_BYTES = 2**31 - 2**20
#: Of a sparser matrix than this, the entries and their places are kept in the file
SHARE_TO_KEEP_DENSE = 0.25

#: What operators return whose output is not of the kind of their first input
_RETURNS = {
    **dict.fromkeys(["Greater", "Less", "LessOrEqual", "Equal", "IsNaN", "And", "Or", "Not"], "BOOL"),
    **dict.fromkeys(["Shape", "ArgMax", "LabelEncoder"], "INT64"),
    **dict.fromkeys(["TreeEnsembleRegressor", "TfIdfVectorizer"], "FLOAT"),
    "Tokenizer": "STRING",
}


class Graph:
    """Inputs, operators and constants in the order in which they are added.

    Attributes
    ----------
    columns_in : dict of str to (str, str)
        For each input that is one column of a table: the column's name, and what it holds.
    column_names : sequence of str
        What the columns of the model's rows are called, if these are arrays; empty if they have no names.
    matrix_columns : list of str, optional
        The names of the columns of an input that is a matrix.
    domains : set of str
        The sets of operators in use besides ONNX's own.
    """

    def __init__(self) -> None:
        self.onnx = import_extra("onnx", "Exporting a model", "onnx")
        self.inputs: list[Any] = []
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.columns_in: dict[str, tuple[str, str]] = {}
        self.column_names: Sequence[str] = ()
        self.matrix_columns: list[str] | None = None
        self.domains: set[str] = set()
        self.n_bytes = 0
        self._kinds: dict[str, str] = {}
        self._n_names = 0

    # ------------------------------------------------------------------------------------------ inputs

    def input(self, name: str, kind: str, shape: list[Any] | None) -> str:
        """Add an input, unless there is one of this name already; return the name."""
        if name not in self._kinds:
            elements = getattr(self.onnx.TensorProto, kind)
            self.inputs.append(self.onnx.helper.make_tensor_value_info(name, elements, shape))
            self._kinds[name] = kind
        return name

    def input_matrix(self, name: str, n_columns: int) -> str:
        """Add an input of numbers, rows x columns; return its name."""
        if len(self.column_names) == n_columns:
            self.matrix_columns = list(self.column_names)
        return self.input(name, "DOUBLE", ["rows", n_columns])

    def input_column(self, column: Any, kind: str, holds: str) -> str:
        """Add an input for one column of a table, one value per row; return its name, without special characters."""
        taken = {own: name for name, (own, _) in self.columns_in.items()}
        if str(column) in taken:
            return taken[str(column)]
        safe = name = re.sub(r"\W", "_", str(column), flags=re.ASCII) or "column"
        n = 1
        while name in self._kinds:
            n += 1
            name = f"{safe}_{n}"
        self.columns_in[name] = (str(column), holds)
        return self.input(name, kind, ["rows"])

    # --------------------------------------------------------------------------------------- constants

    def constant(self, values: Any, dtype: Any = None) -> str:
        """Add an array; return its name."""
        array = np.ascontiguousarray(values, dtype)
        self.n_bytes += array.nbytes
        if self.n_bytes > MOST_BYTES:
            raise TruePathError(
                f"the model takes {self.n_bytes / 2**30:.1f} GiB as an ONNX file, which can have 2 at most.",
                "Fit it with fewer words, trees or labels, or serve it with truepath serve.",
            )
        made = self.onnx.numpy_helper.from_array(array.reshape(np.shape(values)), self._new_name("constant"))
        self.constants.append(made)
        self._kinds[made.name] = self.onnx.TensorProto.DataType.Name(made.data_type)
        return str(made.name)

    def matrix(self, M: Any) -> str:
        """Add a matrix, dense or sparse; one with few entries is filled in when a program opens the file."""
        n_rows, n_columns = M.shape
        if not sparse.issparse(M):
            return self.constant(M)
        if M.nnz > SHARE_TO_KEEP_DENSE * n_rows * n_columns:
            return self.constant(M.toarray())
        entries = sparse.coo_array(M)
        zero = self.onnx.numpy_helper.from_array(np.zeros(1, M.dtype))
        empty = self.add("ConstantOfShape", self.constant([n_rows * n_columns], np.int64), value=zero)
        self._kinds[empty] = "FLOAT" if M.dtype == np.float32 else "DOUBLE"
        at = entries.row.astype(np.int64) * n_columns + entries.col
        filled = self.add("ScatterElements", empty, self.constant(at), self.constant(entries.data), axis=0)
        return self.reshape(filled, [n_rows, n_columns])

    # --------------------------------------------------------------------------------------- operators

    def add(self, operator: str, *inputs: str, domain: str = "", output: str | None = None, **attributes: Any) -> str:
        """Add an operator; return the name of its output."""
        name = output or self._new_name(operator.lower())
        self.nodes.append(self.onnx.helper.make_node(operator, inputs, [name], name=name, domain=domain, **attributes))
        self._kinds[name] = self._kind_made(operator, inputs, attributes)
        if domain:
            self.domains.add(domain)
        return name

    def _kind_made(self, operator: str, inputs: tuple[str, ...], attributes: dict[str, Any]) -> str:
        if operator == "Cast":
            return str(self.onnx.TensorProto.DataType.Name(attributes["to"]))
        known = _RETURNS.get(operator)
        return known or self._kinds.get(inputs[1 if operator == "Where" else 0], "") if inputs else ""

    def _new_name(self, word: str) -> str:
        self._n_names += 1
        return f"{word}_{self._n_names}"

    def kind(self, name: str) -> str:
        """Return the kind behind a name: ``"DOUBLE"``, ``"FLOAT"``, ``"INT64"``, ``"BOOL"`` or ``"STRING"``."""
        return self._kinds[name]

    def cast(self, values: str, kind: str) -> str:
        """Turn numbers into another kind, if they are not of it."""
        if self.kind(values) == kind:
            return values
        return self.add("Cast", values, to=getattr(self.onnx.TensorProto, kind))

    def double(self, values: str) -> str:
        """Turn numbers into float64."""
        return self.cast(values, "DOUBLE")

    def like(self, values: str, *others: str) -> str:
        """Round to float32 where all others are float32, as NumPy does; else turn into float64."""
        return self.cast(values, "FLOAT" if all(self.kind(other) == "FLOAT" for other in others) else "DOUBLE")

    def number(self, value: float, like: str) -> str:
        """Add a number of the kind of others."""
        return self.constant(value, {"FLOAT": np.float32, "DOUBLE": np.float64, "INT64": np.int64}[self.kind(like)])

    def encode(self, strings: str, number_of: dict[str, int], otherwise: int) -> str:
        """Turn strings into numbers."""
        return self.add(
            "LabelEncoder",
            strings,
            domain="ai.onnx.ml",
            keys_strings=list(number_of),
            values_int64s=list(number_of.values()),
            default_int64=otherwise,
        )

    def either(self, condition: str, yes: str, no: str) -> str:
        """Choose between two booleans; ``Where`` of onnxruntime does not take them."""
        return self.add("Or", self.add("And", condition, yes), self.add("And", self.add("Not", condition), no))

    def columns(self, values: str, at: Any) -> str:
        """Take these columns."""
        return self.add("Gather", values, self.constant(at, np.int64), axis=1)

    def largest(self, values: str, k: int) -> str:
        """Return the places of each row's k largest values, the first of equals."""
        best, places = self._new_name("best"), self._new_name("places")
        inputs = [values, self.constant([k], np.int64)]
        self.nodes.append(self.onnx.helper.make_node("TopK", inputs, [best, places], name=best, axis=1))
        self._kinds[best], self._kinds[places] = self.kind(values), "INT64"
        return places

    def reshape(self, values: str, shape: list[int]) -> str:
        """Give values another shape."""
        return self.add("Reshape", values, self.constant(shape, np.int64))

    def total(self, values: str, *, keepdims: bool = True) -> str:
        """Add up each row."""
        return self.add("ReduceSum", values, self.constant([1], np.int64), keepdims=int(keepdims))

    def clip(self, values: str, low: float, high: float) -> str:
        """Bound values."""
        return self.add("Clip", values, self.number(low, values), self.number(high, values))

    def fill_columns(self, values: str, known: Any) -> str:
        """Put numbers in place of the columns whose entry in ``known`` is not NaN."""
        is_known = np.isfinite(known)
        if not is_known.any():
            return values
        dtype = np.float32 if self.kind(values) == "FLOAT" else np.float64
        put = self.constant(np.where(is_known, known, 0.0)[None, :], dtype)
        return self.add("Where", self.constant(is_known[None, :]), put, values)

    def scatter(self, values: str, at: Any, updates: str, reduction: str) -> str:
        """Reduce ``updates``, one column per entry of ``at``, into these columns by ``"min"`` or ``"max"``."""
        shape = self.add("Shape", updates)
        places = self.add("Expand", self.constant(np.asarray(at)[None, :], np.int64), shape)
        return self.add("ScatterElements", values, places, updates, axis=1, reduction=reduction)

    def scan(self, state: str, over: list[str], step: Callable[[Graph, str, list[str]], str]) -> str:
        """Go through the first axis of some arrays together; ``step(body, state, slices)`` returns the next state.

        The state is a matrix: older runtimes want to know how many axes it has.
        """
        helper, kinds = self.onnx.helper, self.onnx.TensorProto
        body = Graph()
        body._n_names = self._n_names  # names are used once in a file
        before, *slices = (body.input(body._new_name("part"), self.kind(name), None) for name in (state, *over))
        after = body.add("Identity", step(body, before, slices))
        self._n_names = body._n_names
        made = helper.make_tensor_value_info(after, getattr(kinds, self.kind(state)), [None, None])
        inner = helper.make_graph(body.nodes, "step", body.inputs, [made], body.constants)
        return self.add("Scan", state, *over, num_scan_inputs=len(over), body=inner)
