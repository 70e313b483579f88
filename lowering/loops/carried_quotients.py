"""Innermost loops that divide what grows by the same amount at every turn carry the quotient on.

    scf.for %i = %c0 to %n step %c1 {
      %d = arith.muli %i, %h
      %q = arith.divsi %d, %m
      ... %q ...
    }
->
    %more = arith.floordivsi %h, %m                // what a turn adds to quotient and remainder
    %left = %h - %more * %m
    scf.for %i = %c0 to %n step %c1 iter_args(%q = %c0, %r = %c0) {
      ... %q ...
      %sum = arith.addi %r, %left
      %over = arith.cmpi sge, %sum, %m
      %next_r = select(%over, %sum - %m, %sum)
      %next_q = %q + %more + select(%over, 1, 0)
      scf.yield %next_q, %next_r
    }

The dividend is linear in the counter, with coefficients that the loop does not change; the divisor is
one such too, and never negative. This is for what neither pieces nor blocks
(`lowering.loops.divisions_in_blocks`) take: the tables of a resized image, whose scale is a symbol.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Operation, SSAValue

from lowering.ir.constants import ConstantPool, known_integer
from lowering.ir.index_writer import Term, Writer, before, term
from lowering.loops.divisions_in_blocks import TOWARDS_ZERO, in_blocks
from lowering.loops.hoist_divisions import QUOTIENTS, divisions, erase_dead, is_outside, never_zero
from lowering.loops.index_sizes import Signs


@dataclass(frozen=True)
class _Linear:
    """A value of a loop: its first, and what every turn adds."""

    first: Term
    step: Term


def carry_quotients(loop: scf.ForOp, signs: Signs, constants: ConstantPool) -> scf.ForOp:
    """Carry the quotients of an innermost loop by steps of one that blocks leave; the new loop."""
    _, taken = in_blocks(loop, signs)
    found: dict[tuple[SSAValue, SSAValue], list[Operation]] = {}
    for place, op in enumerate(divisions(loop)):
        dividend, divisor = op.operands
        if place not in taken and _is_carried(op, loop, signs):
            found.setdefault((dividend, divisor), []).append(op)
    if not found:
        return loop
    return _Carrier(loop, constants).carry(found)


def _is_carried(op: Operation, loop: scf.ForOp, signs: Signs) -> bool:
    dividend, divisor = op.operands
    if not is_outside(divisor, loop) or not signs.never_negative(divisor):
        return False
    if isinstance(op, TOWARDS_ZERO) and not signs.never_negative(dividend):
        return False
    return _is_linear(dividend, loop)


def _is_linear(value: SSAValue, loop: scf.ForOp) -> bool:
    if value is loop.body.block.args[0] or is_outside(value, loop):
        return True
    op = value.owner
    if isinstance(op, arith.AddiOp | arith.SubiOp):
        return _is_linear(op.lhs, loop) and _is_linear(op.rhs, loop)
    if isinstance(op, arith.MuliOp):
        factors = (op.lhs, op.rhs)
        linear = all(_is_linear(factor, loop) for factor in factors)
        return linear and any(is_outside(factor, loop) for factor in factors)
    if isinstance(op, arith.SelectOp):
        sides = (op.lhs, op.rhs)
        return is_outside(op.cond, loop) and all(_is_linear(side, loop) for side in sides)
    return False


class _Carrier:
    """Writes a loop anew that carries quotients and remainders."""

    def __init__(self, loop: scf.ForOp, constants: ConstantPool):
        self.loop = loop
        self.constants = constants
        self.front = Writer(constants, before(loop))

    def carry(self, found: dict[tuple[SSAValue, SSAValue], list[Operation]]) -> scf.ForOp:
        """Replace the loop."""
        loop, front = self.loop, self.front
        body, old = loop.body.block, len(loop.iter_args)
        starts: list[SSAValue] = []
        following: list[SSAValue] = []
        yielded = body.last_op
        assert isinstance(yielded, scf.YieldOp)
        end = Writer(self.constants, before(yielded))
        for (dividend, divisor), ops in found.items():
            linear = self._linear(dividend)
            guards, safe = never_zero(divisor, self.constants)
            for guard in guards:
                front.insert(guard)
            quotient, rest = self._divided(linear.first, safe)
            more, left = self._divided(linear.step, safe)
            if guards:
                quotient, more = (
                    front.chosen(guards[0].results[0], 0, value) for value in (quotient, more)
                )
            starts += [front.value(quotient), front.value(rest)]
            q, r = (body.insert_arg(IndexType(), len(body.args)) for _ in range(2))
            q.name_hint, r.name_hint = "quotient", "rest"
            grown = end.plus(r, left)
            over = arith.CmpiOp(end.value(grown), safe, "sge")
            end.insert(over)
            following += [
                end.value(end.plus(end.plus(q, more), end.chosen(over.result, 1, 0))),
                end.value(end.chosen(over.result, end.minus(grown, term(safe)), grown)),
            ]
            for op in ops:
                op.results[0].replace_all_uses_with(q if isinstance(op, QUOTIENTS) else r)
            erase_dead([op.results[0] for op in ops])
        end.insert(scf.YieldOp(*yielded.operands, *following))
        yielded.detach()
        yielded.erase()
        carried = [*loop.iter_args, *starts]
        new = scf.ForOp(loop.lb, loop.ub, loop.step, carried, loop.detach_region(loop.body))
        front.insert(new)
        for result, replacement in zip(loop.results, new.results[:old]):
            replacement.name_hint = result.name_hint
            result.replace_all_uses_with(replacement)
        loop.detach()
        loop.erase()
        return new

    def _divided(self, value: Term, divisor: SSAValue) -> tuple[Term, Term]:
        """Quotient and remainder, in front of the loop."""
        known = known_integer(divisor)
        if isinstance(value, int) and (value == 0 or known):
            return (0, 0) if value == 0 or known is None else divmod(value, known)
        quotient = arith.FloorDivSIOp(self.front.value(value), divisor)
        product = arith.MuliOp(quotient.result, divisor)
        for op in (quotient, product):
            self.front.insert(op)
        return quotient.result, self.front.minus(value, product.result)

    def _linear(self, value: SSAValue) -> _Linear:
        front = self.front
        if value is self.loop.body.block.args[0]:
            return _Linear(term(self.loop.lb), 1)
        if is_outside(value, self.loop):
            return _Linear(term(value), 0)
        op = value.owner
        if isinstance(op, arith.SelectOp):
            a, b = self._linear(op.lhs), self._linear(op.rhs)
            return _Linear(
                front.chosen(op.cond, a.first, b.first), front.chosen(op.cond, a.step, b.step)
            )
        assert isinstance(op, arith.AddiOp | arith.SubiOp | arith.MuliOp)
        a, b = self._linear(op.lhs), self._linear(op.rhs)
        if isinstance(op, arith.AddiOp):
            return _Linear(front.plus(a.first, b.first), front.plus(a.step, b.step))
        if isinstance(op, arith.SubiOp):
            return _Linear(front.minus(a.first, b.first), front.minus(a.step, b.step))
        if not is_outside(op.rhs, self.loop):
            a, b = b, a
        return _Linear(front.times(a.first, b.first), front.times(a.step, b.first))
