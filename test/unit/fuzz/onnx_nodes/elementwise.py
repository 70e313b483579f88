"""Operators element by element, and casts."""

from __future__ import annotations

import numpy as np

from . import storage
from .drawing import ALL, FLOATS, INTS, Draw, Drawn, draws

UNARY = "Abs Acosh Asinh Atan Ceil Cos Cosh Erf Exp Floor Identity Log Neg Reciprocal Relu Round Sigmoid Sign Sin "
UNARY += "Sinh Softplus Softsign Sqrt Tan Tanh Not BitwiseNot IsNaN IsInf Size Shape HardSwish Mish"


@draws(UNARY)
def unary(draw: Draw) -> Drawn:
    return Drawn(draw.op_type, [draw.array(draw.dtype(), draw.shape())])


@draws("Acos Asin Atanh")
def on_unit(draw: Draw) -> Drawn:
    x = draw.array(draw.dtype(FLOATS), draw.shape(), special=False)
    return Drawn(draw.op_type, [np.tanh(x)], tolerance=4)


ALPHA = {
    "Elu": 1.0,
    "Celu": 1.0,
    "LeakyRelu": 0.01,
    "ThresholdedRelu": 1.0,
    "HardSigmoid": 0.2,
    "Selu": 1.6,
}


@draws(" ".join(ALPHA))
def with_alpha(draw: Draw) -> Drawn:
    x = draw.array(draw.dtype(FLOATS), draw.shape())
    given = {"alpha": draw.one(0.5, 1.0, 2.0, 0.1)} if draw.chance() else {}
    if draw.op_type == "HardSigmoid" and draw.chance():
        given["beta"] = 0.25
    if draw.op_type == "Selu" and draw.chance():
        given["gamma"] = 0.5
    return Drawn(draw.op_type, [x], given)


@draws("Gelu")
def gelu(draw: Draw) -> Drawn:
    given = {"approximate": draw.one("none", "tanh")} if draw.chance() else {}
    return Drawn("Gelu", [draw.array(draw.dtype(FLOATS), draw.shape())], given)


@draws("Shrink")
def shrink(draw: Draw) -> Drawn:
    x = draw.array(draw.dtype((*FLOATS, *INTS)), draw.shape(), special=False)
    return Drawn("Shrink", [x], {"lambd": draw.one(0.5, 1.0, 0.0), "bias": draw.one(0.0, 0.5, 1.0)})


@draws(
    "Add Sub Mul And Or Xor Equal Less Greater LessOrEqual GreaterOrEqual BitwiseAnd BitwiseOr BitwiseXor"
)
def binary(draw: Draw) -> Drawn:
    shape, dtype = draw.shape(), draw.dtype()
    shapes = [shape, draw.broadcast(shape)]
    if draw.chance():
        shapes.reverse()
    return Drawn(draw.op_type, [draw.array(dtype, s) for s in shapes])


@draws("Div Mod")
def division(draw: Draw) -> Drawn:
    """No integer is divided by 0, nor the smallest by -1, which ONNX does not define."""
    shape, dtype = draw.shape(), draw.dtype((*FLOATS, *INTS))
    is_float = dtype.startswith("float")
    x = draw.array(dtype, shape, special=is_float)
    y = draw.array(dtype, draw.broadcast(shape), special=is_float)
    fmod = {"fmod": 1} if draw.op_type == "Mod" and (is_float or draw.chance()) else {}
    if not is_float:
        y = np.where(y == 0, np.array(3, dtype), y)
    return Drawn(draw.op_type, [x, y], fmod)


@draws("Pow")
def power(draw: Draw) -> Drawn:
    shape = draw.shape()
    base, exponent = (
        draw.dtype(("float32", "float64", "int32", "int64")),
        draw.dtype(("float32", "float64", "int32", "int64"), 1),
    )
    if draw.opset < 12:
        exponent = base
    x = draw.array(base, shape, special=False)
    y = draw.ints(0, 3, draw.broadcast(shape)).astype(exponent)
    if base.startswith("float") and exponent.startswith("float") and draw.chance():
        x, y = draw.positive(base, shape), draw.array(exponent, shape, special=False)
    return Drawn("Pow", [x, y], tolerance=10)


