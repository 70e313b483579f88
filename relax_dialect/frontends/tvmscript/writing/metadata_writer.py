"""The constants of a script as TVM keeps them: objects in JSON, tensors in base64 of its save format.

The format is that of `tvm.ir.save_json`; `metadata["ir.GenericConst"][i]` in the script is constant i.
"""

from __future__ import annotations

import json
import struct
from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from relax_dialect.frontends.tvmscript.script.metadata import HEADER, KINDS, MAGIC

KEY = "ir.GenericConst"


@dataclass(frozen=True)
class SavedTensor:
    """A tensor: TVM's name of its element type, its sizes, and its elements row by row, little-endian."""

    dtype: str
    shape: Sequence[int]
    data: bytes

    def saved(self) -> str:
        """Encode the constant in TVM's save format, in base64."""
        code, bits = _element(self.dtype)
        header = HEADER.pack(MAGIC, 0, 1, 0, len(self.shape), code, bits, 1)  # on the CPU
        sizes = struct.pack(f"<{len(self.shape) + 1}q", *self.shape, len(self.data))
        return b64encode(header + sizes + self.data).decode()


def _element(name: str) -> tuple[int, int]:
    """Return DLPack's code of an element type, and its bits."""
    codes = {kind: code for code, kind in KINDS.items()}
    if name in codes:
        return codes[name], 8
    kind = name.rstrip("0123456789")
    return codes[kind], int(name[len(kind) :])


class _Graph:
    """Nodes by number; equal ones are one."""

    def __init__(self) -> None:
        self.nodes: dict[str, int] = {}

    def add(self, type: str, data: object = None) -> int:
        """Return the number of a node."""
        node = {"type": type} if data is None else {"type": type, "data": data}
        return self.nodes.setdefault(json.dumps(node), len(self.nodes))

    def object(self, type: str, **fields: object) -> int:
        """Return the number of an object of the IR, which has no source location."""
        return self.add(type, {"span": self.add("None"), **fields})

    def tensor(self, tensor: SavedTensor) -> int:
        """Return the number of a constant."""
        number = self.object("ir.PrimType", dtype="int64")
        sizes = [
            self.object("ir.IntImm", ty=number, value=self.add("int", s)) for s in tensor.shape
        ]
        values = self.add("ffi.Array", sizes)
        type = self.object("relax.ShapeType", values=values, ndim=len(sizes))
        shape = self.object("relax.expr.ShapeExpr", ty=type, values=values)
        element = self.object("ir.PrimType", dtype=tensor.dtype)
        nothing = self.add("None")
        type = self.object(
            "relax.TensorType", shape=shape, dtype=element, vdevice=nothing, ndim=len(sizes)
        )
        return self.object(KEY, ty=type, value=self.add("ffi.Tensor", tensor.saved()))


def metadata_text(tensors: Iterable[SavedTensor]) -> str:
    """Return the opening statement of a script with these constants."""
    graph = _Graph()
    constants = graph.add("ffi.Array", [graph.tensor(tensor) for tensor in tensors])
    root = graph.add("ffi.Map", [graph.add("ffi.String", KEY), constants])
    nodes = ",\n".join(graph.nodes)
    return f'metadata = tvm.ir.load_json("""{{"root_index": {root}, "nodes": [\n{nodes}\n]}}""")\n'
