"""Quantization against ONNX Runtime, exactly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from relax_dialect.ops import quantization as ops

from .onnx_peer import onnx_runtime
from .peers import agree

EXACT: Any = {"tolerance": 1e-30, "compiled": True}
MLIR = {"int8": "i8", "uint8": "ui8", "int16": "i16", "uint16": "ui16"}


def normal(seed: int, *shape: int) -> np.ndarray:
    return np.asarray(np.random.default_rng(seed).standard_normal(shape)).astype(np.float32)


def integers(seed: int, dtype: str, *shape: int) -> np.ndarray:
    info = np.iinfo(dtype)
    random = np.random.default_rng(seed)
    return np.asarray(random.integers(info.min, info.max, shape, endpoint=True)).astype(dtype)


def scale(seed: int, *shape: int) -> np.ndarray:
    return np.asarray(np.abs(normal(seed, *shape)) / 40 + np.float32(0.01)).astype(np.float32)


@pytest.mark.parametrize("dtype", MLIR)
@pytest.mark.parametrize("channels", [(), (5,)])
def test_quantize_agrees_with_onnx(dtype: str, channels: tuple[int, ...]):
    x, s, zero = normal(0, 3, 5, 4) * 3, scale(1, *channels), integers(2, dtype, *channels)
    expected = onnx_runtime("QuantizeLinear", [x, s, zero], axis=1)
    agree(lambda *o: ops.QuantizeOp(*o, 1, MLIR[dtype]), [x, s, zero], expected, **EXACT)


@pytest.mark.parametrize("dtype", MLIR)
@pytest.mark.parametrize("channels", [(), (4,)])
def test_dequantize_agrees_with_onnx(dtype: str, channels: tuple[int, ...]):
    q, s, zero = integers(0, dtype, 3, 4), scale(1, *channels), integers(2, dtype, *channels)
    expected = onnx_runtime("DequantizeLinear", [q, s, zero], axis=-1)
    agree(ops.DequantizeOp, [q, s, zero], expected, **EXACT)


@pytest.mark.parametrize("shift", [-5, 0, 5])
def test_dynamic_quantize_agrees_with_onnx(shift: int):
    x = normal(0, 6, 7) + np.float32(shift)
    expected = onnx_runtime("DynamicQuantizeLinear", [x], 3)
    agree(ops.DynamicQuantizeOp, [x], expected, **EXACT)


@pytest.mark.parametrize("right", ["int8", "uint8"])
@pytest.mark.parametrize("columns", [(), (5,)])
def test_matmul_integer_agrees_with_onnx(right: str, columns: tuple[int, ...]):
    a, b = integers(0, "uint8", 4, 9), integers(1, right, 9, 5)
    zeros = integers(2, "uint8"), integers(3, right, *columns)
    expected = onnx_runtime("MatMulInteger", [a, b, *zeros])
    agree(ops.MatmulIntegerOp, [a, b, *zeros], expected, **EXACT)


@pytest.mark.parametrize("columns", [(), (5,)])
def test_qlinear_matmul_agrees_with_onnx(columns: tuple[int, ...]):
    left = [integers(0, "uint8", 4, 9), scale(1), integers(2, "uint8")]
    right = [integers(3, "int8", 9, 5), scale(4, *columns), integers(5, "int8", *columns)]
    operands = [*left, *right, np.asarray(scale(6) * np.float32(30)), integers(7, "uint8")]
    expected = onnx_runtime("QLinearMatMul", operands)
    agree(ops.QlinearMatmulOp, operands, expected, **EXACT)


@pytest.mark.parametrize(("strides", "groups"), [(1, 1), (2, 2)])
def test_conv2d_integer_agrees_with_onnx(strides: int, groups: int):
    x, w = integers(0, "uint8", 2, 4, 6, 7), integers(1, "uint8", 6, 4 // groups, 3, 2)
    zeros = integers(2, "uint8"), integers(3, "uint8")
    expected = onnx_runtime(
        "ConvInteger", [x, w, *zeros], strides=[strides] * 2, group=groups, pads=[1, 0, 2, 1]
    )
    agree(
        lambda *o: ops.Conv2dIntegerOp(*o, strides, [1, 0, 2, 1], groups=groups),
        [x, w, *zeros],
        expected,
        **EXACT,
    )
