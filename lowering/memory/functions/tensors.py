"""Tensors under another type, and builtin tensors and memory: views of buffers, and their elements."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects import arith, memref, tensor
from xdsl.dialects.builtin import MemRefType, NoneAttr
from xdsl.ir import Operation, SSAValue

from lowering.memory.functions.body import FunctionLowering
from lowering.memory.functions.lowered_signature import LoweredTensor, ShapeSizes
from lowering.support.target import ALIGNMENT
from relax_dialect import symbolic
from relax_dialect.errors import RelaxError
from relax_dialect.ir.mlir.builtin_types import from_builtin
from relax_dialect.ir.order import describe
from relax_dialect.ir.types import Dims, TensorType
from relax_dialect.ops.builtin_tensors import FromBuiltinOp, ToBuiltinOp
from relax_dialect.ops.manipulate import ReshapeOp
from relax_dialect.ops.memory import ViewOp, byte_count


def lower_reshape(body: FunctionLowering, op: ReshapeOp) -> None:
    """View the memory of the tensor as a tensor of the new shape:

    %y = memref.reinterpret_cast %x to offset: [0], sizes: [%n, 6, 64], strides: [384, 64, 1]
        : memref<?x384xf32> to memref<?x6x64xf32>
    """
    value, sizes, type = body.values[op.x], body.values[op.shape], op.result.type
    assert isinstance(type, TensorType)
    if (
        not isinstance(value, LoweredTensor)
        or not isinstance(sizes, ShapeSizes)
        or not _is_view(op)
    ):
        raise RelaxError(
            f"{body.where}: {describe(op)}: expected a reshape to a shape of as many elements, all "
            f"sizes known, found {op.x.type} to {type}; run relax-legalize first"
        )
    _define_view(body, op, value, sizes, type)


def lower_bytes(body: FunctionLowering, op: ViewOp) -> None:
    """The memory where a tensor of a storage type is, as its bytes, or the reverse:

    %y = memref.reinterpret_cast %x to offset: [0], sizes: [%bytes], strides: [1]
        : memref<?x?xi4> to memref<?xui8>
    """
    value, sizes, type = body.values[op.x], None, op.result.type
    counts = [byte_count(t) for t in (op.x.type, type) if isinstance(t, TensorType)]
    if op.shape is not None:
        sizes = body.values[op.shape]
    is_whole = len(counts) == 2 and None not in counts and counts[0] is counts[1]
    if not isinstance(value, LoweredTensor) or not isinstance(sizes, ShapeSizes) or not is_whole:
        raise RelaxError(
            f"{body.where}: {describe(op)}: expected a view of all bytes of a tensor, all sizes known, "
            f"found {op.x.type} to {type}; run relax-legalize first"
        )
    assert isinstance(type, TensorType)
    _define_view(body, op, value, sizes, type)


def _define_view(
    body: FunctionLowering,
    op: ReshapeOp | ViewOp,
    value: LoweredTensor,
    sizes: ShapeSizes,
    type: TensorType,
) -> None:
    body.values[op.result] = view = body.view(value, sizes.sizes, type)
    view.memref.name_hint = op.result.name_hint


def _is_view(op: ReshapeOp) -> bool:
    """Return whether the sizes on both sides are proved to agree."""
    counts = [_count(t.shape) for t in (op.x.type, op.result.type) if isinstance(t, TensorType)]
    return len(counts) == 2 and None not in counts and counts[0] is counts[1]


def _count(shape: Dims | None) -> symbolic.Expr | None:
    sizes = [size for size in shape or () if size is not None]
    return symbolic.product(sizes) if shape is not None and len(sizes) == len(shape) else None


def lower_view(lowering: FunctionLowering, op: FromBuiltinOp | ToBuiltinOp) -> None:
    """Nothing: the tensor is where it was."""
    lowering.values[op.result] = lowering.values[op.value]


def _scalars(lowering: FunctionLowering, values: Sequence[SSAValue]) -> list[SSAValue]:
    return [lowering.values[value] for value in values]  # pyright: ignore[reportReturnType]


def _require_below(lowering: FunctionLowering, index: SSAValue, size: SSAValue) -> None:
    """Stop unless an index is one of a dimension."""
    zero = lowering.sizes.constant(0)
    not_negative = lowering.add(arith.CmpiOp(index, zero, "sge"))
    below = lowering.add(arith.CmpiOp(index, size, "slt"))
    holds = lowering.add(arith.AndIOp(not_negative, below))
    message = "expected an index from 0 on and below {%1}, found {%0}"
    lowering.require_size(holds, message)


def lower_extract(lowering: FunctionLowering, op: tensor.ExtractOp) -> None:
    """Load the element whose indices are checked."""
    value = lowering.values[op.tensor]
    assert isinstance(value, LoweredTensor)
    indices = _scalars(lowering, op.indices)
    for axis, index in enumerate(indices):
        _require_below(lowering, index, lowering.actual_size(value, axis))
    lowering.values[op.result] = lowering.add(memref.LoadOp.get(value.memref, indices))


def lower_dim(lowering: FunctionLowering, op: tensor.DimOp) -> None:
    """The size of the dimension, whose number is checked."""
    value = lowering.values[op.source]
    assert isinstance(value, LoweredTensor)
    (index,) = _scalars(lowering, [op.index])
    rank = len(value.type.shape or ())
    _require_below(lowering, index, lowering.sizes.constant(rank))
    size = lowering.sizes.constant(0)
    for axis in range(rank):
        is_meant = lowering.add(arith.CmpiOp(index, lowering.sizes.constant(axis), "eq"))
        size = lowering.add(arith.SelectOp(is_meant, lowering.actual_size(value, axis), size))
    lowering.values[op.result] = size


def lower_empty(lowering: FunctionLowering, op: tensor.EmptyOp) -> None:
    """Allocate an empty tensor, after checks of its sizes."""
    type = from_builtin(op.tensor.type)  # pyright: ignore[reportArgumentType]
    given = iter(_scalars(lowering, op.dynamic_sizes))
    sizes: list[SSAValue] = []
    for axis, dim in enumerate(type.shape or ()):
        if dim is not None:
            sizes.append(lowering.sizes.size(dim))
            continue
        sizes.append(size := next(given))
        lowering.require_not_negative(size, describe(op))
        lowering.require_extent(f"{lowering.where}: {describe(op)}", axis, size)
    lowering.values[op.tensor] = lowering.allocate(type, sizes, op.tensor.name_hint)


def lower_alloc(lowering: FunctionLowering, op: memref.AllocOp | memref.AllocaOp) -> None:
    """Allocate memory that is freed after its last use, regardless of the program."""
    type = op.memref.type
    assert isinstance(type, MemRefType)
    if not isinstance(type.layout, NoneAttr) or op.symbol_operands:
        raise RelaxError(
            f"{lowering.where}: {describe(op)}: expected memory without a layout, found {type}; leave "
            "out the layout"
        )
    sizes = _scalars(lowering, op.dynamic_sizes)
    for axis, size in enumerate(sizes):
        lowering.require_not_negative(size, describe(op))
        lowering.require_extent(f"{lowering.where}: {describe(op)}", axis, size)
    made = memref.AllocOp.get(type.element_type, ALIGNMENT, type.get_shape(), sizes)
    result = lowering.add(made)
    result.name_hint = op.memref.name_hint
    lowering.owners[result] = result
    lowering.values[op.memref] = result


def _element(
    lowering: FunctionLowering, op: memref.LoadOp | memref.StoreOp
) -> tuple[SSAValue, list[SSAValue]]:
    """Return the memory and the checked indices of an element."""
    value, *indices = _scalars(lowering, [op.memref, *op.indices])
    for axis, index in enumerate(indices):
        size = lowering.add(memref.DimOp(value, lowering.sizes.constant(axis)))
        _require_below(lowering, index, size)
    return value, indices


def lower_load(lowering: FunctionLowering, op: memref.LoadOp) -> None:
    lowering.values[op.res] = lowering.add(memref.LoadOp.get(*_element(lowering, op)))


def lower_store(lowering: FunctionLowering, op: memref.StoreOp) -> None:
    (value,) = _scalars(lowering, [op.value])
    lowering.block.add_op(memref.StoreOp.get(value, *_element(lowering, op)))


def lower_dealloc(lowering: FunctionLowering, op: memref.DeallocOp) -> None:
    """Nothing: memory is freed after its last use."""


LOWERINGS: Mapping[type[Operation], Callable[..., None]] = {
    ReshapeOp: lower_reshape,
    ViewOp: lower_bytes,
    FromBuiltinOp: lower_view,
    ToBuiltinOp: lower_view,
    tensor.ExtractOp: lower_extract,
    tensor.DimOp: lower_dim,
    tensor.EmptyOp: lower_empty,
    memref.AllocOp: lower_alloc,
    memref.AllocaOp: lower_alloc,
    memref.LoadOp: lower_load,
    memref.StoreOp: lower_store,
    memref.DeallocOp: lower_dealloc,
}
