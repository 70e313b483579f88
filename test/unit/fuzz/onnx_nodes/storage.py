"""Numbers of few bits: casts, quantized numbers whose blocks share a scale, and bf16. ONNX's own reference is
the peer where ONNX Runtime has no such kernel."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from onnx import TensorProto, helper

from .drawing import Draw, Drawn

OPSET = 25
"""The first that has all of these types."""
FLOATS = ("FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ")
QUANTIZED = (*FLOATS, "FLOAT4E2M1", "INT4", "UINT4", "INT2", "UINT2")
STORED = (*QUANTIZED, "FLOAT8E8M0")


def type_of(name: str) -> tuple[int, Any]:
    """ONNX's number of a type, and numpy's type."""
    code = getattr(TensorProto, name)
    return code, helper.tensor_dtype_to_np_dtype(code)


def cast(draw: Draw) -> Drawn:
    """To a type of few bits, or from one."""
    name = draw.one(*STORED)
    code, dtype = type_of(name)
    x = draw.array(draw.one("float32", "float16"), draw.shape())
    given: dict[str, Any] = {"to": code}
    if name.startswith("FLOAT8"):
        given["saturate"] = draw.int(0, 1)
    if name == "FLOAT8E8M0":
        given["round_mode"] = draw.one("up", "down", "nearest")
    if draw.chance(0.3):
        with np.errstate(all="ignore"):
            x, given = np.clip(x, 0, 3).astype(dtype), {"to": draw.one(1, 10, 11)}
    return Drawn("Cast", [x], given, opset=OPSET, by_reference=True)


def quantized(draw: Draw) -> Drawn:
    """One scale for all, one for each place of an axis, or one for each block of an axis."""
    name, is_back = draw.one(*QUANTIZED), draw.op_type == "DequantizeLinear"
    _, dtype = type_of(name)
    shape = list(draw.shape(1, 3, empty=False))
    axis, form = draw.axis(len(shape)), draw.one("one", "axis", "block")
    of, given = [], dict[str, Any]()
    if form != "one":
        of, given = [shape[axis]], {"axis": axis}
    if form == "block":
        size = draw.int(1, 3)
        of, given["block_size"] = [*shape], size
        of[axis] = -(-shape[axis] // size)
    if name in FLOATS and not is_back and draw.chance(0.3):
        given["saturate"] = 0
    if not is_back and draw.chance(0.2):
        given["precision"] = draw.one(TensorProto.FLOAT, TensorProto.FLOAT16)
    zero = np.zeros(of) if "FLOAT" in name else draw.numbers.integers(0, 2, of)
    x = (draw.numbers.standard_normal(shape) * draw.one(1, 5, 50)).astype("float32")
    if is_back:
        x = np.clip(x, 0, 1).astype(dtype)
    inputs = [x, draw.positive("float32", of), np.asarray(zero).astype(np.int8).astype(dtype)]
    constants = draw.one([], [1, 2], [0, 1, 2] if is_back else [1, 2])
    return Drawn(draw.op_type, inputs, given, constants, opset=OPSET, by_reference=True)


OF_BF16 = """
    Abs Add Concat Div Equal Expand Gather Greater Identity Less MatMul Max Min Mul Neg Pad Relu Reshape Slice
    Split Sqrt Squeeze Sub Tile Transpose Unsqueeze Where
""".split()  # noqa: SIM905
"""Operators of bf16 that the reference computes in bf16."""


def in_bf16(node: Drawn) -> Drawn | None:
    """The node on numbers of bf16, if it has some of f32."""
    _, dtype = type_of("BFLOAT16")
    if not any(a is not None and a.dtype == np.float32 for a in node.inputs):
        return None
    with np.errstate(all="ignore"):
        inputs = [
            a.astype(dtype) if a is not None and a.dtype == np.float32 else a for a in node.inputs
        ]
    return replace(node, inputs=inputs, opset=OPSET, by_reference=True)
