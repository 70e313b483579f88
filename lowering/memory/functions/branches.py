"""`relax.if` as `scf.if`, whose branches hand over their results."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from xdsl.dialects import scf
from xdsl.ir import Operation, Region

from lowering.memory.functions.body import FunctionLowering, Nested
from lowering.memory.functions.lowered_signature import (
    lowered_types,
    require_joined,
    says_too_little,
)
from lowering.memory.functions.ownership import nest
from relax_dialect.ir.lattice import join
from relax_dialect.ir.order import describe
from relax_dialect.ir.types import leaf_types
from relax_dialect.ops import control


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


LOWERINGS: Mapping[type[Operation], Callable[..., Nested]] = {control.IfOp: lower_if}
