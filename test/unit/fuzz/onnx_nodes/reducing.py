"""Reductions, and what looks along an axis."""

from __future__ import annotations

import numpy as np

from .drawing import FLOATS, INTS, Draw, Drawn, draws, schema, vector

REDUCTIONS = "ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare"


@draws(REDUCTIONS)
def reduction(draw: Draw) -> Drawn:
    """Logarithms of integers are rounded as the peer happens to."""
    dtype = draw.dtype(FLOATS if "Log" in draw.op_type else (*FLOATS, *INTS))
    shape = draw.shape(
        empty=draw.op_type in ("ReduceSum", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceSumSquare")
    )
    x = draw.array(dtype, shape, special=False)
    if draw.op_type == "ReduceLogSum":
        x = abs(x)
    given = {"keepdims": draw.int(0, 1)} if draw.chance(0.8) else {}
    axes = draw.axes(len(shape)) if draw.chance(0.8) else None
    if "axes" in schema(draw.op_type, draw.opset).attributes:
        return Drawn(draw.op_type, [x], given | ({"axes": axes} if axes else {}), tolerance=4)
    if draw.chance(0.3):
        given["noop_with_empty_axes"] = draw.int(0, 1)
    inputs = [x, *([vector(axes)] if axes is not None else [])]
    return Drawn(
        draw.op_type, inputs, given, [1][: len(inputs) - 1] if draw.chance(0.7) else [], tolerance=4
    )


@draws("ArgMax ArgMin")
def arg(draw: Draw) -> Drawn:
    shape = draw.shape(1, empty=False)
    given = {"keepdims": draw.int(0, 1), "axis": draw.axis(len(shape))}
    if draw.opset >= 12:
        given["select_last_index"] = draw.int(0, 1)
    dtype = draw.dtype((*FLOATS, "int32", "int8", "uint8"))
    return Drawn(
        draw.op_type, [np.round(draw.array(dtype, shape, special=False)).astype(dtype)], given
    )


@draws("Softmax LogSoftmax Hardmax")
def softmax(draw: Draw) -> Drawn:
    shape = draw.shape(1)
    given = {"axis": draw.axis(len(shape))} if draw.chance(0.8) else {}
    if draw.opset < 11 and given:
        given["axis"] %= len(shape)
    return Drawn(
        draw.op_type, [draw.array(draw.dtype(FLOATS), shape, special=False)], given, tolerance=4
    )


@draws("CumSum CumProd")
def cumulative(draw: Draw) -> Drawn:
    shape = draw.shape(1)
    x = draw.array(draw.dtype(("float32", "float64", "int32", "int64")), shape, special=False)
    axis = np.array(draw.axis(len(shape)), draw.one("int32", "int64"))
    given = {"exclusive": draw.int(0, 1), "reverse": draw.int(0, 1)}
    return Drawn(draw.op_type, [x, axis], given, [1] if draw.chance(0.6) else [], tolerance=4)


@draws("TopK")
def topk(draw: Draw) -> Drawn | None:
    shape = draw.shape(1, empty=False)
    given = {"axis": draw.axis(len(shape))}
    size = shape[given["axis"]]
    k = draw.int(0 if draw.opset >= 10 else 1, size)
    x = draw.array(
        draw.dtype(("float32", "float64", "int32", "int64", "float16")), shape, special=False
    )
    if draw.opset < 10:
        return Drawn("TopK", [x], {**given, "k": k}, outputs=2)
    if draw.opset >= 11:
        given["largest"] = draw.int(0, 1)
    return Drawn("TopK", [x, vector([k])], given, [1] if draw.chance(0.6) else [], outputs=2)


@draws("Unique")
def unique(draw: Draw) -> Drawn:
    shape = draw.shape(1, 3, empty=False)
    x = draw.ints(0, 3, shape).astype(draw.dtype(("float32", "float64", "int64", "int8")))
    given = {"sorted": 1} | ({"axis": draw.axis(len(shape))} if draw.chance() else {})
    return Drawn("Unique", [x], given, outputs=4)


@draws("NonZero")
def nonzero(draw: Draw) -> Drawn:
    x = draw.ints(0, 1, draw.shape(1)).astype(
        draw.dtype(("float32", "int64", "int32", "uint8", "bool"))
    )
    return Drawn("NonZero", [x])


@draws("LpNormalization")
def lp_normalization(draw: Draw) -> Drawn:
    shape = draw.shape(1, empty=False)
    x = draw.array(draw.dtype(("float32", "float64")), shape, special=False)
    return Drawn(draw.op_type, [x], {"axis": draw.axis(len(shape)), "p": draw.int(1, 2)})


@draws("MeanVarianceNormalization")
def mean_variance(draw: Draw) -> Drawn:
    x = draw.numbers.standard_normal((2, 3, 4, draw.int(2, 5))).astype("float32")
    given = {"axes": draw.one([0, 2, 3], [1], [2, -1], [0, 1, 2, 3])} if draw.chance() else {}
    return Drawn(draw.op_type, [x], given, tolerance=10)
