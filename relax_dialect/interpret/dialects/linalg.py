"""Structured ops: the reduction loops run in order, all points of the parallel loops at once.

So a matmul accumulates over k in order and in its element type, as the loops it is lowered to do,
and each step over k is one evaluation of the body on arrays over (i, j).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
from xdsl.dialects.linalg import Linalg
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    impl,
    register_impls,
)
from xdsl.ir import Operation
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap

from relax_dialect.errors import RelaxError
from relax_dialect.interpret.array_views import check_indices
from relax_dialect.interpret.machine import Points, frame_of
from relax_dialect.interpret.op_semantics import forwarding, semantics
from relax_dialect.interpret.runtime_values import Array, fresh
from relax_dialect.ir.mlir.linalg_map import MapOp


class OperandElements:
    """The elements of one operand that the points of the parallel loops see, step by step.

    If each index is one loop or a number, they are a view; else they are gathered.
    """

    def __init__(self, array: Array, map: AffineMap, parallel: Sequence[int]):
        self.array = array
        self.exprs: tuple[AffineExpr, ...] = tuple(map.results)
        self.parallel = parallel
        kept = [
            e.position
            for e in self.exprs
            if isinstance(e, AffineDimExpr) and e.position in parallel
        ]
        self.is_view = len(set(kept)) == len(kept) and all(
            isinstance(e, AffineDimExpr | AffineConstantExpr) for e in self.exprs
        )
        self.order = np.argsort(kept)
        self.spread = tuple(slice(None) if p in kept else None for p in parallel)

    def view(self, indices: Sequence[int | Array]) -> Array:
        """Return the elements as a view with one dimension per parallel loop (size 1 if unused)."""
        picked = tuple(
            slice(None)
            if isinstance(e, AffineDimExpr) and e.position in self.parallel
            else e.eval(indices, [])  # pyright: ignore[reportArgumentType]
            for e in self.exprs
        )
        return self.array[(*picked, ...)].transpose(self.order)[(*self.spread, ...)]

    def places(self, indices: Sequence[int | Array]) -> tuple[Any, ...]:
        """Return the index of every point in the array."""
        picked = tuple(e.eval(indices, []) for e in self.exprs)  # pyright: ignore
        check_indices(self.array, picked)
        return picked

    def read(self, indices: Sequence[int | Array]) -> Any:
        if self.is_view:
            return self.view(indices)[()]
        return self.array[self.places(indices)]

    def write(self, indices: Sequence[int | Array], value: Any) -> None:
        if self.is_view:
            self.view(indices)[...] = value
        else:
            self.array[self.places(indices)] = value


def loop_extents(maps: Sequence[AffineMap], args: Sequence[Any]) -> list[int]:
    """Return the trip count of each loop, from the dimensions that a loop alone indexes."""
    found: dict[int, int] = {}
    for operand, (map, arg) in enumerate(zip(maps, args)):
        for dimension, (expr, size) in enumerate(zip(map.results, np.shape(arg), strict=True)):
            if not isinstance(expr, AffineDimExpr):
                continue
            expected = found.setdefault(expr.position, size)
            if expected != size:
                raise RelaxError(
                    f"expected size {expected} in dimension {dimension} of operand {operand}, as "
                    f"loop d{expr.position} has in an operand before it, found {size}"
                )
    for loop in range(maps[0].num_dims):
        if loop not in found:
            raise RelaxError(
                f"expected loop d{loop} to index a dimension of some operand alone, found none; "
                "add an operand that has its extent"
            )
    return [found[loop] for loop in range(maps[0].num_dims)]


def run_structured(
    interpreter: Interpreter, op: LinalgStructuredOperation, args: PythonValues
) -> PythonValues:
    """Run a structured op: on tensors it returns new ones, on memrefs it writes its outputs."""
    maps = [map.data for map in op.get_indexing_maps()]
    kinds = [kind.data for kind in op.get_iterator_types()]
    on_tensors = len(op.results) > 0
    inputs = len(op.inputs)
    outputs = [fresh(a) if on_tensors else a for a in args[inputs:]]
    operands = [*args[:inputs], *outputs]
    extents = loop_extents(maps, operands)

    parallel = [d for d, kind in enumerate(kinds) if kind == IteratorType.PARALLEL]
    others = [d for d in range(len(kinds)) if d not in parallel]
    accesses = [OperandElements(np.asarray(a), map, parallel) for a, map in zip(operands, maps)]
    shape = tuple(extents[d] for d in parallel)
    indices: list[Any] = [0] * len(kinds)
    for d, grid in zip(parallel, np.ogrid[tuple(slice(size) for size in shape)]):
        indices[d] = grid

    points = frame_of(interpreter).points
    points.append(Points(shape, indices))
    steps = product(*(range(extents[d]) for d in others)) if 0 not in shape else ()
    for step in steps:
        for d, index in zip(others, step):
            indices[d] = index
        values = tuple(access.read(indices) for access in accesses)
        yielded = interpreter.run_ssacfg_region(op.body, values, op.name)
        if len(yielded) > 1:  # one output's old elements may be written to another
            yielded = tuple(fresh(value) for value in yielded)
        for access, value in zip(accesses[inputs:], yielded):
            access.write(indices, value)
    points.pop()
    return tuple(outputs) if on_tensors else ()


def _structured(op_type: type[Operation]) -> Any:
    def run(
        _: Any, interpreter: Interpreter, op: LinalgStructuredOperation, args: PythonValues
    ) -> PythonValues:
        return run_structured(interpreter, op, args)

    return impl(op_type)(run)  # pyright: ignore[reportArgumentType]


def _delivered(op: Operation, init: Array, value: Array) -> PythonValues:
    """Return a new tensor, or none if the value is written to memory."""
    if op.results:
        return (np.array(np.broadcast_to(value, init.shape), init.dtype),)
    init[...] = value
    return ()


def _with_structured(functions: type) -> type:
    """Add every op of the dialect that is a nest of loops around a body."""
    for op in Linalg.operations:
        if issubclass(op, LinalgStructuredOperation):
            setattr(functions, f"run_{op.name.removeprefix('linalg.')}", _structured(op))
    return functions


@register_impls
@_with_structured
class LinalgFunctions(InterpreterFunctions):
    """The linalg dialect: every op that is a nest of loops around a body."""

    @impl(linalg.IndexOp)
    def run_index(
        self, interpreter: Interpreter, op: linalg.IndexOp, args: PythonValues
    ) -> PythonValues:
        return (frame_of(interpreter).points[-1].indices[op.dim.value.data],)

    @semantics(linalg.BroadcastOp)
    def run_broadcast(self, op: linalg.BroadcastOp, args: PythonValues) -> PythonValues:
        source, init = args
        new = np.broadcast_to(np.expand_dims(source, op.dimensions.get_values()), init.shape)
        return _delivered(op, init, new)

    @impl(linalg.ReduceOp)
    def run_reduce(
        self, interpreter: Interpreter, op: linalg.ReduceOp, args: PythonValues
    ) -> PythonValues:
        """Combine slices along the reduced dimensions one after the other, as loops do."""
        source, init = args
        axes = op.dimensions.get_values()
        total = np.array(init)
        for index in np.ndindex(*(source.shape[axis] for axis in axes)):
            where: list[Any] = [slice(None)] * source.ndim
            for axis, i in zip(axes, index):
                where[axis] = i
            (total,) = interpreter.run_ssacfg_region(
                op.region, (source[tuple(where)], total), op.name
            )
        return _delivered(op, init, total)

    @impl(MapOp)
    def run_map(self, interpreter: Interpreter, op: MapOp, args: PythonValues) -> PythonValues:
        (value,) = interpreter.run_ssacfg_region(op.body, args, op.name)
        return _delivered(op, args[-1], value)

    run_yield = forwarding(linalg.YieldOp)
