"""Memory: a memref is an array that is written in place, a view of it a numpy view."""

from __future__ import annotations

import numpy as np
from xdsl.dialects import memref
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, MemRefType
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    impl,
    register_impls,
)
from xdsl.ir import Attribute, SSAValue

from relax_dialect.errors import RelaxError
from relax_dialect.interpret import array_views, stored_values
from relax_dialect.interpret.machine import machine
from relax_dialect.interpret.op_semantics import semantics
from relax_dialect.interpret.runtime_values import (
    Array,
    fill_dynamic,
    fresh,
    from_dense,
    numpy_dtype,
    poison,
    run_time_shape,
)
from relax_dialect.ir.mlir.mlir_ops import PrefetchOp


def _type(value: SSAValue) -> MemRefType[Attribute]:
    assert isinstance(value.type, MemRefType)
    return value.type


def _allocate(type: MemRefType[Attribute], sizes: PythonValues) -> Array:
    return stored_values.memory_of(run_time_shape(type, sizes), type.element_type)


def _same_memory(view: Array, of: Array) -> Array:
    """Return a view; raises an error if numpy had to copy, as the strides do not allow it."""
    if of.size and not np.may_share_memory(view, of):
        raise RelaxError("expected memory that has this shape without a copy, found other strides")
    return view


@register_impls
class MemrefFunctions(InterpreterFunctions):
    """The memref dialect; fresh and freed memory is filled with NaN, so that reading it shows."""

    @semantics(memref.AllocOp)
    def run_alloc(self, op: memref.AllocOp, args: PythonValues) -> PythonValues:
        return (_allocate(_type(op.memref), args[: len(op.dynamic_sizes)]),)

    @semantics(memref.AllocaOp)
    def run_alloca(self, op: memref.AllocaOp, args: PythonValues) -> PythonValues:
        return (_allocate(_type(op.memref), args[: len(op.dynamic_sizes)]),)

    @semantics(memref.DeallocOp)
    def run_dealloc(self, op: memref.DeallocOp, args: PythonValues) -> PythonValues:
        poison(args[0])
        return ()

    @semantics(memref.LoadOp)
    def run_load(self, op: memref.LoadOp, args: PythonValues) -> PythonValues:
        return (array_views.element(args[0], args[1:]),)

    @semantics(memref.StoreOp)
    def run_store(self, op: memref.StoreOp, args: PythonValues) -> PythonValues:
        value, array, *indices = args
        array_views.check_indices(array, indices)
        array[tuple(indices)] = value
        return ()

    @semantics(PrefetchOp)
    def run_prefetch(self, op: PrefetchOp, args: PythonValues) -> PythonValues:
        return ()

    @semantics(memref.DimOp)
    def run_dim(self, op: memref.DimOp, args: PythonValues) -> PythonValues:
        return (array_views.dimension(args[0], args[1]),)

    @semantics(memref.CopyOp)
    def run_copy(self, op: memref.CopyOp, args: PythonValues) -> PythonValues:
        source, destination = args
        if source.shape != destination.shape:
            raise RelaxError(
                f"expected a destination of sizes {list(source.shape)}, found "
                f"{list(destination.shape)}"
            )
        stored_values.write(destination, source)
        return ()

    @semantics(memref.CastOp)
    def run_cast(self, op: memref.CastOp, args: PythonValues) -> PythonValues:
        return (array_views.cast(args[0], op.dest.type),)

    @semantics(memref.SubviewOp)
    def run_subview(self, op: memref.SubviewOp, args: PythonValues) -> PythonValues:
        source, *dynamic = args
        first, second = len(op.offsets), len(op.offsets) + len(op.sizes)
        part = array_views.sliced(
            source,
            fill_dynamic(op.static_offsets.get_values(), dynamic[:first]),
            fill_dynamic(op.static_sizes.get_values(), dynamic[first:second]),
            fill_dynamic(op.static_strides.get_values(), dynamic[second:]),
        )
        shape = _type(op.result).get_shape()
        return (array_views.narrowed(part, op.static_sizes.get_values(), shape),)

    @semantics(memref.CollapseShapeOp)
    def run_collapse_shape(self, op: memref.CollapseShapeOp, args: PythonValues) -> PythonValues:
        return (_same_memory(array_views.collapsed(args[0], op.reassociation), args[0]),)

    @semantics(memref.ExpandShapeOp)
    def run_expand_shape(self, op: memref.ExpandShapeOp, args: PythonValues) -> PythonValues:
        shape = fill_dynamic(op.static_output_shape.get_values(), args[1:])
        return (_same_memory(array_views.reshaped(args[0], shape), args[0]),)

    @semantics(memref.ReinterpretCastOp)
    def run_reinterpret_cast(
        self, op: memref.ReinterpretCastOp, args: PythonValues
    ) -> PythonValues:
        source, *dynamic = args
        first, second = len(op.offsets), len(op.offsets) + len(op.sizes)
        element = _type(op.result).element_type
        if _type(op.source).element_type != element or isinstance(
            source, stored_values.PackedArray
        ):
            sizes = fill_dynamic(op.static_sizes.get_values(), dynamic[first:second])
            return (stored_values.reinterpreted(source, sizes, numpy_dtype(element)),)
        flat = _same_memory(array_views.reshaped(source, [source.size]), source)
        part = array_views.reinterpreted(
            flat,
            fill_dynamic(op.static_offsets.get_values(), dynamic[:first]),
            fill_dynamic(op.static_sizes.get_values(), dynamic[first:second]),
            fill_dynamic(op.static_strides.get_values(), dynamic[second:]),
        )
        return (part,)

    @impl(memref.GetGlobalOp)
    def run_get_global(
        self, interpreter: Interpreter, op: memref.GetGlobalOp, args: PythonValues
    ) -> PythonValues:
        name = op.name_.root_reference.data
        found = interpreter.get_op_for_symbol(name)
        if not isinstance(found, memref.GlobalOp):
            raise RelaxError(f"expected a memref.global, found {found.name} @{name}")
        if found.constant is not None and isinstance(found.initial_value, DenseIntOrFPElementsAttr):
            return (from_dense(found.initial_value),)
        memory = machine(interpreter).globals
        if name not in memory:
            memory[name] = (
                fresh(from_dense(found.initial_value))
                if isinstance(found.initial_value, DenseIntOrFPElementsAttr)
                else _allocate(found.type, ())
            )
        return (memory[name],)
