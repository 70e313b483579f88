"""Innermost loops that divide their counters by small constants go by blocks, each as long as that.

    scf.for %i = %c0 to %n step %c1 {
      %q = arith.divsi %i, %c3
      %r = arith.remsi %i, %c3
      ... %q, %r ...
    }
->
    %blocks = arith.floordivsi %n, %c3
    scf.for %block = %c0 to %blocks step %c1 {
      %start = arith.muli %block, %c3
      scf.for %step = %c0 to %c3 step %c1 {
        %i = arith.addi %start, %step
        ... %block, %step ...
      }
    }
    %rest = ...                                    // only where 3 may not divide %n
    scf.for %step = %c0 to %rest step %c1 { ... }  // the last block, which is not full

A C compiler unrolls the loop of constant length and vectorises the one around it: each step reads and
writes by strides. Every value is tracked as `base + block * slope + local`, where the base is known in
front of the loops and the local part depends on the step alone. A quotient of it is
`base / d + block * slope / d` and as many more as `base rem d + local` reaches multiples of `d`, which
is compared and counted. So blocks are as long as the slope of every dividend needs it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Operation, SSAValue

from lowering.ir.constants import ConstantPool, known_integer
from lowering.ir.index_writer import Term, Writer, before, term
from lowering.loops.hoist_divisions import DIVISIONS, QUOTIENTS, divisions, erase_dead, is_outside
from lowering.loops.index_sizes import IndexSizes, Signs
from relax_dialect import symbolic

LONGEST = 32
"""Blocks are no longer than this: above, the pieces of relax-split-divisions are long enough."""

STEEPEST = 2
"""A quotient grows at most so fast: a step is compared with as many multiples of the divisor."""

TOWARDS_ZERO = (arith.DivSIOp, arith.RemSIOp, arith.DivUIOp, arith.RemUIOp)


@dataclass(frozen=True)
class _Form:
    """A value of a loop: `base + block * slope + local`, the local part from `low` to `high`."""

    base: Term
    slope: int
    local: Term
    low: int
    high: int


def divide_in_blocks(
    loop: scf.ForOp, signs: Signs, sizes: IndexSizes, constants: ConstantPool
) -> None:
    """Put an innermost loop by steps of one into blocks, if it divides its counter by constants."""
    length, places = in_blocks(loop, signs)
    if places:
        _Blocks(loop, length, places, sizes, constants).build()


def in_blocks(loop: scf.ForOp, signs: Signs) -> tuple[int, Sequence[int]]:
    """How long the blocks of a loop are, and which of its divisions they spare."""
    length, places = 1, list[int]()
    for place, op in enumerate(divisions(loop)):
        growth = _growth(op.results[0], loop, signs)
        if growth is not None and lcm(length, growth.length) <= LONGEST:
            length = lcm(length, growth.length)
            places.append(place)
    return length, places


@dataclass(frozen=True)
class _Growth:
    """How much a value grows with the counter on the average, and how long its blocks must be."""

    slope: Fraction
    length: int


def _growth(value: SSAValue, loop: scf.ForOp, signs: Signs) -> _Growth | None:
    """The growth of a value that can be tracked."""
    if value is loop.body.block.args[0]:
        return _Growth(Fraction(1), 1)
    if is_outside(value, loop):
        return _Growth(Fraction(0), 1)
    op = value.owner
    if isinstance(op, DIVISIONS):
        return _growth_of_division(op, loop, signs)
    if not isinstance(op, arith.AddiOp | arith.SubiOp | arith.MuliOp):
        return None
    a, b = _growth(op.lhs, loop, signs), _growth(op.rhs, loop, signs)
    if a is None or b is None:
        return None
    length = lcm(a.length, b.length)
    if isinstance(op, arith.AddiOp):
        return _Growth(a.slope + b.slope, length)
    if isinstance(op, arith.SubiOp):
        return _Growth(a.slope - b.slope, length)
    left, right = known_integer(op.lhs), known_integer(op.rhs)
    if right is not None:
        return _Growth(a.slope * right, length)
    return None if left is None else _Growth(b.slope * left, length)


def _growth_of_division(op: Operation, loop: scf.ForOp, signs: Signs) -> _Growth | None:
    dividend, divisor = op.operands[0], known_integer(op.operands[1])
    if divisor is None or divisor <= 0:
        return None
    if isinstance(op, TOWARDS_ZERO) and not signs.never_negative(dividend):
        return None
    growth = _growth(dividend, loop, signs)
    if growth is None or abs(slope := growth.slope / divisor) > STEEPEST:
        return None
    length = lcm(growth.length, slope.denominator)
    return _Growth(slope if isinstance(op, QUOTIENTS) else Fraction(0), length)


class _Blocks:
    """Builds the loops that a loop becomes."""

    def __init__(
        self,
        loop: scf.ForOp,
        length: int,
        places: Sequence[int],
        sizes: IndexSizes,
        constants: ConstantPool,
    ):
        self.loop = loop
        self.length = length
        self.places = places
        self.sizes = sizes
        self.constants = constants
        self.first: Operation = loop
        self.front = Writer(constants, lambda op: before(self.first)(op))
        self.lower = term(loop.lb)

    def build(self) -> None:
        """Replace the loop, or its divisions if blocks of one will do."""
        loop, front = self.loop, self.front
        if self.length == 1:
            body = Writer(self.constants, before(loop.body.block.first_op))
            counter = loop.body.block.args[0]
            block = body.minus(counter, self.lower)
            self._rewrite(loop, counter, _Form(self.lower, 1, 0, 0, 0), block, body)
            return
        total = front.minus(term(loop.ub), self.lower)
        if isinstance(total, int):
            total = max(total, 0)
        blocks = front.quotient(total, self.length)
        rest: Term = 0
        if not self._is_multiple(total):
            rest = front.minus(total, front.times(blocks, self.length))
        results: Sequence[SSAValue] = loop.iter_args
        if blocks != 0:
            results = self._all_blocks(front.value(blocks), results)
        if rest != 0:
            at = Writer(self.constants, self._add_loop)
            results = self._block(blocks, front.value(rest), results, at).results
        for old, new in zip(loop.results, results):
            new.name_hint = old.name_hint
            old.replace_all_uses_with(new)
        loop.detach()
        loop.erase()

    def _is_multiple(self, total: Term) -> bool:
        """Whether blocks of the length make up the loop."""
        if isinstance(total, int):
            return total % self.length == 0
        size = self.sizes.value(self.loop.ub) if self.lower == 0 else None
        blocks = symbolic.const(self.length)
        return size is not None and symbolic.exact_quotient(size, blocks) is not None

    def _all_blocks(self, count: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        """The loop over the full blocks; its results."""
        zero, one = self.constants.index(0), self.constants.index(1)
        body = Block(arg_types=[IndexType(), *(value.type for value in carried)])
        block, *inner = body.args
        block.name_hint = "block"
        for argument, twin in zip(inner, self.loop.body.block.args[1:]):
            argument.name_hint = twin.name_hint
        outer = scf.ForOp(zero, count, one, carried, body)
        self._add_loop(outer)
        length = self.constants.index(self.length)
        loop = self._block(block, length, inner, Writer(self.constants, body.add_op))
        body.add_op(scf.YieldOp(*loop.results))
        return outer.results

    def _add_loop(self, loop: Operation) -> None:
        """Put a loop behind those that are there."""
        before(self.loop)(loop)
        if self.first is self.loop:
            self.first = loop

    def _block(
        self, block: Term, count: SSAValue, carried: Sequence[SSAValue], at: Writer
    ) -> scf.ForOp:
        """The loop through one block, or the part of it that there is, put where `at` writes."""
        zero, one = self.constants.index(0), self.constants.index(1)
        loop = scf.ForOp(zero, count, one, carried, self.loop.body.clone())
        at.insert(loop)
        outside = Writer(self.constants, before(loop))
        body = loop.body.block
        inside = Writer(self.constants, before(body.first_op))
        step = body.args[0]
        start = outside.plus(self.lower, outside.times(block, self.length))
        counter: SSAValue = step
        if start != 0:
            add = arith.AddiOp(inside.value(start), step)
            step.replace_all_uses_with(add.result)
            add.operands[1] = step
            inside.insert(add)
            counter = add.result
        counter.name_hint, step.name_hint = step.name_hint, "step"
        form = _Form(self.lower, self.length, step, 0, self.length - 1)
        self._rewrite(loop, counter, form, block, inside, outside)
        erase_dead([counter])
        return loop

    def _rewrite(
        self,
        loop: scf.ForOp,
        counter: SSAValue,
        form: _Form,
        block: Term,
        inside: Writer,
        outside: Writer | None = None,
    ) -> None:
        """Put the values that divisions have in the place of these."""
        tracked = _Tracked(loop, self.front, inside, {counter: form})
        outside = outside or inside
        everything = divisions(loop)
        found = [everything[place] for place in self.places]
        new: list[SSAValue] = []
        for op in found:
            of = tracked.form(op.results[0])
            start = outside.plus(of.base, outside.times(block, of.slope))
            new.append(inside.value(inside.plus(start, of.local)))
        for op, value in zip(found, new):
            value.name_hint = value.name_hint or op.results[0].name_hint
            op.results[0].replace_all_uses_with(value)
        erase_dead([op.results[0] for op in found])


class _Tracked:
    """The forms of a loop's values; new ops stand in front of all loops, or inside."""

    def __init__(
        self, loop: scf.ForOp, front: Writer, inside: Writer, forms: dict[SSAValue, _Form]
    ):
        self.loop = loop
        self.front = front
        self.inside = inside
        self.forms = forms

    def form(self, value: SSAValue) -> _Form:
        """The form of a value that has a growth."""
        if value not in self.forms:
            self.forms[value] = self._form(value)
        return self.forms[value]

    def _form(self, value: SSAValue) -> _Form:
        if is_outside(value, self.loop):
            return _Form(term(value), 0, 0, 0, 0)
        op = value.owner
        assert isinstance(op, Operation)
        a = self.form(op.operands[0])
        if isinstance(op, DIVISIONS):
            return self._division(a, op)
        b = self.form(op.operands[1])
        front, inside = self.front, self.inside
        if isinstance(op, arith.AddiOp):
            base, local = front.plus(a.base, b.base), inside.plus(a.local, b.local)
            return _Form(base, a.slope + b.slope, local, a.low + b.low, a.high + b.high)
        if isinstance(op, arith.SubiOp):
            base, local = front.minus(a.base, b.base), inside.minus(a.local, b.local)
            return _Form(base, a.slope - b.slope, local, a.low - b.high, a.high - b.low)
        factor = known_integer(op.operands[1])
        if factor is None:
            a, factor = b, known_integer(op.operands[0])
        assert factor is not None
        low, high = sorted((a.low * factor, a.high * factor))
        base, local = front.times(a.base, factor), inside.times(a.local, factor)
        return _Form(base, a.slope * factor, local, low, high)

    def _division(self, a: _Form, op: Operation) -> _Form:
        """Quotient or remainder by a constant that divides the slope."""
        front, inside = self.front, self.inside
        divisor = known_integer(op.operands[1])
        assert divisor is not None and a.slope % divisor == 0
        quotient = front.quotient(a.base, divisor)
        rest = front.minus(a.base, front.times(quotient, divisor))
        known = isinstance(rest, int)
        low, high = a.low + (rest if known else 0), a.high + (rest if known else divisor - 1)
        place = inside.plus(rest, a.local)
        first, last = low // divisor, high // divisor
        count: Term = first
        for multiple in range(first + 1, last + 1):
            count = inside.plus(count, inside.reached(place, multiple * divisor))
        if isinstance(op, QUOTIENTS):
            return _Form(quotient, a.slope // divisor, count, first, last)
        local = inside.minus(place, inside.times(count, divisor))
        return _Form(
            0,
            0,
            local,
            *(
                (low - first * divisor, high - first * divisor)
                if first == last
                else (0, divisor - 1)
            ),
        )
