"""The regions that are quantised: a matmul, linear or conv2d of a constant weight, a constant bias, a relu.

    is_op("relu")(is_op("add")(is_op("matmul")(wildcard(), is_constant()), is_constant()))

and every part of it that ends after the product. Custom patterns replace these: their matches are again
read as such regions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.ir import Operation, SSAValue

from relax_dialect.dpl import Match, Pattern, is_constant, is_op, wildcard
from relax_dialect.dpl.search.aliases import owner
from relax_dialect.errors import RelaxError
from relax_dialect.interpret.runtime_values import from_dense
from relax_dialect.ir.order import describe
from relax_dialect.ir.types import TensorType
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.activation import ReluOp
from relax_dialect.ops.binary import AddOp
from relax_dialect.ops.convolution import Conv2dOp
from relax_dialect.ops.core import ConstantOp
from relax_dialect.ops.linear_algebra import LinearOp, MatmulOp
from relax_dialect.rewrites.quantization.quantizing.inputs import failure
from relax_dialect.transform.regions import functions

Array = np.ndarray[Any, Any]
PRODUCTS = MatmulOp, LinearOp, Conv2dOp


def _patterns() -> Iterator[Pattern]:
    x, w, b = wildcard(), is_constant(), is_constant()
    linear = is_op("linear")
    for product in (
        is_op("matmul")(x, w),
        linear(x, w, b) | linear(x, w),
        is_op("conv2d")(x, w),
    ):
        biased = is_op("add")(product, is_constant())
        yield from (is_op("relu")(biased), biased, is_op("relu")(product), product)


PATTERNS: Sequence[Pattern] = tuple(_patterns())
"""The patterns that are quantised by default, the largest of a kind first."""


def constant_array(value: SSAValue) -> Array | None:
    """Return the elements of a constant of f32."""
    op = owner(value)
    type = value.type
    if isinstance(op, ConstantOp) and isinstance(type, TensorType) and type.dtype == f32:
        with suppress(RelaxError):
            return from_dense(op.value)
    return None


def obstacle(op: Operation) -> str | None:
    """Why a product cannot be quantised, None if it can."""
    x, weight, *more = op.operands
    types = [value.type for value in (x, weight, op.results[0])]
    tensors = [type for type in types if isinstance(type, TensorType)]
    if len(tensors) < 3 or any(type.dtype != f32 for type in tensors):
        return "its element type is not f32"
    if any(type.rank is None for type in tensors):
        return "its rank is unknown"
    if isinstance(op, Conv2dOp) and op.is_blocked:
        return "its channels are in blocks"
    array = constant_array(weight)
    if array is None:
        return "its weight is no constant"
    if any(constant_array(bias) is None for bias in more):
        return "its bias is no constant"
    if array.ndim < 2 or not array.size:
        return "its weight is no matrix"
    return None if np.isfinite(array).all() else "its weight is not finite"


def products(module: ModuleOp) -> dict[Operation, str]:
    """Return every product of a module, quantised or not, and the name of its function."""
    return {
        op: function.sym_name.data
        for function in functions(module)
        for op in walk_ops(function)
        if isinstance(op, PRODUCTS)
    }


@dataclass(frozen=True)
class Region:
    """The parts of a match: `relu(product(x, weight) + bias)`."""

    product: Operation
    weight: Array
    channel: int
    """The axis of the weight that is the result's channels."""
    bias: Array | None
    """One number for each channel."""
    has_relu: bool
    result_axis: int
    """The axis of the channels in the result."""
    rank: int
    constants: Sequence[Operation]
    """The ops that hold the weight and the bias."""


def region_of(match: Match, root: SSAValue) -> Region | None:
    """Return the region that a match is, None if its bias is none that an integer product can take in.

    Raises `RelaxError` for a match that holds other ops.
    """
    op, chain, addend = owner(root), list[Operation](), None
    held = [each for each in match.ops() if not isinstance(each, ConstantOp)]
    has_relu = isinstance(op, ReluOp)
    if has_relu:
        chain.append(op)
        op = owner(op.operands[0])
    if isinstance(op, AddOp):
        chain.append(op)
        sides = sorted(op.operands, key=lambda side: owner(side) not in held)
        op, addend = owner(sides[0]), sides[1]
    if isinstance(op, PRODUCTS):
        chain.append(op)
    if not isinstance(op, PRODUCTS) or set(held) != set(chain):
        others = [describe(each) for each in held if each not in chain]
        raise failure(
            f"pattern {match.pattern}",
            "matches of a matmul, linear or conv2d, then an add of a constant, then a relu",
            others[0] if others else "no such product",
            "make the pattern of these operators",
        )
    return None if obstacle(op) else _region(op, addend, has_relu)


def _region(op: Operation, addend: SSAValue | None, has_relu: bool) -> Region | None:
    weight = constant_array(op.operands[1])
    type = op.results[0].type
    assert weight is not None and isinstance(type, TensorType) and type.rank is not None
    channel, axis = weight.ndim - 1, type.rank - 1
    if isinstance(op, LinearOp):
        channel = 0
    elif isinstance(op, Conv2dOp):
        channel, axis = op.weight_layout.index("O"), op.result_layout.index("C")
    bias: Array | None = None
    parts = [*op.operands[2:], *([] if addend is None else [addend])]
    for part in parts:
        array = constant_array(part)
        found = (
            None if array is None else _per_channel(array, type.rank, axis, weight.shape[channel])
        )
        if found is None or not np.isfinite(found).all():
            return None
        bias = found if bias is None else bias + found
    constants = [owner(value) for value in (op.operands[1], *parts)]
    held = [each for each in constants if each is not None]
    return Region(op, weight, channel, bias, has_relu, axis, type.rank, held)


def _per_channel(array: Array, rank: int, axis: int, channels: int) -> Array | None:
    """Return a bias that broadcasts to a result as one number for each channel; else None."""
    if array.ndim > rank:
        return None
    sizes = (1,) * (rank - array.ndim) + array.shape
    if any(size != 1 for place, size in enumerate(sizes) if place != axis):
        return None
    return np.broadcast_to(array.reshape(-1), channels) if sizes[axis] in (1, channels) else None