@draws("Sum Max Min Mean")
def variadic(draw: Draw) -> Drawn:
    shape, dtype = draw.shape(), draw.dtype((*FLOATS, *INTS))
    count = draw.int(1, 4)
    return Drawn(draw.op_type, [draw.array(dtype, draw.broadcast(shape)) for _ in range(count)])


@draws("BitShift")
def bit_shift(draw: Draw) -> Drawn:
    shape, dtype = draw.shape(), draw.dtype(("uint8", "uint32", "uint64"))
    y = draw.ints(0, 7, draw.broadcast(shape), dtype)
    return Drawn(
        "BitShift", [draw.array(dtype, shape), y], {"direction": draw.one("LEFT", "RIGHT")}
    )


@draws("PRelu")
def prelu(draw: Draw) -> Drawn:
    shape = draw.shape(1)
    slope = shape[draw.int(0, len(shape)) :]
    slope = tuple(1 if draw.chance(0.3) else d for d in slope)
    dtype = draw.dtype(("float32", "float64"))
    return Drawn("PRelu", [draw.array(dtype, shape), draw.array(dtype, slope)])


@draws("Where")
def where(draw: Draw) -> Drawn:
    shape, dtype = draw.shape(), draw.dtype(place=1)
    values = [draw.array(dtype, draw.broadcast(shape)) for _ in range(2)]
    return Drawn("Where", [draw.array("bool", draw.broadcast(shape)), *values])


@draws("Clip")
def clip(draw: Draw) -> Drawn:
    dtype = draw.dtype((*FLOATS, *INTS))
    x = draw.array(dtype, draw.shape())
    low, high = sorted(draw.ints(0, 9, [2]))
    if draw.opset < 11:
        given = {"min": float(low), "max": float(high)}
        return Drawn("Clip", [x], {k: v for k, v in given.items() if draw.chance(0.7)})
    bounds = [np.array(v, dtype) if draw.chance(0.7) else None for v in (low, high)]
    if draw.chance(0.1):
        bounds.reverse()
    constants = [1, 2] if draw.chance() else []
    return Drawn("Clip", [x, *bounds], {}, [c for c in constants if bounds[c - 1] is not None])


CODES = {
    "float32": 1,
    "uint8": 2,
    "int8": 3,
    "uint16": 4,
    "int16": 5,
    "int32": 6,
    "int64": 7,
    "bool": 9,
}
CODES |= {"float16": 10, "float64": 11, "uint32": 12, "uint64": 13}


@draws("Cast CastLike")
def cast(draw: Draw) -> Drawn:
    """What does not fit is not defined, but in integers of integers."""
    if draw.op_type == "Cast" and draw.chance(0.3):
        return storage.cast(draw)
    source, target = draw.one(*ALL), draw.one(*CODES)
    x = draw.array(source, draw.shape(), special=not source.startswith("float"))
    if source.startswith("float") and "int" in target:
        x = np.clip(x, 0 if target.startswith("u") else -100, 100)
    elif target == "float16":
        x = np.clip(x.astype("float64"), -60000, 60000).astype(source) if source != "bool" else x
    if draw.op_type == "CastLike":
        return Drawn("CastLike", [x, np.zeros(1, target)])
    return Drawn("Cast", [x], {"to": CODES[target]})


@draws("BitCast")
def bit_cast(draw: Draw) -> Drawn:
    groups = (("float32", "int32", "uint32"), ("float64", "int64", "uint64"), ("int8", "uint8"))
    source, target = draw.rng.sample(draw.one(*groups), 2)
    return Drawn("BitCast", [draw.array(source, draw.shape())], {"to": CODES[target]})
