"""relax-fold-zero-points: terms of constant weights, scales and zero points are computed at compile time.

```mlir
%y = relax.matmul_integer %x, %w, %zx, %zw                  // w, zx, zw constant
%z = relax.requantize %y, %s, %zero, %t, %zt                // zero, s, t and zt constant
    ->
%p = relax.matmul %x, %v {out_dtype = i32}                  // v = w - zw
%y = relax.add %p, %c                                       // c = -zx * sum(v, axis=0), none if zx is 0
%z = astype(round(astype(%y, f32) * f) + zt, ui8)           // f = s / t
```

So a product multiplies bytes directly, for which machines have instructions. The weights have two axes, and
after subtraction of their zero points they still fit into bytes, signed or unsigned. A zero point of x that
is not constant is multiplied with the sums of the weights' columns. `relax.conv2d_integer` is folded if
both zero points are constant, with that of x as padding of the images. `relax.dequantize` and
`relax.requantize` are folded if the zero point before is 0 and the scales are constant,
`relax.qlinear_matmul` as a product and a requantization. Results are bitwise equal: i32 wraps around, and
floats are multiplied in the order that the operators specify.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.ir import Attribute
from xdsl.passes import ModulePass

from relax_dialect.builder import const, op
from relax_dialect.builder.values import Expression, Value
from relax_dialect.dpl import (
    FunctionRule,
    Match,
    RuleTable,
    apply_rules,
    is_constant,
    is_op,
    wildcard,
)
from relax_dialect.dpl.search.aliases import owner
from relax_dialect.interpret.runtime_values import from_dense, numpy_dtype
from relax_dialect.ir.storage import is_storage
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.core import ConstantOp
from relax_dialect.ops.quantization import (
    Conv2dIntegerOp,
    DequantizeOp,
    ParameterOp,
    QlinearMatmulOp,
    RequantizeOp,
    computed_in,
)

x, zero = wildcard(), wildcard()
weight, weight_zero = is_constant(), is_constant()
scale, old_zero, new_scale, new_zero = (is_constant() for _ in range(4))
x_scale, weight_scale = is_constant(), is_constant()

Number = Value | Expression


def array_of(value: Value) -> np.ndarray:
    """Return the elements of a constant."""
    made = owner(value.value)
    assert isinstance(made, ConstantOp)
    return from_dense(made.value)


def _centered(weight: np.ndarray, zero: np.ndarray) -> np.ndarray | None:
    """Weights less their zero points."""
    if not weight.size:
        return None
    return weight.astype(np.int32) - zero.astype(np.int32)


def _as_bytes(numbers: np.ndarray) -> np.ndarray | None:
    """Return integers as bytes, signed if possible; None if they do not fit."""
    for dtype in (np.int8, np.uint8):
        ends = np.iinfo(dtype)
        if ends.min <= numbers.min() and numbers.max() <= ends.max:
            return numbers.astype(dtype)
    return None


def product(x: Value, zero: Value, weight: Value, weight_zero: Value) -> Number | None:
    """`(x - zero) @ (weight - weight_zero)` in i32, of a product of bytes."""
    old, by = array_of(weight), array_of(weight_zero)
    numbers = _centered(old, by) if old.ndim == 2 else None
    if (
        numbers is None
        or zero.shape != ()
        or not isinstance(x.type, TensorType)
        or not x.type.shape
    ):
        return None
    if (bytes := _as_bytes(numbers)) is None:
        return None
    whole = op.matmul(x, const(bytes) if by.any() else weight, out_dtype="i32")
    sums = numbers.sum(axis=0, dtype=np.int32)
    if not isinstance(owner(zero.value), ConstantOp):
        return whole - zero.astype("i32") * const(sums)
    shift = -array_of(zero).astype(np.int32) * sums
    return whole + const(shift) if shift.any() else whole


def _matmul(root: Value, m: Match) -> object | None:
    return product(m[x], m[zero], m[weight], m[weight_zero])


def _convolution(root: Value, m: Match) -> object | None:
    """Return a convolution of bytes, padded with the zero point, and a number for each filter."""
    made, zeros = owner(root.value), array_of(m[weight_zero])
    assert isinstance(made, Conv2dIntegerOp)
    if zeros.ndim:
        zeros = zeros.reshape(-1, *(1,) * (made.weight_layout[::-1].index("O")))
    numbers = _centered(array_of(m[weight]), zeros)
    if numbers is None or m[zero].shape != () or not isinstance(owner(m[zero].value), ConstantOp):
        return None
    by, factor = array_of(m[zero]).astype(np.int32), _as_bytes(numbers)
    if factor is None or root.shape is None:
        return None
    windows = {w.letter: w for w in made.kernel_windows(made.weight_sizes)}
    border = [
        width
        for letter in made.x_layout
        for width in (
            (windows[letter].before, windows[letter].after) if letter in windows else (0, 0)
        )
    ]
    images: Number = m[x]
    if by.any() and any(border):
        images = op.pad(images, border, pad_value=int(by))
    whole = op.conv2d(
        images,
        const(factor),
        strides=made.strides,
        padding=0 if by.any() else made.padding,
        dilation=made.dilation,
        groups=made.groups,
        data_layout=made.data_layout,
        kernel_layout=made.kernel_layout,
        out_layout=made.out_layout,
        out_dtype="i32",
    )
    others = tuple(d for d, letter in enumerate(made.weight_layout) if letter != "O")
    shift = -by * numbers.sum(axis=others, dtype=np.int32)
    after = (1,) * (len(root.shape) - 1 - made.result_layout.index("C"))
    return whole + const(shift.reshape(-1, *after)) if shift.any() else whole


def requantized(
    sums: Number, factor: np.ndarray, zero: np.ndarray, wide: Attribute, dtype: Attribute
) -> Number:
    """`round(sums * factor) + zero` as an integer of fewer bits."""
    rounded = op.round(sums.astype(wide) * const(factor))
    if zero.any():
        rounded = rounded + const(zero.astype(numpy_dtype(wide)))
    return rounded.astype(dtype)


def _qlinear(root: Value, m: Match) -> object | None:
    made = owner(root.value)
    assert isinstance(made, QlinearMatmulOp)
    scales = [m[each] for each in (x_scale, weight_scale, new_scale)]
    if scales[0].shape != () or root.dtype is None:
        return None
    if (sums := product(m[x], m[zero], m[weight], m[weight_zero])) is None:
        return None
    wide = _computed_in(*scales)
    left, right, new = (array_of(each).astype(numpy_dtype(wide)) for each in scales)
    return requantized(sums, left * right / new, array_of(m[new_zero]), wide, root.dtype)


def _requantize(root: Value, m: Match) -> object | None:
    made = owner(root.value)
    assert isinstance(made, RequantizeOp)
    parameters = [m[each] for each in (scale, new_scale, new_zero)]
    laid = _laid(made, m[x], parameters)
    if laid is None or array_of(m[old_zero]).any():
        return None
    wide = _computed_in(*parameters[:2], m[old_zero], m[new_zero])
    old, new, zero = laid
    factor = old.astype(numpy_dtype(wide)) / new.astype(numpy_dtype(wide))
    return requantized(m[x], factor, zero, wide, made.quantized)


def _dequantize(root: Value, m: Match) -> object | None:
    made = owner(root.value)
    assert isinstance(made, DequantizeOp)
    if made.block_size or is_storage(m[x].dtype):
        return None
    laid = _laid(made, m[x], [m[scale]])
    if laid is None or root.dtype != f32 or m[scale].dtype != f32:
        return None
    if array_of(m[old_zero]).any():
        return None
    return m[x].astype(f32) * const(laid[0])


def _computed_in(*values: Value) -> Attribute:
    return computed_in(*(value.dtype for value in values if value.dtype is not None))


def _laid(made: ParameterOp, data: Value, parameters: list[Value]) -> list[np.ndarray] | None:
    """Return scales and zero points broadcastable to the data; None if its axes are unknown."""
    if data.shape is None:
        return None
    after = (1,) * (len(data.shape) - 1 - made.axis_of(len(data.shape))) if data.shape else ()
    arrays = [array_of(parameter) for parameter in parameters]
    return [a.reshape(-1, *after) if a.ndim else a for a in arrays]


@cache
def rules() -> RuleTable:
    """Return the table."""
    return RuleTable(
        [
            FunctionRule(is_op("matmul_integer")(x, weight, zero, weight_zero), _matmul, "product"),
            FunctionRule(
                is_op("conv2d_integer")(x, weight, zero, weight_zero), _convolution, "convolution"
            ),
            FunctionRule(
                is_op("qlinear_matmul")(
                    x, x_scale, zero, weight, weight_scale, weight_zero, new_scale, new_zero
                ),
                _qlinear,
                "quantized product",
            ),
            FunctionRule(
                is_op("requantize")(x, scale, old_zero, new_scale, new_zero),
                _requantize,
                "requantize",
            ),
            FunctionRule(is_op("dequantize")(x, scale, old_zero), _dequantize, "dequantize"),
        ]
    )


def fold_zero_points(module: ModuleOp) -> int:
    """Fold the constants of quantized products; returns the number of replaced ops."""
    return apply_rules(rules(), module)


class FoldZeroPointsPass(ModulePass):
    """Compute terms of constant weights, scales and zero points at compile time."""

    name = "relax-fold-zero-points"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        fold_zero_points(op)
