"""The tensor dialect: values that do not change; every result is an array of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.dialects import tensor
from xdsl.dialects.builtin import TensorType
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    impl,
    register_impls,
)
from xdsl.ir import Attribute, Region, SSAValue

from relax_dialect.interpret import array_views
from relax_dialect.interpret.op_semantics import forwarding, semantics
from relax_dialect.interpret.runtime_values import (
    Array,
    fill_dynamic,
    fresh,
    numpy_dtype,
    poisoned,
    run_time_shape,
)
from relax_dialect.ir.mlir.tensor_ops import GenerateOp


def _type(value: SSAValue) -> TensorType[Attribute]:
    assert isinstance(value.type, TensorType)
    return value.type


def _slice_entries(
    op: tensor.ExtractSliceOp | tensor.InsertSliceOp, args: Sequence[Any]
) -> list[tuple[int, ...]]:
    """Return offsets, sizes and strides; `args` are the dynamic ones of all three."""
    first, second = len(op.offsets), len(op.offsets) + len(op.sizes)
    return [
        fill_dynamic(op.static_offsets.get_values(), args[:first]),
        fill_dynamic(op.static_sizes.get_values(), args[first:second]),
        fill_dynamic(op.static_strides.get_values(), args[second:]),
    ]


def _generated(
    interpreter: Interpreter, body: Region, shape: Sequence[int], op: tensor.PadOp | GenerateOp
) -> Array:
    """Return a tensor whose elements a region computes from their indices."""
    result = np.empty(tuple(shape), numpy_dtype(_type(op.result).element_type))
    for index in np.ndindex(*shape):
        (result[index],) = interpreter.run_ssacfg_region(body, index, op.name)
    return result


@register_impls
class TensorFunctions(InterpreterFunctions):
    """The tensor dialect."""

    @semantics(tensor.EmptyOp)
    def run_empty(self, op: tensor.EmptyOp, args: PythonValues) -> PythonValues:
        type = _type(op.tensor)
        return (poisoned(run_time_shape(type, args), type.element_type),)

    @semantics(tensor.DimOp)
    def run_dim(self, op: tensor.DimOp, args: PythonValues) -> PythonValues:
        return (array_views.dimension(args[0], args[1]),)

    @semantics(tensor.CastOp)
    def run_cast(self, op: tensor.CastOp, args: PythonValues) -> PythonValues:
        return (array_views.cast(args[0], op.dest.type),)

    @semantics(tensor.ExtractOp)
    def run_extract(self, op: tensor.ExtractOp, args: PythonValues) -> PythonValues:
        return (array_views.element(args[0], args[1:]),)

    @semantics(tensor.InsertOp)
    def run_insert(self, op: tensor.InsertOp, args: PythonValues) -> PythonValues:
        scalar, dest, *indices = args
        array_views.check_indices(dest, indices)
        result = fresh(dest)
        result[tuple(indices)] = scalar
        return (result,)

    @semantics(tensor.FromElementsOp)
    def run_from_elements(self, op: tensor.FromElementsOp, args: PythonValues) -> PythonValues:
        type = _type(op.result)
        return (np.array(args, numpy_dtype(type.element_type)).reshape(type.get_shape()),)

    @semantics(tensor.SplatOp)
    def run_splat(self, op: tensor.SplatOp, args: PythonValues) -> PythonValues:
        value, *sizes = args
        type = _type(op.result)
        return (np.full(run_time_shape(type, sizes), value, numpy_dtype(type.element_type)),)

    @impl(GenerateOp)
    def run_generate(
        self, interpreter: Interpreter, op: GenerateOp, args: PythonValues
    ) -> PythonValues:
        return (_generated(interpreter, op.body, run_time_shape(_type(op.result), args), op),)

    @impl(tensor.PadOp)
    def run_pad(
        self, interpreter: Interpreter, op: tensor.PadOp, args: PythonValues
    ) -> PythonValues:
        source, *given = args
        low = fill_dynamic(op.static_low.get_values(), given[: len(op.low)])
        high = fill_dynamic(op.static_high.get_values(), given[len(op.low) :])
        shape = tuple(b + size + a for b, size, a in zip(low, source.shape, high))
        result = _generated(interpreter, op.region, shape, op)
        result[tuple(slice(b, b + size) for b, size in zip(low, source.shape))] = source
        return (result,)

    run_yield = forwarding(tensor.YieldOp)

    @semantics(tensor.CollapseShapeOp)
    def run_collapse_shape(self, op: tensor.CollapseShapeOp, args: PythonValues) -> PythonValues:
        return (
            array_views.cast(
                fresh(array_views.collapsed(args[0], op.reassociation)), op.result.type
            ),
        )

    @semantics(tensor.ExpandShapeOp)
    def run_expand_shape(self, op: tensor.ExpandShapeOp, args: PythonValues) -> PythonValues:
        shape = fill_dynamic(op.static_output_shape.get_values(), args[1:])
        return (fresh(array_views.reshaped(args[0], shape)),)

    @semantics(tensor.ReshapeOp)
    def run_reshape(self, op: tensor.ReshapeOp, args: PythonValues) -> PythonValues:
        return (fresh(array_views.reshaped(args[0], [int(s) for s in args[1]])),)

    @semantics(tensor.ConcatOp)
    def run_concat(self, op: tensor.ConcatOp, args: PythonValues) -> PythonValues:
        return (np.concatenate(args, axis=op.dim.value.data),)

    @semantics(tensor.ExtractSliceOp)
    def run_extract_slice(self, op: tensor.ExtractSliceOp, args: PythonValues) -> PythonValues:
        part = array_views.sliced(args[0], *_slice_entries(op, args[1:]))
        shape = _type(op.result).get_shape()
        return (fresh(array_views.narrowed(part, op.static_sizes.get_values(), shape)),)

    @semantics(tensor.InsertSliceOp)
    def run_insert_slice(self, op: tensor.InsertSliceOp, args: PythonValues) -> PythonValues:
        source, dest = args[:2]
        result = fresh(dest)
        place = array_views.sliced(result, *_slice_entries(op, args[2:]))
        place[...] = source.reshape(place.shape)
        return (result,)
