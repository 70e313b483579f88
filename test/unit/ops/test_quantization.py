"""Quantization, as compiled C, number by number in Python's exact arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from lowering.runtime.loading import CompiledModule
from relax_dialect.ops import quantization as ops

from .compiled import STATIC, Case, Sizes, check, compile_cases, each_case, keep, special, tensor
from .inputs import ranked, refused, x

SIZES: Sequence[Sizes] = (
    {"n": 7, "m": 5, "k": 3},
    {"n": 1, "m": 1, "k": 1},
    {"n": 0, "m": 3, "k": 2},
)
FEW = (SIZES[0], SIZES[2])
F32 = np.float32


def nearest(value: Any, zero: Any, dtype: str) -> int:
    """A float rounded to the nearest integer (Python's round: halves to even), moved and cut off."""
    bounds = np.iinfo(dtype)
    if np.isnan(value):
        return 0
    if np.isinf(value):
        return int(bounds.max if value > 0 else bounds.min)
    return min(max(round(Fraction(float(value))) + int(zero), int(bounds.min)), int(bounds.max))


def each(function: Callable, dtype: str, axis: int = -1) -> Callable:
    """A function of each element and of the scales and zero points at its place along the axis."""

    def meaning(data: np.ndarray, *parameters: np.ndarray) -> np.ndarray:
        out = np.empty(data.shape, dtype)
        for place in np.ndindex(*data.shape):
            own = [p if p.ndim == 0 else p[place[axis] % len(p)] for p in parameters]
            out[place] = function(data[place], *(p[()] for p in own))
        return out

    return meaning


def quantized(dtype: str, wide: Any = F32) -> Callable:
    return lambda x, s, z: nearest(wide(x) / wide(s), z, dtype)


def dequantized(x: Any, scale: Any, zero: Any) -> Any:
    return F32(int(x) - int(zero)) * F32(scale)


def requantized(x: Any, s: Any, z: Any, new_s: Any, new_z: Any) -> int:
    return nearest(F32(int(x) - int(z)) * (s / new_s), new_z, "i1")


def scales(s: np.ndarray) -> np.ndarray:
    """Powers of two among others, so that halves are to be rounded."""
    found = np.abs(s) / 20 + s.dtype.type(0.01)
    found.reshape(-1)[::2] = 0.0625
    return found.astype(s.dtype)


def halves(x: np.ndarray) -> np.ndarray:
    """Numbers that a power of two divides to halves, small and beyond the range."""
    return (np.round(x * 40) / 32 * np.where(np.abs(x) > 1.5, 50, 1)).astype(x.dtype)


def dynamic(x: np.ndarray) -> tuple[Any, ...]:
    low, high = min([0, *x.flat]), max([0, *x.flat])
    scale = F32(F32(high) - F32(low)) / F32(255) if high != low else F32(1)
    zero = nearest(-F32(low) / scale, 0, "u1")
    out = [nearest(value / scale, zero, "u1") for value in x.flat]
    return np.array(out, "u1").reshape(x.shape), np.asarray(scale), np.asarray(zero, "u1")


def integer_product(a: np.ndarray, b: np.ndarray, za: np.ndarray, zb: np.ndarray) -> Any:
    """The definition multiplied out: four products in place of one."""
    a, b, za, zb = (v.astype("i8") for v in (a, b, za, zb))
    za = np.broadcast_to(za[..., None] if za.ndim else za, a.shape[-2:])
    zb = np.broadcast_to(zb, b.shape[-2:])
    return (a @ b - za @ b - a @ zb + za @ zb).astype("i4")


def quantized_product(*operands: np.ndarray) -> np.ndarray:
    a, sa, za, b, sb, zb, s, z = operands
    sums = integer_product(a, b, za, zb)
    out = np.empty(sums.shape, z.dtype)
    for place in np.ndindex(*sums.shape):
        left = sa[place[-2]] if sa.ndim else sa[()]
        right = sb[place[-1]] if sb.ndim else sb[()]
        out[place] = nearest(F32(sums[place]) * (left * right / s[()]), z[()], z.dtype.str[1:])
    return out


def convolved(stride: int = 1, padding: int = 0, groups: int = 1) -> Callable:
    """Every number of the result by itself, from x filled up with its zero point."""

    def meaning(x: np.ndarray, w: np.ndarray, zx: np.ndarray, zw: np.ndarray) -> np.ndarray:
        around = [(0, 0), (0, 0), (padding, padding), (padding, padding)]
        wide = np.pad(x.astype("i8"), around, constant_values=int(zx)) - int(zx)
        kernel = w.astype("i8") - zw.astype("i8").reshape((*zw.shape, *[1] * (3 * zw.ndim)))
        count, inputs, rows, columns = w.shape
        sizes = [(s - k) // stride + 1 for s, k in zip(wide.shape[2:], (rows, columns))]
        out = np.zeros((len(x), count, *sizes), "i4")
        for n, o, r, c in np.ndindex(*out.shape):
            first = o // (count // groups) * inputs
            down, right = (
                slice(r * stride, r * stride + rows),
                slice(c * stride, c * stride + columns),
            )
            out[n, o, r, c] = (wide[n, first : first + inputs, down, right] * kernel[o]).sum()
        return out

    return meaning


def i8(*dims: Any) -> Any:
    return tensor(*dims, dtype="i8")


def u8(*dims: Any) -> Any:
    return tensor(*dims, dtype="ui8")


def case(op: Callable, meaning: Callable, *types: Any, **more: Any) -> Case:
    return Case(op, types, meaning, **{"sizes": FEW, **more})


QUANTIZING = {"values": [halves, scales, keep]}
SCALED = {"values": [keep, scales, keep]}

CASES: dict[str, Case] = {
    "quantize": case(
        ops.QuantizeOp, each(quantized("i1"), "i1"), tensor("n", "m"), tensor(), i8(),
        sizes=SIZES, **QUANTIZING,
    ),
    "quantize_channels": case(
        lambda x, s, z: ops.QuantizeOp(x, s, z, 1, "ui8"),
        each(quantized("u1"), "u1", 1),
        tensor("n", "m", "k"), tensor("m"), u8("m"), **QUANTIZING,
    ),
    "quantize_last": case(
        lambda x, s, z: ops.QuantizeOp(x, s, z, out_dtype="i16"),
        each(quantized("i2"), "i2"),
        tensor("n", "m"), tensor("m"), tensor(1, dtype="i16"), **QUANTIZING,
    ),
    "quantize_unproved": case(
        lambda x, s, z: ops.QuantizeOp(x, s, z, 0, "ui16"),
        each(quantized("u2"), "u2", 0),
        tensor("n", "m"), tensor("k"), tensor(dtype="i32"),
        sizes=[{"n": 3, "m": 2, "k": 3}, {"n": 3, "m": 2, "k": 1}], **QUANTIZING,
    ),
    "quantize_special": case(
        ops.QuantizeOp, each(quantized("i1"), "i1"), tensor("n", 9), tensor(), i8(),
        values=[special, scales, keep],
    ),
    "quantize_f16": case(
        ops.QuantizeOp, each(quantized("i1"), "i1"), tensor("n", dtype="f16"), tensor(), i8(),
        **QUANTIZING,
    ),
    "quantize_f64": case(
        ops.QuantizeOp, each(quantized("i1", np.float64), "i1"), tensor("n", dtype="f64"),
        tensor(), i8(), **QUANTIZING,
    ),
    "quantize_number": case(
        ops.QuantizeOp, each(quantized("i1"), "i1"), tensor(), tensor(), i8(), sizes=STATIC,
        **QUANTIZING,
    ),
    "dequantize": case(
        ops.DequantizeOp, each(dequantized, "f4"), i8("n", "m"), tensor(), i8(), sizes=SIZES,
        **SCALED,
    ),
    "dequantize_channels": case(
        lambda x, s, z: ops.DequantizeOp(x, s, z, 0),
        each(dequantized, "f4", 0),
        u8("n", "m"), tensor("n"), u8("n"), **SCALED,
    ),
    "dequantize_i32": case(
        ops.DequantizeOp, each(dequantized, "f4"), tensor("n", dtype="i32"), tensor(),
        tensor(dtype="i32"), values=[lambda x: x * 40_000_003, scales, lambda z: -z * 40_000_003],
    ),
    "dequantize_f16": case(
        lambda x, s, z: ops.DequantizeOp(x, s, z, out_dtype="f16"),
        each(lambda x, s, z: min(max(dequantized(x, s, z), -65504), 65504), "f2"),
        tensor("n", dtype="i16"), tensor(), i8(),
        values=[keep, lambda s: s * 0 + F32(3000), keep], tolerance=1e-3,
    ),
    "requantize": case(
        lambda *o: ops.RequantizeOp(*o, axis=0),
        each(requantized, "i1", 0),
        tensor("n", "m", dtype="i32"), tensor("n"), tensor(dtype="i32"), tensor(), i8(),
        values=[lambda x: x * 3, scales, keep, scales, keep],
    ),
    "dynamic_quantize": case(ops.DynamicQuantizeOp, dynamic, tensor("n", "m"), sizes=SIZES),
    "dynamic_quantize_positive": case(
        ops.DynamicQuantizeOp, dynamic, tensor("n"), values=lambda x: np.abs(x) + F32(1)
    ),
    "dynamic_quantize_zeros": case(
        ops.DynamicQuantizeOp, dynamic, tensor("n"), values=lambda x: x * F32(0)
    ),
    "dynamic_quantize_number": case(ops.DynamicQuantizeOp, dynamic, tensor(), sizes=STATIC),
    "matmul_integer": case(
        ops.MatmulIntegerOp, integer_product, u8("n", "k"), i8("k", "m"), u8(), i8(), sizes=SIZES
    ),
    "matmul_integer_rows": case(
        ops.MatmulIntegerOp, integer_product, i8(2, "n", "k"), i8("k", "m"), i8("n"), i8("m")
    ),
    "conv2d_integer": case(
        lambda *o: ops.Conv2dIntegerOp(*o, padding=1),
        convolved(padding=1),
        u8("n", 3, "m", 5),
        i8(4, 3, 3, 3),
        u8(),
        i8(),
    ),
    "conv2d_integer_groups": case(
        lambda *o: ops.Conv2dIntegerOp(*o, strides=2, groups=2),
        convolved(stride=2, groups=2),
        i8("n", 4, 7, 6),
        u8(6, 2, 2, 3),
        i8(),
        u8("k"),
        sizes=[{"n": 3, "k": 6}, {"n": 0, "k": 6}],
    ),
    "qlinear_matmul": case(
        ops.QlinearMatmulOp, quantized_product,
        u8("n", "k"), tensor(), u8(), i8("k", "m"), tensor("m"), i8("m"), tensor(), u8(),
        values=[keep, scales, keep, keep, scales, keep, lambda s: np.abs(s) + 1, keep],
    ),
    "qlinear_matmul_rows": case(
        ops.QlinearMatmulOp, quantized_product,
        i8("n", "k"), tensor("n"), i8("n"), i8("k", "m"), tensor(), i8(), tensor(), i8(),
        values=[keep, scales, keep, keep, scales, keep, lambda s: np.abs(s) + 1, keep],
    ),
    "qlinear_matmul_vector": case(
        ops.QlinearMatmulOp,
        lambda a, sa, za, b, *o: quantized_product(a, sa, za, b[:, None], *o)[:, 0],
        i8("n", "k"), tensor("n"), i8("n"), i8("k"), tensor(), i8(), tensor(), i8(),
        values=[keep, scales, keep, keep, scales, keep, lambda s: np.abs(s) + 1, keep],
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return compile_cases(CASES)


def test_every_operator_has_a_case():
    assert {case.tested for case in CASES.values()} == set(ops.OPS)


@each_case(CASES)
def test_agrees_with_exact_arithmetic(model: CompiledModule, name: str, sizes: Sequence[Sizes]):
    check(model, CASES, name, sizes)


def test_halves_are_rounded_to_even(model: CompiledModule):
    """The cases above hold halves, or else they would not tell one way of rounding from another."""
    one, zero = np.asarray(1, F32), np.asarray(0, np.int8)
    found = model.quantize(np.array([[0.5, 1.5, 2.5, -0.5, -1.5, 127.5, 1e9]], F32), one, zero)
    assert found.tolist() == [[0, 2, 2, 0, -2, 127, 127]]


def test_what_is_unknown_stays_unknown():
    def types(op: Any) -> list[str]:
        return [str(result.type) for result in op.results]

    scale, zero = x(), x(dtype="i8")
    assert types(ops.QuantizeOp(ranked(), x("k"), zero)) == ["!relax.tensor<*, i8>"]
    assert types(ops.DynamicQuantizeOp(x("n", None, dtype=None))) == [
        "!relax.tensor<[n, ?], ui8>",
        "!relax.tensor<[]>",
        "!relax.tensor<[], ui8>",
    ]
    a = x("n", 4, dtype="i8")
    assert types(ops.MatmulIntegerOp(a, ranked("ui8"), zero, zero)) == ["!relax.tensor<*, i32>"]
    b = x(4, "m", dtype="i8")
    unknown = ops.QlinearMatmulOp(a, scale, zero, b, scale, zero, scale, x(dtype=None))
    assert types(unknown) == ["!relax.tensor<[n, m]>"]


def test_refused():
    data, q, scale, zero = x("n", 4), x("n", 4, dtype="i8"), x(), x(dtype="i8")
    refused("C1", lambda: ops.QuantizeOp(q, scale, zero))
    refused("C1", lambda: ops.QuantizeOp(data, zero, zero))
    refused("C1", lambda: ops.QuantizeOp(data, scale, scale))
    refused("C1", lambda: ops.DequantizeOp(data, scale, zero))
    refused("C2", lambda: ops.QuantizeOp(data, scale, zero, axis=2))
    refused("C3", lambda: ops.QuantizeOp(data, x(3), zero))
    refused("C3", lambda: ops.QuantizeOp(data, x(4, 1), zero))
    refused("C4", lambda: ops.QuantizeOp(data, scale, zero, out_dtype="i32"))
    refused("C4", lambda: ops.DequantizeOp(q, scale, zero, out_dtype="i32"))
    refused("C1", lambda: ops.MatmulIntegerOp(q, x(4, 3), zero, zero))
    refused("C5", lambda: ops.MatmulIntegerOp(q, x(4, 3, dtype="i8"), zero, x(2, dtype="i8")))
    image, kernel = x("n", 3, 5, 5, dtype="i8"), x(4, 3, 3, 3, dtype="i8")
    refused("C1", lambda: ops.Conv2dIntegerOp(image, x(4, 3, 3, 3), zero, zero))
    refused("C8", lambda: ops.Conv2dIntegerOp(image, x(4, 2, 3, 3, dtype="i8"), zero, zero))
    refused("C9", lambda: ops.Conv2dIntegerOp(image, kernel, x(1, dtype="i8"), zero))
    refused("C9", lambda: ops.Conv2dIntegerOp(image, kernel, zero, x(3, dtype="i8")))
    left = q, scale, zero
    right = x(4, 3, dtype="i8"), scale, zero
    refused("C5", lambda: ops.QlinearMatmulOp(*left, *right, x(1), zero))
    refused("C6", lambda: ops.QlinearMatmulOp(*left, *right, scale, x(dtype="i16")))
