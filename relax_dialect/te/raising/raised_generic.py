"""A `linalg.generic`, or a named op of its kind, as computes: one for each output or reduction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import is_
from typing import Any

from xdsl.dialects.linalg.abstract_ops import NamedOperation
from xdsl.dialects.linalg.ops import GenericOp, IndexOp
from xdsl.ir import SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)

from relax_dialect.symbolic import Expr
from relax_dialect.te.adjoint.derivatives import substituted
from relax_dialect.te.dtypes import INDEX
from relax_dialect.te.emit.access import walk
from relax_dialect.te.emit.generic import ComputeStage
from relax_dialect.te.raising.raised_reductions import joined_reduction
from relax_dialect.te.raising.raised_values import Blank, Filled, Tensors
from relax_dialect.te.raising.scalars import Scalars
from relax_dialect.te.reduction import Reduction
from relax_dialect.te.scalar import (
    Apply,
    Element,
    IterVar,
    Reduce,
    Scalar,
    ScalarConstant,
    const,
)
from relax_dialect.te.tensor import Tensor

_AFFINE = {
    AffineBinaryOpKind.Add: "add",
    AffineBinaryOpKind.Mul: "mul",
    AffineBinaryOpKind.FloorDiv: "floordiv",
    AffineBinaryOpKind.Mod: "rem",
}


def raise_generic(
    op: GenericOp | NamedOperation, tensors: Tensors, around: Scalars
) -> list[Tensor | Blank]:
    """Return the tensors of the op's results."""
    return _GenericReader(op, tensors, around).results()


@dataclass(eq=False)
class _RaisedResult:
    """A result: the variables that index it, and its value, possibly from its previous value."""

    place: tuple[IterVar, ...]
    before: Element
    value: Scalar
    initial: Blank | Filled | Tensor


