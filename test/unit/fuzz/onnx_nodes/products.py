"""Products, quantised numbers, recurrent operators."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import storage
from .drawing import Draw, Drawn, draws

TYPES = ("float32", "float32", "float64", "int32", "int64", "uint32", "float16")


def factors(draw: Draw) -> tuple[list[int], list[int]]:
    """Shapes of a matrix product, of vectors too, with batches that broadcast."""
    m, k, n = (draw.one(0, 1, 2, 3, 5) if draw.chance(0.2) else draw.int(1, 5) for _ in range(3))
    batch = list(draw.shape(0, 2, empty=False))
    a, b = [*draw.broadcast(batch), m, k], [*batch, k, n]
    if draw.chance(0.15):
        a = [k]
    if draw.chance(0.15):
        b = [k]
    return a, b


@draws("MatMul")
def matmul(draw: Draw) -> Drawn:
    dtype = draw.dtype(TYPES)
    a, b = (draw.array(dtype, s, special=False) for s in factors(draw))
    return Drawn("MatMul", [a, b], {}, [1] if draw.chance(0.3) else [], tolerance=10)


@draws("Gemm")
def gemm(draw: Draw) -> Drawn:
    dtype = draw.dtype(TYPES)
    m, k, n = (draw.int(1, 5) for _ in range(3))
    across = [draw.int(0, 1) for _ in range(2)]
    a, b = ((k, m) if across[0] else (m, k)), ((n, k) if across[1] else (k, n))
    given: dict[str, Any] = dict(zip(("transA", "transB"), across))
    if draw.chance():
        given |= {"alpha": draw.one(1.0, 2.0, 0.5), "beta": draw.one(1.0, 0.0, 2.0, 0.25)}
    if "int" in dtype:
        given = {name: v for name, v in given.items() if name not in ("alpha", "beta")}
    inputs = [draw.array(dtype, s, special=False) for s in (a, b)]
    if draw.opset < 11 or draw.chance(0.7):
        inputs.append(draw.array(dtype, draw.broadcast((m, n)), special=False))
    return Drawn("Gemm", inputs, given, [1] if draw.chance(0.3) else [], tolerance=10)


@draws("MatMulInteger")
def matmul_integer(draw: Draw) -> Drawn:
    left, right = (draw.one("int8", "uint8") for _ in range(2))
    m, k, n = (draw.int(1, 6) for _ in range(3))
    inputs = [draw.array(left, [m, k]), draw.array(right, [k, n])]
    if draw.chance(0.7):
        inputs.append(draw.array(left, []))
    if len(inputs) > 2 and draw.chance(0.7):
        inputs.append(draw.array(right, draw.one([], [n])))
    return Drawn(
        "MatMulInteger", inputs, {}, [i for i in (1, 3) if i < len(inputs)] if draw.chance() else []
    )


@draws("ConvInteger")
def conv_integer(draw: Draw) -> Drawn:
    left, right = "uint8", draw.one("int8", "uint8")
    inputs = [draw.array(left, [1, 2, 5, 6]), draw.array(right, [3, 2, 3, 2])]
    if draw.chance(0.7):
        inputs.append(draw.array(left, []))
    if len(inputs) > 2 and draw.chance():
        inputs.append(draw.array(right, []))
    given = {"pads": [1, 0, 1, 1]} if draw.chance() else {}
    return Drawn("ConvInteger", inputs, given, symbolic=draw.chance(0.3))


def steps(draw: Draw, dtype: str, shape: list[int]) -> list[Any]:
    """Scales and zero points; the scales are powers of two, so that nothing lies halfway by rounding."""
    scales = 2.0 ** draw.numbers.integers(-3, 2, shape)
    return [scales.astype("float32"), draw.ints(0, 5, shape, dtype)]


@draws("QLinearMatMul")
def qlinear_matmul(draw: Draw) -> Drawn:
    left, right = draw.one(("uint8", "uint8"), ("uint8", "int8"), ("int8", "int8"))
    m, k, n = (draw.int(1, 6) for _ in range(3))
    of = draw.one([], [n])
    inputs = [draw.array(left, [m, k]), *steps(draw, left, []), draw.array(right, [k, n])]
    inputs += [*steps(draw, right, of), *steps(draw, left, [])]
    return Drawn("QLinearMatMul", inputs, {}, [3, 4, 5] if draw.chance() else [])


@draws("QLinearConv")
def qlinear_conv(draw: Draw) -> Drawn:
    left, right, axes = "uint8", draw.one("int8", "uint8"), draw.one(1, 2, 2, 3)
    groups, filters = draw.one(1, 1, 2), 2 * draw.int(1, 2)
    shape = [draw.int(1, 2), 2, *(draw.int(3, 6) for _ in range(axes))]
    kernel = [draw.int(1, 3) for _ in range(axes)]
    of = draw.one([], [filters])
    weight = draw.array(right, [filters, 2 // groups, *kernel])
    inputs = [draw.array(left, shape), *steps(draw, left, []), weight, *steps(draw, right, of)]
    inputs += steps(draw, left, [])
    if right == "int8":
        inputs[5] = np.zeros_like(inputs[5])
    if draw.chance():
        inputs.append(draw.ints(-50, 50, [filters], "int32"))
    given = {"group": groups, "strides": [draw.int(1, 2) for _ in range(axes)]}
    constants = list(range(1, len(inputs))) if draw.chance(0.7) else []
    return Drawn("QLinearConv", inputs, given, constants, symbolic=draw.chance(0.3))


@draws("QuantizeLinear")
def quantize(draw: Draw) -> Drawn:
    if draw.chance(0.4):
        return storage.quantized(draw)
    shape, target = draw.shape(1, 3, empty=False), draw.one("int8", "uint8")
    axis = draw.axis(len(shape))
    of = [shape[axis]] if draw.opset >= 13 and draw.chance() else []
    inputs = [draw.array("float32", shape, special=False), draw.positive("float32", of)]
    if draw.chance(0.7):
        inputs.append(draw.array(target, of))
    return Drawn(
        "QuantizeLinear",
        inputs,
        {"axis": axis} if of else {},
        [1, 2][: len(inputs) - 1] if draw.chance() else [],
    )


@draws("DequantizeLinear")
def dequantize(draw: Draw) -> Drawn:
    if draw.chance(0.4):
        return storage.quantized(draw)
    shape, source = draw.shape(1, 3, empty=False), draw.one("int8", "uint8", "int32")
    axis = draw.axis(len(shape))
    of = [shape[axis]] if draw.opset >= 13 and draw.chance() else []
    inputs = [draw.array(source, shape), draw.positive("float32", of)]
    if source != "int32" and draw.chance(0.7):
        inputs.append(draw.array(source, of))
    return Drawn(
        "DequantizeLinear",
        inputs,
        {"axis": axis} if of else {},
        [1, 2][: len(inputs) - 1] if draw.chance() else [],
    )


@draws("DynamicQuantizeLinear")
def dynamic_quantize(draw: Draw) -> Drawn:
    return Drawn(
        draw.op_type, [draw.array("float32", draw.shape(1, empty=False), special=False)], outputs=3
    )


@draws("Einsum")
def einsum(draw: Draw) -> Drawn:
    sizes = {letter: draw.int(1, 4) for letter in "ijkb"}
    terms = draw.one(
        ("ij,jk->ik",),
        ("bij,bjk->bik",),
        ("ii->i",),
        ("ij->ji",),
        ("ij,ij->",),
        ("ij",),
        ("...i,...i->...",),
        ("i,j->ij",),
        ("bij,bj",),
        ("ijk->",),
    )[0]
    shapes = [
        [2 if c == "." else sizes[c] for c in t.replace("...", ".")]
        for t in terms.split("->")[0].split(",")
    ]
    dtype = draw.dtype(("float32", "float64", "int32", "int64"))
    return Drawn(
        "Einsum",
        [draw.array(dtype, s, special=False) for s in shapes],
        {"equation": terms},
        tolerance=10,
    )


@draws("LSTM GRU RNN")
def recurrent(draw: Draw) -> Drawn:
    gates = {"LSTM": 4, "GRU": 3, "RNN": 1}[draw.op_type]
    length, batch, size, hidden = (draw.int(1, 4) for _ in range(4))
    direction = draw.one("forward", "reverse", "bidirectional")
    ways = 2 if direction == "bidirectional" else 1
    shapes = [[length, batch, size], [ways, gates * hidden, size], [ways, gates * hidden, hidden]]
    inputs: list[Any] = [draw.numbers.standard_normal(s).astype("float32") for s in shapes]
    inputs.append(
        draw.numbers.standard_normal([ways, 2 * gates * hidden]).astype("float32")
        if draw.chance(0.7)
        else None
    )
    inputs.append(draw.ints(1, length, [batch], "int32") if draw.chance(0.2) else None)
    states = 2 if draw.op_type == "LSTM" else 1
    for _ in range(states):
        inputs.append(
            draw.numbers.standard_normal([ways, batch, hidden]).astype("float32")
            if draw.chance()
            else None
        )
    given: dict[str, Any] = {"hidden_size": hidden, "direction": direction}
    if draw.op_type == "GRU":
        given["linear_before_reset"] = draw.int(0, 1)
    constants = [i for i in (1, 2, 3) if inputs[i] is not None] if draw.chance(0.7) else []
    return Drawn(
        draw.op_type, inputs, given, constants, 1 + states, tolerance=20, symbolic=draw.chance(0.3)
    )


@draws("Det")
def det(draw: Draw) -> Drawn:
    n = draw.int(1, 4)
    x = draw.numbers.standard_normal([*draw.shape(0, 2, empty=False), n, n]).astype("float32")
    return Drawn("Det", [x], tolerance=100)


@draws("Dropout")
def dropout(draw: Draw) -> Drawn:
    x = draw.array(draw.dtype(("float32", "float64")), draw.shape())
    if draw.opset < 12:
        return Drawn("Dropout", [x], {"ratio": 0.3})
    return Drawn("Dropout", [x, np.array(0.3, "float32")], {}, [1] if draw.chance() else [])
