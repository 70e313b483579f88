"""`relax.if` as `scf.if`, whose branches hand over their results, and loops over a state of memrefs:

    %y = relax.while (%s = %x) : (T) -> T {        %y = scf.while (%s = %own) : (M) -> M {
      %more = ... %s                                 %more = ... %s
      relax.yield %more : B                          scf.condition(%more) %s : M
    } do {                                         } do {
      %next = relax.call_tir @f(%s) : (T) -> T       ^bb0(%t: M):
      relax.yield %next : T                   ->       %next = memref.alloc() : M
    }                                                  func.call @f(%t, %next)
                                                       memref.dealloc %t
                                                       scf.yield %next : M
                                                   }

The loop owns the buffers of its state: it starts from copies of the initial values (`relax-reuse-buffers`
reuses initial values without other uses), and each iteration frees the buffers of the previous state, or
passes them on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from xdsl.dialects import scf
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from lowering.memory.functions.body import FunctionLowering, Nested
from lowering.memory.functions.lowered_signature import (
    Leaf,
    Lowered,
    LoweredTensor,
    ObjectReference,
    ShapeSizes,
    is_handle,
    lowered_types,
    require_joined,
    require_lowerable,
    says_too_little,
)
from lowering.memory.functions.ownership import nest
from relax_dialect.ir.lattice import join
from relax_dialect.ir.order import describe
from relax_dialect.ir.types import ShapeType, TensorType, leaf_types
from relax_dialect.ops import control, loops


def lower_if(body: FunctionLowering, op: control.IfOp) -> Nested:
    whole = op.result.type
    if says_too_little(whole):
        whole = join(*(v.type for v in op.yields))
    types = leaf_types(whole)
    for type in types:
        require_joined(body.where, f"{describe(op)}: the result", type)
    branches: list[Region] = []
    for region in op.regions:
        with body.region() as block:
            yield region.block
            last = region.block.last_op
            assert isinstance(last, control.YieldOp)
            value = body.fit(f"{describe(op)}: a branch", body.values[last.value], whole)
            handed_over = body.hand_over(value, types)
            block.add_op(scf.YieldOp(*handed_over))
            body.free(handed_over)
            branches.append(Region(block))
    lowered = scf.IfOp(
        body.condition(op, op.condition),
        [t for type in types for t in lowered_types(type)],
        branches[0],
        branches[1],
    )
    body.block.add_op(lowered)
    results = iter(lowered.results)
    parts = iter([body.received(type, results, op.result.name_hint) for type in types])
    body.values[op.result] = nest(whole, parts)


def lower_while(body: FunctionLowering, op: loops.WhileOp) -> Nested:
    """Yield a loop whose condition and body are lowered into blocks of their own."""
    types = [type for value in op.results for type in leaf_types(value.type)]
    for type in types:
        require_lowerable(body.where, f"{describe(op)}: the state", type)

    def fitting(value: SSAValue, result: SSAValue) -> Lowered:
        return body.fit(f"{describe(op)}: the state", body.values[value], result.type)

    inits = [
        part
        for init, result in zip(op.inits, op.results)
        for part in body.copies(fitting(init, result), leaf_types(result.type))
    ]
    regions: list[Region] = []
    for region, is_owner in ((op.condition, False), (op.body, True)):
        with body.region() as block:
            for argument in region.block.args:
                body.values[argument] = _state(body, block, argument, is_owner)
            yield region.block
            if is_owner:
                handed_over = body.hand_over(tuple(map(fitting, op.next_state, op.results)), types)
                block.add_op(scf.YieldOp(*handed_over))
            else:
                handed_over = list(block.args)
                block.add_op(scf.ConditionOp(body.condition(op, op.test), *handed_over))
            body.free(handed_over)
            regions.append(Region(block))
    lowered = scf.WhileOp(inits, [t for type in types for t in lowered_types(type)], *regions)
    body.block.add_op(lowered)
    results = iter(lowered.results)
    for value in op.results:
        parts = [body.received(t, results, value.name_hint) for t in leaf_types(value.type)]
        body.values[value] = nest(value.type, iter(parts))


def _state(body: FunctionLowering, block: Block, argument: SSAValue, is_owner: bool) -> Lowered:
    """Return a value of the state as a region gets it; the body owns it, the condition only reads it."""

    def part(type: Attribute) -> Leaf:
        values = [block.insert_arg(t, len(block.args)) for t in lowered_types(type)]
        for value in values:
            value.name_hint = argument.name_hint
        if isinstance(type, ShapeType):
            return ShapeSizes(list(values))
        (value,) = values
        if not (isinstance(type, TensorType) or is_handle(type)):
            return value
        owner = value if is_owner else None
        if owner is not None:
            body.owners[owner] = owner
        return (
            LoweredTensor(value, type, owner)
            if isinstance(type, TensorType)
            else ObjectReference(value, type, owner)
        )

    return nest(argument.type, iter([part(type) for type in leaf_types(argument.type)]))


LOWERINGS: Mapping[type[Operation], Callable[..., Nested]] = {
    control.IfOp: lower_if,
    loops.WhileOp: lower_while,
}
