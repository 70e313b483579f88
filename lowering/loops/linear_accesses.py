"""An element whose subscripts are the digits of one number is read at that number.

    %row = arith.divsi %i, %m : index
    %column = arith.remsi %i, %m : index
    %v = memref.load %x[%row, %column] : memref<?x?xf32>     // %x has %m columns
->
    %flat = memref.collapse_shape %x [[0, 1]] : memref<?x?xf32> into memref<?xf32>
    ...
    %v = memref.load %flat[%i] : memref<?xf32>

Reshaping, flattening and whatever works on a tensor as on one row come to copies in order. That
divisors are sizes of the memref is proved with the symbols of the function.
"""

from collections.abc import Iterator, Sequence

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    IntegerAttr,
    MemRefType,
    StridedLayoutAttr,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, SSAValue

from lowering.ir.constants import known_integer
from lowering.ir.memref_views import is_dense
from lowering.loops.hoist_divisions import QUOTIENTS, REMAINDERS, erase_dead
from lowering.loops.index_sizes import IndexSizes
from relax_dialect import symbolic
from relax_dialect.call_graph import ops_inside
from relax_dialect.symbolic import Expr


def join_digits(function: FuncOp) -> None:
    """Read at one number what is read at its digits, in all of a function."""
    accesses = [op for op in ops_inside(function) if isinstance(op, memref.LoadOp)]
    divided = [op for op in accesses if any(_digit(i) is not None for i in op.indices)]
    if not divided:
        return
    sizes = IndexSizes(function)
    views: dict[tuple[SSAValue, int, int], SSAValue] = {}
    for load in divided:
        _join(load, sizes, views)


def _digit(value: SSAValue) -> tuple[SSAValue, SSAValue | None] | None:
    """What a remainder is of, or a quotient; with the divisor if it is a remainder."""
    op = value.owner
    if isinstance(op, REMAINDERS):
        return op.lhs, op.rhs
    if isinstance(op, QUOTIENTS):
        return op.lhs, None
    if isinstance(op, arith.SubiOp) and isinstance(product := op.rhs.owner, arith.MuliOp):
        quotient, divisor = product.lhs, product.rhs
        if isinstance(floor := quotient.owner, arith.FloorDivSIOp) and floor.rhs is divisor:
            return (op.lhs, divisor) if floor.lhs is op.lhs else None
    return None


def _join(
    load: memref.LoadOp, sizes: IndexSizes, views: dict[tuple[SSAValue, int, int], SSAValue]
) -> None:
    t = load.memref.type
    assert isinstance(t, MemRefType)
    found = next((run for run in _runs(load, sizes) if is_dense(t, *run[:2])), None)
    if found is None:
        return
    first, last, number = found
    key = load.memref, first, last
    if key not in views:
        views[key] = _collapsed(load.memref, first, last)
    indices = list(load.indices)
    dead = indices[first : last + 1]
    indices[first : last + 1] = [number]
    joined = memref.LoadOp.get(views[key], indices)
    assert load.parent is not None
    load.parent.insert_op_before(joined, load)
    joined.res.name_hint = load.res.name_hint
    load.res.replace_all_uses_with(joined.res)
    load.detach()
    load.erase()
    erase_dead(dead)


def _runs(load: memref.LoadOp, sizes: IndexSizes) -> Iterator[tuple[int, int, SSAValue]]:
    """The subscripts that are all digits of a number: the first, the last, and the number."""
    for last in reversed(range(1, len(load.indices))):
        digit = _digit(load.indices[last])
        if digit is None:
            continue
        number, radix = digit
        if radix is None:
            continue
        stride = sizes.size(load.memref, last)
        if stride is None or sizes.value(radix) is not stride:
            continue
        for first in reversed(range(last)):
            size = sizes.size(load.memref, first)
            index = load.indices[first]
            if size is None:
                break
            if size.value == 1 and known_integer(index) == 0:
                continue
            kind = _digit_of(index, number, stride, size, sizes)
            if kind == "first":
                yield first, last, number
            if kind != "middle":
                break
            stride = symbolic.product((stride, size))


def _digit_of(
    index: SSAValue, number: SSAValue, stride: Expr, size: Expr, sizes: IndexSizes
) -> str | None:
    """Whether a subscript is what a number counts of a stride: all of it, or up to a size."""
    kind = "first"
    digit = _digit(index)
    if digit is not None and digit[1] is not None:
        if sizes.value(digit[1]) is not size:
            return None
        kind, index = "middle", digit[0]
    op = index.owner
    if isinstance(op, QUOTIENTS) and op.lhs is number and sizes.value(op.rhs) is stride:
        return kind
    return None


def _collapsed(buffer: SSAValue, first: int, last: int) -> SSAValue:
    """A view of a memref in which some dimensions in a row are one."""
    t = buffer.type
    assert isinstance(t, MemRefType)
    shape = list(t.get_shape())
    count = 1
    for size in shape[first : last + 1]:
        count = DYNAMIC_INDEX if DYNAMIC_INDEX in (size, count) else count * size
    dims = range(len(shape))
    groups: Sequence[Sequence[int]] = [
        *([d] for d in dims[:first]),
        dims[first : last + 1],
        *([d] for d in dims[last + 1 :]),
    ]
    layout = t.layout
    if isinstance(layout, StridedLayoutAttr):
        strides = list(layout.strides)
        layout = StridedLayoutAttr([*strides[:first], *strides[last:]], layout.offset)
    view = MemRefType(
        t.element_type, [*shape[:first], count, *shape[last + 1 :]], layout, t.memory_space
    )
    op = memref.CollapseShapeOp.create(
        operands=[buffer],
        result_types=[view],
        properties={
            "reassociation": ArrayAttr(
                [ArrayAttr([IntegerAttr(d, i64) for d in group]) for group in groups]
            )
        },
    )
    name = buffer.name_hint
    op.results[0].name_hint = f"{name}_row" if name else "row"
    owner = buffer.owner
    if isinstance(owner, Block):
        assert owner.first_op is not None
        owner.insert_op_before(op, owner.first_op)
    else:
        assert owner.parent is not None
        owner.parent.insert_op_after(op, owner)
    return op.results[0]
