"""relax-split-divisions: innermost loops do not divide their counters.

    scf.for %i = %c0 to %n step %c1 {
      %r = arith.remsi %i, %d
      ... %r ...
    }
->
    scf.while (%start = %c0) {
      scf.condition(%start < %n)
    } do {
      %first = arith.remsi %start, %d
      %stop = min(%n, %start + (%d - %first))       // where the quotient changes
      scf.for %i = %start to %stop step %c1 {
        %r = %first + (%i - %start)
        ... %r ...
      }
      scf.yield %stop
    }

The inner loop has neither divisions nor jumps in what it reads, and a C compiler can vectorise it.
In this order:

1. What is read at the digits of a number is read at the number (`lowering.loops.linear_accesses`).
2. Divisions of what a loop does not change go in front of it (`lowering.loops.hoist_divisions`).
3. Loops become loops over pieces, as above: a quotient is the same throughout a piece. Dividends are
   the counter plus what the loop does not change; divisors are unknown or at least 32. Where a divisor
   is not positive, or a division that rounds to zero has a negative dividend, a piece is one turn.
4. Quotients of what grows by the same amount at every turn are carried (`loops.carried_quotients`).
5. Smaller constants make blocks, each as long as the constant (`lowering.loops.divisions_in_blocks`).
6. What else is halved in an `scf.while`, as by a binary search, is shifted.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import IndexType, MemRefType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from lowering.ir.constants import ConstantPool, known_integer
from lowering.ir.memref_views import is_dense
from lowering.loops.carried_quotients import carry_quotients
from lowering.loops.divisions_in_blocks import divide_in_blocks
from lowering.loops.hoist_divisions import (
    DIVISIONS,
    LOOPS,
    QUOTIENTS,
    REMAINDERS,
    divisions,
    hoist_divisions,
    is_outside,
    never_zero,
    share_indices,
    zero_by_zero,
)
from lowering.loops.index_sizes import IndexSizes, Signs
from lowering.loops.linear_accesses import join_digits
from relax_dialect.call_graph import ops_inside

SHORTEST = 32
"""Constants below this make blocks instead."""

TOWARDS_ZERO = (arith.DivSIOp, arith.RemSIOp, arith.DivUIOp, arith.RemUIOp)


@dataclass
class _Division:
    """The divisions of one dividend by one divisor, and how the dividend comes from the counter."""

    chain: Sequence[Operation]
    divisor: SSAValue
    ops: list[Operation] = field(default_factory=list)


def split_divisions(function: FuncOp) -> None:
    """Take divisions of counters out of the innermost loops of a function, in place."""
    if not any(isinstance(op, DIVISIONS) for op in ops_inside(function)):
        return
    share_indices(function)
    join_digits(function)
    constants = ConstantPool(function)
    signs = Signs(function)
    hoist_divisions(function, constants)
    for loop in _innermost(function):
        if found := list(_divisions(loop)):
            _split(loop, found, constants, signs)
            hoist_divisions(function, constants)
    sizes = IndexSizes(function)
    for loop in _innermost(function):
        divide_in_blocks(carry_quotients(loop, signs, constants), signs, sizes, constants)
    share_indices(function)
    _shift(function, constants)
    constants.prune()


def _shift(function: FuncOp, constants: ConstantPool) -> None:
    """Halve what is no counter in a loop, such as the middle of a search, by shifting it."""
    loops = [op for op in ops_inside(function) if isinstance(op, scf.WhileOp)]
    for op in {op: None for loop in loops for op in divisions(loop)}:
        divisor = known_integer(op.operands[1]) or 0
        if isinstance(op, arith.FloorDivSIOp) and divisor.bit_count() == 1 and op.parent:
            places = constants.index(divisor.bit_length() - 1)
            op.parent.insert_op_before(shifted := arith.ShRSIOp(op.lhs, places), op)
            shifted.result.name_hint = op.result.name_hint
            op.result.replace_all_uses_with(shifted.result)
            op.detach()
            op.erase()


def _innermost(function: FuncOp) -> list[scf.ForOp]:
    """The loops by steps of one that hold no other loop."""
    loops = [op for op in ops_inside(function) if isinstance(op, LOOPS)]
    outer = set[Operation]()
    for loop in loops:
        around = loop.parent_op()
        while around is not None and around not in outer:
            outer.add(around)
            around = around.parent_op()
    return [
        loop
        for loop in loops
        if isinstance(loop, scf.ForOp)
        and loop not in outer
        and known_integer(loop.step) == 1
        and isinstance(loop.lb.type, IndexType)
    ]


def _divisions(loop: scf.ForOp) -> Iterator[_Division]:
    """The divisions of a loop that are worth splitting it for."""
    found: dict[tuple[SSAValue, SSAValue], _Division] = {}
    for op in divisions(loop):
        assert isinstance(op, DIVISIONS)
        key = op.lhs, op.rhs
        if key not in found:
            chain, known = _chain(op.lhs, loop), known_integer(op.rhs)
            short = known is not None and known < SHORTEST
            if chain is None or short or not is_outside(op.rhs, loop):
                continue
            found[key] = _Division(chain, op.rhs)
        found[key].ops.append(op)
    yield from (division for division in found.values() if not _is_in_order(division))


def _is_in_order(division: _Division) -> bool:
    """Whether quotients and remainders are only used side by side, as the places of elements."""
    quotients = {op.results[0] for op in division.ops if isinstance(op, QUOTIENTS)}
    remainders = {op.results[0] for op in division.ops if isinstance(op, REMAINDERS)}
    users = {use.operation for op in division.ops for use in op.results[0].uses}
    for user in users:
        if not isinstance(user, memref.LoadOp | memref.StoreOp):
            return False
        row, column = (
            [d for d, index in enumerate(user.indices) if index in values]
            for values in (quotients, remainders)
        )
        if [d + 1 for d in row] != column:
            return False
        t = user.memref.type
        assert isinstance(t, MemRefType)
        if not all(is_dense(t, *pair) for pair in zip(row, column)):
            return False
    return True


def _chain(value: SSAValue, loop: scf.ForOp) -> list[Operation] | None:
    """The ops that add to the counter what the loop does not change, the first first."""
    chain: list[Operation] = []
    counter = loop.body.block.args[0]
    while value is not counter:
        op = value.owner
        if isinstance(op, arith.AddiOp) and is_outside(op.lhs, loop):
            value = op.rhs
        elif isinstance(op, arith.AddiOp | arith.SubiOp) and is_outside(op.rhs, loop):
            value = op.lhs
        else:
            return None
        chain.append(op)
    return chain[::-1]


def _split(
    loop: scf.ForOp, found: Sequence[_Division], constants: ConstantPool, signs: Signs
) -> None:
    """Put a loop into one over pieces."""
    index = IndexType()
    types = [index, *(value.type for value in loop.iter_args)]
    before, after = Block(arg_types=types), Block(arg_types=types)
    before.add_op(more := arith.CmpiOp(before.args[0], loop.ub, "slt"))
    before.add_op(scf.ConditionOp(more.result, *before.args))
    start, *carried = after.args
    before.args[0].name_hint = start.name_hint = "start"
    for argument, twin, inner in zip(before.args[1:], carried, loop.body.block.args[1:]):
        argument.name_hint = twin.name_hint = inner.name_hint

    piece = _Piece(loop, after, start, constants)
    if signs.never_negative(loop.lb):
        signs.known.add(start)
    lengths = [piece.division(division) for division in found]
    stop = piece.stop(lengths)
    body = loop.detach_region(loop.body)
    inner = scf.ForOp(start, stop, loop.step, carried, body)
    after.add_op(inner)
    after.add_op(scf.YieldOp(stop, *inner.results))

    inits = [loop.lb, *loop.iter_args]
    outer = scf.WhileOp(inits, types, Region(before), Region(after))
    block = loop.parent
    assert block is not None
    block.insert_op_before(outer, loop)
    for result, replacement, hint in zip(loop.results, outer.results[1:], inner.results):
        replacement.name_hint = hint.name_hint = result.name_hint
        result.replace_all_uses_with(replacement)
    loop.detach()
    loop.erase()


class _Piece:
    """What is computed where a piece starts."""

    def __init__(self, loop: scf.ForOp, block: Block, start: SSAValue, constants: ConstantPool):
        self.loop = loop
        self.block = block
        self.start = start
        self.constants = constants
        self.counter = loop.body.block.args[0]

    def add(self, op: Operation) -> SSAValue:
        self.block.add_op(op)
        return op.results[0]

    def division(self, division: _Division) -> SSAValue:
        """Divide at the start of the piece, and step from there inside; how long the piece may be."""
        values: dict[SSAValue, SSAValue] = {self.counter: self.start}
        for op in division.chain:
            values[op.results[0]] = self.add(op.clone(values))
        dividend = values[division.ops[0].operands[0]]
        guards, divisor = never_zero(division.divisor, self.constants)
        self.block.add_ops(guards)
        length = self._length(division, dividend, divisor)
        body = self.loop.body.block
        for op in division.ops:
            first = self.add(type(op)(dividend, divisor))  # pyright: ignore
            if isinstance(op, REMAINDERS):
                steps = arith.SubiOp(self.counter, self.start)
                here = arith.AddiOp(steps.result, first)
                assert body.first_op is not None
                body.insert_ops_before([steps, here], body.first_op)
                first = here.result
            elif guards:
                (whole,) = zero_by_zero(guards, first, self.constants)
                first = self.add(whole)
            first.name_hint = op.results[0].name_hint
            op.results[0].replace_all_uses_with(first)
            op.detach()
            op.erase()
        return length

    def _length(self, division: _Division, dividend: SSAValue, divisor: SSAValue) -> SSAValue:
        """How many turns it takes until the quotient changes."""
        add = self.add
        quotient = add(arith.FloorDivSIOp(dividend, divisor))
        following = add(arith.AddiOp(add(arith.MuliOp(quotient, divisor)), divisor))
        length = add(arith.SubiOp(following, dividend))
        zero, one = self.constants.index(0), self.constants.index(1)
        even = add(arith.CmpiOp(divisor, zero, "sgt"))
        if any(isinstance(op, TOWARDS_ZERO) for op in division.ops):
            even = add(arith.AndIOp(even, add(arith.CmpiOp(dividend, zero, "sge"))))
        return add(arith.SelectOp(even, length, one))

    def stop(self, lengths: Sequence[SSAValue]) -> SSAValue:
        """Where the piece ends: at the first change of a quotient, or with the loop."""
        stop = self.loop.ub
        for length in lengths:
            stop = self.add(arith.MinSIOp(stop, self.add(arith.AddiOp(self.start, length))))
        stop.name_hint = "stop"
        return stop


@dataclass(frozen=True)
class RelaxSplitDivisionsPass(ModulePass):
    """Innermost loops without divisions of their counters: see this file's docstring."""

    name = "relax-split-divisions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in list(op.ops):
            if isinstance(function, FuncOp) and function.body.first_block is not None:
                split_divisions(function)
