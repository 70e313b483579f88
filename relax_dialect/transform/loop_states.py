"""Loops with other states."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from xdsl.ir import SSAValue

from relax_dialect.ops.loops import WhileOp
from relax_dialect.transform.regions import erase, keep_name, replace_uses


def remade(loop: WhileOp, inits: Sequence[SSAValue]) -> WhileOp:
    """Return a loop with the regions of another, before it."""
    new = WhileOp(inits, *(loop.detach_region(region) for region in list(loop.regions)))
    new.location = loop.location
    assert loop.parent is not None
    loop.parent.insert_op_before(new, loop)
    return new


def without_states(loop: WhileOp, left_out: Collection[int]) -> WhileOp:
    """Replace a loop by one without some unused parts of its state."""
    kept = [i for i in range(len(loop.inits)) if i not in left_out]
    end = loop.body.block.last_op
    assert end is not None
    end.operands = [end.operands[i] for i in kept]
    for region in loop.regions:
        for index in sorted(left_out, reverse=True):
            region.block.erase_arg(region.block.args[index])
    new = remade(loop, [loop.inits[i] for i in kept])
    for result, index in zip(new.results, kept):
        keep_name(result, loop.results[index])
        replace_uses({loop.results[index]: result})
    erase(loop)
    return new
