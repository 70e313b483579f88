"""Bounds of accesses: each element that a prim func reads or writes lies in its tensor or memref.

    linalg.generic  (d0, d1) -> (d0 * 2 + d1)      0 <= d0 * 2 + d1 < size, where the loops run
    memref.load     %x[%i, %j]                     0 <= %i < size of axis 0, ...
    memref.subview  %x[%o] [%n] [2]                0 <= %o, %o + (%n - 1) * 2 < size, unless %n is 0

for all sizes, at least 0, that the checks before allow. An index that is read from memory is not known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from xdsl.dialects import cf, memref, scf, tensor, vector
from xdsl.dialects.builtin import IntegerType, ModuleOp, ShapedType, VectorType
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)

from relax_dialect.prove.queries import holds
from relax_dialect.prove.scalars.integers import Integers
from relax_dialect.prove.scalars.terms import constants_in
from relax_dialect.prove.shapes import mixed
from relax_dialect.prove.size_terms import floordiv, floormod
from relax_dialect.prove.verdicts import Limits, Outside, Verdict, VerdictKind
from relax_dialect.prove.z3_package import z3

AFFINE = {
    AffineBinaryOpKind.Add: lambda a, b: a + b,
    AffineBinaryOpKind.Mul: lambda a, b: a * b,
    AffineBinaryOpKind.FloorDiv: floordiv,
    AffineBinaryOpKind.CeilDiv: lambda a, b: -floordiv(-a, b),
    AffineBinaryOpKind.Mod: floormod,
}


@dataclass(frozen=True)
class CheckedAccess:
    """An access along one axis, and whether it is proved to be within the bounds."""

    op: Operation
    axis: int
    kind: VerdictKind
    detail: str


def accesses(function: FuncOp, limits: Limits) -> list[CheckedAccess]:
    """Return the accesses of a function, in the order of the text."""
    walk = _AccessWalk(limits)
    for block in function.body.blocks:
        walk.block(block)
    return walk.found


def prove_accesses(module: ModuleOp, limits: Limits | None = None) -> Iterator[Verdict]:
    """Yield a verdict for each func.func with a body: whether all its accesses are within bounds."""
    called = {op.callee.root_reference.data for op in module.walk() if isinstance(op, CallOp)}
    for function in module.ops:
        if isinstance(function, FuncOp) and not function.is_declaration:
            name = function.sym_name.data
            yield _verdict(name, accesses(function, limits or Limits()), name in called)


WORST = (VerdictKind.REFUTED, VerdictKind.UNKNOWN, VerdictKind.OUTSIDE)


def _verdict(name: str, found: Sequence[CheckedAccess], has_callers: bool) -> Verdict:
    """Return the worst of the accesses; callers of a function may know more about sizes and indices."""
    for kind in WORST:
        those = [access for access in found if access.kind is kind]
        if those:
            first = those[0]
            text = str(first.op).splitlines()[0]
            count = f"{len(those)} of {len(found)} accesses"
            detail = f"{count}, as axis {first.axis} of {text}: {first.detail}"
            if kind is VerdictKind.REFUTED and has_callers:
                kind, detail = VerdictKind.OUTSIDE, f"{detail}, if its callers let that be"
            return Verdict(name, kind, detail)
    return Verdict(name, VerdictKind.PROVED, f"{len(found)} accesses")


class _AccessWalk:
    def __init__(self, limits: Limits):
        self.limits = limits
        self.found: list[CheckedAccess] = []
        self.integers = Integers()
        self.path: list[Any] = []
        """The conditions that hold at the current op of the walk."""
        self.loops: list[list[Any]] = []
        """The counters of the structured ops around."""

    @contextmanager
    def where(self, *facts: Any) -> Iterator[None]:
        length = len(self.path)
        self.path += facts
        yield
        del self.path[length:]

    def block(self, block: Block) -> None:
        with self.where():
            for op in block.ops:
                self.op(op)

    def op(self, op: Operation) -> None:
        match op:
            case LinalgStructuredOperation():
                self.structured(op)
            case scf.ForOp():
                self.loop(op)
            case scf.ParallelOp():
                self.parallel(op)
            case scf.IfOp():
                condition = self.integers.of(op.cond)
                for region, fact in (
                    (op.true_region, condition),
                    (op.false_region, z3.Not(condition)),
                ):
                    with self.where(fact):
                        self.regions([region])
            case scf.WhileOp():
                self.while_loop(op)
            case cf.AssertOp():
                self.path.append(self.integers.of(op.arg))
            case IndexOp() if self.loops:
                self.integers.set(op.result, self.loops[-1][op.dim.value.data])
            case memref.CopyOp():
                sizes = map(self.integers.shapes.of, (op.source, op.destination))
                for axis, (source, target) in enumerate(zip(*sizes, strict=True)):
                    self.claim(op, axis, source == target)
            case memref.SubviewOp() | tensor.ExtractSliceOp():
                self.slice(op, op.source)
            case tensor.InsertSliceOp():
                self.slice(op, op.dest)
            case _ if (found := _elements(op)) is not None:
                self.elements(op, *found)
            case _:
                if _may_access(op):
                    self.found.append(CheckedAccess(op, 0, VerdictKind.OUTSIDE, op.name))
                self.regions(op.regions)

    def regions(self, regions: Sequence[Any]) -> None:
        for region in regions:
            for block in region.blocks:
                self.block(block)

    def claim(self, op: Operation, axis: int, claim: Any) -> None:
        """Check whether a claim holds at the current op of the walk."""
        facts = [*self.integers.facts, *self.path]
        answer = holds(claim, facts, self.limits, "default")
        kind, detail = answer.kind, f"no answer within {self.limits.milliseconds} ms"
        if kind is VerdictKind.REFUTED:
            detail = ", ".join(sorted(f"{d} = {answer.model[d]}" for d in answer.model.decls()))
            if any(constants_in(each) & self.integers.unknown for each in (claim, *facts)):
                kind, detail = VerdictKind.OUTSIDE, "a size or an index that is not known here"
        self.found.append(
            CheckedAccess(op, axis, kind, "" if kind is VerdictKind.PROVED else detail)
        )

    def within(self, op: Operation, axis: int, index: Any, size: Any, length: int = 1) -> None:
        self.claim(op, axis, z3.And(index >= 0, index + length <= size))

    def elements(
        self,
        op: Operation,
        value: SSAValue,
        indices: Sequence[SSAValue],
        lengths: Sequence[int],
    ) -> None:
        """An access of the elements at an index, or of vectors along the last axes."""
        sizes = self.integers.shapes.of(value)
        counts = [1] * (len(sizes) - len(lengths)) + list(lengths)
        for axis, (index, size, count) in enumerate(zip(indices, sizes, counts, strict=True)):
            self.within(op, axis, self.integers.of(index), size, count)

    def slice(self, op: Any, value: SSAValue) -> None:
        """A slice lies in its tensor or memref, unless it is empty."""
        parts = [
            [self.integers.shapes.number(each) for each in mixed(static.get_values(), dynamic)]
            for static, dynamic in (
                (op.static_offsets, op.offsets),
                (op.static_sizes, op.sizes),
                (op.static_strides, op.strides),
            )
        ]
        is_empty = z3.Or([size == 0 for size in parts[1]])
        for axis, (start, count, step, size) in enumerate(
            zip(*parts, self.integers.shapes.of(value), strict=True)
        ):
            last = start + (count - 1) * step
            inside = z3.And(count >= 0, start >= 0, last >= 0, start < size, last < size)
            self.claim(op, axis, z3.Or(is_empty, inside))

    def loop(self, op: scf.ForOp) -> None:
        counter, *_ = op.body.block.args
        low, high, step = (self.integers.of(value) for value in (op.lb, op.ub, op.step))
        with self.where(*self.counting(counter, low, high, step)):
            self.block(op.body.block)

    def counting(self, counter: SSAValue, low: Any, high: Any, step: Any) -> list[Any]:
        """Return the facts about the counter of a loop."""
        turn = self.integers.any(counter.type, "turn", is_loop=True)
        value = low + turn * step
        self.integers.set(counter, value)
        return [turn >= 0, value < high, step > 0, value >= low]

    def parallel(self, op: scf.ParallelOp) -> None:
        facts: list[Any] = []
        bounds = zip(op.body.block.args, op.lowerBound, op.upperBound, op.step)
        for counter, *ends in bounds:
            facts += self.counting(counter, *(self.integers.of(each) for each in ends))
        with self.where(*facts):
            self.block(op.body.block)

    def while_loop(self, op: scf.WhileOp) -> None:
        before, after = op.before_region.block, op.after_region.block
        with self.where():
            for each in before.ops:
                self.op(each)
            last = before.last_op
            assert isinstance(last, scf.ConditionOp)
            for arg, value in zip(after.args, last.args):
                if not isinstance(value.type, ShapedType):
                    self.integers.set(arg, self.integers.of(value))
            with self.where(self.integers.of(last.condition)):
                self.block(after)

    def structured(self, op: LinalgStructuredOperation) -> None:
        """The elements that the maps of a structured op name, where its loops run."""
        maps = [each.data for each in op.get_indexing_maps()]
        operands = list(op.operands)
        sizes = [
            self.integers.shapes.of(v) if isinstance(v.type, ShapedType) else [] for v in operands
        ]
        counters = [z3.FreshInt("d") for _ in range(maps[0].num_dims)]
        extents: dict[int, Any] = {}
        for map, shape in zip(maps, sizes):
            for expr, size in zip(map.results, shape):
                if isinstance(expr, AffineDimExpr):
                    extents.setdefault(expr.position, size)
        facts = [z3.And(counters[d] >= 0, counters[d] < size) for d, size in extents.items()]
        with self.where(*facts):
            for map, shape in zip(maps, sizes):
                for axis, (expr, size) in enumerate(zip(map.results, shape)):
                    if not isinstance(expr, AffineDimExpr) or not size.eq(extents[expr.position]):
                        self.within(op, axis, affine(expr, counters), size)
            self.loops.append(counters)
            self.read(op, maps, counters)
            self.regions(op.regions)
            self.loops.pop()
            self.written(op, maps, counters)

    def read(
        self, op: LinalgStructuredOperation, maps: Sequence[AffineMap], counters: Sequence[Any]
    ) -> None:
        """The elements of inputs that are known."""
        for value, map, arg in zip(op.inputs, maps, op.regions[0].block.args):
            found = self.integers.element(value, [affine(expr, counters) for expr in map.results])
            if found is not None:
                self.integers.set(arg, found)

    def written(
        self, op: LinalgStructuredOperation, maps: Sequence[AffineMap], counters: Sequence[Any]
    ) -> None:
        """The elements of results of which each is computed once."""
        last = op.regions[0].block.last_op
        if last is None or any(
            kind.data is not IteratorType.PARALLEL for kind in op.get_iterator_types()
        ):
            return
        for result, value, map in zip(op.results, last.operands, maps[len(op.inputs) :]):
            if map == AffineMap.identity(len(counters)) and isinstance(value.type, IntegerType):
                self.integers.set_element(result, counters, self.integers.of(value))


def _elements(op: Operation) -> tuple[SSAValue, Sequence[SSAValue], Sequence[int]] | None:
    """Return the operand of an op that reads or writes one element or vector, the indices, and the
    vector's shape."""
    match op:
        case memref.LoadOp() | memref.StoreOp():
            return op.memref, op.indices, ()
        case tensor.ExtractOp():
            return op.tensor, op.indices, ()
        case tensor.InsertOp():
            return op.dest, op.indices, ()
        case (
            vector.LoadOp(result=SSAValue(type=VectorType() as type))
            | vector.StoreOp(vector=SSAValue(type=VectorType() as type))
        ):
            return op.base, op.indices, type.get_shape()
        case _:
            return None


NO_ACCESS = {
    *("memref.alloc", "memref.alloca", "memref.cast", "memref.dealloc", "memref.dim"),
    *("memref.collapse_shape", "memref.expand_shape", "memref.global", "memref.get_global"),
}


def _may_access(op: Operation) -> bool:
    """Return whether an op of memory is none whose accesses are known."""
    is_shaped = any(isinstance(operand.type, ShapedType) for operand in op.operands)
    return (
        op.name.startswith(("memref.", "vector."))
        and op.name not in NO_ACCESS
        and is_shaped
        and (
            op.name.startswith("memref.")
            or any(str(o.type).startswith("memref") for o in op.operands)
        )
    )


def affine(expr: AffineExpr, counters: Sequence[Any]) -> Any:
    """Return an expression of loop counters as a term."""
    match expr:
        case AffineDimExpr(position=position):
            return counters[position]
        case AffineConstantExpr(value=number):
            return z3.IntVal(number)
        case AffineBinaryOpExpr(kind=kind, lhs=lhs, rhs=rhs):
            return AFFINE[kind](affine(lhs, counters), affine(rhs, counters))
        case _:
            raise Outside(f"the index {expr}")
