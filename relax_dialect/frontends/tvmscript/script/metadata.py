"""Constants that TVM writes beside a script: `metadata["relax.expr.Constant"][0]`.

Tensors of attributes are `metadata["ffi.Tensor"][0]`.
"""

from __future__ import annotations

import ast
import base64
import binascii
import json
import struct
from typing import Any

import numpy as np

from relax_dialect.frontends.tvmscript.script.script_source import Unreadable

TENSOR = "ffi.Tensor"
"""The kind of tensors that attributes hold."""
MAGIC = 0xDD5E40F096B4A13F
"""The number that TVM's format of saved tensors begins with."""
HEADER = struct.Struct("<QQiiiBBH")
"""Magic number, a reserved one, the device, its number, rank; the elements' code, bits and lanes."""
KINDS = {
    0: "int", 1: "uint", 2: "float", 4: "bfloat", 6: "bool", 10: "float8_e4m3fn", 11: "float8_e4m3fnuz",
    12: "float8_e5m2", 13: "float8_e5m2fnuz", 14: "float8_e8m0fnu",
}  # fmt: skip
"""The kinds of elements by DLPack's codes; only the names of float8 types are complete."""


def tensor(data: bytes) -> np.ndarray[Any, Any]:
    """Read an array saved by TVM: a magic number, a reserved one, the device, the rank, the element type,
    the sizes, the number of bytes, and these, all little-endian. ValueError for anything else."""
    if len(data) < HEADER.size:
        raise ValueError("it is too short")
    magic, _, _, _, ndim, code, bits, lanes = HEADER.unpack_from(data)
    if magic != MAGIC or not 0 <= ndim <= 64 or lanes != 1 or code not in KINDS:
        raise ValueError("it is no tensor")
    sizes = struct.unpack_from(f"<{ndim + 1}q", data, HEADER.size)
    start = HEADER.size + 8 * (ndim + 1)
    kind = KINDS[code]
    name = "bool" if kind == "uint" and bits == 1 else f"{kind}{bits}" if code < 6 else kind
    if name == "bfloat16" or code > 6:
        import ml_dtypes

        dtype = np.dtype(getattr(ml_dtypes, name))
    else:
        try:
            dtype = np.dtype(name)
        except TypeError:
            raise ValueError(f"its elements are {name}") from None
    count = int(np.prod(sizes[:-1], dtype=object))
    if min(sizes) < 0 or count * dtype.itemsize != sizes[-1] or start + sizes[-1] > len(data):
        raise ValueError("its sizes do not fit its bytes")
    return np.frombuffer(data, dtype, count, start).reshape(sizes[:-1])


def read_metadata(node: ast.expr) -> dict[str, list[Any]]:
    """Return the entries of `metadata = tvm.ir.load_json(\"\"\"...\"\"\")` by kind: constants as arrays,
    others as None."""
    text = node.args[0] if isinstance(node, ast.Call) and len(node.args) == 1 else node
    if not isinstance(text, ast.Constant) or not isinstance(text.value, str):
        raise Unreadable(node, "expected a text of JSON as the metadata, found another expression")
    try:
        tree = json.loads(text.value)
        return _Nodes(tree).entries()
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
        reason = (
            f"expected TVM's metadata, found a text that is none ({type(error).__name__}: {error})"
        )
        raise Unreadable(node, reason[:300]) from None


class _Nodes:
    """The graph of objects that TVM saves as JSON, of either of its forms."""

    def __init__(self, tree: dict[str, Any]):
        self.nodes: list[dict[str, Any]] = tree["nodes"]
        self.root: int = tree["root"] if "root" in tree else tree["root_index"]
        self.blobs: list[str] = tree.get("b64ndarrays", [])

    def entries(self) -> dict[str, list[Any]]:
        """Return the objects by kind."""
        return {key: [self._object(i) for i in self._list(at)] for key, at in self._map(self.root)}

    def _kind(self, at: int) -> str:
        node = self.nodes[at]
        return node.get("type_key", node.get("type", ""))

    def _data(self, at: int) -> Any:
        node = self.nodes[at]
        return node["data"] if "data" in node else node.get("attrs", {})

    def _map(self, at: int) -> list[tuple[str, int]]:
        node = self.nodes[at]
        if "keys" in node:
            return list(zip(node["keys"], node["data"]))
        flat = node["data"]
        return [(self.nodes[k]["data"], v) for k, v in zip(flat[::2], flat[1::2])]

    def _list(self, at: int) -> list[int]:
        return list(self.nodes[at].get("data", ()))

    def _object(self, at: int) -> Any:
        """A constant or a tensor, or None for an object of another kind."""
        fields = self._data(at)
        held = fields.get("value", fields.get("data")) if isinstance(fields, dict) else None
        if held is None and self._kind(at) != TENSOR:
            return None
        blob: Any = fields
        if held is not None:
            blob = self.blobs[int(held)] if self.blobs else self._data(held)
        try:
            return tensor(base64.b64decode(blob, validate=True))
        except binascii.Error as error:
            raise ValueError(str(error)) from None
