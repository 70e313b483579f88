"""Buffers that a block owns, and their replacement by others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, IntegerAttr, MemRefType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from lowering.ir.insertion import Inserter
from lowering.ir.memref_views import VIEW_OPS, uncast
from lowering.ir.row_major import reshaped
from lowering.memory.in_place.lives import Lives
from lowering.memory.in_place.memref_size_exprs import Size, SymbolicSizes
from lowering.support.target import ALIGNMENT
from relax_dialect import symbolic
from relax_dialect.errors import SymbolicError
from relax_dialect.prim.size_ops import SizeEmitter
from relax_dialect.symbolic import Expr


def frees_of(buffer: SSAValue) -> list[memref.DeallocOp]:
    """Return the ops that free a buffer."""
    work, found = [buffer], list[memref.DeallocOp]()
    while work:
        for use in work.pop().uses:
            if isinstance(use.operation, memref.DeallocOp):
                found.append(use.operation)
            elif isinstance(use.operation, VIEW_OPS):
                work.append(use.operation.results[0])
    return found


def is_allocated_in(buffer: SSAValue, block: Block | None) -> bool:
    """Return whether a buffer is an allocation of a block, which hands it on: nothing frees it there."""
    return (
        isinstance(buffer.owner, memref.AllocOp)
        and buffer.owner.parent is block
        and not frees_of(buffer)
    )


def capacity(value: SSAValue, sizes: SymbolicSizes) -> tuple[Attribute, Expr] | None:
    """Return the element type of a memref and its number of elements, or None if unknown: buffers of one
    capacity are interchangeable."""
    assert isinstance(value.type, MemRefType)
    shape = [size for size in sizes.shape(value) if size is not None]
    if len(shape) < value.type.get_num_dims():
        return None
    try:
        return value.type.element_type, symbolic.product(shape)
    except SymbolicError:
        return None


def own_part(
    part: SSAValue, call: func.CallOp, lives: Lives, sizes: SymbolicSizes
) -> memref.AllocOp | None:
    """Return the allocation of the block that a part is all of, if the call is its last use."""
    alloc, block = uncast(part).owner, call.parent
    if not isinstance(alloc, memref.AllocOp) or alloc.parent is not block or block is None:
        return None
    wanted = capacity(part, sizes)
    if wanted is None or capacity(alloc.memref, sizes) != wanted:
        return None
    frees = frees_of(alloc.memref)
    times = sum(uncast(value) is alloc.memref for value in call.operands)
    is_freed = times == len(frees) == 1 and frees[0].parent is block
    return alloc if is_freed and lives.is_last_use(call, alloc.memref, frees) else None


def is_known(shape: Sequence[Size]) -> bool:
    return None not in shape


def stand_in(
    alloc: memref.AllocOp, buffer: SSAValue, sizes: SymbolicSizes, is_same: bool = False
) -> None:
    """Replace an allocation by a buffer of the same capacity, viewed with the shape of the allocation,
    which may be known to be that of the buffer (`is_same`)."""
    shape = sizes.shape(alloc.memref)
    if not is_same and not (is_known(shape) and shape == sizes.shape(buffer)):
        view = _reshaped(Inserter(before=alloc), buffer, alloc)
    elif buffer.type == alloc.memref.type:
        view = buffer
    else:
        assert isinstance(alloc.memref.type, MemRefType)
        view = Inserter(before=alloc)(memref.CastOp.get(buffer, alloc.memref.type))
    sizes.shapes[view] = shape
    for value in (view, buffer):
        value.name_hint = value.name_hint or alloc.memref.name_hint
    alloc.memref.replace_all_uses_with(view)
    Rewriter.erase_op(alloc)


def _reshaped(insert: Inserter, buffer: SSAValue, alloc: memref.AllocOp) -> SSAValue:
    """Return a buffer as one of the type and sizes of an allocation."""
    type, rest = alloc.memref.type, iter(alloc.dynamic_sizes)
    assert isinstance(type, MemRefType)
    sizes = [next(rest) if size == DYNAMIC_INDEX else size for size in type.get_shape()]
    return reshaped(insert, partial(index, insert), buffer, sizes, type)


def index(insert: Inserter, value: int) -> SSAValue:
    """Return a constant."""
    return insert(arith.ConstantOp(IntegerAttr(value, IndexType())), f"c{value}")


def allocate(
    insert: Inserter, type: MemRefType, dynamic: Sequence[SSAValue], hint: str | None
) -> SSAValue:
    """Return a fresh buffer."""
    made = memref.AllocOp.get(type.element_type, ALIGNMENT, type.get_shape(), dynamic)
    return insert(made, hint)


def allocate_like(insert: Inserter, value: SSAValue, sizes: SymbolicSizes) -> SSAValue:
    """Return a fresh buffer with the type and the sizes of another."""
    type = value.type
    assert isinstance(type, MemRefType)
    dynamic = [
        insert(memref.DimOp(value, index(insert, axis)))
        for axis, size in enumerate(type.get_shape())
        if size == DYNAMIC_INDEX
    ]
    found = allocate(insert, type, dynamic, value.name_hint)
    sizes.shapes[found] = sizes.shape(value)
    return found


def computed(
    insert: Inserter, type: MemRefType, shape: Sequence[Size], known: Mapping[str, SSAValue]
) -> Sequence[SSAValue] | None:
    """Return the dynamic sizes of a memref, from symbolic variables; None if they are unknown, or known
    only after a check."""
    wanted = list[Expr]()
    for size, static in zip(shape, type.get_shape(), strict=True):
        if static == DYNAMIC_INDEX:
            if size is None or not known.keys() >= set(size.free_variables):
                return None
            if symbolic.maximum(size, 0) is not size:
                return None
            wanted.append(size)
    placed, checks = list[Operation](), list[str]()

    def add(op: Operation) -> SSAValue:
        placed.append(op)
        return op.results[0]

    emitter = SizeEmitter.of_known(add, known, lambda condition, message: checks.append(message))
    found = [emitter.size(size) for size in wanted]
    if checks:
        for op in reversed(placed):
            op.erase()
        return None
    for op in placed:
        insert.place(op)
    return found


def replaced(op: Operation, new: Operation, values: Mapping[int, SSAValue]) -> None:
    """Replace an op by another; the values, by result number, replace its results."""
    assert op.parent is not None
    new.attributes |= op.attributes
    new.location = op.location
    op.parent.insert_op_before(new, op)
    for index, old in enumerate(op.results):
        values[index].name_hint = values[index].name_hint or old.name_hint
        old.replace_all_uses_with(values[index])
    Rewriter.erase_op(op)
