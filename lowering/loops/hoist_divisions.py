"""Divisions, by what is not known, of what a loop does not change stand in front of it.

    scf.for %k = %c0 to %n step %c1 {
      %g = arith.divsi %channel, %size
      ... %g ...
    }
->
    %is_zero = arith.cmpi eq, %size, %c0
    %safe = arith.select %is_zero, %c1, %size
    %quotient = arith.divsi %channel, %safe
    %g = arith.select %is_zero, %c0, %quotient
    scf.for %k = %c0 to %n step %c1 {
      ... %g ...
    }

The loop may run no turn, or divide in a branch that is not taken; so the divisor may be zero, which keeps a
C compiler from moving the division (one by a constant it moves). Loop-invariant code motion.
"""

from collections.abc import Sequence

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, OpResult, SSAValue

from lowering.ir.constants import ConstantPool, is_never_zero, known_integer
from relax_dialect.call_graph import ops_inside

QUOTIENTS = (arith.FloorDivSIOp, arith.DivSIOp, arith.DivUIOp)
DIVISIONS = (*QUOTIENTS, arith.RemSIOp, arith.RemUIOp)

_SIMPLE = (
    *(arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.MaxSIOp, arith.MinSIOp),
    *(arith.CmpiOp, arith.SelectOp, arith.AndIOp, arith.OrIOp),
)
"""What may be computed in vain."""

LOOPS = (scf.ForOp, scf.WhileOp, scf.ParallelOp)


def hoist_divisions(function: FuncOp, constants: ConstantPool) -> None:
    """Move the divisions of a function in front of the loops that do not change them."""
    loops = [op for op in ops_inside(function) if isinstance(op, LOOPS)]
    for loop in reversed(loops):
        for op in _divisions(loop):
            if all(_is_known(operand, loop) for operand in op.operands):
                _hoist(op, loop, constants)


def _divisions(loop: Operation) -> list[Operation]:
    """The divisions of indices inside a loop by what is no constant, in order."""
    return [
        op
        for op in ops_inside(loop)
        if isinstance(op, DIVISIONS)
        and isinstance(op.result.type, IndexType)
        and known_integer(op.rhs) is None
    ]


def _is_outside(value: SSAValue, loop: Operation) -> bool:
    """Whether a loop finds a value already there."""
    home = value.op.parent if isinstance(value, OpResult) else value.owner
    assert isinstance(home, Block)
    return not loop.is_ancestor(home)


def _is_known(value: SSAValue, loop: Operation) -> bool:
    """Whether a value can be computed in front of a loop."""
    if _is_outside(value, loop):
        return True
    op = value.owner
    return isinstance(op, (*_SIMPLE, *DIVISIONS)) and all(_is_known(o, loop) for o in op.operands)


def _hoist(op: Operation, loop: Operation, constants: ConstantPool) -> None:
    for operand in op.operands:
        if not _is_outside(operand, loop):
            assert isinstance(operand.owner, Operation)
            _hoist(operand.owner, loop, constants)
    block = loop.parent
    assert block is not None
    more: Sequence[Operation] = ()
    if isinstance(op, DIVISIONS) and not is_never_zero(op.operands[1]):
        more = _divided_by_what_may_be_zero(op, loop, constants)
    op.detach()
    block.insert_ops_before([op, *more], loop)


def _divided_by_what_may_be_zero(
    op: Operation, loop: Operation, constants: ConstantPool
) -> Sequence[Operation]:
    """Divide by one where the divisor is zero; what makes a quotient zero there, to stand after the op."""
    zero, one = constants.index(0), constants.index(1)
    is_zero = arith.CmpiOp(op.operands[1], zero, "eq")
    safe = arith.SelectOp(is_zero.result, one, op.operands[1])
    assert loop.parent is not None
    loop.parent.insert_ops_before([is_zero, safe], loop)
    op.operands[1] = safe.result
    if not isinstance(op, QUOTIENTS):
        return ()
    (quotient,) = op.results
    whole = arith.SelectOp(is_zero.result, zero, quotient)
    whole.result.name_hint = quotient.name_hint
    quotient.replace_uses_with_if(whole.result, lambda use: use.operation is not whole)
    return (whole,)
