"""relax-parallelize-loops: parallel loops with enough work become calls over ranges of iterations.

    func.func private @softmax(%n: index, %x: memref<?x512xf32>, %out: memref<?x512xf32>) {
      %row = memref.alloca() : memref<1xf32>
      scf.for %i = %c0 to %n step %c1 { ... } {relax.parallel}
    }
->
    func.func private @softmax(%n: index, %x: memref<?x512xf32>, %out: memref<?x512xf32>) {
      func.call @softmax_loop(%c0, %n, %x, %out) {relax.parallel = {cost = "4200 * n", step = 1, ...}}
    }
    func.func private @softmax_loop(%first: index, %last: index, %x: ..., %out: ...) {
      %row = memref.alloca() : memref<1xf32>
      scf.for %i = %first to %last step %c1 { ... }
    }

The call means what the loop meant. The C target splits the range among threads where the cost, which may
depend on sizes, is worth it: any split computes the same bits, since an iteration is never divided. Scratch
buffers become buffers of the function, so that each thread has its own; a thread's errors are the status
of its call. A loop inside of such a loop is one too if the outer one may have too few iterations; it runs
in parallel where the outer one does not.

An `scf.parallel` that reduces nothing becomes such loops first. Loops stay as they are if they carry
values, are small, write a buffer that others use at the same subscripts, or call external functions.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp, StringAttr, UnitAttr, i64
from xdsl.ir import Attribute, Block
from xdsl.passes import ModulePass

from lowering.ir.constants import known_integer
from lowering.ir.insertion import Inserter, OpenLoop, open_loop
from lowering.memory.in_place.call_graph import functions_of
from lowering.memory.in_place.memref_size_exprs import symbols_of
from lowering.parallel.effects import Effects
from lowering.parallel.loop_cost import LoopCosts
from lowering.parallel.outline_loop import LoopFunction, may_outline
from lowering.parallel.scratch_buffers import Scratch, scratch_of
from relax_dialect.ir.walk import blocks_of, symbol_name, unique_name, walk_ops
from relax_dialect.prim.signature import PARALLEL

MOST_LEVELS = 4
"""The number of nested loops that are split: the outer ones where they have enough iterations."""

LEAST_SHARE = 0.4
"""The part of the work of the loop around from which on a loop inside is split too: others stay as they
are, since a function of their own costs more than it brings."""

MANY_TRIPS = 8
"""A loop of so many iterations keeps most numbers of threads busy."""

SGE = 5
"""The number of the comparison `sge` of `arith.cmpi`."""


def parallelize_loops(module: ModuleOp) -> None:
    """Outline the parallel loops of all functions, in place."""
    _Parallelizer(module).run()


@dataclass
class _Parallelizer:
    module: ModuleOp
    functions: dict[str, func.FuncOp] = field(init=False)
    effects: Effects = field(init=False)
    names: set[str] = field(init=False)
    stems: dict[func.FuncOp, str] = field(default_factory=dict[func.FuncOp, str])
    """The names of the functions that loops come from."""

    def __post_init__(self) -> None:
        self.functions = functions_of(self.module)
        self.effects = Effects(self.functions)
        self.names = {name for op in self.module.ops if (name := symbol_name(op)) is not None}
        self.costs = LoopCosts(self.functions)

    def run(self) -> None:
        for function in list(self.functions.values()):
            for op in list(walk_ops(function)):
                if isinstance(op, scf.ParallelOp) and not op.initVals:
                    _to_nest(op)
            is_kernel = "relax.noinline" in function.attributes  # which loops call
            if not is_kernel and any(PARALLEL in op.attributes for op in walk_ops(function)):
                self._blocks(function, [function.body.block], 0)

    def _is_main(self, loop: scf.ForOp, around: scf.ForOp | None) -> bool:
        """Return whether a loop does most of the work of the loop around that is split too."""
        return around is None or self.costs.share(loop, around) >= LEAST_SHARE

    def _blocks(
        self,
        function: func.FuncOp,
        blocks: list[Block],
        level: int,
        around: scf.ForOp | None = None,
    ) -> bool:
        """Outline the outermost loops in blocks that are worth it; return whether there are any. `around`
        is the loop that has been outlined last."""
        found, work = False, [op for block in blocks for op in block.ops]
        for op in work:
            if isinstance(op, scf.ForOp) and PARALLEL in op.attributes:
                if self.costs.is_small(function, op) or not self._is_main(op, around):
                    continue
                if (scratch := self._scratch(op)) is not None:
                    self._outline(function, op, scratch, level)
                    found = True
                    continue
            if op.regions:
                found |= self._blocks(function, blocks_of(op), level, around)
        return found

    def _scratch(self, loop: scf.ForOp) -> list[Scratch] | None:
        """Return the scratch buffers of a loop, None if it cannot be split."""
        trips = self.costs.trips(loop)
        if _is_single(loop) or (trips is not None and trips.value is not None and trips.value < 2):
            return None
        return scratch_of(loop, self.effects) if may_outline(loop) else None

    def _outline(
        self, function: func.FuncOp, loop: scf.ForOp, scratch: list[Scratch], level: int
    ) -> None:
        trips, entries = self.costs.trips(loop), self._entries(function, loop)
        stem = self.stems.get(function, function.sym_name.data)
        name = unique_name(f"{stem}_loop", self.names)
        self.names.add(name)
        made, call = LoopFunction(function, loop, scratch, self.functions).outline(name)
        self.module.body.block.insert_op_after(made, function)
        self.functions[name], self.stems[made] = made, stem
        is_long = trips is not None and (trips.value or 0) >= MANY_TRIPS
        is_last = is_long or level + 1 == MOST_LEVELS
        if not is_last and self._blocks(made, [loop.body.block], level + 1, loop):
            entries["nests"] = UnitAttr()
        call.attributes[PARALLEL] = DictionaryAttr(entries)

    def _entries(self, function: func.FuncOp, loop: scf.ForOp) -> dict[str, Attribute]:
        """Return what the attribute of the call says, but for the loops inside."""
        step, cost = known_integer(loop.step), self.costs.of(function, loop)
        assert step is not None
        entries: dict[str, Attribute] = {"step": IntegerAttr(step, i64)}
        known = symbols_of(function).keys()
        if cost is not None and cost.value is None and known >= {*cost.free_variables}:
            entries["cost"] = StringAttr(str(cost))
        elif cost is None and (fewest := self.costs.fewest(loop)) is not None:
            entries["fewest"] = IntegerAttr(fewest, i64)
        if _is_shifted(loop, step):
            entries["least"] = IntegerAttr(2, i64)
        return entries


def _to_nest(op: scf.ParallelOp) -> None:
    """Replace parallel loops by a nest of loops that are marked as parallel."""
    insert, loops, block = Inserter(before=op), list[OpenLoop](), op.body.block
    for first, last, step, counter in zip(op.lowerBound, op.upperBound, op.step, block.args):
        loops.append(open_loop(insert, first, last, step, counter.name_hint, parallel=True))
        counter.replace_all_uses_with(loops[-1].counter)
        insert = loops[-1]
    for inner in list(block.ops):
        inner.detach()
        if not isinstance(inner, scf.ReduceOp):
            insert.place(inner)
    for loop in reversed(loops):
        loop.close()
    op.detach()
    op.erase()


def _is_shifted(loop: scf.ForOp, step: int) -> bool:
    """Return whether the last iteration may begin earlier, and so write what the one before it writes."""
    counter = loop.body.block.args[0]
    scaled = [use.operation for use in counter.uses if isinstance(use.operation, arith.MuliOp)]
    starts = [*([counter] if step > 1 else []), *(op.result for op in scaled)]
    uses = [use.operation for start in starts for use in start.uses]
    return any(isinstance(op, arith.MinSIOp) for op in uses)


def _is_single(loop: scf.ForOp) -> bool:
    """Return whether a loop has at most one iteration, since larger sizes take another branch."""
    block = loop.parent
    while block is not None and isinstance(branch := block.parent_op(), scf.IfOp):
        test = branch.cond.owner
        if block.parent is branch.false_region and isinstance(test, arith.CmpiOp):
            least = known_integer(test.rhs)
            if test.lhs is loop.ub and test.predicate.value.data == SGE and (least or 3) <= 2:
                return True
        block = branch.parent
    return False


@dataclass(frozen=True)
class ParallelizeLoopsPass(ModulePass):
    """Parallel loops as calls over ranges of iterations, see the module docstring."""

    name = "relax-parallelize-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        parallelize_loops(op)
