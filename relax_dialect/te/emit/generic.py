"""One `te.compute` as `tensor.empty`, for reductions `linalg.fill`, and one `linalg.generic`.

A reduction has an accumulator as an output. A running reduction has two: the value at each point, and an
accumulator without the axis, which is a reduction loop, so that its steps run in order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from xdsl.dialects.builtin import AffineMapAttr
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.dialects.linalg.ops import FillOp, GenericOp, YieldOp
from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap

from relax_dialect import symbolic
from relax_dialect.te.emit.access import access_map, certain_loads, walk
from relax_dialect.te.emit.bounds import Bounds, required
from relax_dialect.te.emit.scalar_emitter import AccessKey, BodyEmitter, FunctionEmitter, name_hint
from relax_dialect.te.reduction import Reduction
from relax_dialect.te.scalar import IterVar, Reduce, Scalar, ScalarConstant, Size
from relax_dialect.te.tensor import Load, Requirement, Stage, Tensor

PARALLEL = IteratorTypeAttr.parallel()
REDUCTION = IteratorTypeAttr.reduction()


@dataclass(eq=False)
class ComputeStage(Stage):
    """Tensors computed together: one element of each for every value of the axes.

    The bodies are scalar expressions, or `Reduce`s over the same axes.
    """

    axes: tuple[IterVar, ...]
    bodies: tuple[Scalar, ...]
    requires: tuple[Requirement, ...] = ()

    @cached_property
    def reductions(self) -> list[Reduction]:
        """The reductions that the bodies are values of, each once."""
        found = (body.reduction for body in self.bodies if isinstance(body, Reduce))
        return list(dict.fromkeys(found))

    @cached_property
    def scanned(self) -> IterVar | None:
        """The axis that a running reduction runs along."""
        return next((r.axes[0] for r in self.reductions if r.running), None)

    @cached_property
    def reduce_axes(self) -> tuple[IterVar, ...]:
        """The axes that are reduced away."""
        return next((r.axes for r in self.reductions if not r.running), ())

    @cached_property
    def loops(self) -> tuple[IterVar, ...]:
        return (*self.axes, *self.reduce_axes)

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        return self.bodies

    @cached_property
    def reads(self) -> list[Tensor]:
        loads = (node.tensor for node in walk(*self.bodies) if isinstance(node, Load))
        return list(dict.fromkeys(loads))

    @property
    def sizes(self) -> Iterator[symbolic.Expr]:
        yield from (axis.extent for axis in self.reduce_axes)
        yield from (node.expr for node in walk(*self.bodies) if isinstance(node, Size))

    def bounds_to_check(
        self, bounds: Bounds, around: Sequence[symbolic.Expr]
    ) -> Iterator[Requirement]:
        extents = [*around, *(axis.extent for axis in self.loops)]
        return required(bounds, self.bodies, extents, self.title)

    @property
    def title(self) -> str:
        return ", ".join(dict.fromkeys(tensor.name for tensor in self.outputs))

    def emit(self, function: FunctionEmitter) -> Sequence[SSAValue]:
        return _GenericEmitter(self, function).emit()


@dataclass
class _StageOutput:
    """An output of the generic: a tensor of the stage, or a discarded accumulator."""

    hint: str
    axes: Sequence[IterVar]
    body: Scalar
    start: ScalarConstant | None = None


class _GenericEmitter:
    """The operations of one stage in the making."""

    def __init__(self, stage: ComputeStage, function: FunctionEmitter):
        self.stage = stage
        self.function = function
        self.positions = {axis: d for d, axis in enumerate(stage.loops)}
        self.accesses = self._operand_accesses()
        self.accumulators: dict[Reduce | tuple[Reduction, int], int] = {}
        """The output index of the accumulator of each value of a reduction."""
        self.places: list[int] = []
        """The output index of every tensor of the stage."""
        self.outputs = self._outputs()

    def _outputs(self) -> list[_StageOutput]:
        stage, found = self.stage, list[_StageOutput]()
        kept = [axis for axis in stage.axes if axis is not stage.scanned]
        if not stage.reductions or stage.scanned is not None:
            found += [
                _StageOutput(t.name, stage.axes, b) for t, b in zip(stage.outputs, stage.bodies)
            ]
            self.places = list(range(len(found)))
        names = {
            (b.reduction, b.index): t.name
            for t, b in zip(stage.outputs, stage.bodies)
            if isinstance(b, Reduce) and stage.scanned is None
        }
        for reduction in stage.reductions:
            for index, start in enumerate(reduction.start):
                key = reduction, index
                self.accumulators[key] = len(found)
                hint = names.get(key, "total")
                found.append(_StageOutput(hint, kept, reduction.joined[index], start))
        if not self.places:
            bodies = [b for b in stage.bodies if isinstance(b, Reduce)]
            self.places = [self.accumulators[b.reduction, b.index] for b in bodies]
        return found

    def emit(self) -> list[SSAValue]:
        """Return the values of the stage's tensors.

        A tensor without elements is filled: no map of a generic could describe its reads.
        """
        if any(axis.extent.value == 0 for axis in self.stage.axes):
            return [self._filled(tensor) for tensor in self.stage.outputs]
        operands = [self.function.tensors[tensor] for tensor, _ in self.accesses]
        maps = [results for _, results in self.accesses]
        if window := self._undetermined():
            extents = tuple(self.stage.loops[d].extent for d in window)
            dtype = self.stage.bodies[0].dtype
            operands.append(self.function.empty(extents, dtype, "window"))
            maps.append(tuple(AffineExpr.dimension(d) for d in window))
        outs = [self._initial(output) for output in self.outputs]
        maps += [
            tuple(AffineExpr.dimension(self.positions[axis]) for axis in output.axes)
            for output in self.outputs
        ]
        generic = GenericOp(
            operands,
            outs,
            Region(self._body(operands, outs)),
            [AffineMapAttr(AffineMap(len(self.positions), 0, results)) for results in maps],
            [self._iterator(axis) for axis in self.stage.loops],
            [out.type for out in outs],
        )
        self.function.scope.add(generic)
        for result, output in zip(generic.results, self.outputs):
            result.name_hint = name_hint(output.hint)
        return [generic.results[place] for place in self.places]

    def _iterator(self, axis: IterVar) -> IteratorTypeAttr:
        return REDUCTION if axis.reduction or axis is self.stage.scanned else PARALLEL

    def _initial(self, output: _StageOutput) -> SSAValue:
        """Return the tensor that an output is written over: an empty one, filled if the output
        accumulates."""
        shape, dtype = tuple(axis.extent for axis in output.axes), output.body.dtype
        empty = self.function.empty(shape, dtype, "empty")
        if output.start is None:
            return empty
        start = self.function.memory_constant(output.start.value, dtype)
        return self.function.scope.add(FillOp([start], [empty], [empty.type]), "init")

    def _filled(self, tensor: Tensor) -> SSAValue:
        empty = self.function.empty(tensor.shape, tensor.dtype, "empty")
        zero = self.function.memory_constant(0, tensor.dtype)
        return self.function.scope.add(FillOp([zero], [empty], [empty.type]), tensor.name)

    # The body

    def _body(self, operands: Sequence[SSAValue], outs: Sequence[SSAValue]) -> Block:
        block = Block(arg_types=[value.type.get_element_type() for value in (*operands, *outs)])  # pyright: ignore
        for argument, (tensor, _) in zip(block.args, self.accesses):
            argument.name_hint = name_hint(f"{tensor.name}_in")
        for argument, output in zip(block.args[len(operands) :], self.outputs):
            argument.name_hint = "out" if output.start is None else "acc"
        elements = dict(zip(self.accesses, block.args))
        body = BodyEmitter(
            self.function, self.positions, elements, f"te.compute '{self.stage.title}'"
        )
        for reduction in self.stage.reductions:
            self._bind(reduction, body, block)
        values = [
            body.written(self._value(output, body), output.body.dtype) for output in self.outputs
        ]
        block.add_ops([*body.ops, YieldOp(*values)])
        return block

    def _bind(self, reduction: Reduction, body: BodyEmitter, block: Block) -> None:
        """Bind a reduction to its accumulators and the elements that join them."""
        first = len(block.args) - len(self.outputs)
        for index, source in enumerate(reduction.sources):
            body.body.values[reduction.elements[index]] = body.emit(source)
            accumulator = block.args[first + self.accumulators[reduction, index]]
            body.body.values[reduction.accumulated[index]] = body.read(accumulator)

    def _value(self, output: _StageOutput, body: BodyEmitter) -> SSAValue:
        if not isinstance(output.body, Reduce):
            return body.emit(output.body)
        reduction, index = output.body.reduction, output.body.index
        held = reduction.accumulated if reduction.exclusive else reduction.joined
        return body.emit(held[index])

    # The operands

    def _operand_accesses(self) -> list[AccessKey]:
        """Return the affine accesses that the body makes in any case: the operands of the generic."""
        found: dict[AccessKey, None] = {}
        for load in certain_loads(*self.stage.bodies):
            results = access_map(load, self.positions)
            if results is not None:
                found[load.tensor, results] = None
        return list(found)

    def _undetermined(self) -> list[int]:
        """Return the reduction dimensions whose extent no operand determines: these need a shape-only
        operand."""
        given = {
            expr.position
            for _, results in self.accesses
            for expr in results
            if isinstance(expr, AffineDimExpr)
        }
        positions: Mapping[IterVar, int] = self.positions
        return [positions[axis] for axis in self.stage.reduce_axes if positions[axis] not in given]
