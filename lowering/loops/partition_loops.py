"""Loops are cut where a branch asks on which side of a bound the counter is.

    scf.for %j = %c0 to %m step %c1 {                 scf.for %j = %c0 to %n step %c1 {
      %left = arith.cmpi slt, %j, %n : index            %v = memref.load %a[%i, %j]
      %v = scf.if %left -> (f32) {                      memref.store %v, %out[%i, %j]
        %x = memref.load %a[%i, %j]                   }
        scf.yield %x : f32                       ->   scf.for %j = %n to %m step %c1 {
      } else {                                          %k = arith.subi %j, %n : index
        %k = arith.subi %j, %n : index                  %v = memref.load %b[%i, %k]
        %y = memref.load %b[%i, %k]                     memref.store %v, %out[%i, %j]
        scf.yield %y : f32                            }
      }
      memref.store %v, %out[%i, %j]
    }

A concatenation becomes a copy of each piece. gcc does the same, clang does not: copies of bytes side
by side are seven times faster there. Needed by concat, stack, roll and the recurrent networks
(docs/architecture.md has the table). Index set splitting of compilers, TVM's `LoopPartition`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import arith, scf
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from lowering.ir.constants import ConstantPool, known_integer
from lowering.loops.index_sizes import IndexSizes, Signs
from relax_dialect import symbolic
from relax_dialect.call_graph import ops_inside
from relax_dialect.symbolic import Expr
from relax_dialect.te.ranges import at_least

MOST_PARTS = 16
"""Into how many parts a loop is cut at most; each is a copy of its body."""

SLT = arith.CMPI_COMPARISON_OPERATIONS.index("slt")


def partition_loops(function: FuncOp, constants: ConstantPool) -> None:
    """Cut the loops of a function, in place."""
    loops = [(op, MOST_PARTS) for op in ops_inside(function) if isinstance(op, scf.ForOp)]
    if not loops:
        return
    cutter = _Cutter(function, constants)
    while loops:
        loop, parts = loops.pop()
        if parts > 1 and not loop.iter_args and (found := _asked(loop)) is not None:
            first, second = cutter.cut(loop, *found)
            loops += [(first, parts // 2), (second, parts - parts // 2)]


def _asked(loop: scf.ForOp) -> tuple[list[int], SSAValue] | None:
    """The branches of a loop's body that compare its counter with one bound, known before the loop: their
    places among the ops inside, and the bound."""
    if known_integer(loop.step) != 1:
        return None
    inside = list(ops_inside(loop))
    within, places, bound = set(inside), list[int](), None
    for place, op in enumerate(inside):
        asked = _bound(op, loop.body.block.args[0])
        if asked is None or bound not in (None, asked):
            continue
        known_before = _home(asked) not in within
        nested = within.intersection(_holders(op)) & {inside[p] for p in places}
        if known_before and not nested:
            places.append(place)
            bound = asked
    return None if bound is None else (places, bound)


def _bound(op: Operation, counter: SSAValue) -> SSAValue | None:
    """The bound that a branch asks whether a counter is below."""
    match op:
        case scf.IfOp(cond=SSAValue(owner=arith.CmpiOp() as compared)):
            is_less = compared.predicate.value.data == SLT and compared.lhs is counter
            return compared.rhs if is_less else None
        case _:
            return None


def _home(value: SSAValue) -> Operation | None:
    """The op that defines a value, or whose block it is an argument of."""
    return value.owner if isinstance(value.owner, Operation) else value.owner.parent_op()


def _holders(op: Operation) -> Iterator[Operation]:
    """The ops around an op."""
    around = op.parent_op()
    while around is not None:
        yield around
        around = around.parent_op()


class _Cutter:
    """Cuts loops of one function in two."""

    def __init__(self, function: FuncOp, constants: ConstantPool):
        self.constants, self.sizes, self.signs = constants, IndexSizes(function), Signs(function)

    def cut(
        self, loop: scf.ForOp, places: Sequence[int], bound: SSAValue
    ) -> tuple[scf.ForOp, scf.ForOp]:
        """Two loops in the place of one, up to a bound and from there on, each with its side of branches
        at some places."""
        block, second = loop.parent, loop.clone()
        assert block is not None
        block.insert_op_after(second, loop)
        end = self._chosen(loop, arith.MinSIOp, bound, loop.ub)
        start = self._chosen(loop, arith.MaxSIOp, end, loop.lb)
        loop.operands[1], second.operands[0] = end, start
        for half, region in ((loop, 0), (second, 1)):
            inside = list(ops_inside(half))
            for place in places:
                branch = inside[place]
                assert isinstance(branch, scf.IfOp)
                _take(branch, region)
        return loop, second

    def _chosen(
        self, loop: scf.ForOp, kind: type[arith.MinSIOp | arith.MaxSIOp], a: SSAValue, b: SSAValue
    ) -> SSAValue:
        """The lesser or greater of two numbers, a constant or one of the two where that is known."""
        x, y = known_integer(a), known_integer(b)
        if x is not None and y is not None:
            return self.constants.index(min(x, y) if kind is arith.MinSIOp else max(x, y))
        low, high = (a, b) if kind is arith.MinSIOp else (b, a)
        if self._is_ordered(low, high):
            return a
        if self._is_ordered(high, low):
            return b
        block = loop.parent
        assert block is not None
        block.insert_op_before(op := kind(a, b), loop)
        return op.result

    def _is_ordered(self, low: SSAValue, high: SSAValue) -> bool:
        if known_integer(low) == 0 and self.signs.never_negative(high):
            return True
        small, large = self._expression(low), self._expression(high)
        return small is not None and large is not None and at_least(large - small, 0)

    def _expression(self, value: SSAValue) -> Expr | None:
        if isinstance(value.owner, arith.AddiOp):
            parts = [self._expression(operand) for operand in value.owner.operands]
            known = [part for part in parts if part is not None]
            return symbolic.total(known) if len(known) == len(parts) else None
        return self.sizes.value(value)


def _take(branch: scf.IfOp, region: int) -> None:
    """One side of a branch in its place."""
    block, taken = branch.parent, branch.regions[region]
    assert block is not None
    results: list[SSAValue] = []
    for op in list(taken.block.ops) if taken.blocks else ():
        op.detach()
        if isinstance(op, scf.YieldOp):
            results = list(op.operands)
            op.erase()
        else:
            block.insert_op_before(op, branch)
    for old, new in zip(branch.results, results):
        old.replace_all_uses_with(new)
    compared = branch.cond.owner
    branch.detach()
    branch.erase()
    if isinstance(compared, Operation) and compared.results[0].first_use is None:
        compared.detach()
        compared.erase()
