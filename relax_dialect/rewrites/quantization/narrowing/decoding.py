"""Constants of narrow elements, and the operators that make floats of them.

%w = relax.dequantize %q, %scale, %zero {axis = 0, block_size = 32}     ->  codes %q, their scales and
%t = relax.permute_dims %w                                                  zero points, all transposed

`dequantize`, `astype`, `subtract` and `multiply` by constants are understood, and `permute_dims` and
`reshape` between and after them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from xdsl.dialects.builtin import BFloat16Type, Float16Type, IntegerType, f32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.traits import Pure

from relax_dialect.errors import RelaxError
from relax_dialect.interpret import evaluate
from relax_dialect.interpret.runtime_values import Array, from_dense
from relax_dialect.ir.storage import is_storage
from relax_dialect.ir.traits import has_trait
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.binary import MultiplyOp, SubtractOp
from relax_dialect.ops.core import ConstantOp, ShapeOp
from relax_dialect.ops.datatype import AstypeOp
from relax_dialect.ops.manipulate import PermuteDimsOp, ReshapeOp
from relax_dialect.ops.quantization import DequantizeOp

LONGEST = 16
"""The most operators between a constant and its floats, or of a computed scale."""


@dataclass(frozen=True)
class SharedParameter:
    """A parameter of each element of a tensor: along each axis, so many neighbours share one."""

    array: Array
    shared: Sequence[int]

    def full(self, shape: Sequence[int]) -> Array:
        """Return the parameter of each element of a tensor."""
        found = self.array
        for axis, (size, count) in enumerate(zip(shape, self.shared)):
            if count > 1 and found.shape[axis] > 1:
                found = np.repeat(found, count, axis)
            found = found[(*[slice(None)] * axis, slice(size))]
        return np.broadcast_to(found, shape)

    def transposed(self, axes: Sequence[int]) -> SharedParameter:
        return SharedParameter(self.array.transpose(axes), [self.shared[axis] for axis in axes])


@dataclass(frozen=True)
class Decoded:
    """The floats `scale * (codes - zero)`."""

    codes: Array
    scale: SharedParameter | None = None
    zero: SharedParameter | None = None


def is_narrow(type: Attribute) -> bool:
    """Return whether a tensor type has elements of at most 16 bits that stand for wider floats."""
    dtype = type.dtype if isinstance(type, TensorType) else None
    is_byte = isinstance(dtype, IntegerType) and dtype.width.data == 8
    return is_byte or is_storage(dtype) or isinstance(dtype, Float16Type | BFloat16Type)


def decoded(value: SSAValue) -> Decoded | None:
    """Return the constant that a tensor is decoded from; None for any other tensor."""
    steps: list[Operation] = []
    while (codes := _codes(value)) is None:
        source = source_of(value.owner)
        if source is None or len(steps) == LONGEST:
            return None
        steps.append(value.owner)  # pyright: ignore
        value = source
    found: Decoded | None = Decoded(codes)
    for op in reversed(steps):
        found = found and STEPS[type(op)](op, found)
    return found


def _codes(value: SSAValue) -> Array | None:
    return known(value) if is_narrow(value.type) else None


def source_of(op: object) -> SSAValue | None:
    """Return the operand of a decoding operator that has the codes."""
    if not isinstance(op, OperatorOp) or type(op) not in STEPS:
        return None
    if not isinstance(op, MultiplyOp):
        return op.operands[0]
    fitting = [v for v in op.operands if _shape(v) == _shape(op.results[0]) and not _is_plain(v)]
    return fitting[0] if fitting else None


def _is_plain(value: SSAValue) -> bool:
    """Return whether a value is a constant that is not narrow."""
    return isinstance(value.owner, ConstantOp)


def _shape(value: SSAValue) -> object:
    return value.type.shape if isinstance(value.type, TensorType) else None


def known(value: SSAValue) -> Array | None:
    """Return the elements of a tensor that is computed from constants by a few operators."""
    found: dict[SSAValue, object] = {}
    work, count = [value], 0
    while work:
        op = work[-1].owner
        if isinstance(op, ConstantOp):
            found[work.pop()] = _elements(op)
        elif isinstance(op, ShapeOp):
            sizes = [None if d is None else d.value for d in op.sizes.data or (None,)]
            found[work.pop()] = None if None in sizes else tuple(sizes)
        elif missing := [v for v in _operands(op) if v not in found]:
            work += missing
            count += len(missing)
        else:
            found[work.pop()] = _evaluated(op, found)
        if count > LONGEST:
            return None
    array = found[value]
    return array if isinstance(array, np.ndarray) else None


def _operands(op: object) -> Sequence[SSAValue]:
    return op.operands if isinstance(op, OperatorOp) and has_trait(op, Pure) else ()


def _elements(op: ConstantOp) -> Array | None:
    try:
        return from_dense(op.value)  # pyright: ignore
    except RelaxError:  # numpy does not have every element type
        return None


def _evaluated(op: object, found: Mapping[SSAValue, object]) -> object:
    """Return the result of an operator on known values; None if it has none, or fails."""
    operands = [found[value] for value in _operands(op)]
    if not operands or any(each is None for each in operands) or len(op.results) != 1:  # pyright: ignore
        return None
    try:
        return evaluate(op, *operands)[0]  # pyright: ignore
    except RelaxError:
        return None


# Operators -------------------------------------------------------------------------------------


def _astype(op: AstypeOp, found: Decoded) -> Decoded | None:
    """Conversions that keep all numbers: to f32, and of integers of a byte to wider ones."""
    is_whole = found.codes.dtype.kind in "iu" or "int" in found.codes.dtype.name
    wide = isinstance(op.dtype, IntegerType) and op.dtype.width.data > 8 and found.scale is None
    return found if op.dtype == f32 or (is_whole and wide) else None


def _dequantize(op: DequantizeOp, found: Decoded) -> Decoded | None:
    scale, zero = known(op.scale), known(op.zero_point)
    is_raw = found.scale is None and found.zero is None
    if scale is None or zero is None or not is_raw or op.out_dtype != f32:
        return None
    if scale.dtype == np.float64:
        return None
    rank = found.codes.ndim
    axis = op.axis_of(rank)
    scales = _parameter(scale.astype(np.float32), rank, axis, op.block_size)
    if not zero.astype(np.float32).any():
        return replace(found, scale=scales)
    zeros = _parameter(zero.astype(np.float32), rank, axis, op.block_size)
    return replace(found, scale=scales, zero=zeros)


def _parameter(array: Array, rank: int, axis: int, block: int) -> SharedParameter:
    """Return scales or zero points of blocks, or one for all, or one for each index along an axis."""
    if block and array.ndim == rank:
        return SharedParameter(array, [block if d == axis else 1 for d in range(rank)])
    return SharedParameter(array.reshape([-1 if d == axis else 1 for d in range(rank)]), [1] * rank)


def _multiply(op: MultiplyOp, found: Decoded) -> Decoded | None:
    source = source_of(op)
    (other,) = [v for v in op.operands if v is not source] or [source]
    factor = known(other) if other is not None else None  # pyright: ignore
    if factor is None or op.results[0].type.dtype != f32:  # pyright: ignore
        return None
    factors = _broadcast(factor, found)
    if found.scale is not None:
        shape = found.codes.shape
        both = found.scale.full(shape) * factors.full(shape)
        factors = SharedParameter(both, [1] * both.ndim)
    return replace(found, scale=factors)


def _subtract(op: SubtractOp, found: Decoded) -> Decoded | None:
    zero = known(op.rhs)
    is_same = _shape(op.lhs) == _shape(op.result)
    if zero is None or found.scale is not None or found.zero is not None or not is_same:
        return None
    return replace(found, zero=_broadcast(zero.astype(np.float32), found))


def _broadcast(array: Array, found: Decoded) -> SharedParameter:
    rank = found.codes.ndim
    return SharedParameter(array.reshape(*[1] * (rank - array.ndim), *array.shape), [1] * rank)


def _permute_dims(op: PermuteDimsOp, found: Decoded) -> Decoded:
    axes = op.permutation(found.codes.ndim)
    parameters = (each and each.transposed(axes) for each in (found.scale, found.zero))
    return Decoded(found.codes.transpose(axes), *parameters)


def _reshape(op: ReshapeOp, found: Decoded) -> Decoded | None:
    type = op.results[0].type
    assert isinstance(type, TensorType)
    sizes = [None if d is None else d.value for d in type.shape or (None,)]
    if None in sizes:
        return None
    own = found.codes.shape
    parameters = (
        each and SharedParameter(each.full(own).reshape(sizes), [1] * len(sizes))  # pyright: ignore
        for each in (found.scale, found.zero)
    )
    return Decoded(found.codes.reshape(sizes), *parameters)  # pyright: ignore


STEPS: Mapping[type[Operation], Callable[..., Decoded | None]] = {
    AstypeOp: _astype,
    DequantizeOp: _dequantize,
    MultiplyOp: _multiply,
    SubtractOp: _subtract,
    PermuteDimsOp: _permute_dims,
    ReshapeOp: _reshape,
}
"""What each operator does to a decoded constant."""
