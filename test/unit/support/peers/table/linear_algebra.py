"""Products of matrices, and quantized ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from peers.drawing import FLOATS, INTEGERS, SIZES, Draw, Values, finite, normal, wide
from peers.libraries import by_numpy, by_onnx, by_torch, torch
from peers.registry import Build, Meaning, exact, peer
from relax_dialect.interpret.runtime_values import dtype_name
from relax_dialect.ops import linear_algebra as ops
from relax_dialect.ops import quantization
from relax_dialect.ops.decomposition import DetOp

NUMBERS = (*FLOATS, *INTEGERS)
SUMS: dict[str, float] = {"cancels": 20, "digits": 20}


@peer("matmul", **SUMS)
def matmul(d: Draw) -> tuple[Build, Meaning]:
    dtype, inner, batch = d.one(NUMBERS), d.size(), d.shape(0, 2)
    vectors = d.one((0, 0, 0, 1, 2, 3))
    d.array([inner] if vectors & 1 else [*d.broadcast(batch), d.size(), inner], dtype, finite)
    d.array([inner] if vectors & 2 else [*batch, inner, d.size()], dtype, finite)
    return ops.MatmulOp, by_torch(torch.matmul)


@peer("det", **SUMS)
def det(d: Draw) -> tuple[Build, Meaning]:
    size = d.size()
    d.array([*d.shape(0, 2), size, size], d.one(("float32", "float64")), finite)
    return DetOp, by_torch(torch.linalg.det)


@peer("linear", **SUMS)
def linear(d: Draw) -> tuple[Build, Meaning]:
    dtype, inner, outer = d.one(FLOATS), d.size(), d.size()
    d.array([*d.shape(0, 2), inner], dtype, finite)
    d.array([outer, inner], dtype, finite)
    if d.flag():
        d.array([outer], dtype, finite)
    return ops.LinearOp, by_torch(torch.nn.functional.linear)


EINSUMS = (
    "bij,bjk->bik", "bij,bjk", "...ij,...jk->...ik", "i...->...", "ii->i", "iji", "i,j,k->kij",
    "bnd,hd,be->bnhe", "Aa,aA", "ij->", "ij,ij->i", "ij->ji", "...,...", "bhqd,bhkd->bhqk", "iij->j",
)  # fmt: skip


@peer("einsum", **SUMS)
def einsum(d: Draw) -> tuple[Build, Meaning]:
    subscripts = d.one(EINSUMS)
    dtype = d.one(("float32", "float64", "int32", "int64"))
    more, sizes = d.shape(0, 2, (1, 2, 3)), dict[str, int]()
    for term in subscripts.split("->")[0].split(","):
        before, dots, after = term.partition("...")
        letters = [*before, *after]
        for letter in letters:
            sizes.setdefault(letter, d.size((0, 1, 2, 3, 5)))
        given = [sizes[letter] for letter in letters]
        d.array(
            [*given[: len(before)], *(more if dots else []), *given[len(before) :]], dtype, finite
        )
    return lambda *x: ops.EinsumOp(x, subscripts), by_torch(
        lambda *x: torch.einsum(subscripts, *x).to(x[0].dtype)
    )


@peer("outer", **exact)
def outer(d: Draw) -> tuple[Build, Meaning]:
    dtype = d.one(NUMBERS)
    d.array([d.size()], dtype)
    d.array([d.size()], dtype)
    return ops.OuterOp, by_torch(torch.outer)


@peer("tensordot", **SUMS)
def tensordot(d: Draw) -> tuple[Build, Meaning]:
    dtype, left = d.one(("float32", "float64", "int64")), d.shape(1, 3, (0, 1, 2, 3, 5))
    count = d.whole(0, len(left))
    axes = d.build.sample(range(len(left)), count)
    places = d.build.sample(range(count + 1), count)
    right: list[int] = [d.size((1, 2, 3)) for _ in range(count + 1)]
    for axis, place in zip(axes, places):
        right[place] = left[axis]
    d.array(left, dtype, finite)
    d.array(right, dtype, finite)
    both = [axes, places]
    return lambda a, b: ops.TensordotOp(a, b, both), by_torch(
        lambda a, b: torch.tensordot(a, b, both)
    )


@peer("trace", **SUMS)
def trace(d: Draw) -> tuple[Build, Meaning]:
    shape, dtype = d.shape(2, 4), d.one(("float32", "float64", "int32", "int64"))
    d.array(shape, dtype, finite)
    first, second = d.build.sample(range(len(shape)), 2)
    offset = d.whole(-3, 3)
    return lambda x: ops.TraceOp(x, offset, first, second), by_numpy(
        lambda x: np.trace(x, offset, first, second, x.dtype)
    )


# Quantization --------------------------------------------------------------------------------

NARROW = ("int8", "uint8", "int16", "uint16")


def scales(x: np.ndarray, d: Draw) -> np.ndarray:
    return np.abs(normal(x, d)) / 40 + 0.01


def channels(d: Draw, shape: list[int]) -> tuple[list[int], int]:
    """The shape of scales, and the axis that they belong to."""
    if not shape or d.flag():
        return [], -1
    axis = d.axis(len(shape))
    return [shape[axis]], axis


@peer("quantize", **exact)
def quantize(d: Draw) -> tuple[Build, Meaning]:
    shape, dtype = d.shape(1), d.one(NARROW)
    each, axis = channels(d, shape)
    three: Values = lambda x, d: 3 * finite(x, d)  # noqa: E731
    d.array(shape, "float32", three)
    d.array(each, "float32", scales)
    d.array(each, dtype, wide)
    name = dtype_name(np.dtype(dtype))
    return lambda *o: quantization.QuantizeOp(*o, axis=axis, out_dtype=name), by_onnx(
        "QuantizeLinear", axis=axis
    )


@peer("dequantize", **exact)
def dequantize(d: Draw) -> tuple[Build, Meaning]:
    shape, dtype = d.shape(1), d.one(NARROW)
    each, axis = channels(d, shape)
    d.array(shape, dtype, wide)
    d.array(each, "float32", scales)
    d.array(each, dtype, wide)
    return lambda *o: quantization.DequantizeOp(*o, axis=axis), by_onnx(
        "DequantizeLinear", axis=axis
    )


@peer("dynamic_quantize", **exact)
def dynamic_quantize(d: Draw) -> tuple[Build, Meaning]:
    shift = d.number(-5, 5)
    d.array(d.shape(1, 3, SIZES[1:]), "float32", lambda x, d: np.float32(shift) + finite(x, d))
    return quantization.DynamicQuantizeOp, by_onnx("DynamicQuantizeLinear", 3)


@peer("matmul_integer", **exact)
def matmul_integer(d: Draw) -> tuple[Build, Meaning]:
    """ONNX Runtime leaves the product over no elements as it finds the memory."""
    right, inner, columns = d.one(("int8", "uint8")), d.size(SIZES[1:]), d.size()
    d.array([d.size(), inner], "uint8", wide)
    d.array([inner, columns], right, wide)
    d.array([], "uint8", wide)
    d.array([columns] if d.flag() else [], right, wide)
    return quantization.MatmulIntegerOp, by_onnx("MatMulInteger")


@peer("qlinear_matmul", **exact)
def qlinear_matmul(d: Draw) -> tuple[Build, Meaning]:
    inner, columns = d.size(SIZES[1:]), d.size(SIZES[1:])
    each: list[Any] = [columns] if d.flag() else []
    d.array([d.size(SIZES[1:]), inner], "uint8", wide)
    d.array([], "float32", scales)
    d.array([], "uint8", wide)
    d.array([inner, columns], "int8", wide)
    d.array(each, "float32", scales)
    d.array(each, "int8", wide)
    d.array([], "float32", lambda x, d: 30 * scales(x, d))
    d.array([], "uint8", wide)
    return quantization.QlinearMatmulOp, by_onnx("QLinearMatMul")
