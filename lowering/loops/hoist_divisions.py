"""Divisions of what a loop does not change stand in front of it.

    scf.for %k = %c0 to %n step %c1 {
      %g = arith.divsi %channel, %c4
      ... %g ...
    }
->
    %g = arith.divsi %channel, %c4
    scf.for %k = %c0 to %n step %c1 {
      ... %g ...
    }

A divisor that may be zero is replaced by one there, and the quotient by zero: the loop may run no turn,
or divide in a branch that is not taken.
"""

from collections.abc import Sequence

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, OpResult, SSAValue

from lowering.ir.constants import ConstantPool, is_never_zero

QUOTIENTS = (arith.FloorDivSIOp, arith.DivSIOp, arith.DivUIOp)
REMAINDERS = (arith.RemSIOp, arith.RemUIOp)
DIVISIONS = (*QUOTIENTS, *REMAINDERS)

_SIMPLE = (
    *(arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.MaxSIOp, arith.MinSIOp),
    *(arith.CmpiOp, arith.SelectOp, arith.AndIOp, arith.OrIOp),
)
"""What may be computed in vain."""

LOOPS = (scf.ForOp, scf.WhileOp, scf.ParallelOp)


def divisions(loop: Operation) -> list[Operation]:
    """The divisions of indices inside a loop, in order."""
    return [
        op
        for op in loop.walk()
        if isinstance(op, DIVISIONS) and isinstance(op.result.type, IndexType)
    ]


def is_outside(value: SSAValue, loop: Operation) -> bool:
    """Whether a loop finds a value already there."""
    home = value.op.parent if isinstance(value, OpResult) else value.owner
    assert isinstance(home, Block)
    return not loop.is_ancestor(home)


def never_zero(divisor: SSAValue, constants: ConstantPool) -> tuple[Sequence[Operation], SSAValue]:
    """A divisor that is 1 where it was 0, and the ops that make it so."""
    if is_never_zero(divisor):
        return (), divisor
    zero, one = constants.index(0), constants.index(1)
    is_zero = arith.CmpiOp(divisor, zero, "eq")
    safe = arith.SelectOp(is_zero.result, one, divisor)
    return (is_zero, safe), safe.result


def zero_by_zero(
    guards: Sequence[Operation], quotient: SSAValue, constants: ConstantPool
) -> Sequence[Operation]:
    """What makes a quotient 0 where its divisor was 0, by the guards of the divisor."""
    if not guards:
        return ()
    whole = arith.SelectOp(guards[0].results[0], constants.index(0), quotient)
    whole.result.name_hint = quotient.name_hint
    return (whole,)


def hoist_divisions(function: FuncOp, constants: ConstantPool) -> None:
    """Move the divisions of a function in front of the loops that do not change them."""
    loops = [op for op in function.walk() if isinstance(op, LOOPS)]
    for loop in reversed(loops):
        for op in divisions(loop):
            if all(_is_known(operand, loop) for operand in op.operands):
                _hoist(op, loop, constants)


def _is_known(value: SSAValue, loop: Operation) -> bool:
    """Whether a value can be computed in front of a loop."""
    if is_outside(value, loop):
        return True
    op = value.owner
    return isinstance(op, (*_SIMPLE, *DIVISIONS)) and all(_is_known(o, loop) for o in op.operands)


def _hoist(op: Operation, loop: Operation, constants: ConstantPool) -> None:
    for operand in op.operands:
        if not is_outside(operand, loop):
            assert isinstance(operand.owner, Operation)
            _hoist(operand.owner, loop, constants)
    block = loop.parent
    assert block is not None
    whole: Sequence[Operation] = ()
    if isinstance(op, DIVISIONS):
        guards, divisor = never_zero(op.operands[1], constants)
        block.insert_ops_before(guards, loop)
        op.operands[1] = divisor
        if isinstance(op, QUOTIENTS):
            whole = zero_by_zero(guards, op.results[0], constants)
            if whole:
                op.results[0].replace_uses_with_if(
                    whole[0].results[0], lambda use: use.operation is not whole[0]
                )
    op.detach()
    block.insert_ops_before([op, *whole], loop)


def share_indices(function: FuncOp) -> None:
    """Compute an index once that is computed again where the first is in sight."""
    blocks: list[tuple[Block, dict[object, SSAValue]]] = [(b, {}) for b in function.body.blocks]
    while blocks:
        block, known = blocks.pop()
        for op in list(block.ops):
            blocks += [(inner, dict(known)) for region in op.regions for inner in region.blocks]
            if not isinstance(op, (*_SIMPLE, *DIVISIONS)) or _is_no_index(op):
                continue
            key = type(op), tuple(op.operands), tuple(op.properties.items())
            first = known.setdefault(key, op.results[0])
            if first is not op.results[0]:
                first.name_hint = first.name_hint or op.results[0].name_hint
                op.results[0].replace_all_uses_with(first)
                op.detach()
                op.erase()


def _is_no_index(op: Operation) -> bool:
    return not all(isinstance(operand.type, IndexType) for operand in op.operands[-2:])


def erase_dead(values: Sequence[SSAValue]) -> None:
    """Erase index arithmetic without a use, and what only it needed."""
    todo = list(values)
    while todo:
        value = todo.pop()
        op = value.owner
        if value.first_use is not None or not isinstance(op, Operation) or op.parent is None:
            continue
        if not isinstance(value.type, IndexType) or op.regions:
            continue
        if not op.name.startswith("arith.") or isinstance(op, arith.ConstantOp):
            continue
        todo.extend(op.operands)
        op.detach()
        op.erase()
