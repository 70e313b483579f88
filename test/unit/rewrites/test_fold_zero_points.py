"""relax-fold-zero-points: every result keeps its bits, in the interpreter and compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from optional import UNOPTIMISED

import lowering
from relax_dialect import interpret
from relax_dialect.builder import BlockBuilder, const, op
from relax_dialect.ir.types import TensorType
from relax_dialect.rewrites.algebra.fold_zero_points import fold_zero_points

RANDOM = np.random.default_rng(0)
TYPES: dict[str, type[np.integer]] = {"ui8": np.uint8, "i8": np.int8}


def numbers(type: str, *shape: int) -> np.ndarray:
    ends = np.iinfo(TYPES[type])
    return RANDOM.integers(ends.min, ends.max, shape, TYPES[type], endpoint=True)


def check(
    make: Callable[[Any], Any], dtype: str, *shape: int | str, kept: int = 0, in_c: bool = False
) -> None:
    """A function of one tensor before and after, with so many ops that the pass has to leave."""
    bb = BlockBuilder()
    with bb.function("main", {"x": TensorType([*shape], dtype)}) as (x,):
        bb.emit_func_output(bb.emit(make(x)))
    module = bb.get()
    before = module.clone()
    fold_zero_points(module)
    module.verify()
    names = ("matmul_integer", "conv2d_integer", "qlinear_matmul", "requantize", "dequantize")
    left = [op.name for op in module.walk() if op.name.removeprefix("relax.") in names]
    assert len(left) == kept, module
    sizes = [5 if isinstance(size, str) else size for size in shape]
    if dtype == "i32":
        argument = RANDOM.integers(-(2**31), 2**31, sizes).astype(np.int32)
        argument.flat[:4] = -(2**31), 2**31 - 1, 0, -1
    else:
        argument = numbers(dtype, *sizes)
    expected = interpret.run(before, "main", argument)
    np.testing.assert_array_equal(interpret.run(module, "main", argument), expected)
    for program in (module, before) if in_c else ():
        found = lowering.compile(program, "folded", opt_level=0, extra_flags=UNOPTIMISED).main(
            argument
        )
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(("a", "b"), [("ui8", "i8"), ("i8", "ui8")])
@pytest.mark.parametrize("zero", [0, 100])
def test_products(a: str, b: str, zero: int):
    weight = numbers(b, 7, 6)
    zeros = const(TYPES[a](zero)), const(TYPES[b](0))
    check(lambda x: op.matmul_integer(x, const(weight), *zeros), a, "n", 7)
    check(lambda x: op.matmul_integer(x, const(weight), *zeros), a, 7)


def test_weights_of_which_zero_points_go_off():
    """Those that are bytes after that, of another sign too; others stay."""
    zero = const(np.uint8(3))
    for weight, by, kept in (
        (np.array([[128, 3], [255, 127]], "u1"), np.uint8(128), 0),
        (np.array([[-3, 0], [100, 127]], "i1"), np.int8(-3), 0),
        (np.array([[-3, 0], [100, 127]], "i1"), np.array([-4, 2], "i1"), 0),
        (np.array([[0, 255], [1, 2]], "u1"), np.uint8(100), 1),
    ):
        check(lambda x: op.matmul_integer(x, const(weight), zero, const(by)), "ui8", 2, kept=kept)  # noqa: B023


@pytest.mark.slow
def test_a_zero_point_of_its_own():
    """The zero point of a dynamic quantization is no constant."""
    weight = const(numbers("i8", 4, 3))

    def make(x: Any) -> Any:
        zero = op.max(x)
        return op.matmul_integer(x, weight, zero, const(np.int8(0)))

    check(make, "ui8", "n", 4, in_c=True)
    rows = const(np.array([1, 2], "u1"))  # of each row: left alone
    check(lambda x: op.matmul_integer(x, weight, rows, const(np.int8(0))), "ui8", 2, 4, kept=1)


@pytest.mark.parametrize("dtype", ["i8", "ui8"])
def test_requantize(dtype: str):
    scale, column = np.float32(1e-7), np.array([3e-9, 1.0, 2.0], "f4")
    zero, new = np.int32(0), TYPES[dtype](5)
    for old, axis in ((scale, -1), (column, -1), (column, 0)):
        shape = [3, "n"] if axis == 0 else ["n", 3]
        arguments = (const(old), const(zero), const(np.float32(0.3)), const(new))
        check(lambda x: op.requantize(x, *arguments, axis=axis, out_dtype=dtype), "i32", *shape)  # noqa: B023
    moved = (const(scale), const(np.int32(7)), const(scale), const(new))
    check(lambda x: op.requantize(x, *moved, out_dtype=dtype), "i32", "n", 3, kept=1)


def test_dequantize():
    column = np.array([3e-9, 1.0, 2.0], "f4")
    for zero, kept in ((0, 0), (1, 1)):
        arguments = const(column), const(np.int32(zero))
        check(lambda x: op.dequantize(x, *arguments), "i32", "n", 3, kept=kept)  # noqa: B023
    wide = const(column.astype("f8")), const(np.int32(0))
    check(lambda x: op.dequantize(x, *wide), "i32", "n", 3, kept=1)


@pytest.mark.slow
@pytest.mark.parametrize("result", ["i8", "ui8"])
def test_qlinear_matmul(result: str):
    weight = const(numbers("i8", 6, 3))
    column = const(np.array([0.01, 0.02, 0.3], "f4"))
    zeros = const(np.uint8(120)), const(np.int8(0)), const(TYPES[result](9))

    def make(x: Any) -> Any:
        scales = const(np.float32(0.1)), const(np.float32(0.7))
        return op.qlinear_matmul(
            x, scales[0], zeros[0], weight, column, zeros[1], scales[1], zeros[2]
        )

    check(make, "ui8", "n", 6, in_c=True)


@pytest.mark.slow
@pytest.mark.parametrize("zero", [0, 100])
@pytest.mark.parametrize(
    ("shape", "kernel", "attributes"),
    [
        (["n", 3, 7, 6], (9, 3, 3, 2), {"padding": [1, 0, 2, 1], "strides": [2, 1]}),
        ([2, 5, "h", "w"], (8, 5, 2, 2), {"dilation": [1, 2]}),
        (["n", 9, 4, 5], (12, 9, 1, 1), {}),
        (["n", 4, 5, 5], (8, 2, 3, 3), {"padding": 1, "groups": 2}),
        (["n", 5, 5, 3], (8, 3, 3, 3), {"padding": 1, "data_layout": "NHWC"}),
    ],
    ids=str,
)
def test_convolutions(
    shape: list[int | str], kernel: tuple[int, ...], attributes: dict[str, Any], zero: int
):
    weight = const(numbers("i8", *kernel))
    zeros = const(np.uint8(zero)), const(np.int8(0))
    check(
        lambda x: op.conv2d_integer(x, weight, *zeros, **attributes), "ui8", *shape,
        in_c=zero == 100,
    )  # fmt: skip


def test_a_convolution_whose_zero_points_stay():
    weight = const(np.array([0, 255] * 16, "u1").reshape(8, 4, 1, 1))
    zeros = const(np.uint8(3)), const(np.uint8(100))
    check(lambda x: op.conv2d_integer(x, weight, *zeros), "ui8", 1, 4, 3, 3, kept=1, in_c=True)
