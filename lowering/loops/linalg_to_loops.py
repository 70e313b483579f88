"""relax-linalg-to-loops: linalg ops on memrefs become nests of scf.for with loads and stores.

    linalg.generic {... (i, k), (k, j), (i, j) ..., ["parallel", "parallel", "reduction"]}
        ins(%A, %B : memref<?x64xf32>, memref<64x128xf32>) outs(%C : memref<?x128xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %c, %p : f32
      linalg.yield %s : f32
    }
->
    scf.for %i = %c0 to %n step %c1 {
      scf.for %k = %c0 to %c64 step %c1 {
        %a = memref.load %A[%i, %k] : memref<?x64xf32>
        scf.for %j = %c0 to %c128 step %c1 {
          %b = memref.load %B[%k, %j] : memref<64x128xf32>
          %c = memref.load %C[%i, %j] : memref<?x128xf32>
          %p = arith.mulf %a, %b : f32
          %s = arith.addf %c, %p : f32
          memref.store %s, %C[%i, %j] : memref<?x128xf32>
        }
      }
    }

* The order of the loops is `LoopNest.order`'s: contiguous innermost, reductions in their order.
* A load is in the outermost loop where its subscripts are known.
* Where the innermost loops are reductions, accumulators are carried in `iter_args` and stored once
  after them; an output that these loops walk along (a running sum) is stored at each step.
* A loop runs to the symbol's `index` argument if the dimension has one, to the size its memref was
  allocated with, or to a constant; only other sizes are read by `memref.dim`.
* Copies to neighbouring parts of a buffer, and fills of them, share loops: see `interleave_copies`.
* Constants are hoisted to the top of the function, one for each value. Allocations used
  for their shape only are removed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import IndexType, MemRefType, ModuleOp, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)
from xdsl.passes import ModulePass

from lowering.ir.constants import ConstantPool
from lowering.ir.integer_ranges import range_of_subscript
from lowering.ir.memref_sizes import MemrefSizes
from lowering.loops.interleave_copies import interleave_copies
from lowering.loops.loop_order import LoopNest
from lowering.loops.memory_sums import Cut, MemorySums, ReductionNest
from lowering.loops.scan_bases import Bases, add_bases
from relax_dialect.errors import RelaxError
from relax_dialect.ir.walk import walk_ops
from relax_dialect.prim.signature import PARALLEL

_COUNTERS = "ijklpqrs"
"""Names of the loop counters, by the number of the loop in the linalg op."""


def lower_linalg_to_loops(function: FuncOp) -> None:
    """Rewrite every linalg op of a function to loops, in place."""
    ops = [op for op in walk_ops(function) if isinstance(op, LinalgStructuredOperation)]
    if not ops and not any(isinstance(op, memref.CopyOp) for op in walk_ops(function)):
        return
    for op in ops:
        if op.results:
            raise RelaxError(
                f"func.func @{function.sym_name.data}: {op.name} works on tensors, expected "
                "memrefs; run relax-bufferize first"
            )
        _require_element_types(function, op)
    constants = ConstantPool(function)
    interleave_copies(function, constants)
    sizes = MemrefSizes(function, constants)
    bases = add_bases(function, constants, sizes)
    for op in [op for op in walk_ops(function) if isinstance(op, LinalgStructuredOperation)]:
        _NestBuilder(op, constants, sizes, bases.get(op, {})).build()
    _erase_unused_allocations(function)
    constants.prune()


def _require_element_types(function: FuncOp, op: LinalgStructuredOperation) -> None:
    """Refuse a body whose types differ from the element types of its operands, which xDSL does not
    verify."""
    last = op.body.block.last_op
    yielded = [] if last is None else last.operands
    body = [value.type for value in (*op.body.block.args, *yielded)]
    operands = (*op.inputs, *op.outputs, *op.outputs)
    held = [o.type.element_type if isinstance(o.type, MemRefType) else o.type for o in operands]
    if body != held:
        raise RelaxError(
            f"func.func @{function.sym_name.data}: {op.name}: expected a body of the element types "
            f"({', '.join(map(str, held))}), which takes an element of each operand and yields one for "
            f"each output, found ({', '.join(map(str, body))}); correct the body"
        )


@dataclass
class _LoopBody:
    """A block being filled: ops go before `inner`, its loop, and after that before `end`."""

    block: Block
    end: Operation | None
    inner: Operation | None = None

    def insert(self, op: Operation) -> None:
        """Put an op before the loop of this block."""
        self._insert(op, self.inner or self.end)

    def append(self, op: Operation) -> None:
        """Put an op after the loop of this block."""
        self._insert(op, self.end)

    def _insert(self, op: Operation, before: Operation | None) -> None:
        if before is None:
            self.block.add_op(op)
        else:
            self.block.insert_op_before(op, before)


class _NestBuilder:
    """The builder of the nest of loops of one linalg op."""

    def __init__(
        self,
        op: LinalgStructuredOperation,
        constants: ConstantPool,
        sizes: MemrefSizes,
        bases: Bases,
    ):
        assert op.parent is not None
        self.op = op
        self.constants = constants
        self.sizes = sizes
        maps = [attribute.data for attribute in op.get_indexing_maps()]
        self.input_maps, self.output_maps = maps[: len(op.inputs)], maps[len(op.inputs) :]
        dimensions = [self._dimensions(loop) for loop in range(len(op.get_iterator_types()))]
        nest = LoopNest.of(op, [sizes.extent(where) for where in dimensions])
        self.order, self.reductions = nest.order(), nest.reductions
        self.bounds = [sizes.bound(where, before=op) for where in dimensions]
        self.depth = {loop: depth for depth, loop in enumerate(self.order, start=1)}
        """The number of open loops where a loop's counter is known."""
        self.accumulators = self._accumulators()
        """The outputs that the body reads, by their numbers."""
        self.carried_from = self._carried_from(nest)
        self.scopes = [_LoopBody(op.parent, op)]
        self.subscripts: dict[AffineExpr, SSAValue] = {}
        self.sums = self._sums(nest.reductions, bases)

    def build(self) -> None:
        carried: Sequence[SSAValue] = ()
        kept = self.accumulators if self.carried_from < len(self.order) else []
        for depth in range(len(self.order)):
            if depth == self.carried_from:
                carried = [self._load(self.op.outputs[i], self.output_maps[i]) for i in kept]
            carried = self._open_loop(depth, carried)
        yielded = self._inline_body(dict(zip(kept, carried)))
        for output, value in enumerate(yielded):
            if output not in kept:
                self._store(value, output, len(self.order))
        results: Sequence[SSAValue] = [yielded[i] for i in kept]
        for depth in reversed(range(len(self.order))):
            inside = depth >= self.carried_from
            self.scopes[depth + 1].append(scf.YieldOp(*(results if inside else ())))
            loop = self.scopes[depth].inner
            assert loop is not None
            results = loop.results if inside else results
            if depth == self.carried_from:
                for output, value in zip(kept, results):
                    self._store(value, output, depth)
        if self.sums is not None:
            loops = [op for scope in self.scopes if isinstance(op := scope.inner, scf.ForOp)]
            counters = {d: self.subscripts[AffineExpr.dimension(d)] for d in self.order}
            self.sums.rewrite(loops, counters)
        self.op.detach()
        self.op.erase()

    def _sums(self, reductions: frozenset[int], bases: Bases) -> MemorySums | None:
        """Return the totals of sums that are long and in memory."""
        own = self.op, self.order, reductions, self.carried_from, self.bounds, self.output_maps
        cut = Cut.of(ReductionNest(*own, bases))
        return None if cut is None else MemorySums(cut, self.constants)

    def _dimensions(self, loop: int) -> list[tuple[SSAValue, int]]:
        """Return the dimensions of operands that are as long as a loop."""
        operands = zip((*self.op.inputs, *self.op.outputs), (*self.input_maps, *self.output_maps))
        found = [
            (operand, dim)
            for operand, map_ in operands
            for dim, expr in enumerate(map_.results)
            if isinstance(expr, AffineDimExpr) and expr.position == loop
        ]
        if not found:
            raise RelaxError(
                f"{self.op.name}: no operand is as long as loop d{loop}, expected d{loop} to "
                "be a whole result of some indexing map; add an operand for its shape"
            )
        return found

    def _accumulators(self) -> list[int]:
        arguments = self.op.body.block.args[len(self.op.inputs) :]
        return [i for i, argument in enumerate(arguments) if argument.first_use is not None]

    def _carried_from(self, nest: LoopNest) -> int:
        """From which loop on the accumulators are carried: the innermost reductions do so."""
        depth = len(self.order)
        memory = {self.op.outputs[i] for i in self.accumulators}
        if not memory or not memory.isdisjoint(self.op.inputs):
            return depth
        maps = [self.output_maps[i] for i in self.accumulators]
        written = {d for map_ in maps for e in map_.results for d in e.used_dims()}
        while depth and self.order[depth - 1] in nest.reductions - written:
            depth -= 1
        return depth

    def _open_loop(self, depth: int, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        """Open the loop at `depth`; returns its accumulators as the body sees them."""
        body = Block(arg_types=[IndexType(), *(value.type for value in carried)])
        zero, one = self.constants.index(0), self.constants.index(1)
        bound = self.bounds[self.order[depth]]
        loop = scf.ForOp(zero, bound, one, carried, body)
        if self.order[depth] not in self.reductions:
            loop.attributes[PARALLEL] = UnitAttr()
        counter = body.args[0]
        counter.name_hint = _COUNTERS[self.order[depth] % len(_COUNTERS)]
        for accumulator, value in zip(body.args[1:], carried):
            accumulator.name_hint = value.name_hint
        self.subscripts[AffineExpr.dimension(self.order[depth])] = counter
        self.scopes[depth].append(loop)
        self.scopes[depth].inner = loop
        self.scopes.append(_LoopBody(body, None))
        return body.args[1:]

    def _inline_body(self, carried: Mapping[int, SSAValue]) -> Sequence[SSAValue]:
        """Move the body of the linalg op into the innermost loop; return its yielded values.

        `carried` has the values of accumulators that are not in memory there.
        """
        body = self.op.body.block
        operands = [*zip(self.op.inputs, self.input_maps), *zip(self.op.outputs, self.output_maps)]
        for argument, (operand, map_) in zip(body.args, operands):
            if argument.first_use is None:
                continue
            value = carried.get(argument.index - len(self.op.inputs))
            value = value or self._load(operand, map_, argument.name_hint)
            value.name_hint = value.name_hint or argument.name_hint
            argument.replace_all_uses_with(value)
        *ops, terminator = list(body.ops)
        for inner in ops:
            inner.detach()
            self.scopes[-1].append(inner)
            for index_op in [op for op in walk_ops(inner) if isinstance(op, IndexOp)]:
                counter = self.subscripts[AffineExpr.dimension(index_op.dim.value.data)]
                index_op.result.replace_all_uses_with(counter)
                index_op.detach()
                index_op.erase()
        return terminator.operands

    # Loads, stores, subscripts

    def _load(self, operand: SSAValue, map_: AffineMap, hint: str | None = "acc") -> SSAValue:
        """Return the element of an operand that the body sees, loaded as far outside as it is known."""
        if not isinstance(operand.type, MemRefType):
            return operand
        subscripts = [self._subscript(expr) for expr in map_.results]
        load = memref.LoadOp.get(operand, subscripts)
        load.res.name_hint = hint
        known = max(map(self._depth_of, map_.results), default=0)
        self.scopes[-1 if operand in self.op.outputs else known].insert(load)
        return load.res

    def _store(self, value: SSAValue, output: int, depth: int) -> None:
        """Write an output where `depth` loops are open."""
        subscripts = [self._subscript(expr) for expr in self.output_maps[output].results]
        self.scopes[depth].append(memref.StoreOp.get(value, self.op.outputs[output], subscripts))

    def _depth_of(self, expr: AffineExpr) -> int:
        """Return the number of loops that must be open for a subscript to be known."""
        return max((self.depth[loop] for loop in expr.used_dims()), default=0)

    def _subscript(self, expr: AffineExpr) -> SSAValue:
        """Return the value of a subscript, computed once as far outside as it is known."""
        if expr not in self.subscripts:
            self.subscripts[expr] = self._compute(expr)
        return self.subscripts[expr]

    def _compute(self, expr: AffineExpr) -> SSAValue:
        if isinstance(expr, AffineConstantExpr):
            return self.constants.index(expr.value)
        assert isinstance(expr, AffineBinaryOpExpr)
        lhs, rhs = self._subscript(expr.lhs), self._subscript(expr.rhs)
        scope = self.scopes[self._depth_of(expr)]

        def emit(kind: type[arith.SignlessIntegerBinaryOperation], a: SSAValue, b: SSAValue):
            scope.insert(op := kind(a, b))
            return op.result

        simple, signed = _ARITHMETIC[expr.kind]
        if (
            simple is not None
            and min(range_of_subscript(part).low for part in (expr.lhs, expr.rhs)) >= 0
        ):
            return emit(simple, lhs, rhs)
        if expr.kind is not AffineBinaryOpKind.Mod:
            return emit(signed, lhs, rhs)
        quotient = emit(arith.FloorDivSIOp, lhs, rhs)
        return emit(arith.SubiOp, lhs, emit(arith.MuliOp, quotient, rhs))


_ARITHMETIC: dict[
    AffineBinaryOpKind,
    tuple[
        type[arith.SignlessIntegerBinaryOperation] | None,
        type[arith.SignlessIntegerBinaryOperation],
    ],
] = {
    AffineBinaryOpKind.Add: (arith.AddiOp, arith.AddiOp),
    AffineBinaryOpKind.Mul: (arith.MuliOp, arith.MuliOp),
    AffineBinaryOpKind.FloorDiv: (arith.DivUIOp, arith.FloorDivSIOp),
    AffineBinaryOpKind.CeilDiv: (None, arith.CeilDivSIOp),
    AffineBinaryOpKind.Mod: (arith.RemUIOp, arith.RemSIOp),
}
"""The ops of a kind of subscript: if nothing is negative, and in general."""


def _erase_unused_allocations(function: FuncOp) -> None:
    """Erase buffers that are no longer read or written, with their dealloc."""
    for op in [op for op in walk_ops(function) if isinstance(op, memref.AllocOp | memref.AllocaOp)]:
        result: OpResult = op.results[0]
        users = [use.operation for use in result.uses]
        if all(isinstance(user, memref.DeallocOp) for user in users):
            for dead in (*users, op):
                dead.detach()
                dead.erase()


@dataclass(frozen=True)
class LinalgToLoopsPass(ModulePass):
    """linalg on memrefs to scf.for: see this file's docstring."""

    name = "relax-linalg-to-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in list(op.ops):
            if isinstance(function, FuncOp):
                lower_linalg_to_loops(function)