class _GenericReader:
    def __init__(self, op: GenericOp | NamedOperation, tensors: Tensors, around: Scalars):
        self.op, self.tensors, self.around = op, tensors, around
        is_generic = isinstance(op, GenericOp)
        maps = op.indexing_maps if is_generic else op.get_indexing_maps()
        kinds = op.iterator_types if is_generic else op.get_iterator_types()
        self.maps: list[Sequence[AffineExpr]] = [m.data.results for m in maps]
        self.operands: list[SSAValue] = [*op.inputs, *op.outputs]
        self.body = op.body.block
        outs = self.maps[len(op.inputs) :]
        written = [{e.position for e in m if isinstance(e, AffineDimExpr)} for m in outs]
        reduced = {d for d, each in enumerate(kinds) if each.data.value != "parallel"}
        self.scanned = [d for d in reduced if any(d in dims for dims in written)]
        self.loops = [
            IterVar(f"i{d}", extent, d in reduced and d not in self.scanned)
            for d, extent in enumerate(self._extents(len(list(kinds))))
        ]

    def _extents(self, count: int) -> list[Expr]:
        """Return the extents of the loops; sizes of outputs have precedence over sizes of inputs."""
        found: dict[int, Expr] = {}
        first = len(self.op.inputs)
        for operand, results in reversed([*zip(self.operands[:first], self.maps)]):
            found |= self._told(operand, results)
        for operand, results in zip(self.operands[first:], self.maps[first:]):
            found |= self._told(operand, results)
        if len(found) < count:
            raise self.tensors.fail(self.op)
        return [found[d] for d in range(count)]

    def _told(self, operand: SSAValue, results: Sequence[AffineExpr]) -> dict[int, Expr]:
        pairs = zip(results, self.tensors.shape(operand))
        return {e.position: size for e, size in pairs if isinstance(e, AffineDimExpr)}

    def results(self) -> list[Tensor | Blank]:
        if not self.op.results:  # it works on memrefs
            raise self.tensors.fail(self.op)
        outputs = self._outputs()
        if self.scanned:
            return self._running(outputs)
        if not any(axis.reduction for axis in self.loops):
            return [self._computed(output, i) for i, output in enumerate(outputs)]
        kept = outputs[0].place
        expected = {axis for axis in self.loops if not axis.reduction}
        if set(kept) != expected or any(not same(o.place, kept) for o in outputs):
            raise self.tensors.fail(self.op)
        befores = {o.before for o in outputs}
        read = [befores & {output.before, *walk(output.value)} for output in outputs]
        shared = set().union(*(each for each in read if len(each) > 1))
        together = [i for i, output in enumerate(outputs) if output.before in shared]
        found: list[Tensor | Blank] = []
        made: dict[int, Reduction] = {}
        for i, output in enumerate(outputs):
            group = together if i in together else [i]
            reduction = made.get(group[0]) or self._reduction([outputs[j] for j in group])
            made[group[0]] = reduction
            found.append(self._stage(kept, Reduce(reduction, group.index(i)), i))
            if isinstance(output.initial, Tensor):
                found[-1] = self._added(found[-1], output.initial)
        return found

    def _running(self, outputs: list[_RaisedResult]) -> list[Tensor | Blank]:
        """Return running reductions; beside each result is its discarded accumulator."""
        axis = self.loops[self.scanned[0]]
        held = [o for o in outputs if axis not in set(o.place)]
        if len(self.scanned) > 1 or not held or set(self.loops) != {axis, *held[0].place}:
            raise self.tensors.fail(self.op)
        reductions = {
            exclusive: self._reduction(held, axes=(axis,), running=True, exclusive=exclusive)
            for exclusive in (False, True)
        }
        found: list[Tensor | Blank] = []
        for i, output in enumerate(outputs):
            places = [
                (exclusive, k)
                for k, o in enumerate(held)
                for exclusive, value in ((False, o.value), (True, o.before))
                if output.value is value
            ]
            if output in held:
                found.append(Blank(self.tensors.shape(self.op.outputs[i])))
            elif not places:
                raise self.tensors.fail(self.op)
            else:
                exclusive, k = places[0]
                found.append(self._stage(output.place, Reduce(reductions[exclusive], k), i))
        return found

    # The computation of the body

    def _outputs(self) -> list[_RaisedResult]:
        first = len(self.op.inputs)
        known: dict[SSAValue, Scalar] = {}
        for operand, results, argument in zip(self.operands, self.maps, self.body.args):
            if argument.index < first and argument.first_use is not None:
                at = tuple(self._index(e) for e in results)
                known[argument] = self.around.load(operand, at)
        before = [Element(a.type, "an accumulator") for a in self.body.args[first:]]
        known.update(zip(self.body.args[first:], before))
        *ops, end = self.body.ops
        inner = self.around.inside(known)
        for each in ops:
            if isinstance(each, IndexOp):
                inner.values[each.result] = self.loops[each.dim.value.data]
            else:
                inner.read_op(each)
        places = [tuple(map(self._index, results)) for results in self.maps[first:]]
        if any(not isinstance(i, IterVar) for place in places for i in place):
            raise self.tensors.fail(self.op)
        return [
            _RaisedResult(place, acc, inner.values[value], self.tensors.value(operand))  # pyright: ignore
            for place, acc, value, operand in zip(
                places, before, end.operands, self.operands[first:]
            )
        ]

    def _index(self, expr: AffineExpr) -> Scalar:
        match expr:
            case AffineDimExpr():
                return self.loops[expr.position]
            case AffineConstantExpr():
                return const(expr.value, INDEX)
            case AffineBinaryOpExpr() if expr.kind in _AFFINE:
                return Apply(
                    _AFFINE[expr.kind], INDEX, (self._index(expr.lhs), self._index(expr.rhs))
                )
            case _:
                raise self.tensors.fail(self.op)

    def _computed(self, output: _RaisedResult, index: int) -> Tensor:
        body = output.value
        if output.before in set(walk(body)):
            initial = self.tensors.whole(self.op.outputs[index])
            body = substituted(body, {output.before: initial[output.place]})
        if set(output.place) != set(self.loops):
            raise self.tensors.fail(self.op)
        return self._stage(output.place, body, index)

    def _stage(self, axes: Sequence[IterVar], body: Scalar, index: int) -> Tensor:
        stage, result = ComputeStage(tuple(axes), (body,)), self.op.results[index]
        stage.checked = False  # the program has read the same elements
        dtype = result.type.get_element_type()  # pyright: ignore
        return stage.produce(tuple(a.extent for a in axes), dtype, result.name_hint or "t")

    # Reductions

    def _reduction(self, outputs: Sequence[_RaisedResult], **how: Any) -> Reduction:
        """Return the reduction that computes the outputs together."""
        axes = how.pop("axes", None) or [axis for axis in self.loops if axis.reduction]
        return joined_reduction(
            [o.before for o in outputs],
            [o.value for o in outputs],
            axes,
            lambda i, name: self._start(outputs[i], name),
            lambda: self.tensors.fail(self.op),
            **how,
        )

    def _start(self, output: _RaisedResult, name: str) -> ScalarConstant:
        """Return the initial value of the accumulator; a sum that is added to a tensor begins with 0."""
        if isinstance(output.initial, Filled):
            return output.initial.value
        if name != "sum" or isinstance(output.initial, Blank):
            raise self.tensors.fail(self.op)
        return ScalarConstant(0, output.before.dtype)

    @staticmethod
    def _added(total: Any, initial: Tensor) -> Tensor:
        """Return a sum that is added to the previous value."""
        axes = tuple(IterVar(f"i{d}", extent) for d, extent in enumerate(total.shape))
        stage = ComputeStage(axes, (initial[axes] + total[axes],))
        return stage.produce(total.shape, total.dtype, total.name)


def same(a: Sequence[Scalar], b: Sequence[Scalar]) -> bool:
    """Return whether nodes are the same ones."""
    return len(a) == len(b) and all(map(is_, a, b))
