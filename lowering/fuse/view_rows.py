"""Rows that all points of a `linalg.generic` read, at an index known before it, as an operand of it.

    %at = tensor.insert %p into %empty[]                %i = arith.index_cast %p : i64 to index
    %y = linalg.generic ins(%at) ... {               -> %row = tensor.extract_slice %x[%i, 0] [1, 64] [1, 1]
      %i = arith.index_cast %at_in : i64 to index       %y = linalg.generic ins(%row) ... {
      %v = tensor.extract %x[%i, %d0]
      ...

So `relax.take` at a single index is a view, and functions of its elements are computed in vectors.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, func, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, AffineMapAttr, ArrayAttr, TensorType
from xdsl.dialects.linalg.ops import GenericOp, IndexOp
from xdsl.ir import Block, BlockArgument, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from lowering.fuse.merge_generics import erase_dead, is_elementwise
from relax_dialect.ir.walk import walk_ops


def view_rows(function: func.FuncOp) -> None:
    """Make the elementwise generics of a prim func read rows of its arguments as operands."""
    extracts = [
        op
        for op in walk_ops(function)
        if isinstance(op, tensor.ExtractOp) and isinstance(op.parent_op(), GenericOp)
    ]
    for extract in extracts:
        generic = extract.parent_op()
        assert isinstance(generic, GenericOp)
        if generic.parent is not function.body.block or not is_elementwise(generic):
            continue
        if isinstance(extract.tensor.owner, Block) and extract.tensor.owner is generic.parent:
            _view(extract, generic)
    if extracts:
        erase_dead(function.body.block)


def _view(extract: tensor.ExtractOp, generic: GenericOp) -> None:
    """Extract the row of an element before a generic, if its index is known there."""
    loops: dict[int, int] = {}
    places: dict[int, SSAValue] = {}
    for axis, index in enumerate(extract.indices):
        if isinstance(index.owner, IndexOp):
            loops[axis] = index.owner.dim.value.data
        elif (place := _place(index, generic)) is not None:
            places[axis] = place
    rank = len(extract.indices)
    is_row = rank - 1 in loops and len({*loops.values()}) == len(loops)
    if not is_row or not places or len(loops) + len(places) < rank:
        return
    block, extents = generic.parent, _extents(generic)
    if block is None or extents is None:
        return

    def before(op: arith.IndexCastOp | tensor.ExtractOp) -> SSAValue:
        block.insert_op_before(op, generic)
        return op.results[0]

    offsets: list[SSAValue | int] = []
    for axis in range(rank):
        place = places.get(axis)
        if place is not None and isinstance(place.type, TensorType):
            made = place.owner
            if isinstance(made, tensor.InsertOp):
                place = made.scalar
            else:
                place = before(tensor.ExtractOp(place, [], place.type.element_type))
            place = before(arith.IndexCastOp(place, extract.indices[axis].type))
        offsets.append(0 if place is None else place)
    sizes = [1 if axis in places else extents[loops[axis]] for axis in range(rank)]
    shape = [sizes[axis] for axis in loops]
    type = TensorType(
        extract.result.type, [n if isinstance(n, int) else DYNAMIC_INDEX for n in shape]
    )
    row = tensor.ExtractSliceOp(extract.tensor, offsets, sizes, [1] * rank, type)
    row.result.name_hint = extract.result.name_hint
    block.insert_op_before(row, generic)
    dims = tuple(AffineExpr.dimension(d) for d in loops.values())
    _add_input(generic, row.result, AffineMap(len(extents), 0, dims), extract)


def _place(index: SSAValue, generic: GenericOp) -> SSAValue | None:
    """Return a tensor of one number that a body takes an index from, or an index defined outside of it."""
    if not isinstance(index.owner, arith.IndexCastOp):
        is_outside = index.owner is generic.parent or (
            not isinstance(index.owner, Block) and index.owner.parent is generic.parent
        )
        return index if is_outside else None
    number = index.owner.input
    if not isinstance(number, BlockArgument) or number.block is not generic.body.block:
        return None
    operand = generic.operands[number.index]
    is_scalar = isinstance(operand.type, TensorType) and not operand.type.get_shape()
    return operand if is_scalar and number.index < len(generic.inputs) else None


def _extents(generic: GenericOp) -> Sequence[SSAValue | int] | None:
    """Return the trip counts of all loops, from the generic's empty output."""
    output = generic.outputs[0]
    if not isinstance(output.owner, tensor.EmptyOp) or not isinstance(output.type, TensorType):
        return None
    dynamic = iter(output.owner.dynamic_sizes)
    return [next(dynamic) if n == DYNAMIC_INDEX else n for n in output.type.get_shape()]


def _add_input(
    generic: GenericOp, row: SSAValue, map: AffineMap, extract: tensor.ExtractOp
) -> None:
    """Add an input to a generic, whose element replaces the one its body extracted, and remove inputs that
    only determined the index."""
    inputs = [(v, m.data) for v, m in zip(generic.inputs, generic.indexing_maps)]
    outputs, body = [*generic.outputs], generic.body.block
    argument = body.insert_arg(extract.result.type, len(inputs))
    argument.name_hint = extract.result.name_hint
    extract.result.replace_all_uses_with(argument)
    extract.detach()
    extract.erase()
    erase_dead(body)
    for op in [op for op in body.ops if isinstance(op, IndexOp) and not op.result.first_use]:
        op.detach()
        op.erase()
    inputs.append((row, map))
    unused = [
        n for n, (_, map) in enumerate(inputs) if not map.results and not body.args[n].first_use
    ]
    for number in reversed(unused):
        body.erase_arg(body.args[number])
        del inputs[number]
    own = [AffineMapAttr(map) for _, map in inputs]
    new = GenericOp(
        [value for value, _ in inputs],
        outputs,
        generic.detach_region(generic.body),
        ArrayAttr([*own, *generic.indexing_maps.data[-len(outputs) :]]),
        generic.iterator_types,
        [*generic.result_types],
    )
    new.results[0].name_hint = generic.results[0].name_hint
    block = generic.parent
    assert block is not None
    block.insert_op_before(new, generic)
    generic.results[0].replace_all_uses_with(new.results[0])
    generic.detach()
    generic.erase()
