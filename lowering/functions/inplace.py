"""Whether a value of a function may be written over: nobody needs it any more."""

from __future__ import annotations

from xdsl.ir import Block, OpResult, SSAValue

from relax_dialect.ops import blocks, calls, control, core, graph, loops, manipulate

FRESH = (calls.TirCallOp, calls.CallOp, calls.PackedOp, control.IfOp, loops.WhileOp)
"""Ops whose results are buffers of their own that the function owns."""


def is_last_use(value: SSAValue) -> bool:
    """Whether a value that one of the `FRESH` ops made, or a loop gave its body, has no use but the
    one asked for; a loop around that use may still ask for it once more.

    Ops that give a value on under another name are looked through; where it may be known in other
    places too (a tuple, a parameter, a constant) the answer is no.
    """
    while value.get_unique_use() is not None:
        owner = value.owner
        if isinstance(owner, Block):
            return isinstance(owner.parent_op(), loops.WhileOp)
        if isinstance(owner, FRESH):
            return True
        if isinstance(owner, graph.LetOp | core.MatchCastOp | core.MatchShapeOp):
            value = owner.value
        elif isinstance(owner, manipulate.ReshapeOp):
            value = owner.x
        elif isinstance(owner, blocks.BlockOp):
            assert isinstance(value, OpResult)
            value = owner.output.operands[value.index]
        else:
            return False
    return False
