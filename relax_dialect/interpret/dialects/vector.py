"""The vector dialect: a vector is an array of its lanes, which no op changes in place.

Lanewise ops are defined in `arith` and `math`, whose ops take arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np
from xdsl.dialects import vector
from xdsl.dialects.builtin import VectorType
from xdsl.interpreter import (
    InterpreterFunctions,
    PythonValues,
    register_impls,
)
from xdsl.ir import Attribute

from relax_dialect.errors import RelaxError
from relax_dialect.interpret.array_views import check_indices
from relax_dialect.interpret.dialects.arith import element_dtype
from relax_dialect.interpret.dialects.math import fused_multiply_add
from relax_dialect.interpret.op_semantics import semantics
from relax_dialect.interpret.runtime_values import Array, convert, fill_dynamic, in_double
from relax_dialect.interpret.total_arithmetic import unsigned


def _as_unsigned(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda a, b: convert(function(unsigned(a), unsigned(b)), np.asarray(a).dtype)


JOINED: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "mul": np.multiply,
    "minui": _as_unsigned(np.minimum),
    "minsi": np.minimum,
    "maxui": _as_unsigned(np.maximum),
    "maxsi": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "minnumf": np.fmin,
    "maxnumf": np.fmax,
    "minimumf": np.minimum,
    "maximumf": np.maximum,
}
"""The operation of a `vector.reduction` on two lanes."""


def lanes_at(base: Array, indices: Sequence[int], type: Attribute) -> Array:
    """Return the elements of a memref that a vector holds: from an element on, along the last
    dimensions."""
    assert isinstance(type, VectorType)
    shape = type.get_shape()
    outer = base.ndim - len(shape)
    last = [i + size - 1 for i, size in zip(indices[outer:], shape)]
    check_indices(base, indices)
    check_indices(base, [*indices[:outer], *last])
    return base[(*indices[:outer], *(slice(i, i + n) for i, n in zip(indices[outer:], shape)))]


def _position(
    op: vector.ExtractOp | vector.InsertOp, lanes: Array, dynamic: Sequence[int]
) -> tuple[int, ...]:
    """Return the lane, or the lanes of a vector in a vector, that an op is about."""
    position = fill_dynamic(op.static_position.get_values(), dynamic)
    check_indices(lanes, [*position, *[0] * (lanes.ndim - len(position))])
    return position


@register_impls
class VectorFunctions(InterpreterFunctions):
    """The vector dialect."""

    @semantics(vector.LoadOp)
    def run_load(self, op: vector.LoadOp, args: PythonValues) -> PythonValues:
        base, *indices = args
        return (lanes_at(base, indices, op.result.type).copy(),)

    @semantics(vector.StoreOp)
    def run_store(self, op: vector.StoreOp, args: PythonValues) -> PythonValues:
        lanes, base, *indices = args
        lanes_at(base, indices, op.vector.type)[...] = lanes
        return ()

    @semantics(vector.BroadcastOp)
    def run_broadcast(self, op: vector.BroadcastOp, args: PythonValues) -> PythonValues:
        dtype = element_dtype(op.vector.type)
        return (np.broadcast_to(np.asarray(args[0], dtype), op.vector.type.get_shape()),)

    @semantics(vector.FMAOp)
    def run_fma(self, op: vector.FMAOp, args: PythonValues) -> PythonValues:
        return (in_double(fused_multiply_add)(*args),)

    @semantics(vector.ReductionOp)
    def run_reduction(self, op: vector.ReductionOp, args: PythonValues) -> PythonValues:
        lanes, *first = args
        return (reduce(JOINED[op.kind.data.value], [*first, *lanes]),)

    @semantics(vector.ExtractOp)
    def run_extract(self, op: vector.ExtractOp, args: PythonValues) -> PythonValues:
        lanes, *dynamic = args
        return (lanes[_position(op, lanes, dynamic)],)

    @semantics(vector.InsertOp)
    def run_insert(self, op: vector.InsertOp, args: PythonValues) -> PythonValues:
        source, into, *dynamic = args
        result = into.copy()
        result[_position(op, into, dynamic)] = source
        return (result,)

    @semantics(vector.ShuffleOp)
    def run_shuffle(self, op: vector.ShuffleOp, args: PythonValues) -> PythonValues:
        mask = [*op.mask.get_values()]
        if -1 in mask:
            raise RelaxError(
                "expected a lane for each element, found -1, which leaves one undefined"
            )
        return (np.concatenate(args)[mask],)

    @semantics(vector.BitcastOp)
    def run_bitcast(self, op: vector.BitcastOp, args: PythonValues) -> PythonValues:
        return (np.ascontiguousarray(args[0]).view(element_dtype(op.result.type)),)
