"""Attributes of modules, with tensors that TVM keeps in the metadata."""

from __future__ import annotations

import base64
import json
import struct

import numpy as np
import pytest
from xdsl.dialects.builtin import ArrayAttr, DenseIntOrFPElementsAttr

from relax_dialect.frontends.tvmscript import ScriptError, loads
from relax_dialect.frontends.tvmscript.script.metadata import HEADER, MAGIC
from relax_dialect.interpret.runtime_values import from_dense

SCRIPT = """metadata = tvm.ir.load_json({metadata!r})
@I.ir_module
class Module:
    I.module_attrs({{"state": [metadata["ffi.Tensor"][{index}], 3]}})
    @R.function
    def main(x: R.Tensor((2,), "float32")):
        return x
"""


def script(index: int) -> str:
    array = np.array([1, -2], np.int64)
    header = HEADER.pack(MAGIC, 0, 1, 0, 1, 0, 64, 1)
    data = header + struct.pack("<2q", 2, array.nbytes) + array.tobytes()
    nodes = [
        {"type": "ffi.String", "data": "ffi.Tensor"},
        {"type": "ffi.Tensor", "data": base64.b64encode(data).decode()},
        {"type": "ffi.Array", "data": [1]},
        {"type": "ffi.Map", "data": [0, 2]},
    ]
    return SCRIPT.format(metadata=json.dumps({"root_index": 3, "nodes": nodes}), index=index)


def test_a_tensor_of_an_attribute():
    state = loads(script(0)).attributes["tvm.state"]
    assert isinstance(state, ArrayAttr)
    tensor = state.data[0]
    assert isinstance(tensor, DenseIntOrFPElementsAttr)
    np.testing.assert_array_equal(from_dense(tensor), [1, -2])


def test_a_tensor_that_is_not_there():
    with pytest.raises(ScriptError, match="expected an entry of the metadata"):
        loads(script(1))
